"""Why a release cannot be built on earlier ones, in one line, with what works."""

from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from confide.core.errors import CannotMeetError, InputError
from confide.core.requirements.base import exact
from confide.publish.tables.coding import CodedTable

if TYPE_CHECKING:
    from confide.publish.tables.series.combined import Combined
    from confide.publish.tables.series.next_release import NextRelease

__all__ = ["refuse_columns", "refuse_shares"]

_FEW = 3  # people for each value, below which newcomers seldom have the value of who left


def refuse_columns(table: CodedTable, pseudonyms: bool, *, changed: bool) -> None:
    """Refuse columns by which rows of two releases could be joined, where places changed hands in between."""
    import pyarrow.compute as pc

    if not changed:
        return
    roles = ["insensitive", "class", *(["identifier"] if pseudonyms else [])]
    for name in table.table.column_names:
        role = table.schema.columns[name].role
        if role in roles and pc.count_distinct(table.table.column(name), "all").as_py() > 1:
            raise InputError(
                f"is released as it is ({role}) and tells rows apart, so rows of two releases could be joined by it "
                "and show who took whose place; give it the role quasi-identifier, or identifier to leave it out",
                column=name,
            )


def refuse_shares(publisher: "NextRelease", carried: int, held_back: int, combined: "Combined") -> None:
    """Refuse more rows carried on, or held back, than allowed; the shares that work are known."""
    rows, name = combined.rows, publisher.earlier.name
    need: dict[str, Any] = {}
    if carried > exact(publisher.carry) * rows:
        need["carry"] = _share(carried, rows)
    if held_back > exact(publisher.suppress) * rows:
        need["suppress"] = _share(held_back, rows)
    if not need:
        return
    parts = []
    if "carry" in need:
        parts.append(f"nobody new has the value of {carried:,} people of {name} who left")
    if "suppress" in need:
        parts.append(f"{held_back:,} rows must be held back so that nobody is found by comparing with {name}")
    advice = None
    values = len(np.unique(combined.values))
    if "carry" in need and rows < _FEW * values:
        advice = f"the sensitive columns have {values:,} different values, too many to match: make them coarser"
    parameter = next(iter(need))
    raise CannotMeetError(
        "; ".join(parts),
        parameter=parameter,
        value=getattr(publisher, parameter),
        cures=[need],
        advice=advice,
    )


def _share(part: int, whole: int) -> float:
    """A share that allows so many, rounded up to a hundredth of a percent."""
    return ceil(part * 10_000 / whole) / 10_000
