"""What the answers come to. The numbers are those of docs/choosing.md; promise and limits are the requirement's own."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from confide.core.requirements import (
    Amplification,
    Coherence,
    Exposure,
    KAnonymity,
    LimitedExchange,
    Requirement,
    SimpleDiversity,
)

__all__ = ["Advice", "advise"]

_FEW = {"health": 11, "retail": 5, "official": 5, "other": 5}  # k under a contract
_MANY = {"health": 11, "retail": 10, "official": 10, "other": 10}  # k for everybody
_GAMMA = {"health": 9.0, "retail": 19.0, "official": 19.0, "other": 19.0}
_ENTRIES = {"health": 5, "retail": 3, "official": 3, "other": 3}  # records behind a count between sites
_CROWD = {
    "health": "Health payers and regulators draw the line at 10 or 11 people: k = {k}.",
    "other": "Research centres ask for some 10 people behind what everybody sees, or 3 to 5 under a contract: k = {k}.",
}


@dataclass(frozen=True, kw_only=True)
class Advice:
    """A job and the settings it is to begin with; what it promises, why so, whom it does not stop, and a page of the
    docs. Without a job: Confide has no promise for this."""

    stage: str
    job: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    promise: str = ""
    reasons: tuple[str, ...] = ()
    does_not_stop: tuple[str, ...] = ()


def advise(answers: Mapping[str, str]) -> Advice:
    """The advice for answers to all questions that are asked."""
    return _ADVISERS[answers["have"]](answers)


def _nothing(answers: Mapping[str, str]) -> Advice:
    gamma = _GAMMA[answers["field"]]
    return _promised(
        Amplification(gamma=gamma),
        stage="Collect answers that people perturb themselves",
        job="collect plan",
        settings={"gamma": f"{gamma:g}"},
        reasons=(
            "You never hold a true answer: each person's own device adds the noise before the answer leaves it.",
            f"gamma = {gamma:g}: the smaller, the less one answer reveals, and the more people it takes.",
            "Expect to need thousands of people. The plan says how many.",
        ),
    )


def _table(answers: Mapping[str, str]) -> Advice:
    if answers["needs"] == "model":
        return _tree(answers, "Only a model is needed: publish a tree in which no leaf points at anybody.")
    requirement, settings = _groups(answers)
    if answers["needs"] == "alike":
        settings["method"] = "incognito"
        why = "The same values become coarser in the same way everywhere; that costs several times the detail."
    else:
        why = "Values become coarser where that costs least, in one group more than in another."
    return _promised(
        requirement,
        stage="Publish a table",
        job="publish table",
        settings=settings,
        reasons=(_crowd(answers), *_guessed(answers), why),
    )


def _tree(answers: Mapping[str, str], why: str) -> Advice:
    requirement, settings = _groups({"gets": "contract", "secret": "fact", **answers})
    words = requirement.words("tree", {})
    return Advice(
        stage="Share a decision tree instead of records",
        job="share train",
        settings=settings,
        promise=words.promise,
        reasons=(why, _crowd({"gets": "contract", **answers}), *_guessed({"secret": "fact", **answers})),
        does_not_stop=words.does_not_stop,
    )


def _people(answers: Mapping[str, str]) -> Advice:
    return _tree(answers, "Each organisation publishes a tree, and whoever has all of them learns one model from them.")


def _groups(answers: Mapping[str, str]) -> tuple[Requirement, dict[str, str]]:
    """k, and l where a sensitive fact must stay one."""
    k, least = _k(answers), _l(answers)
    if answers["secret"] == "identity":
        return KAnonymity(k=k), {"k": str(k)}
    return KAnonymity(k=k) & SimpleDiversity(l=least), {"k": str(k), "l": str(least)}


def _baskets(answers: Mapping[str, str]) -> Advice:
    k, p = _k(answers), int(answers["knows"])
    h = 1.0 if answers["secret"] == "identity" else (0.33 if _l(answers) == 3 else 0.5)
    guess = f"h = {h:g}: how sure a guess of a sensitive thing may be. Say under private which things are sensitive."
    return _promised(
        Coherence(h=h, k=k, p=p),
        stage="Publish baskets",
        job="publish transactions",
        settings={"k": str(k), "h": f"{h:g}", "p": str(p), "utility": answers["keeps"]},
        reasons=(
            _crowd(answers),
            f"p = {p}: as many things as somebody may know about a person.",
            *(() if h == 1 else (guess,)),
            "If too much is lost, try names that are broader instead of hidden (by = generalise), or a smaller p.",
        ),
    )


def _columns(answers: Mapping[str, str]) -> Advice:
    least = _ENTRIES[answers["field"]]
    return _promised(
        LimitedExchange(min_records=least),
        stage="Join tables of several organisations",
        job="join check",
        reasons=(
            "The tables stay where they are; the tree is the same as on the joined table.",
            f"min_records = {least} in each site's file: the fewest records behind a count that leaves a site.",
            "Begin with the check: it says whose class a partner could tell for certain, before anything is sent.",
        ),
    )


def _stream(answers: Mapping[str, str]) -> Advice:
    from confide.stream.jobs.requests import StreamRelease
    from confide.stream.pipeline.opening import requirement_of

    asked = StreamRelease(records="records.jsonl", min_support=25, window=2000, seed=0)
    return _promised(
        requirement_of(asked),
        stage="Publish what is frequent in a stream",
        job="stream release",
        settings={"min_support": "25", "window": "2000", "vulnerable": "5"},
        reasons=(
            "What is in 25 or more of the last 2,000 records is published, with noise drawn under a key of yours.",
            "Patterns of up to 5 people stay hidden from whoever puts all releases of the run together.",
            "Use stream plan on a sample first: it tries the attacks and raises the noise until they fail.",
        ),
    )


def _own(answers: Mapping[str, str]) -> Advice:
    return _promised(
        Exposure(min_detail=0.02),
        stage="Personal search",
        job="search profile build",
        reasons=(
            "Results are put into your order on this machine, and nothing of the profile leaves it.",
            "Only if you let a service do the ordering, it gets the interests above a share that you choose.",
        ),
    )


def _else(answers: Mapping[str, str]) -> Advice:
    why = "Do not press free text, pictures, positions or a network of people into a table: names in a text stay names."
    return Advice(stage="Confide has no promise for this", reasons=(why,))


_ADVISERS = {
    "nothing": _nothing,
    "table": _table,
    "baskets": _baskets,
    "columns": _columns,
    "people": _people,
    "stream": _stream,
    "own": _own,
    "else": _else,
}


def _promised(
    requirement: Requirement,
    *,
    stage: str,
    job: str,
    reasons: tuple[str, ...],
    settings: Mapping[str, str] | None = None,
) -> Advice:
    """The advice with the promise and the limits in the words of its requirement."""
    return Advice(
        stage=stage,
        job=job,
        settings=settings or {},
        promise=requirement.promise(),
        reasons=reasons,
        does_not_stop=requirement.does_not_stop,
    )


def _k(answers: Mapping[str, str]) -> int:
    return (_FEW if answers["gets"] == "contract" else _MANY)[answers["field"]]


def _l(answers: Mapping[str, str]) -> int:
    """3 where a guess costs most: in health, and for everybody in official statistics; else 2."""
    everybody = answers.get("gets") == "everybody" and answers["field"] == "official"
    return 3 if answers["field"] == "health" or everybody else 2


def _crowd(answers: Mapping[str, str]) -> str:
    text = _CROWD.get(answers["field"], _CROWD["other"])
    return text.format(k=_k(answers))


def _guessed(answers: Mapping[str, str]) -> tuple[str, ...]:
    if answers["secret"] == "identity":
        return ()
    least = _l(answers)
    return (f"l = {least}: nobody's sensitive value is guessed with a chance above 1 in {least}.",)
