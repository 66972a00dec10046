"""What a search asks of the engine that counts for it.

A level-wise search needs four answers: how many records there are, how many hold each item, each pair of some items,
each of a batch of candidates. It does not need the records. So they may be in memory (`memory_counts`), come in batches
from a file that does not fit into it (`batches`), or be spread over a cluster; the search is the same.

                      records, singles, pairs, sets
    search  ------------------------------------------->  ItemsetCounts
                                                            MemoryCounts     one Transactions, on every core
                                                            BatchCounts      batches of Transactions, one after another
                                                            CounterCounts    any function that counts candidates

Counts of two parts of the records add up to those of both. That is all a new engine needs to know: it counts its parts
anywhere, in any order, and adds.
"""

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

__all__ = ["ItemsetCounts", "pair_blocks"]

MOST_PAIRS = 1 << 24  # cells of a table of pairs; more items than fit into one take several tables


@runtime_checkable
class ItemsetCounts(Protocol):
    """Counts records that hold given items. Items are codes, the same in every part of the records."""

    @property
    def records(self) -> int:
        """Number of records."""
        ...

    @property
    def n_items(self) -> int:
        """Number of item codes: 0 .. n_items - 1."""
        ...

    def singles(self) -> NDArray[np.int64]:
        """For each item code, the records that hold it."""
        ...

    def pairs(self, items: NDArray[np.int32]) -> Iterator[tuple[int, NDArray[np.int32]]]:
        """All pairs among `items` (ascending codes), in tables of bounded size as `pair_blocks` cuts them.

        Gives (first, table): table[i, j] counts the records that hold items[first + i] and items[j], for
        j > first + i. What is elsewhere in the table means nothing.
        """
        ...

    def sets(self, candidates: NDArray[np.int32]) -> NDArray[np.int64]:
        """The count of each candidate of a batch: rows of ascending codes, all of the same length.

        Any order of the rows gives the same counts; lexicographic order is the fastest. A search that goes on from
        shorter to longer candidates, over fewer and fewer items, is what engines may prepare for; any other order of
        calls is counted as exactly.
        """
        ...


def pair_blocks(n: int) -> list[tuple[int, int]]:
    """(first, height) of the tables in which all pairs among `n` items are given."""
    height = max(4, min(n, MOST_PAIRS // max(n, 1)))
    return [(first, min(height, n - first)) for first in range(0, n, height)]
