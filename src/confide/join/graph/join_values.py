"""Join values as small numbers: one list for each pair of joined tables, of the values both have.

Composite keys are coded part by part and then pair by pair, never by gluing texts together: ("ab", "c") and ("a", "bc")
stay apart. A key with a missing part is dangling, as is one the other table does not have; both are -1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from confide.join.graph.key_types import as_key_type, key_type

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SharedKeys", "share_keys"]


@dataclass(frozen=True, eq=False)
class SharedKeys:
    """The join values of two tables: `left[i]` and `right[i]` are the places of a record's value among the shared ones.

    `left_values`, `right_values`: how many distinct values each side has; `shared`: how many both have.
    """

    left: NDArray[np.int32]
    right: NDArray[np.int32]
    left_values: int
    right_values: int
    shared: int


def share_keys(left: Sequence["pa.ChunkedArray"], right: Sequence["pa.ChunkedArray"]) -> SharedKeys:
    """Code the join columns of two tables, pair by pair; types are equal already (`JoinGraph` sees to that).

    >>> import pyarrow as pa
    >>> keys = share_keys([pa.chunked_array([["a", "b", None]])], [pa.chunked_array([["b", "c", "b"]])])
    >>> keys.left.tolist(), keys.right.tolist(), keys.shared
    ([-1, 0, -1], [0, -1, 0], 1)
    """
    n = len(left[0])
    codes = np.zeros(n + len(right[0]), dtype=np.int64)
    width = 1
    for a, b in zip(left, right, strict=True):
        part, part_width = _codes(a, b)
        if width * part_width >= 2**62:
            codes, width = _dense(codes)
        codes = np.where((codes < 0) | (part < 0), -1, codes * part_width + part)
        width *= part_width
    if width > 4 * len(codes) + 1024:
        codes, width = _dense(codes)
    return _find_shared(codes, width, n)


def _find_shared(codes: NDArray[np.int64], width: int, n: int) -> SharedKeys:
    on_left, on_right = np.zeros(width + 1, dtype=np.bool_), np.zeros(width + 1, dtype=np.bool_)
    on_left[codes[:n]] = True  # -1 falls on the last place, which is not looked at
    on_right[codes[n:]] = True
    both = on_left & on_right
    both[width] = False
    place = np.where(both, np.cumsum(both) - 1, -1).astype(np.int32)
    return SharedKeys(
        place[codes[:n]],
        place[codes[n:]],
        int(on_left[:width].sum()),
        int(on_right[:width].sum()),
        int(both.sum()),
    )


def _codes(left: "pa.ChunkedArray", right: "pa.ChunkedArray") -> tuple[NDArray[np.int64], int]:
    """Codes of two columns' values in one numbering, -1 for missing; and how many there are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = key_type(left.type) or key_type(right.type)
    if kind is None:
        return np.full(len(left) + len(right), -1, dtype=np.int64), 1
    both = pa.chunked_array([chunk for side in (left, right) for chunk in as_key_type(side, kind).chunks], type=kind)
    if pa.types.is_int64(kind) and both.null_count < len(both):
        span = pc.min_max(both)
        low, high = span["min"].as_py(), span["max"].as_py()
        if high - low < 4 * len(both) + 1024:
            numbers = both.fill_null(low - 1 if low > -(2**63) else low).to_numpy() - low
            missing = pc.is_null(both).to_numpy() if both.null_count else None
            if missing is not None:
                numbers = np.where(missing, -1, numbers)
            return numbers, high - low + 1
    coded = pc.dictionary_encode(both).combine_chunks()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.chunk(0) if coded.num_chunks else pa.array([], kind).dictionary_encode()
    return np.asarray(coded.indices.fill_null(-1), dtype=np.int64), max(len(coded.dictionary), 1)


def _dense(codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """The same codes numbered without gaps."""
    import pyarrow as pa
    import pyarrow.compute as pc

    coded = pc.dictionary_encode(pa.array(codes, mask=codes < 0))
    return np.asarray(coded.indices.fill_null(-1), dtype=np.int64), max(len(coded.dictionary), 1)
