"""What was explored, as points of loss against risk, and which of them nothing beats.

A point is one setting: what was asked, by which method, and what it would cost. Its risk is the chance that an attacker
finds a person's row or record, one in k; where no k is asked, the largest chance of naming a value, one in l or h. A
setting beats another only where it asks at least as much in every number, and loses no more.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Point", "best_points", "nearest_that_holds", "read_points"]

_LOSSES = ("detail lost", "share_of_occurrences_lost", "share of occurrences lost")
_STRONGER = ("k", "l", "p")


@dataclass(frozen=True, kw_only=True)
class Point:
    """A setting by its number in the exploration. `loss` is None where it is refused, with the reason."""

    number: int
    asked: Mapping[str, Any]
    method: str
    risk: float
    loss: float | None
    refused: str
    row: Mapping[str, Any]

    @property
    def label(self) -> str:
        """What it asks, in a few words: "k = 5, l = 2, mondrian"."""
        parts = [f"{name} = {value}" for name, value in self.asked.items()]
        return ", ".join([*parts, *([self.method] if self.method else [])])


def read_points(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[Point]:
    """The points of an exploration's rows; `names` are the fields that are asked."""
    return [_point(number, row, names) for number, row in enumerate(rows)]


def _point(number: int, row: Mapping[str, Any], names: Sequence[str]) -> Point:
    asked = {name: row[name] for name in names if row.get(name) is not None}
    loss = next((row[name] for name in _LOSSES if row.get(name) is not None), None)
    refused = str(row.get("refused") or row.get("reason") or "")
    holds = bool(row.get("holds", loss is not None)) and loss is not None
    return Point(
        number=number,
        asked=asked,
        method=str(row.get("method") or ""),
        risk=_risk(asked),
        loss=float(loss) if holds and loss is not None else None,
        refused="" if holds else refused or "cannot be met",
        row=row,
    )


def _risk(asked: Mapping[str, Any]) -> float:
    """The chance that is left by what is asked; 1 where nothing bounds it."""
    if _is_number(asked.get("k")):
        return 1 / float(asked["k"])
    chances = [1 / float(asked["l"])] if _is_number(asked.get("l")) else []
    chances += [float(asked[name]) for name in ("h", "alpha") if _is_number(asked.get(name)) and asked[name] < 1]
    return max(chances, default=1.0)


def _weakness(asked: Mapping[str, Any], names: Sequence[str]) -> list[float]:
    """How little each number asks, larger being less: k, l and p ask more as they grow, all others as they shrink."""
    found = []
    for name in names:
        value: Any = asked.get(name)
        number = math.inf if value == "inf" else float(value) if _is_number(value) else None
        found.append(math.inf if number is None else 1 / number if name in _STRONGER else number)
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def best_points(points: Sequence[Point]) -> list[Point]:
    """Those that no other beats: none asks as much in every number and loses less. By risk, the smallest first."""
    names = sorted({name for point in points for name in point.asked})
    sides = {point.number: [*_weakness(point.asked, names), loss] for point, loss in _with_losses(points)}

    def beats(one: int, other: int) -> bool:
        pairs = list(zip(sides[one], sides[other], strict=True))
        return all(a <= b for a, b in pairs) and (any(a < b for a, b in pairs) or one < other)

    best = [p for p in points if p.number in sides and not any(beats(n, p.number) for n in sides if n != p.number)]
    return sorted(best, key=lambda point: (point.risk, point.loss or 0.0, point.number))


def _with_losses(points: Sequence[Point]) -> list[tuple[Point, float]]:
    return [(point, point.loss) for point in points if point.loss is not None]


def nearest_that_holds(points: Sequence[Point], refused: Point) -> Point | None:
    """The setting nearest to one that is refused: by the same method if any, then by the least change of its numbers,
    then by the least loss."""
    held = [point for point in points if point.loss is not None]

    def distance(point: Point) -> tuple[float, bool, float]:
        change = sum(
            abs(math.log(float(value) / float(point.asked[name])))
            for name, value in refused.asked.items()
            if _is_number(value) and _is_number(point.asked.get(name))
        )
        return change, point.method != refused.method, point.loss or 0.0

    return min(held, key=distance, default=None)
