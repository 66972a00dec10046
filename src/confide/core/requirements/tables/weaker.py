"""Weaker versions of a requirement of tables, for a refusal that proposes what would work."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from confide.core.requirements.tables.base import TableRequirement
from confide.core.requirements.tables.combination import OthersKnown, all_of
from confide.core.requirements.tables.diversity import (
    DistinctDiversity,
    EntropyDiversity,
    RecursiveDiversity,
    SimpleDiversity,
)
from confide.core.requirements.weakening import Weakening

__all__ = ["settings_of", "simple_parts", "to_distinct", "weaken", "weakenings"]

_SMALLER_IS_WEAKER = ("k", "l")


def simple_parts(requirement: TableRequirement) -> tuple[TableRequirement, ...]:
    """The requirements that `&` joined."""
    return requirement.parts_asked


def weakenings(requirement: TableRequirement, *, rows: int) -> list[Weakening]:
    """For each parameter its weaker values; those beyond what `rows` rows can tell apart are left out."""
    return [weakening for weakening in requirement.settings_to_weaken(rows) if len(weakening)]


def weaken(requirement: TableRequirement, parameter: str, value: Any) -> TableRequirement:
    """The requirement with this value wherever a part asks for more; {column: value} for the parts about a column."""

    def weaker(part: TableRequirement) -> TableRequirement:
        if isinstance(part, OthersKnown):
            return replace(part, of=weaker(part.of))
        field = part.field_of(parameter)
        asked = getattr(part, field, None)
        new = value.get(part.column) if isinstance(value, Mapping) else value
        others = not isinstance(value, Mapping) and parameter != "k" and part.column is not None
        if asked is None or new is None or others:
            return part
        weak_enough = asked <= new if field in _SMALLER_IS_WEAKER else asked >= new
        return part if weak_enough else replace(part, **{field: new})

    return all_of(*map(weaker, simple_parts(requirement)))


def to_distinct(requirement: TableRequirement, l: int) -> TableRequirement:  # noqa: E741 - the paper's letter
    """The requirement with distinct diversity of `l` in place of every other diversity."""

    def weaker(part: TableRequirement) -> TableRequirement:
        if isinstance(part, OthersKnown):
            return replace(part, of=weaker(part.of))
        if isinstance(part, SimpleDiversity | EntropyDiversity | RecursiveDiversity):
            return DistinctDiversity(l=l, column=part.column)
        return part

    return all_of(*map(weaker, simple_parts(requirement)))


def settings_of(part: TableRequirement) -> Mapping[str, float]:
    """The numbers that a part asks for, by name."""
    plain = part.plain.to_dict()
    return {
        name: value for name, value in plain.items() if isinstance(value, int | float) and not isinstance(value, bool)
    }
