"""The columns of a table as a tree will take them: by thresholds, or a branch for each value; and what is missing.

A missing number goes to the side of a threshold where it gains more; no threshold places an infinite one. Whoever looks
before a run learns here which column has such.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from confide.core.trees.published import Kind

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["CheckedColumn", "check_columns", "infinite_of", "kind_of"]


@dataclass(frozen=True, kw_only=True)
class CheckedColumn:
    """One column a tree may split on: how it would, its distinct values, the records in which it has none, and those
    in which it has an infinite number.
    """

    column: str
    kind: Kind
    values: int
    missing: int
    infinite: int = 0

    def as_dict(self) -> dict[str, Any]:
        """The findings as plain data, for JSON."""
        return {"column": self.column, "split_as": self.kind, "values": self.values, "missing": self.missing}


def kind_of(kind: "pa.DataType") -> Kind:
    """How a tree splits a column of this type, unless it is declared categorical (`mining.trees.table`)."""
    import pyarrow as pa

    number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    return "numeric" if number else "categorical"


def check_columns(
    table: "pa.Table", names: Sequence[str], *, categorical: Container[str] = (), prefix: str = ""
) -> tuple[CheckedColumn, ...]:
    """Look at some columns of a table; `categorical` names columns of numbers that are only labels."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = []
    for name in names:
        column = table.column(name)
        kind: Kind = "categorical" if name in categorical else kind_of(column.type)
        missing, infinite = column.null_count, 0
        if kind == "numeric" and pa.types.is_floating(column.type):
            missing += pc.sum(pc.is_nan(column)).as_py() or 0
            infinite = pc.sum(pc.is_inf(column)).as_py() or 0
        try:
            values = pc.count_distinct(column).as_py()
        except pa.ArrowNotImplementedError:  # of dictionaries
            values = len(column.unique())
        found.append(
            CheckedColumn(column=f"{prefix}{name}", kind=kind, values=values, missing=missing, infinite=infinite)
        )
    return tuple(found)


def infinite_of(columns: Sequence[CheckedColumn]) -> str | None:
    """Why no tree can take these columns, in one line; None if one can."""
    found = [column for column in columns if column.infinite]
    if not found:
        return None
    named = ", ".join(f"{column.column} ({column.infinite:,})" for column in found)
    return (
        f"numbers are infinite in {named}, and no threshold places them; replace them, leave these records or columns "
        "out, or declare the columns categorical"
    )
