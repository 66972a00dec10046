"""Is an exposed profile what minDetail allows?

    anybody         the file holds pairs of a term and a weight and nothing else; no weight is above log10(1/minDetail),
                    which is the weight of an interest that has exactly that share
    the owner       has the profile too: every pair is an interest of it that is heavy enough, not hidden, below no
                    hidden one, with the weight it must have; and expRatio is as the passport says

Weights could be lied about; to anybody but the owner the file proves its form only.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from confide.core.checks import Check, Findings
from confide.core.figures import Figure, Figures
from confide.core.requirements import Exposure, Requirement
from confide.core.requirements.base import exact

if TYPE_CHECKING:
    from confide.core.passport import Passport

__all__ = ["verify_exposure"]

_ROUNDING = 0.0005 + 1e-12  # weights have three decimals
_RATIO = 1e-6  # of expRatio, which has six


def verify_exposure(data: Any, passport: "Passport", evidence: Any = None) -> Iterator[Check]:
    """The checks of an exposed profile; `evidence` is {"interests": tree}, the profile of its owner."""
    requirement = Requirement.from_dict(passport.requirement)
    assert isinstance(requirement, Exposure)
    fault = _form(data)
    yield Check(name="it holds terms and weights, and nothing else", ok=not fault, detail=fault)
    if fault:
        return
    pairs = data["pairs"]
    yield _light(pairs, requirement)
    ours = passport.loss.get("interests")
    yield Check(
        name="the passport counts its interests",
        ok=ours == len(pairs),
        detail=f"{len(pairs):,} interests" + ("" if ours == len(pairs) else ", the passport says otherwise"),
        findings=Findings(
            sentence=f"{len(pairs):,} interest{'s' * (len(pairs) != 1)} would leave the machine.",
            figures=Figures(
                Figure("interests", len(pairs), "count", f"interest{'s' * (len(pairs) != 1)} exposed"),
            ),
        ),
    )
    if evidence is not None:
        yield from _owner_checks(pairs, requirement, passport, evidence["interests"])


def _form(data: Any) -> str:
    if not isinstance(data, dict) or list(data) != ["format", "version", "pairs"]:
        return "not format, version and pairs"
    if data["format"] != "confide exposed profile" or type(data["version"]) is not int or data["version"] != 1:
        return "another format or version"
    if not isinstance(data["pairs"], list):
        return "pairs is no list"
    for number, pair in enumerate(data["pairs"]):
        if not isinstance(pair, dict) or list(pair) != ["term", "weight"]:
            return f"pairs.{number}: not a term and a weight"
        words, weight = pair["term"], pair["weight"]
        if not isinstance(words, list) or not words or not all(isinstance(word, str) and word for word in words):
            return f"pairs.{number}: the term is not a list of words"
        if type(weight) is not float or not math.isfinite(weight) or weight < 0 or weight != round(weight, 3):
            return f"pairs.{number}: the weight is not a number of three decimals, 0 or more"
    return ""


def _light(pairs: list[dict[str, Any]], requirement: Exposure) -> Check:
    name = "no weight stands for less than min_detail"
    if requirement.min_detail == 0:
        return Check(name=name, ok=True, detail="min_detail=0 allows everything", weak=True)
    most = -math.log10(requirement.min_detail)
    heavy = [number for number, pair in enumerate(pairs) if pair["weight"] > most + _ROUNDING]
    detail = f"pairs.{heavy[0]} has a weight above {most:.3f}" if heavy else f"none is above {most:.3f}"
    return Check(name=name, ok=not heavy, detail=detail)


def _owner_checks(
    pairs: list[dict[str, Any]], requirement: Exposure, passport: "Passport", root: dict[str, Any]
) -> Iterator[Check]:
    total = root["units"]
    least = exact(requirement.min_detail) * total
    yield _adding_up(root)
    allowed: dict[tuple[tuple[str, ...], float], list[tuple[int, ...]]] = {}
    for path, interest in _allowed(root, least):
        share = Fraction(interest["units"], total)
        weight = round(math.log10(share.denominator / share.numerator), 3) if 0 < share < 1 else 0.0
        allowed.setdefault((tuple(interest["words"]), weight), []).append(path)
    sent: set[tuple[int, ...]] = set()
    wrong = None
    for number, pair in enumerate(pairs):
        places = allowed.get((tuple(pair["term"]), pair["weight"]), [])
        if not places:
            wrong = number if wrong is None else wrong
        else:
            sent.add(places.pop(0))
    yield Check(
        name="every pair is one that the profile allows",
        ok=wrong is None,
        detail=f"{len(pairs):,} of the profile's interests"
        if wrong is None
        else f"pairs.{wrong} is hidden, too light, weighted otherwise, or not in the profile at all",
    )
    orphans = sum(len(path) > 1 and path[:-1] not in sent for path in sent)
    yield Check(
        name="no interest goes without the one above it",
        ok=orphans == 0,
        detail=f"{orphans} do" if orphans else "",
    )
    found = _ratio(root, sent)
    said = passport.loss.get("exp_ratio")
    ok = isinstance(said, int | float) and abs(found - said) <= _RATIO
    yield Check(
        name="expRatio is as the passport says",
        ok=ok,
        detail=f"{found:.3f}" + ("" if ok else ", the passport says otherwise"),
        findings=Findings(
            figures=Figures(
                Figure("exp_ratio", round(found, 6), "share", "of the profile's information exposed (expRatio)")
            )
        ),
    )


def _allowed(root: dict[str, Any], least: Fraction) -> Iterator[tuple[tuple[int, ...], dict[str, Any]]]:
    """Interests that may leave, each with its place in the tree."""
    for number, child in enumerate(root["children"]):
        if not child["hidden"] and child["units"] >= least:
            yield (number,), child
            for path, below in _allowed(child, least):
                yield (number, *path), below


def _adding_up(root: dict[str, Any]) -> Check:
    waiting, fault = [root], ""
    while waiting:
        interest = waiting.pop()
        held = sum(child["units"] for child in interest["children"])
        if held > interest["units"] or any(child["units"] < 0 for child in interest["children"]):
            fault = "an interest weighs less than those below it"
        waiting += interest["children"]
    return Check(name="no interest outweighs the one above it", ok=not fault, detail=fault)


def _ratio(root: dict[str, Any], sent: set[tuple[int, ...]]) -> float:
    """expRatio by hand: entropies of the leaves of the exposed part and of the whole, both divided by log 10."""

    def leaves(interest: dict[str, Any], path: tuple[int, ...], *, all: bool) -> Iterator[int]:
        inner = [
            (child, (*path, number))
            for number, child in enumerate(interest["children"])
            if all or (*path, number) in sent
        ]
        yield interest["units"] - sum(child["units"] for child, _ in inner)
        for child, place in inner:
            yield from leaves(child, place, all=all)

    def entropy(weights: Iterator[int]) -> float:
        total = int(root["units"])
        return sum((w / total * (math.log10(total) - math.log10(w)) for w in weights if w > 0), 0.0)

    whole = entropy(leaves(root, (), all=True))
    return 1.0 if whole < 1e-15 else entropy(leaves(root, (), all=False)) / whole
