"""Dates and numbers as people write them: 31.12.1987, 12/31/1987, 1.234,50.

Nothing in a file says whether 03/04/1987 is a day of March or of April, nor whether 1.234 is a little more than one or
a thousand. The schema says it, with `written` under the column: a proposal guesses, whoever knows the data confirms.
What is read so is a date or a number from there on, and is released as one: 1987-12-31, 1234.5.
"""

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from confide.core.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["read_written", "written_form"]

_DAY = re.compile(r"([0-9]{1,2})[./-]([0-9]{1,2})[./-]([0-9]{4})(?:[ T]([0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?))?")
_GROUPED = re.compile(r"[-+]?([0-9]{1,3}([. \u00a0\u202f'][0-9]{3})+|[0-9]+)(,[0-9]+)?")
_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def read_written(table: "pa.Table", forms: Mapping[str, str]) -> "pa.Table":
    """The table with columns of text read as dates and numbers; `forms` says how those of a column are written.

    Columns that are dates or numbers already stay as they are, and so do texts that are all ISO dates. A cell that is
    not written so is refused with its row.
    """
    for place, name in enumerate(table.column_names):
        if name in forms:
            table = table.set_column(place, name, _read(table.column(name), forms[name], name))
    return table


def written_form(texts: tuple[str, ...]) -> str | None:
    """How these texts seem to be written, None if they are neither dates with the year last nor numbers with a comma.

    >>> written_form(("01.02.1987", "31.12.1990")), written_form(("12/31/1990",)), written_form(("1,5", "2"))
    ('day-first', 'month-first', 'decimal-comma')
    """
    dates = [_DAY.fullmatch(text.strip()) for text in texts]
    if texts and all(dates):
        firsts = max(int(found[1]) for found in dates if found)
        seconds = max(int(found[2]) for found in dates if found)
        if firsts > 31 or seconds > 31 or (firsts > 12 and seconds > 12):
            return None
        return "month-first" if seconds > 12 else "day-first"
    if any("," in text for text in texts) and all(_GROUPED.fullmatch(text.strip()) for text in texts):
        return "decimal-comma"
    return None


def _read(column: "pa.ChunkedArray", form: str, name: str) -> "pa.ChunkedArray":
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_timestamp(kind) and form == "date":
        days = column.cast(pa.date32(), safe=False)
        if not pc.all(pc.equal(days.cast(kind), column)).as_py() and days.null_count < len(days):
            raise InputError('written = "date", but some values have a time of day; leave it out', column=name)
        return days
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    encoded = column.combine_chunks().dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    if form != "decimal-comma" and all(_ISO.match(text) for text in texts if text):
        return column.cast(pa.date32()) if form == "date" else column
    values: list[Any] = []
    for place, text in enumerate(texts):
        try:
            values.append(_READERS[form](text.strip()) if text.strip() else None)
        except ValueError:
            row = pc.index(encoded.indices, place).as_py() + 1
            raise InputError(f"row {row:,} holds a value that is not written {form}", column=name) from None
    return pa.chunked_array([pa.array(_alike(values)).take(encoded.indices)])


def _alike(values: list[Any]) -> list[Any]:
    """Values of one type: dates with a time if any has one, fractions if any is one."""
    if any(isinstance(value, datetime) for value in values):
        return [
            datetime(value.year, value.month, value.day)
            if isinstance(value, date) and not isinstance(value, datetime)
            else value
            for value in values
        ]
    if any(isinstance(value, float) for value in values):
        return [None if value is None else float(value) for value in values]
    return values


def _date(text: str, *, day: int, month: int) -> date:
    found = _DAY.fullmatch(text)
    if found is None:
        raise ValueError
    whole = date(int(found[3]), int(found[month]), int(found[day]))
    if found[4] is None:
        return whole
    hours, *rest = found[4].split(":")
    return datetime.fromisoformat(f"{whole.isoformat()} {':'.join((hours.zfill(2), *rest))}")


def _number(text: str) -> int | float:
    if _GROUPED.fullmatch(text) is None:
        raise ValueError
    plain = re.sub(r"[. \u00a0\u202f']", "", text).replace(",", ".")
    return float(plain) if "." in plain else int(plain)


_READERS: dict[str, Callable[[str], Any]] = {
    "day-first": lambda text: _date(text, day=1, month=2),
    "month-first": lambda text: _date(text, day=2, month=1),
    "decimal-comma": _number,
    "date": date.fromisoformat,
}
