"""Weaker versions of a requirement of tables, for a refusal that proposes what would work."""

from collections.abc import Mapping
from dataclasses import replace
from math import ceil, floor, log
from typing import Any

from confide.core.requirements.tables.base import TableRequirement
from confide.core.requirements.tables.closeness import BetaLikeness, DeltaDisclosure, TCloseness
from confide.core.requirements.tables.combination import AllOf, OthersKnown, all_of
from confide.core.requirements.tables.diversity import (
    DistinctDiversity,
    EntropyDiversity,
    RecursiveDiversity,
    SimpleDiversity,
)
from confide.core.requirements.tables.groups import AlphaK, KAnonymity
from confide.core.requirements.weakening import Weakening

__all__ = ["settings_of", "simple_parts", "to_distinct", "weaken", "weakenings"]

_SMALLER_IS_WEAKER = ("k", "l")


def simple_parts(requirement: TableRequirement) -> tuple[TableRequirement, ...]:
    """The requirements that `&` joined."""
    return requirement.parts if isinstance(requirement, AllOf) else (requirement,)


def weakenings(requirement: TableRequirement, *, rows: int) -> list[Weakening]:
    """For each parameter its weaker values; those beyond what `rows` rows can tell apart are left out."""
    found: dict[str, Weakening] = {}
    for part in map(_inner, simple_parts(requirement)):
        for weakening in _of_part(part, rows):
            known = found.get(weakening.parameter)
            if known is None or known.scale > weakening.scale:  # of two parts with an l, whole numbers suit both
                found[weakening.parameter] = weakening
    return [weakening for weakening in found.values() if len(weakening)]


def _of_part(part: TableRequirement, rows: int) -> list[Weakening]:
    if isinstance(part, KAnonymity):
        return [_down("k", part.k)]
    if isinstance(part, AlphaK):
        return [_up("alpha", part.alpha, 1000, 999), _down("k", part.k)]
    if isinstance(part, SimpleDiversity | DistinctDiversity):
        return [_down("l", part.l)]
    if isinstance(part, EntropyDiversity):
        return [Weakening("l", range(ceil(round(part.l * 100, 6)) - 1, 100, -1), 100)]
    if isinstance(part, RecursiveDiversity):
        return [_down("l", part.l), _up("c", part.c, 100, 100 * (rows + 1))]
    if isinstance(part, TCloseness):
        return [_up("t", part.t, 1000, 999)]
    if isinstance(part, BetaLikeness):
        return [_up("beta", part.beta, 100, 100 * (rows + 1))]
    if isinstance(part, DeltaDisclosure):
        return [_up("delta", part.delta, 100, ceil(100 * log(rows + 2)))]
    return []


def _down(parameter: str, value: int) -> Weakening:
    return Weakening(parameter, range(value - 1, 1, -1))


def _up(parameter: str, value: float, scale: int, last: int) -> Weakening:
    return Weakening(parameter, range(floor(round(value * scale, 6)) + 1, last + 1), scale)


def weaken(requirement: TableRequirement, parameter: str, value: Any) -> TableRequirement:
    """The requirement with this value wherever a part asks for more."""

    def weaker(part: TableRequirement) -> TableRequirement:
        if isinstance(part, OthersKnown):
            return replace(part, of=weaker(part.of))
        asked = getattr(part, parameter, None)
        if asked is None or (asked <= value if parameter in _SMALLER_IS_WEAKER else asked >= value):
            return part
        return replace(part, **{parameter: value})

    return all_of(*map(weaker, simple_parts(requirement)))


def to_distinct(requirement: TableRequirement, l: int) -> TableRequirement:  # noqa: E741 - the paper's letter
    """The requirement with distinct diversity of `l` in place of every other diversity."""

    def weaker(part: TableRequirement) -> TableRequirement:
        if isinstance(part, OthersKnown):
            return replace(part, of=weaker(part.of))
        if isinstance(part, SimpleDiversity | EntropyDiversity | RecursiveDiversity):
            return DistinctDiversity(l=l)
        return part

    return all_of(*map(weaker, simple_parts(requirement)))


def settings_of(part: TableRequirement) -> Mapping[str, float]:
    """The numbers that a part asks for, by name."""
    plain = _inner(part).to_dict()
    return {
        name: value for name, value in plain.items() if isinstance(value, int | float) and not isinstance(value, bool)
    }


def _inner(part: TableRequirement) -> TableRequirement:
    return part.of if isinstance(part, OthersKnown) else part
