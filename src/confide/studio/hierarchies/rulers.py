"""Ranges of numbers as a ruler: where the groups of a level are cut, and the level cut anew.

18   20   25   30        cuts 30, 50      18-29 | 30-49 | 50-93
|----|----|----|---...   ------------>    one group from each cut up to the next
"""

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from confide.core.errors import UsageError
from confide.core.tables.hierarchy import TOP, Hierarchy

__all__ = ["Ruler", "cut_level", "read_cuts", "rulers_of"]

_MOST_CUTS = 60


@dataclass(frozen=True, kw_only=True)
class Ruler:
    """A level whose groups are ranges of numbers: from `low` to `high`, cut at `cuts`; `rows` of each range."""

    level: int
    low: float
    high: float
    cuts: tuple[float, ...]
    rows: tuple[int, ...]

    @property
    def text(self) -> str:
        """The cuts as a person writes them."""
        return ", ".join(f"{cut:g}" for cut in self.cuts)

    def place(self, number: float) -> float:
        """Where a number stands, from 0 to 1."""
        return (number - self.low) / (self.high - self.low)


def rulers_of(hierarchy: Hierarchy, counts: Mapping[str, int]) -> list[Ruler]:
    """A ruler for each level between the values and the top whose groups are ranges; none where values are texts."""
    numbers = _numbers(hierarchy)
    if numbers is None:
        return []
    order = sorted(range(len(numbers)), key=numbers.__getitem__)
    found = []
    for level in range(1, hierarchy.height):
        labels = [hierarchy.rows[at][level] for at in order]
        starts = [0, *(n for n in range(1, len(labels)) if labels[n] != labels[n - 1])]
        if len({labels[start] for start in starts}) < len(starts) or len(starts) - 1 > _MOST_CUTS:
            continue  # a group that is no range, or more ranges than a ruler can show
        ends = [*starts[1:], len(labels)]
        found.append(
            Ruler(
                level=level,
                low=numbers[order[0]],
                high=numbers[order[-1]],
                cuts=tuple(numbers[order[start]] for start in starts[1:]),
                rows=tuple(
                    sum(counts.get(hierarchy.rows[at][0], 0) for at in order[start:end])
                    for start, end in zip(starts, ends, strict=True)
                ),
            )
        )
    return found


def read_cuts(text: str) -> list[float]:
    """The cuts that a person wrote: numbers with commas between."""
    try:
        cuts = sorted({float(part) for part in text.replace(";", ",").split(",") if part.strip()})
    except ValueError:
        raise UsageError("cuts are numbers with commas between, such as 30, 50, 65") from None
    if not cuts or len(cuts) > _MOST_CUTS or not all(map(math.isfinite, cuts)):
        raise UsageError(f"give 1 to {_MOST_CUTS} cuts, such as 30, 50, 65")
    return cuts


def cut_level(hierarchy: Hierarchy, level: int, cuts: Sequence[float]) -> Hierarchy:
    """Make the groups of a level the ranges between these cuts; a number that is a cut begins a range.

    A group of a level below must lie within one range, and each range within one group of the level above.
    """
    if not 0 < level < hierarchy.height:
        raise UsageError("choose a level between the values and the top")
    numbers = _numbers(hierarchy)
    if numbers is None:
        raise UsageError("only numbers are cut into ranges; gather these values instead")
    whole = all(float(number).is_integer() for number in [*numbers, *cuts])
    labels = _labels(min(numbers), max(numbers), cuts, whole=whole)
    part = [bisect_right(cuts, number) for number in numbers]
    for other, sides in ((level - 1, "lies across a cut"), (level + 1, "would be cut by a range of this level")):
        if other in (0, hierarchy.height):
            continue
        inside: dict[object, object] = {}
        for row, at in zip(hierarchy.rows, part, strict=True):
            key, value = (row[other], at) if other < level else (at, row[other])
            if inside.setdefault(key, value) != value:
                raise UsageError(
                    f"the group {row[other]!r} of level {other} {sides}; choose other cuts, or remove that level"
                )
    return Hierarchy.from_rows(
        (*row[:level], labels[at], *row[level + 1 :]) for row, at in zip(hierarchy.rows, part, strict=True)
    )


def _labels(low: float, high: float, cuts: Sequence[float], *, whole: bool) -> list[str]:
    """The name of each range: whole numbers from first to last, others as an interval that is open above."""
    inner = [cut for cut in cuts if low < cut <= high]
    if len(inner) < len(cuts):
        raise UsageError(f"cuts lie between the smallest and the largest value, {low:g} and {high:g}")
    edges = [low, *inner]
    if whole:
        ends = [*(cut - 1 for cut in inner), high]
        return [
            f"{first:.0f}" if first == last else f"{first:.0f}-{last:.0f}"
            for first, last in zip(edges, ends, strict=True)
        ]
    return [f"[{first:g},{last:g})" for first, last in zip(edges, inner, strict=False)] + [f"[{edges[-1]:g},{high:g}]"]


def _numbers(hierarchy: Hierarchy) -> list[float] | None:
    """The values as numbers; None where one is none, or where there are too few to be cut."""
    try:
        numbers = [float(row[0]) for row in hierarchy.rows if row[0] != TOP]
    except ValueError:
        return None
    fit = len(numbers) == len(hierarchy.rows) and all(map(math.isfinite, numbers)) and max(numbers) > min(numbers)
    return numbers if fit else None
