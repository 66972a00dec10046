"""The columns of a table as a tree will take them: by thresholds, or a branch for each value; and what is missing.

A threshold places no missing number, so a column of numbers must be complete in every record that joins. Whoever
looks before a run learns here which column is not.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from confide.core.trees.published import Kind

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["CheckedColumn", "check_columns", "gaps_of", "kind_of"]


@dataclass(frozen=True, kw_only=True)
class CheckedColumn:
    """One column a tree may split on: how it would, its distinct values, and the records in which it has none."""

    column: str
    kind: Kind
    values: int
    missing: int

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
        missing = column.null_count
        if kind == "numeric" and pa.types.is_floating(column.type):
            missing += pc.sum(pc.invert(pc.is_finite(column))).as_py() or 0
        try:
            values = pc.count_distinct(column).as_py()
        except pa.ArrowNotImplementedError:  # of dictionaries
            values = len(column.unique())
        found.append(CheckedColumn(column=f"{prefix}{name}", kind=kind, values=values, missing=missing))
    return tuple(found)


def gaps_of(columns: Sequence[CheckedColumn]) -> str | None:
    """Why no tree can take these columns, in one line; None if one can."""
    gaps = [column for column in columns if column.kind == "numeric" and column.missing]
    if not gaps:
        return None
    named = ", ".join(f"{column.column} ({column.missing:,})" for column in gaps)
    return (
        f"numbers are missing, or not finite, in {named}, and no threshold places them; fill them, leave these records "
        "or columns out, or declare the columns categorical"
    )
