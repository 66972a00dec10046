"""Join values as bytes: one value, one encoding; two values, two encodings.

Both sites must turn an equal value into equal bytes on any machine, and no two values, single or composite, may meet
in one encoding, or rows would join that do not. So every part carries its type and its length, and every type has one
spelling: 1, "1", 1.0, b"1" and True all differ, ("ab", "c") differs from ("a", "bc").
"""

import struct
from collections.abc import Iterable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from confide.core.errors import InputError

__all__ = ["encode_key"]


def encode_key(value: Any) -> bytes:
    """The bytes of one join value; a tuple is a composite value, and a single value is a tuple of one.

    Whole numbers of any width are alike, as are decimals that are equal and times that are the same instant. NULL has
    no encoding, because it joins with nothing; nor has NaN.

    >>> encode_key("ab") == encode_key(("ab",)), encode_key(1) == encode_key("1")
    (True, False)
    """
    parts = value if isinstance(value, tuple) else (value,)
    return b"".join((struct.pack(">I", len(parts)), *_frame(parts)))


def _frame(parts: Iterable[Any]) -> Iterable[bytes]:
    for part in parts:
        tag, body = _spelling(part)
        yield struct.pack(">cQ", tag, len(body))
        yield body


def _spelling(part: Any) -> tuple[bytes, bytes]:
    """A type's letter and the one spelling of the value. bool before int, datetime before date: each is the other."""
    if isinstance(part, str):
        try:
            return b"s", part.encode()
        except UnicodeEncodeError:
            raise InputError("a join value is not valid Unicode text") from None
    if isinstance(part, bool):
        return b"?", b"1" if part else b"0"
    if isinstance(part, int):
        return b"i", b"%d" % part
    if isinstance(part, float):
        if part != part:
            raise InputError("a join value is not a number (NaN); treat such rows as NULL, which joins with nothing")
        return b"f", struct.pack(">d", part + 0.0)  # + 0.0 makes one zero of two
    if isinstance(part, bytes):
        return b"b", part
    if isinstance(part, Decimal):
        if not part.is_finite():
            raise InputError("a join value is not a number (NaN); treat such rows as NULL, which joins with nothing")
        return b"n", _decimal(part)
    if isinstance(part, datetime):
        if part.tzinfo is not None:
            return b"z", part.astimezone(UTC).replace(tzinfo=None).isoformat().encode()
        return b"t", part.isoformat().encode()
    if isinstance(part, date):
        return b"d", part.isoformat().encode()
    if getattr(getattr(part, "dtype", None), "kind", "") in tuple("biuf"):  # a numpy scalar
        return _spelling(part.item())
    if part is None:
        raise InputError("a join value is NULL, which joins with nothing; leave such rows out")
    raise InputError(f"a join value of type {type(part).__name__} cannot be matched; use text, numbers, dates or bytes")


def _decimal(number: Decimal) -> bytes:
    """Digits and exponent without trailing zeros, exactly: `Decimal.normalize` would round to the context's digits."""
    sign, digits, exponent = number.as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    stripped = text.rstrip("0")
    if not stripped:
        return b"0"
    return f"{'-' if sign else ''}{stripped}e{int(exponent) + len(text) - len(stripped)}".encode()
