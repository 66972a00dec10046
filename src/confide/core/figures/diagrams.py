"""Diagrams as data: boxes in rows with lines between them. A stage says what to draw, the report draws it."""

from dataclasses import dataclass
from typing import Literal

from confide.core.figures.tables import Table

__all__ = ["Box", "Diagram"]


@dataclass(frozen=True, kw_only=True)
class Box:
    """A box in a row (0 is the lowest): two short texts one above the other, and `words` for whoever points at it.

    A `plain` box is pale, a `good` one filled, the `best` one stands out; `marked` gives it a thick edge.
    """

    row: int
    text: str
    below: str
    words: str
    state: Literal["plain", "good", "best"] = "plain"
    marked: bool = False


@dataclass(frozen=True, kw_only=True)
class Diagram:
    """Boxes, and pairs of them (by number) with a line between. `legend` says what a state or a thick edge ("marked")
    means; `table` has the same in figures, for those who do not see the picture."""

    title: str
    boxes: tuple[Box, ...]
    lines: tuple[tuple[int, int], ...]
    legend: dict[str, str]
    table: Table
    note: str = ""
