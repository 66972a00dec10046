"""Several requirements of one table at once, and the case that a person's other sensitive values are known."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from confide.core.errors import RequirementError
from confide.core.json_text import canonical_json
from confide.core.requirements.base import Requirement
from confide.core.requirements.tables.base import TableRequirement
from confide.core.requirements.tables.terms import Terms
from confide.core.requirements.weakening import Weakening
from confide.core.stages import TABLE_KINDS

__all__ = ["AllOf", "OthersKnown", "all_of"]

MOST_PARTS = 16


@dataclass(frozen=True, kw_only=True)
class OthersKnown(TableRequirement):
    """A requirement of sensitive values that holds even for someone who knows a person's *other* sensitive values.

    For each sensitive column in turn, the others count as quasi-identifiers: groups are of rows that agree in these
    too. Without it each sensitive column is asked on its own. It needs two sensitive columns or more, and much larger
    groups.
    """

    kind = "others-known"

    of: TableRequirement

    def __post_init__(self) -> None:
        if not isinstance(self.of, TableRequirement) or isinstance(self.of, OthersKnown | AllOf):
            raise RequirementError("others-known takes one requirement of a table; use it on each part by itself")
        if not self.of.of_sensitive:
            raise RequirementError(
                f"{self.of.kind} does not speak of sensitive values; use others-known with diversity or closeness"
            )

    @property
    def fewest(self) -> int:
        return self.of.fewest

    @property
    def plain(self) -> TableRequirement:
        return self.of

    @property
    def values_needed(self) -> int:
        return self.of.values_needed

    def weakenings(self, rows: int) -> list[Weakening]:
        return self.of.weakenings(rows)

    def promise_in(self, terms: Terms) -> str:
        promise = self.of.promise_in(self.of.worded(terms))
        return f"Even where all other {terms.values} of a person are known: {promise[0].lower()}{promise[1:]}"

    def stops_in(self, terms: Terms) -> tuple[str, ...]:
        return tuple(
            f"with all other {terms.values} of a person known: {text}"
            for text in self.of.stops_in(self.of.worded(terms))
        )

    @property
    def leaves_open(self) -> tuple[str, ...]:
        return self.of.leaves_open

    @property
    def closes(self) -> frozenset[str]:
        return self.of.closes  # groups with other values known lie within the groups of others

    def other_terms_in(self, terms: Terms) -> dict[str, str]:
        known = f"other {terms.values} known"
        return {f"{term} ({known})": text for term, text in self.of.other_terms_in(self.of.worded(terms)).items()}

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "of": self.of.to_dict()}

    @classmethod
    def _from_fields(cls, given: dict[str, Any]) -> Requirement:
        return cls(of=_part(given["of"]))


@dataclass(frozen=True, kw_only=True)
class AllOf(TableRequirement):
    """All of these at once; made by `&`. The parts are kept in a fixed order, each once.

    >>> from confide import KAnonymity, SimpleDiversity
    >>> SimpleDiversity(l=3) & KAnonymity(k=5)
    AllOf(parts=(KAnonymity(k=5), SimpleDiversity(l=3)))
    """

    kind = "all-of"

    parts: tuple[TableRequirement, ...]

    def __post_init__(self) -> None:
        given = tuple(self.parts) if isinstance(self.parts, Iterable) else ()
        if not all(isinstance(part, TableRequirement) for part in given):
            raise RequirementError("only requirements of tables can be joined; use for example KAnonymity(k=5)")
        flat = {part: None for whole in given for part in (whole.parts if isinstance(whole, AllOf) else (whole,))}
        if not 2 <= len(flat) <= MOST_PARTS:
            raise RequirementError(f"{len(flat)} different requirements to join; use 2 to {MOST_PARTS}")
        object.__setattr__(self, "parts", tuple(sorted(flat, key=_place)))

    @property
    def parts_asked(self) -> tuple[TableRequirement, ...]:
        return self.parts

    @property
    def of_sensitive(self) -> bool:
        return any(part.of_sensitive for part in self.parts)

    @property
    def unproved(self) -> str:
        return next((part.unproved for part in self.parts if part.unproved), "")

    @property
    def fewest(self) -> int:
        return max(part.fewest for part in self.parts)

    @property
    def values_needed(self) -> int:
        return max(part.values_needed for part in self.parts)

    def weakenings(self, rows: int) -> list[Weakening]:
        found: dict[tuple[str, str | None], Weakening] = {}
        for weakening in (w for part in self.parts for w in part.settings_to_weaken(rows)):
            key = (weakening.parameter, weakening.column)
            known = found.get(key)
            if known is None or known.scale > weakening.scale:  # of two parts with an l, whole numbers suit both
                found[key] = weakening
        return list(found.values())

    def settings_to_weaken(self, rows: int) -> list[Weakening]:
        return self.weakenings(rows)

    def promise_in(self, terms: Terms) -> str:
        return " ".join(part.promise_in(part.worded(terms)) for part in self.parts)

    def stops_in(self, terms: Terms) -> tuple[str, ...]:
        return tuple(dict.fromkeys(text for part in self.parts for text in part.stops_in(part.worded(terms))))

    @property
    def columns(self) -> tuple[str | None, ...]:
        return tuple(dict.fromkeys(name for part in self.parts for name in part.columns))

    @property
    def left_open(self) -> tuple[tuple[str, str | None], ...]:
        return tuple(dict.fromkeys(pair for part in self.parts for pair in part.left_open))

    @property
    def closed(self) -> frozenset[tuple[str, str | None]]:
        return frozenset(pair for part in self.parts for pair in part.closed)

    @property
    def leaves_open(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(text for part in self.parts for text in part.leaves_open))

    @property
    def closes(self) -> frozenset[str]:
        return frozenset(text for part in self.parts for text in part.closes)

    def other_terms_in(self, terms: Terms) -> dict[str, str]:
        said: dict[str, str] = {}
        for part in self.parts:
            for term, text in part.other_terms_in(part.worded(terms)).items():
                of = part.kind if part.plain.column is None else f"{part.kind} of {part.plain.column!r}"
                said[term if said.get(term, text) == text else f"{term} ({of})"] = text
        return said

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "parts": [part.to_dict() for part in self.parts]}

    @classmethod
    def _from_fields(cls, given: dict[str, Any]) -> Requirement:
        if not isinstance(given["parts"], list) or len(given["parts"]) > MOST_PARTS:
            raise RequirementError(f"the parts of all-of must be a list; use 2 to {MOST_PARTS} requirements")
        parts = tuple(_part(part, within="all-of") for part in given["parts"])
        found = cls(parts=parts)
        if found.parts != parts:
            raise RequirementError("the parts of all-of are out of order; use the order that to_dict gives")
        return found


def all_of(*parts: TableRequirement) -> TableRequirement:
    """All of these at once; a single one, or the same several times, stays itself."""
    different = dict.fromkeys(parts)
    return next(iter(different)) if len(different) == 1 else AllOf(parts=tuple(different))


def _part(data: Any, *, within: str = "others-known") -> TableRequirement:
    """A requirement inside another. What may not be nested is refused before it is read, however deep it goes."""
    nested = ("all-of", "others-known") if within == "others-known" else ("all-of",)
    if isinstance(data, dict) and data.get("kind") in nested:
        raise RequirementError(f"{data['kind']} cannot stand inside {within}; use its parts")
    found = Requirement.from_dict(data)
    if not isinstance(found, TableRequirement):
        raise RequirementError(f"{found.kind} is no requirement of tables; use for example k-anonymity")
    return found


_ORDER = tuple(TABLE_KINDS)


def _place(part: TableRequirement) -> tuple[int, str]:
    return (_ORDER.index(part.kind), canonical_json(part.to_dict()))
