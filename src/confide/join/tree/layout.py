"""How a table lies in memory while a tree is grown over it, and how its work is shared out among threads."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.threads import in_threads
from confide.join.tree.column_codes import CodedColumn

__all__ = ["CodeTable", "CodeColumns", "at_once", "groups", "shares", "table_of_codes"]

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]

GROUP_COLUMNS, GROUP_WIDTH = 4, 1 << 16


def at_once(tasks: Iterable[Callable[[], object]], threads: int) -> None:
    """Run tasks side by side on `threads` cores; the first error is raised when those that run have ended.

    >>> done = []
    >>> at_once([lambda: done.append(1), lambda: done.append(2)], 2)
    >>> sorted(done)
    [1, 2]
    """
    waiting = list(tasks)
    if threads < 2 or len(waiting) < 2:
        for task in waiting:
            task()
        return
    in_threads(lambda task: task(), waiting, threads=threads)


class CodeColumns(NamedTuple):
    """The columns of a table, for kernels: a row of codes for each record, and of each column its kind and width.

    A width is a number of codes. `gaps` are the codes of missing numbers, -1 where none is missing or the column is
    categorical.
    """

    codes: I32
    numeric: NDArray[np.bool_]
    widths: I32
    gaps: I32


@dataclass(frozen=True, eq=False)
class CodeTable:
    """A table as scoring reads it: its columns, and `groups` of neighbouring ones to count in one pass."""

    columns: CodeColumns
    groups: list[tuple[int, int]]

    @classmethod
    def of(cls, columns: Sequence[CodedColumn], place: I64) -> "CodeTable":
        """The columns of the records `place`, in that order."""
        widths: I32 = np.array([column.width for column in columns], dtype=np.int32)
        arrays = CodeColumns(
            codes=table_of_codes([column.codes for column in columns], place),
            numeric=np.array([column.kind == "numeric" for column in columns], dtype=np.bool_),
            widths=widths,
            gaps=np.array([column.width - 1 if column.gaps else -1 for column in columns], dtype=np.int32),
        )
        return cls(arrays, groups(widths))


def table_of_codes(columns: Sequence[I32], place: I64) -> I32:
    """The codes of the records `place`, record by record, so that a record of a deep node costs one cache line.

    A record takes 4, 8 or 16 numbers, or a multiple of 16, and records begin at a multiple of 64 bytes, so that none of
    up to 16 columns straddles two lines. The numbers past the last column are never read.
    """
    n, width = len(place), next((w for w in (4, 8) if len(columns) <= w), -(-len(columns) // 16) * 16)
    given, ordered = _align(n, width), _align(n, width)
    for block in range(0, n, 4096):  # blocks stay in cache while every column writes its part of their lines
        for j, codes in enumerate(columns):
            given[block : block + 4096, j] = codes[block : block + 4096]
    return np.take(given, place, axis=0, out=ordered, mode="clip")  # nothing is clipped; "raise" would copy once more


def _align(rows: int, width: int) -> I32:
    """Zeros that begin at a multiple of 64 bytes."""
    room = np.zeros(rows * width + 16, dtype=np.int32)
    begin = (-room.ctypes.data % 64) // 4
    return room[begin : begin + rows * width].reshape(rows, width)


def shares(sizes: I64, n: int) -> list[slice]:
    """Runs of nodes with about an n-th of all records each.

    >>> shares(np.array([10, 1, 1, 8, 5]), 3)
    [slice(0, 1, None), slice(1, 4, None), slice(4, 5, None)]
    """
    most = max(-(-int(sizes.sum()) // n), 1)
    shares: list[slice] = []
    first, total = 0, 0
    for i, size in enumerate(sizes.tolist()):
        total += size
        if total >= most:
            shares.append(slice(first, i + 1))
            first, total = i + 1, 0
    return [*shares, slice(first, len(sizes))] if first < len(sizes) else shares


def groups(widths: I32) -> list[tuple[int, int]]:
    """Neighbouring columns to count in one pass: few, and narrow enough together for their counts to stay in cache.

    >>> groups(np.array([250_000, 10_000, 10_000, 20, 20, 20, 20]))
    [(0, 1), (1, 5), (5, 7)]
    """
    groups: list[tuple[int, int]] = []
    first, total = 0, 0
    for j, width in enumerate(widths.tolist()):
        if j > first and (j - first == GROUP_COLUMNS or total + width > GROUP_WIDTH):
            groups.append((first, j))
            first, total = j, 0
        total += width
    return [*groups, (first, len(widths))] if len(widths) else []
