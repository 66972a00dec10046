"""The sentences of passports of version 2, frozen: a passport that was signed with them is still verified by them.

Nothing here follows a requirement that is reworded today, and nothing else may use it. Version 3 says the same promises
in other words; where those of version 2 said too much, `overstated` says so, and verifying shows it.
"""

import math
import re
from collections.abc import Mapping
from typing import Any

from confide.core.bounds import at_least, at_most, share_at_least, share_at_most
from confide.core.errors import InputError
from confide.core.requirements.amplification import Amplification
from confide.core.requirements.base import PassportWords, Requirement, exact
from confide.core.requirements.coherence import Coherence
from confide.core.requirements.exchange import LimitedExchange
from confide.core.requirements.exposure import Exposure
from confide.core.requirements.output_privacy import OutputPrivacy
from confide.core.requirements.tables import (
    AllOf,
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    OthersKnown,
    RecursiveDiversity,
    SimpleDiversity,
    TableRequirement,
    TCloseness,
)

__all__ = ["overstated", "version_2_words"]

_ONE_VALUE = "learning a sensitive value when all rows of a group share it (a diversity requirement stops that)"
_SEVERAL = "someone who compares several releases about the same people"
_ALIKE = "learning what two sensitive values with nearly the same meaning have in common"
_RULED_OUT = "ruling out sensitive values a person cannot have, which raises the chance of the others"
_SEVERAL_ROWS = "finding a person who has several rows"
_EVERYBODY = "learning what is true of everybody in the release"

_TABLES = (
    "what version 2 left out: columns that the schema does not declare as quasi-identifiers may still identify "
    "someone, and who knows the algorithm may reason backwards from what it kept (minimality)"
)
_TREES = "what version 2 called rows that look alike: in a tree they are the records of a leaf"
_JOIN = (
    "what version 2 left out: where a shared key stands for one person, a neighbouring site may learn that person's "
    "class"
)


def overstated(requirement: Requirement, stage: str) -> tuple[str, ...]:
    """What a passport of version 2 said too strongly, or left out, for readers of its verification."""
    if isinstance(requirement, LimitedExchange):
        return (_JOIN,)
    if isinstance(requirement, TableRequirement):
        return (_TREES,) if stage == "share" else (_TABLES,)
    return ()


def version_2_words(requirement: Requirement, stage: str, context: Mapping[str, Any]) -> PassportWords:
    """What version 2 said of this requirement. Of tables with a column of persons it counted people."""
    if isinstance(requirement, TableRequirement) and any(name is not None for name in requirement.columns):
        raise InputError("a passport of version 2 cannot speak of one sensitive column")
    promise, stops, does_not_stop = _words(requirement)
    roles = context.get("roles")
    if stage == "publish table" and isinstance(roles, Mapping) and "person" in roles.values():
        promise, stops = _of_people(promise), tuple(_of_people(text) for text in stops)
    return PassportWords(promise, stops, does_not_stop)


def _of_people(text: str) -> str:
    text = re.sub(r"\bat least (\S+) rows fit\b", r"rows of at least \1 people fit", text)
    text = re.sub(r"\b([Aa]t least \S+) rows share\b", r"\1 people share", text)
    return text.replace(" of the rows", " of the people")


def _words(requirement: Requirement) -> PassportWords:
    match requirement:
        case Coherence():
            return _coherence(requirement)
        case Amplification():
            return _amplification(requirement)
        case LimitedExchange():
            return _exchange(requirement)
        case OutputPrivacy():
            return _output_privacy(requirement)
        case Exposure():
            share = share_at_least(requirement.min_detail)
            return PassportWords(
                f"Only interests that make up at least {share} of the profile leave the machine.",
                (f"a search engine learning interests below {share} of the profile",),
                (
                    "sensitive interests that are frequent: they are exposed first, unless hidden by hand",
                    "what the queries themselves say",
                ),
            )
        case AllOf():
            return _all_of([(part.kind, _words(part)) for part in requirement.parts])
        case OthersKnown():
            promise, stops, does_not_stop = _words(requirement.of)
            return PassportWords(
                f"Even where all other sensitive values of a person are known: {promise[0].lower()}{promise[1:]}",
                tuple(f"with all other sensitive values of a person known: {text}" for text in stops),
                does_not_stop,
            )
        case KAnonymity() | AlphaK():
            return _groups(requirement)
        case TCloseness() | BetaLikeness() | DeltaDisclosure():
            return _closeness(requirement)
        case SimpleDiversity() | DistinctDiversity() | EntropyDiversity() | RecursiveDiversity():
            return _diversity(requirement)
    raise InputError(f"a passport of version 2 cannot ask for {requirement.kind}")


def _coherence(requirement: Coherence) -> PassportWords:
    h, k, p = requirement.h, requirement.k, requirement.p
    known = {math.inf: "any number of public items", 1: "one public item"}.get(p, f"up to {p} public items")
    private = "" if h == 1 else f"; no private item is in more than {share_at_most(h)} of those"
    stops = [f"someone who knows {known} of a person and looks for that person's record"]
    does_not_stop = []
    if p != math.inf:
        items = "1 public item" if p == 1 else f"{p} public items"
        does_not_stop.append(f"someone who knows more than {items} of a person")
    if h == 1:
        does_not_stop.append("someone who guesses a private item from known items: h = 1 sets no bound")
    else:
        chance = share_at_most(h)
        stops.append(f"someone who knows {known} and guesses a private item: right with a chance of at most {chance}")
    does_not_stop += [
        "someone who knows private items of a person, items the person does not have, or how long the record is",
        _SEVERAL,
        "someone who reasons backwards from how the algorithm chooses what to hide (minimality)",
    ]
    promise = f"Someone who knows {known} of a person finds at least {k} matching records, or none{private}."
    return PassportWords(promise, tuple(stops), tuple(does_not_stop))


def _amplification(requirement: Amplification) -> PassportWords:
    gamma = requirement.gamma
    posterior = share_at_most(gamma * 0.05 / (1 + (gamma - 1) * 0.05))
    if gamma > 1000.0 * (1 + 1e-9):
        rises = "may become all but certain" if posterior == "100%" else f"may become {posterior}"
        promise = (
            "Next to no protection for whole records: an answer may shift anyone's odds by a factor of "
            f"{at_most(gamma)}, and a suspicion of 5% {rises}."
        )
    else:
        rises = "may become all but certain" if posterior == "100%" else f"never rises above {posterior}"
        promise = f"An answer shifts anyone's odds by at most a factor of {at_most(gamma)}; a suspicion of 5% {rises}."
    two = f" (two: {at_most(gamma**2)})" if gamma < 1e100 else ""
    return PassportWords(
        promise,
        (
            (
                "a collector, or anyone else who reads its records, shifting the odds of anything about a person by "
                f"more than a factor of {at_most(gamma)}, whatever they already know"
            ),
        ),
        (
            "a device that does not draw its noise as the scheme says",
            f"several fresh answers from one person: their factors multiply{two}",
            "learning what is true of everybody, which also holds for people who never answered",
            "learning that a person took part",
        ),
    )


def _exchange(requirement: LimitedExchange) -> PassportWords:
    least = "" if requirement.min_records == 1 else f" in entries of at least {requirement.min_records} records"
    return PassportWords(
        f"Only shared join values, class labels, class counts{least}, scores (or shares of them) and the shape of the "
        "tree crossed between sites; no private column left its site.",
        (
            "another site, or the coordinator, reading a private column, or a join value that two sites do not share",
            "anyone who holds the tree reading another site's attribute names or values from it",
        ),
        (
            "dishonest sites: each is trusted to follow the protocol, and sites may combine what they have learned",
            (
                "summaries: they show how many records a shared key has, the classes of keys with few records, and the "
                "side of a hidden split a key falls on, for splits of farther sites too; a missing key points to gaps "
                "at third sites"
            ),
            (
                "small groups: when all records of an entry have one class, each record's class is known; one count of "
                "an entry may be about a single record"
            ),
            "the coordinator: it learns class counts and the shape of the tree",
            (
                "predictions: by asking, the coordinator can learn who is in a site's table, how large the table is, "
                "and the branch that any record takes at any split"
            ),
        ),
    )


def _output_privacy(requirement: OutputPrivacy) -> PassportWords:
    rare = requirement.vulnerable
    return PassportWords(
        f"Anyone who infers a pattern found in {rare} records or fewer is wrong by a relative squared error of at "
        f"least {at_least(requirement.delta)}; published supports are off by at most {at_most(requirement.epsilon)}.",
        (f"inferring a pattern found in {rare} records or fewer from the published supports of one window",),
        (
            f"an attacker who guesses a count between 0 and {rare} without using the supports",
            "averaging over several windows while the counts drift: the promise is for each release",
            "noticing that a published value has not changed, or that two are equal",
        ),
    )


# -- tables and trees -----------------------------------------------------------------------------------------------


def _all_of(parts: list[tuple[str, PassportWords]]) -> PassportWords:
    does_not_stop = dict.fromkeys(text for _, words in parts for text in words.does_not_stop)
    if any(kind.endswith("-diversity") or kind == "alpha-k-anonymity" for kind, _ in parts):
        does_not_stop.pop(_ONE_VALUE, None)
    return PassportWords(
        " ".join(words.promise for _, words in parts),
        tuple(dict.fromkeys(text for _, words in parts for text in words.stops)),
        tuple(does_not_stop),
    )


def _groups(requirement: KAnonymity | AlphaK) -> PassportWords:
    k = requirement.k
    many = f"At least {k} rows share every combination of values that could identify someone (quasi-identifiers)"
    linking = f"linking a row to a person through the quasi-identifiers: at least {k} rows fit"
    if isinstance(requirement, KAnonymity):
        return PassportWords(f"{many}.", (linking,), (_ONE_VALUE, _SEVERAL, _SEVERAL_ROWS))
    alpha = share_at_most(requirement.alpha)
    return PassportWords(
        f"{many}, and no sensitive value is in more than {alpha} of them.",
        (linking, f"guessing a sensitive value from the quasi-identifiers with a chance above {alpha}"),
        (_RULED_OUT, _ALIKE, _SEVERAL, _SEVERAL_ROWS),
    )


def _diversity(
    requirement: SimpleDiversity | DistinctDiversity | EntropyDiversity | RecursiveDiversity,
) -> PassportWords:
    group = "In each group of rows that look alike"
    if isinstance(requirement, SimpleDiversity):
        return PassportWords(
            f"{group}, no sensitive value is in more than 1/{requirement.l} of the rows.",
            (f"guessing a sensitive value from the quasi-identifiers with a chance above 1/{requirement.l}",),
            (_RULED_OUT, _ALIKE, _SEVERAL),
        )
    if isinstance(requirement, EntropyDiversity):
        return PassportWords(
            f"{group}, sensitive values are spread at least as evenly as {at_least(requirement.l)} equally common ones "
            "(entropy).",
            (
                (
                    "being certain of a sensitive value from the quasi-identifiers: each group has at least "
                    f"{math.ceil(exact(requirement.l))} of them, none of which makes up nearly all of it"
                ),
            ),
            (
                "guessing the commonest sensitive value of a group: entropy sets no fixed bound on that chance",
                _RULED_OUT,
                _ALIKE,
                _SEVERAL,
            ),
        )
    out = requirement.l - 2
    even = f", even after ruling out {out} other value{'s' * (out > 1)}" if out else ""
    if isinstance(requirement, DistinctDiversity):
        return PassportWords(
            f"{group} there are at least {requirement.l} different sensitive values.",
            (f"being certain of a sensitive value from the quasi-identifiers{even}",),
            (
                "guessing the commonest sensitive value of a group, which may be in nearly all of its rows",
                _RULED_OUT,
                _ALIKE,
                _SEVERAL,
            ),
        )
    c, l = requirement.c, requirement.l  # noqa: E741 - the paper's letter
    place = f"{l}{'th' if 10 <= l % 100 <= 20 else {1: 'st', 2: 'nd', 3: 'rd'}.get(l % 10, 'th')}"
    return PassportWords(
        f"{group}, the most common sensitive value appears less than {at_most(c)} times as often as the {place} most "
        "common and all rarer ones together.",
        (f"guessing a sensitive value with a chance of {share_at_most(c / (c + 1))} or more{even}",),
        (_ALIKE, _SEVERAL),
    )


def _closeness(requirement: TCloseness | BetaLikeness | DeltaDisclosure) -> PassportWords:
    through = "through a person's quasi-identifiers"
    absent = "learning that a person does not have a sensitive value that is"
    if isinstance(requirement, TCloseness):
        t = share_at_most(requirement.t)
        moved = f"{t} of its rows would have to change their sensitive value"
        if requirement.ordered:
            moved = f"its sensitive values would have to move by {t} of their whole order on average"
        near = "telling which of two neighbours in the order a person has" if requirement.ordered else _ALIKE
        return PassportWords(
            f"For each group of rows that look alike, at most {moved} to match the whole release.",
            ("learning from a person's group much more about sensitive values than the whole release tells",),
            (
                "learning much about one rare sensitive value: the distance is a sum over all values",
                near,
                _EVERYBODY,
                _SEVERAL,
            ),
        )
    if isinstance(requirement, BetaLikeness):
        factor = at_most(1 + requirement.beta)
        common = "; of common values even less (1 - ln of their share)" if requirement.enhanced else ""
        certain = (
            () if requirement.enhanced else ("being certain of a common sensitive value: a large beta allows that",)
        )
        return PassportWords(
            f"No sensitive value is, in any group of rows that look alike, more than {factor} times as common as in "
            f"the whole release{common}.",
            (f"raising the chance of a sensitive value by more than a factor of {factor} {through}",),
            (*certain, f"{absent} rare or absent in their group", _ALIKE, _EVERYBODY, _SEVERAL),
        )
    factor = at_most(math.exp(requirement.delta) * (1 + 1e-12))
    return PassportWords(
        f"A sensitive value that occurs in a group of rows that look alike is there at most {factor} times as common, "
        "or as rare, as in the whole release.",
        (f"raising the chance of a sensitive value by a factor of {factor} or more {through}",),
        (f"{absent} absent from their group", _ALIKE, _EVERYBODY, _SEVERAL),
    )
