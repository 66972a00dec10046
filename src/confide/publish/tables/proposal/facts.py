"""What can be seen of a column without knowing what it means: its type, how many values, how many of them unique."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from confide.core.errors import InputError
from confide.core.tables.formats.written import read_written, written_form

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ColumnFacts", "facts_of"]

_WHOLE = r"^-?(0|[1-9][0-9]{0,14})$"
_NUMBER = r"^-?[0-9]{1,15}(\.[0-9]+)?([eE][-+]?[0-9]{1,2})?$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_MIDNIGHT = re.compile(r" 00:00:00(\.0+)?Z?$")
_CODE = r"^[0-9]{3,12}$"
_STAND_INS = frozenset({"", "?", "na", "n/a", "null"})
"""What people write for a value that is missing, without blanks around it and in small letters."""
_CONTACT = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+|\+[0-9][0-9 ()/-]{6,20}")


@dataclass(frozen=True, kw_only=True)
class ColumnFacts:
    """`kind` is whole, number, date, code (digits of one length), contact (e-mail, telephone) or text.

    `different` counts values and `unique` those that one row has; `missing` and `rows` count rows. `values` are the
    different ones, for those who build a hierarchy; they are people's values, and no message shows them. Where another
    column names persons, `unique_people` counts those who alone have a value. `stand_ins` are values that seem to stand
    for a missing one ("?", "NA", blanks alone), with the rows that hold each. `written` says how dates or numbers seem
    to be written, where a schema must say it; `timed` that dates have a time of day.
    """

    name: str
    kind: str
    rows: int
    missing: int
    different: int
    unique: int
    values: tuple[str, ...]
    unique_people: int | None = None
    low: float | None = None
    high: float | None = None
    stand_ins: Mapping[str, int] = field(default_factory=dict)
    written: str | None = None
    timed: bool = False

    @property
    def nearly_unique(self) -> bool:
        """Whether nearly every row has a value of its own; too few rows say nothing."""
        return self.rows - self.missing >= 20 and self.different >= 0.95 * (self.rows - self.missing)


def facts_of(name: str, column: "pa.ChunkedArray") -> ColumnFacts:
    """Look at a column of any simple type; text is read as what each of its cells could be."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    kind, numbers = _declared(column)
    written, timed = None, False
    try:
        text = column.cast(pa.string())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise InputError(
            f"values of type {column.type} cannot be published; leave the column out", column=name
        ) from None
    text = pc.if_else(pc.equal(text, ""), pa.scalar(None, pa.string()), text)
    counted = pc.value_counts(text.drop_null())
    values: tuple[str, ...] = tuple(counted.field("values").to_pylist())
    counts = counted.field("counts").to_pylist()
    if kind == "text":
        kind = _read(counted.field("values"), values)
        if kind in ("whole", "number"):
            numbers = counted.field("values").cast(pa.float64())
        elif kind == "text" and (written := written_form(values)) is not None:
            kind = "number" if written == "decimal-comma" else "date"
            read = read_written(pa.table({name: counted.field("values")}), {name: written}).column(name)
            numbers = read.cast(pa.float64()) if kind == "number" else None
            timed = pa.types.is_timestamp(read.type)
    elif pa.types.is_timestamp(column.type):
        timed = not all(_MIDNIGHT.search(value) for value in values)
        written = None if timed else "date"
    ends: dict[str, Any] = {"min": None, "max": None} if numbers is None else pc.min_max(numbers).as_py()
    if any(end is not None and not math.isfinite(end) for end in ends.values()):
        raise InputError("holds an infinite number; make it missing, or a number", column=name)
    return ColumnFacts(
        name=name,
        kind=kind,
        rows=len(column),
        missing=text.null_count,
        different=len(values),
        unique=sum(count == 1 for count in counts),
        values=values,
        low=None if ends["min"] is None else float(ends["min"]),
        high=None if ends["max"] is None else float(ends["max"]),
        stand_ins=_stand_ins(values, counts),
        written=written,
        timed=timed,
    )


def _stand_ins(values: tuple[str, ...], counts: list[int]) -> dict[str, int]:
    """Rows by what they hold in place of a value; blanks around it do not matter."""
    found: dict[str, int] = {}
    for value, count in zip(values, counts, strict=True):
        plain = value.strip()
        if plain.lower() in _STAND_INS:
            found[plain] = found.get(plain, 0) + count
    return found


def _declared(column: "pa.ChunkedArray") -> tuple[str, Any]:
    """The kind that the type of a column says, and its numbers."""
    import pyarrow as pa

    if pa.types.is_integer(column.type):
        return "whole", column
    if pa.types.is_floating(column.type) or pa.types.is_decimal(column.type):
        return "number", column.cast(pa.float64())
    if pa.types.is_date(column.type) or pa.types.is_timestamp(column.type):
        return "date", None
    return "text", None


def _read(values: "pa.Array", texts: tuple[str, ...]) -> str:
    """The kind of a column of text: the narrowest that each of its values is of."""
    import pyarrow.compute as pc

    if not texts:
        return "text"
    for kind, pattern in (("whole", _WHOLE), ("code", _CODE), ("number", _NUMBER), ("date", _DATE)):
        if pc.all(pc.match_substring_regex(values, pattern)).as_py() and (
            kind != "code" or len({len(text) for text in texts}) == 1
        ):
            return kind
    return "contact" if all(_CONTACT.fullmatch(text) for text in texts) else "text"
