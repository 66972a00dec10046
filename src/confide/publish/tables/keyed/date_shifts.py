"""Dates shifted by person: all dates of a person move by the same number of days, which only the key tells.

Intervals stay, so that what is worked out from them does. Nothing that is promised rests on it: who knows one date of a
person knows the shift, and the seasons of many dates give it away.
"""

import hashlib
import hmac
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UsageError
from confide.core.tables.schema import Schema
from confide.publish.tables.coding.texts import Texts

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["check_shifts", "days_of_persons", "shifted_dates"]

_PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def check_shifts(schema: Schema, key: bytes | None) -> None:
    """Refuse a schema that shifts dates where there is no key, nobody to shift them by, or several widths."""
    shifted = schema.shifted
    if not shifted:
        if key is not None:
            raise UsageError(
                "shift_key= is for dates that the schema shifts; write shift = 180 under such a column",
                parameter="shift_key",
            )
        return
    if key is None:
        raise UsageError(
            f"the schema shifts the dates of {shifted[0]!r} by person; give shift_key=, a secret key",
            parameter="shift_key",
        )
    if not isinstance(key, bytes) or len(key) < 16:
        raise UsageError("shift_key must be a secret key of 16 bytes or more, for example secrets.token_bytes(32)")
    if len({schema.columns[name].shift for name in shifted}) > 1:
        raise UsageError(
            f"{', '.join(map(repr, shifted))} are shifted differently, so intervals would not stay; use one"
        )
    if not schema.named("person", "identifier"):
        raise UsageError(
            "dates are shifted by person, and no column says whose row it is; name a person or an identifier"
        )


def days_of_persons(table: "pa.Table", schema: Schema, rows: NDArray[np.int64], *, key: bytes) -> NDArray[np.int64]:
    """By how many days the dates of each of these rows move: from -shift to shift, by HMAC-SHA256 over the person."""
    name = (*schema.named("person"), *schema.named("identifier"))[0]
    most = schema.columns[schema.shifted[0]].shift
    assert most is not None
    who = Texts.of(table.column(name), name)
    codes = who.codes[rows]
    if (codes < 0).any():
        raise InputError("values are missing; every row must say whose dates it has", column=name)
    digests = (hmac.digest(key, b"shift:" + text.encode(), hashlib.sha256) for text in who.texts)
    days = [int.from_bytes(digest[:16]) % (2 * most + 1) - most for digest in digests]
    return np.array(days, dtype=np.int64)[codes]


def shifted_dates(column: "pa.ChunkedArray", days: NDArray[np.int64], *, name: str) -> "pa.Array":
    """A column of dates, each moved by so many days; its type stays, and missing ones are missing."""
    import pyarrow as pa

    whole = column.combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        whole = whole.chunk(0) if whole.num_chunks else pa.array([], whole.type)
    kind = whole.type
    if pa.types.is_date32(kind):
        moved = whole.cast(pa.int32()).fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64) + days
        return pa.array(moved.astype(np.int32), pa.int32(), mask=_nulls(whole)).cast(kind)
    if pa.types.is_timestamp(kind):
        moved = whole.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False) + days * _PER_DAY[kind.unit]
        return pa.array(moved, pa.int64(), mask=_nulls(whole)).cast(kind)
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise InputError(f"is to be shifted, but its values are {kind}, no dates", column=name)
    texts = zip(whole.to_pylist(), days.tolist(), strict=True)
    try:
        return pa.array([_moved(text, by) if text else None for text, by in texts], kind)
    except (ValueError, OverflowError):
        raise InputError(
            "is to be shifted, but holds a value that is no date such as 2026-11-15", column=name
        ) from None


def _moved(text: str, days: int) -> str:
    if len(text) == len("2026-11-15"):
        return (date.fromisoformat(text) + timedelta(days)).isoformat()
    found = datetime.fromisoformat(text) + timedelta(days)
    return found.date().isoformat() + text[len("2026-11-15") :]


def _nulls(values: "pa.Array") -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = values.is_null().to_numpy(zero_copy_only=False)
    return found
