"""Whether the ranges of a column lie on the grid that the passport tells: a public one, not made of anybody's values.

A label is one cell (a range `step` wide, counted from where the whole range begins), or goes from one multiple of the
grid to another; the ends of the whole range count as such.
"""

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from confide.audit.verifiers.tables.form import known_values
from confide.audit.verifiers.tables.tallied_rows import CodedRows, PartedRows
from confide.core.checks import Check
from confide.core.requirements.base import exact, is_number
from confide.core.tables.hierarchy import TOP

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["check_grids", "lies_on_grid"]

_NUMBER = r"-?[0-9]{1,20}(?:\.[0-9]{1,40})?(?:e[+-]?[0-9]{1,3})?"
_WHOLE = re.compile(r"(-?[0-9]{1,20})(?:(?:-| to )(-?[0-9]{1,20}))?")
_SPAN = re.compile(rf"\[({_NUMBER}), ({_NUMBER})([\])])")


def check_grids(table: "pa.Table | CodedRows | PartedRows", roles: Mapping[str, str], grids: Any) -> Iterator[Check]:
    """Whether the columns for which the passport tells a grid hold labels on it, and nothing else."""
    if grids is None:
        return
    told = grids if isinstance(grids, Mapping) else {}
    wrong = [name for name, lines in told.items() if not _on_grid(table, roles, name, lines)]
    yield Check(
        name="ranges lie on their grid",
        ok=bool(told) and not wrong,
        detail=f"not so: {', '.join(map(repr, wrong[:5]))}" if wrong else f"{len(told)} columns",
    )


def _on_grid(table: "pa.Table | CodedRows | PartedRows", roles: Mapping[str, str], name: str, lines: Any) -> bool:
    values = known_values(table, name)
    if roles.get(name) != "quasi-identifier" or values is None or not _are_lines(lines):
        return False
    return all(label in (None, "") or lies_on_grid(str(label), lines) for label in values.unique().to_pylist())


def _are_lines(lines: Any) -> bool:
    if not isinstance(lines, Mapping) or set(lines) != {"range", "step", "grid"}:
        return False
    bounds = lines["range"]
    return (
        isinstance(bounds, list)
        and len(bounds) == 2
        and all(map(is_number, (*bounds, lines["step"], lines["grid"])))
        and bounds[0] < bounds[1]
        and 0 < lines["step"] <= lines["grid"]
    )


def lies_on_grid(label: str, lines: Mapping[str, Any]) -> bool:
    """Whether a label is everything, one cell, or goes from one line to another.

    >>> lines = {"range": [17, 90], "step": 1, "grid": 5}
    >>> [lies_on_grid(label, lines) for label in ("23", "20-24", "17-29", "85-90", "*", "21-24", "16")]
    [True, True, True, True, True, False, False]
    """
    if label == TOP:
        return True
    low, high = map(exact, lines["range"])
    step, grid = exact(lines["step"]), exact(lines["grid"])
    begin, end, top = _ends(label, high)
    if begin is None or end is None or not low <= begin < end <= top or (begin - low) % step:
        return False
    if end - begin == step or (end == top and end - begin < step):
        return True
    return (begin == low or begin % grid == 0) and (end == top or end % grid == 0)


def _ends(label: str, high: Fraction) -> tuple[Fraction | None, Fraction | None, Fraction]:
    """Where a range begins, where the next one would, and where one after the last would."""
    if found := _SPAN.fullmatch(label):
        closed = found[3] == "]"
        return Fraction(found[1]), Fraction(found[2]) if closed == (Fraction(found[2]) == high) else None, high
    number = label.removesuffix(".0")
    if found := _WHOLE.fullmatch(number):
        return Fraction(found[1]), Fraction(found[2] or found[1]) + 1, high + 1
    return None, None, high
