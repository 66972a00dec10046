"""The engine of a level-wise search over stored transactions (`confide.mining.counting.protocol.ItemsetCounts`)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.core.datasets.stored_transactions import StoredTransactions
from confide.mining.counting.protocol import pair_blocks
from confide.mining.stored.pairs import count_pairs
from confide.mining.stored.sets import count_sets

__all__ = ["StoredCounts"]


@dataclass(frozen=True)
class StoredCounts:
    """Counting in files: items by the first pass, all pairs by one, each batch of candidates by one."""

    stored: StoredTransactions

    @property
    def records(self) -> int:
        """Number of records."""
        return len(self.stored)

    @property
    def n_items(self) -> int:
        """Number of item codes."""
        return self.stored.n_items

    def singles(self) -> NDArray[np.int64]:
        """For each item code, the records that hold it."""
        return self.stored.supports()

    def pairs(self, items: NDArray[np.int32]) -> Iterator[tuple[int, NDArray[np.int32]]]:
        """(first, table) of counts of pairs among `items`."""
        n = len(items)
        triangles = count_pairs(self.stored, items)
        triangle = next(triangles, None)
        for first, height in pair_blocks(n):
            table = np.zeros((height, n), dtype=np.int32)
            for i in range(first, first + height):
                while triangle is not None and i >= triangle.last:
                    triangle = next(triangles, None)
                if triangle is not None:
                    line = triangle.line[i]
                    table[i - first, i + 1 :] = triangle.cells[line + i + 1 : line + n]
            yield first, table

    def sets(self, candidates: NDArray[np.int32]) -> NDArray[np.int64]:
        """The count of each candidate."""
        return count_sets(self.stored, candidates)
