"""Digests of values and rows. Two sets of rows whose digests have the same sum are the same, but for a chance of one in
2**64: the keys are drawn anew for every comparison, so that no rows can be chosen for their digests."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.audit.comparisons.values import meaning
from confide.core.randomness import Randomness

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["digest_labels", "digest_values", "draw_keys", "mixed"]

Digests = NDArray[np.uint64]


def draw_keys(count: int) -> Digests:
    """Secret keys, from the system."""
    low, high = (Randomness.system().integers(1 << 32, count).astype(np.uint64) for _ in range(2))
    return low | high << np.uint64(32)


def mixed(numbers: Digests) -> Digests:
    """The numbers with all bits stirred, one to one."""
    numbers = (numbers ^ numbers >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ numbers >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    found: Digests = numbers ^ numbers >> np.uint64(31)
    return found


def digest_values(column: "pa.ChunkedArray | pa.Array", key: np.uint64) -> Digests:
    """A digest for each row of a column: equal for values that mean the same."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    if pa.types.is_dictionary(column.type):
        own = np.append(digest_values(column.dictionary, key), _absent(key))
        rows: Digests = own[column.indices.fill_null(len(own) - 1).to_numpy(zero_copy_only=False)]
        return rows
    plain = meaning(column)
    if pa.types.is_large_string(plain.type):
        found = _digest_texts(plain, key)
    elif pa.types.is_floating(plain.type):
        found = plain.fill_null(0.0).to_numpy(zero_copy_only=False).view(np.uint64)
    elif pa.types.is_integer(plain.type) or pa.types.is_boolean(plain.type):
        kind = pa.uint64() if pa.types.is_uint64(plain.type) else pa.int64()
        found = pc.fill_null(plain.cast(kind), 0).to_numpy(zero_copy_only=False).view(np.uint64)
    else:
        found = _digest_texts(_written(plain), key)
    digests = mixed(found ^ key)
    if plain.null_count:
        digests[plain.is_null().to_numpy(zero_copy_only=False)] = _absent(key)
    return digests


def digest_labels(labels: "list[str] | tuple[str, ...]", key: np.uint64) -> Digests:
    """A digest for each item's label."""
    import pyarrow as pa

    return mixed(_digest_texts(pa.array(list(labels), pa.large_string()), key) ^ key)


def _absent(key: np.uint64) -> np.uint64:
    return np.uint64(mixed(np.array([~key], dtype=np.uint64))[0])


def _written(column: "pa.Array") -> "pa.Array":
    import pyarrow as pa

    try:
        return column.cast(pa.large_string())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return pa.array([repr(value) for value in column.to_pylist()], pa.large_string())


def _digest_texts(texts: "pa.Array", key: np.uint64) -> Digests:
    from confide.audit.comparisons import _digest_kernels as kernels

    out = np.empty(len(texts), dtype=np.uint64)
    if len(out):
        _, offsets, data = texts.buffers()
        ends = np.frombuffer(offsets, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
        held: Any = b"\0" if data is None or not data.size else data
        kernels.digest_texts(ends, np.frombuffer(held, dtype=np.uint8), key, out)
    return out
