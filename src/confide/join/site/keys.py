"""A site's own join values: numbered for its records, and listed for the private intersection."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.join.graph.key_types import as_key_type, key_type

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SiteKeys", "site_keys"]


@dataclass(frozen=True, eq=False)
class SiteKeys:
    """Join values towards one neighbour: `codes[row]` is a place in `values`, -1 where a part is missing.

    `types` are the columns' types, as both sides must have them ("" where a column holds no value at all).
    """

    codes: NDArray[np.int64]
    values: list[Any]
    types: tuple[str, ...]

    def shared(self, positions: NDArray[np.int64]) -> NDArray[np.int32]:
        """For each record the place of its value among the shared ones, which stand at `positions` of `values`."""
        place = np.full(len(self.values) + 1, -1, dtype=np.int32)  # the last is for codes of -1
        place[positions] = np.arange(len(positions), dtype=np.int32)
        return place[self.codes]


def site_keys(table: "pa.Table", columns: Sequence[str]) -> SiteKeys:
    """The distinct join values of a table; of several columns, the combinations that occur.

    >>> import pyarrow as pa
    >>> keys = site_keys(pa.table({"a": [1, 2, None, 1], "b": ["x", "x", "y", "x"]}), ["a", "b"])
    >>> keys.codes.tolist(), keys.values, keys.types
    ([0, 1, -1, 0], [(1, 'x'), (2, 'x')], ('int64', 'large_string'))
    """
    parts = [_part(table.column(name), name) for name in columns]
    types = tuple(part[2] for part in parts)
    if len(parts) == 1:
        return SiteKeys(parts[0][0], parts[0][1], types)
    codes = np.zeros(table.num_rows, dtype=np.int64)
    firsts = np.empty(0, dtype=np.int64)
    for part, values, _ in parts:
        paired = np.where((codes < 0) | (part < 0), -1, codes * max(len(values), 1) + part)
        # Numbered anew after every column, so that the product of widths never grows beyond rows times one width.
        distinct, firsts, codes = np.unique(paired, return_index=True, return_inverse=True)
        if len(distinct) and distinct[0] < 0:
            firsts, codes = firsts[1:], codes - 1
    values = [tuple(part[1][part[0][row]] for part in parts) for row in firsts.tolist()]
    return SiteKeys(codes.astype(np.int64), values, types)


def _part(column: "pa.ChunkedArray", name: str) -> tuple[NDArray[np.int64], list[Any], str]:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = key_type(column.type, name)
    if kind is None:
        return np.full(len(column), -1, dtype=np.int64), [], ""
    coded = pc.dictionary_encode(as_key_type(column, kind)).combine_chunks()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.chunk(0) if coded.num_chunks else pa.array([], kind).dictionary_encode()
    codes = np.asarray(coded.indices.fill_null(-1), dtype=np.int64)
    return codes, coded.dictionary.to_pylist(), str(kind)
