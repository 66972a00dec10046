"""Identifiers replaced by keyed pseudonyms: the same value has the same pseudonym, which only the key can make."""

import hashlib
import hmac
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError
from confide.publish.tables.coding.texts import Texts

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["pseudonyms"]

_DIGITS = 32


def pseudonyms(column: "pa.ChunkedArray", rows: NDArray[np.int64], *, key: bytes, name: str) -> "pa.Array":
    """The pseudonym of each of these rows: 32 digits of HMAC-SHA256 over the column's name and the value.

    A value that stands in several rows would tie these rows together, whatever groups they are in: it is refused.
    """
    import pyarrow as pa

    texts = Texts.of(column, name)
    codes = texts.codes[rows]
    if (codes < 0).any():
        raise InputError("values are missing; every row needs one for a pseudonym", column=name)
    if len(np.unique(codes)) < len(codes):
        raise InputError("a value is in several rows, so a pseudonym would tie these together; drop it", column=name)
    prefix = f"{len(name)}:{name}:".encode()
    made = [hmac.new(key, prefix + texts.texts[code].encode(), hashlib.sha256).hexdigest()[:_DIGITS] for code in codes]
    return pa.array(made, pa.string())
