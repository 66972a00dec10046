"""Privacy requirements: frozen, keyword-only, validated once, printable in plain words.

A requirement says *what* must hold of a release; it knows neither how a stage gets there nor how an auditor checks it.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar

from confide.core.bounds import at_most, share_at_most
from confide.core.errors import InputError, RequirementError

__all__ = [
    "Amplification",
    "Coherence",
    "Exposure",
    "KAnonymity",
    "LimitedExchange",
    "OutputPrivacy",
    "RecursiveDiversity",
    "Requirement",
    "SimpleDiversity",
]


@dataclass(frozen=True, kw_only=True)
class Requirement(ABC):
    """What all requirements share: a `kind`, a promise in a sentence, and a form for JSON."""

    kind: ClassVar[str]
    stops: ClassVar[tuple[str, ...]]
    does_not_stop: ClassVar[tuple[str, ...]]

    @abstractmethod
    def promise(self) -> str:
        """The promise, in one sentence, with the numbers filled in."""

    def tongues(self) -> dict[str, str]:
        """The same protection in the words of several schools: {term: value with a plain sentence}."""
        return {}

    def to_dict(self) -> dict[str, Any]:
        """Plain data; `p = infinity` becomes the text "inf", which JSON can hold."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {"kind": self.kind, **{k: "inf" if v == math.inf else v for k, v in values.items()}}

    @staticmethod
    def from_dict(data: dict[str, Any]) -> "Requirement":
        """Read back what `to_dict` gave."""
        kinds = {cls.kind: cls for cls in Requirement.__subclasses__()}
        if not isinstance(data, dict) or not isinstance(data.get("kind"), str) or data["kind"] not in kinds:
            raise InputError(f"unknown kind of requirement; kinds are: {', '.join(sorted(kinds))}")
        cls = kinds[data["kind"]]
        given = {k: math.inf if v == "inf" else v for k, v in data.items() if k != "kind"}
        expected = {f.name for f in fields(cls)}
        if set(given) != expected:
            raise InputError(
                f"{cls.kind} takes {', '.join(sorted(expected))}; got {', '.join(sorted(given)) or 'none'}"
            )
        return cls(**given)


def _count(name: str, value: object, *, least: int, why: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise RequirementError(f"{name}={value} {why}; use a whole number of {least} or more")


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _ordinal(n: int) -> str:
    """1st, 2nd, 3rd, 4th, ..."""
    ending = "th" if 10 <= n % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def _exact(value: float) -> Fraction:
    """The decimal as written (0.6 is 3/5, not the nearest binary number)."""
    return Fraction(repr(value))


@dataclass(frozen=True, kw_only=True)
class Coherence(Requirement):
    """(h, k, p)-coherence: any p or fewer public items a person is known by match no transaction or at least k of
    them, and no private item stands in more than a share h of those.

    A larger k hides each person among more; a smaller h gives away less about private items; a larger p covers an
    attacker who knows more (`math.inf`: any number of items).

    >>> Coherence(h=0.6, k=3, p=4).is_mole(support=5, private=4)
    True
    >>> Coherence(h=0.6, k=3, p=4).is_mole(support=5, private=3)
    False
    """

    kind = "coherence"
    stops = (
        "someone who knows up to p public items of a person's transaction and looks for the transaction",
        "someone who knows up to p public items and wants to learn a private item",
    )
    does_not_stop = (
        "knowledge of private items, of items a person does not have, or of how long a transaction is",
        "knowledge of more than p items",
        "comparing several releases of the same people",
        "reasoning from how the algorithm chooses (minimality)",
    )

    h: float
    k: int
    p: int | float

    def __post_init__(self) -> None:
        _count("k", self.k, least=2, why="protects nobody")
        if not _number(self.h) or not 0 < self.h <= 1:
            raise RequirementError(f"h={self.h} is no share; use a number in (0, 1], 1 for no bound on private items")
        if self.p != math.inf:
            _count("p", self.p, least=1, why="is no number of items an attacker could know (inf for any)")

    def most_private(self, support: int) -> int:
        """How many of `support` transactions may hold one private item: floor(h * support), in exact arithmetic."""
        return math.floor(_exact(self.h) * support)

    def is_mole(self, *, support: int, private: int) -> bool:
        """Whether an itemset of at most p public items, in `support` transactions of which `private` hold the
        commonest private item, must be broken."""
        return support > 0 and (support < self.k or private > self.most_private(support))

    def promise(self) -> str:
        known = {math.inf: "any number of public items", 1: "one public item"}.get(
            self.p, f"up to {self.p} public items"
        )
        private = "" if self.h == 1 else f", and no private item stands in more than {self.h:.0%} of those"
        return f"Whoever knows {known} of a person matches at least {self.k} transactions or none{private}."

    def tongues(self) -> dict[str, str]:
        return {
            "k": f"{self.k}: the fewest transactions any known itemset matches",
            "h": f"{self.h:g}: the largest chance with which a private item can be guessed from known items",
            "p": f"{'any number' if self.p == math.inf else self.p}: how many items the attacker may know",
            "chance to pick the right transaction": f"at most {1 / self.k:.3g} (1/k)",
        }


@dataclass(frozen=True, kw_only=True)
class KAnonymity(Requirement):
    """k-anonymity: each combination of quasi-identifier values is shared by k rows or more; a larger k hides better."""

    kind = "k-anonymity"
    stops = ("linking a row to a person through the quasi-identifiers",)
    does_not_stop = (
        "learning a sensitive value when all rows of a group share it (see diversity)",
        "comparing several releases of the same people",
        "a person with several rows",
    )

    k: int

    def __post_init__(self) -> None:
        _count("k", self.k, least=2, why="protects nobody")

    def promise(self) -> str:
        return f"Each combination of quasi-identifiers is shared by at least {self.k} rows."

    def tongues(self) -> dict[str, str]:
        return {
            "k": f"{self.k}: the smallest group of rows that look alike",
            "chance to pick the right row": f"at most {1 / self.k:.3g} (1/k)",
        }


@dataclass(frozen=True, kw_only=True)
class SimpleDiversity(Requirement):
    """Simple l-diversity: in each group of rows that look alike, no sensitive value holds more than 1/l of the rows.

    A larger l gives away less. It can be met only while l is at most 1/(share of the commonest sensitive value).
    """

    kind = "simple-diversity"
    stops = ("guessing a sensitive value from the quasi-identifiers with a chance above 1/l",)
    does_not_stop = (
        "excluding sensitive values a person cannot have, which raises the chance of the others",
        "two sensitive values that mean nearly the same",
        "comparing several releases of the same people",
    )

    l: int  # noqa: E741 - the paper's letter

    def __post_init__(self) -> None:
        _count("l", self.l, least=2, why="allows groups with one sensitive value")

    def promise(self) -> str:
        return f"In each group of rows that look alike, no sensitive value holds more than 1/{self.l} of them."

    def tongues(self) -> dict[str, str]:
        return {"l": f"{self.l}: a sensitive value is guessed right with a chance of at most {1 / self.l:.3g} (1/l)"}


@dataclass(frozen=True, kw_only=True)
class RecursiveDiversity(Requirement):
    """Recursive (c, l)-diversity: in each group, sensitive values counted f1 >= f2 >= ..., f1 < c (fl + fl+1 + ...).

    A larger l or a smaller c gives away less: l - 2 values can be excluded and the commonest one left is still less
    than c times the rest.
    """

    kind = "recursive-diversity"
    stops = ("guessing a sensitive value even after excluding up to l - 2 values",)
    does_not_stop = SimpleDiversity.does_not_stop[1:]

    c: float
    l: int  # noqa: E741 - the paper's letter

    def __post_init__(self) -> None:
        _count("l", self.l, least=2, why="allows groups with one sensitive value")
        if not _number(self.c) or self.c <= 0:
            raise RequirementError(f"c={self.c} can never be met; use a number above 0, commonly 2 to 20")

    def most_frequent_allowed(self, tail: int, top: int) -> bool:
        """Whether f1 = `top` may stand against fl + fl+1 + ... = `tail`, in exact arithmetic."""
        return top < _exact(self.c) * tail

    def promise(self) -> str:
        return (
            f"In each group of rows that look alike, the commonest sensitive value is less than {self.c:g} times as "
            f"common as all together from the {_ordinal(self.l)} commonest on."
        )

    def tongues(self) -> dict[str, str]:
        return {
            "l": f"{self.l}: each group holds at least {self.l} different sensitive values",
            "c": f"{self.c:g}: how far the commonest value may outweigh the rare ones together",
            "chance to guess a sensitive value": f"below {self.c / (self.c + 1):.3g} (c/(c+1))",
        }


@dataclass(frozen=True, kw_only=True)
class Amplification(Requirement):
    """Amplification at most gamma: no perturbed record is gamma times likelier under one true record than another.

    A smaller gamma protects better; 1 would erase the data. It is local differential privacy with
    epsilon = ln(gamma), and holds per submission: t fresh submissions of one person give gamma ** t.

    >>> Amplification.from_breach(0.05, 0.5)
    Amplification(gamma=19.0)
    """

    kind = "amplification"
    stops = (
        "a collector, or whoever reads its records, learning more of anyone than gamma allows, whatever else is known",
    )
    does_not_stop = (
        "a client that does not draw as told",
        "several fresh submissions of one person: t of them give gamma to the power t",
        "learning what is true of everybody, which holds for those who never answered too",
        "learning that a person took part",
    )

    gamma: float

    def __post_init__(self) -> None:
        if not _number(self.gamma) or self.gamma <= 1:
            raise RequirementError(
                f"gamma={self.gamma} erases the data or is no bound; use a number above 1, such as 19"
            )

    @classmethod
    def from_breach(cls, rho1: float, rho2: float) -> "Amplification":
        """The gamma under which a property of prior at most rho1 never gets a posterior above rho2."""
        if not (_number(rho1) and _number(rho2) and 0 < rho1 < rho2 < 1):
            raise RequirementError(f"rho1={rho1}, rho2={rho2}: use 0 < rho1 < rho2 < 1, for example 0.05 and 0.5")
        low, high = _exact(rho1), _exact(rho2)
        return cls(gamma=float(high * (1 - low) / (low * (1 - high))))

    @property
    def epsilon(self) -> float:
        """ln(gamma), the parameter of local differential privacy."""
        return math.log(self.gamma)

    def posterior(self, prior: float) -> float:
        """The largest posterior a property of this prior can reach."""
        return self.gamma * prior / (1 + (self.gamma - 1) * prior)

    def promise(self) -> str:
        share = share_at_most(self.posterior(0.05))
        rises = "may become all but certain" if share == "100%" else f"never rises above {share}"
        return (
            f"No answer a device sends is more than {at_most(self.gamma)} times likelier for one truth than for "
            f"another; a property of prior 5% {rises}."
        )

    def tongues(self) -> dict[str, str]:
        return {
            "gamma": f"{at_most(self.gamma)}: the largest ratio of likelihoods",
            "epsilon": f"{at_most(self.epsilon, 5)}: the same as local differential privacy (ln gamma)",
            "(rho1, rho2)": ", ".join(f"{x:.0%} to {share_at_most(self.posterior(x))}" for x in (0.05, 0.01)),
        }


@dataclass(frozen=True, kw_only=True)
class OutputPrivacy(Requirement):
    """Butterfly's (epsilon, delta) over a stream: supports are off by at most epsilon relative squared error, and any
    pattern of support up to `vulnerable` is inferred with relative squared error at least delta.

    `min_support` is C, the least support published; `vulnerable` is K. Larger delta protects better, smaller epsilon
    keeps supports closer.
    """

    kind = "output-privacy"
    stops = ("inferring a rare pattern from the published supports of one window or several",)
    does_not_stop = (
        "an attacker who guesses between 0 and K without using the supports",
        "seeing that a published value has not changed",
    )

    epsilon: float
    delta: float
    min_support: int
    vulnerable: int

    def __post_init__(self) -> None:
        for name in ("epsilon", "delta"):
            if not _number(getattr(self, name)) or getattr(self, name) <= 0:
                raise RequirementError(f"{name}={getattr(self, name)} is no bound; use a number above 0")
        _count("vulnerable", self.vulnerable, least=1, why="names no rare pattern")
        _count("min_support", self.min_support, least=self.vulnerable + 1, why="would publish vulnerable patterns")

    def promise(self) -> str:
        return (
            f"A pattern shared by {self.vulnerable} records or fewer is inferred with a relative squared error of at "
            f"least {self.delta:g}; published supports are off by at most {self.epsilon:g}."
        )

    def tongues(self) -> dict[str, str]:
        return {
            "delta": f"{self.delta:g}: least relative squared error of an inferred rare pattern",
            "epsilon": f"{self.epsilon:g}: largest relative squared error of a published support (not that of "
            "differential privacy)",
            "K": f"{self.vulnerable}: patterns up to this support count as rare",
            "C": f"{self.min_support}: patterns from this support on are published",
        }


@dataclass(frozen=True, kw_only=True)
class Exposure(Requirement):
    """Only terms of a profile whose share is at least `min_detail` leave the machine; larger exposes less."""

    kind = "exposure"
    stops = ("a search engine learning interests below min_detail",)
    does_not_stop = (
        "frequent sensitive interests, which are exposed first unless hidden by hand",
        "what the queries themselves say",
    )

    min_detail: float

    def __post_init__(self) -> None:
        if not _number(self.min_detail) or not 0 <= self.min_detail <= 1:
            raise RequirementError(f"min_detail={self.min_detail} is no share; use a number in [0, 1]")

    def promise(self) -> str:
        return f"Only interests with a share of at least {self.min_detail:.0%} of the profile leave the machine."

    def tongues(self) -> dict[str, str]:
        return {"minDetail": f"{self.min_detail:g}: the least share of the profile an exposed interest has"}


@dataclass(frozen=True, kw_only=True)
class LimitedExchange(Requirement):
    """Tables at several sites are mined as one join, and only agreed kinds of messages cross between the sites.

    `min_records` is the least number of its own records that a site speaks of in an entry of a summary, or at a node; a
    larger one gives away less about keys with few records, and a run that would need a smaller one stops.
    """

    kind = "limited-exchange"
    stops = (
        "another site, or the coordinator, reading a private column or a join value that the two sites do not share",
        "anyone who holds the tree reading another site's attribute names or values from it",
    )
    does_not_stop = (
        "a site that breaks the protocol: all are taken to be honest but curious",
        "what summaries reveal: fan-outs, classes of keys with few records, the side of a hidden split a key falls on",
        "split summaries carrying the splits of far sites on: whoever shares a key learns its side there too",
        "an entry whose records are all of one class telling each one's; one count of an entry may be of one record",
        "a missing key telling of gaps at third sites",
        "the coordinator learning class counts and the shape of the tree",
        (
            "predictions as an oracle: by asking, the coordinator learns who is in a site's table, how large it is, "
            "and the branch of any record at any split"
        ),
        "sites that put together what each has learnt",
    )

    min_records: int = 1

    def __post_init__(self) -> None:
        _count("min_records", self.min_records, least=1, why="is no number of records")

    def promise(self) -> str:
        least = "" if self.min_records == 1 else f" in entries of at least {self.min_records} records"
        return (
            f"Only shared join values, class labels, class counts{least}, scores (or shares of them) and the shape of "
            "the tree crossed between sites; no private column did."
        )

    def tongues(self) -> dict[str, str]:
        return {"records of an entry": f"{self.min_records}: the least number that a summary may speak of"}
