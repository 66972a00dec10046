"""Whoever is handed more than is published: every block's noisy count, and what stays, taken off.

Noise is drawn afresh here, by the law in the first line of the run: it is the law that is judged, and no key is needed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.audit.adversaries.runs.cleaning import clean_blocks
from confide.core.streams.header import LawWeights
from confide.core.transactions.container import Transactions

__all__ = ["BlockCounts", "RecordBlocks", "read_handed_blocks"]

BlockCounts = Callable[[int, Sequence[frozenset[str]]], NDArray[np.int64]]
"""(place of the window, sets) to the records of each of its blocks that hold each set: a row a set."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RecordBlocks:
    """The records of a stream in the parts they came in, with the number of each record's block, ascending."""

    parts: Sequence[Transactions]
    numbers: NDArray[np.int64]

    def count(self, newest: int, blocks: int, sets: Sequence[frozenset[str]]) -> NDArray[np.int64]:
        """The records that hold each set (a row), in each of so many blocks up to number `newest` (a column)."""
        oldest = newest - blocks + 1
        low, high = np.searchsorted(self.numbers, [oldest, newest + 1]).tolist()
        at = self.numbers[low:high] - oldest
        held = np.concatenate([_holding(part, sets) for part in self._cut(low, high)], axis=1)
        return np.array([np.bincount(at[row], minlength=blocks) for row in held], dtype=np.int64)

    def _cut(self, low: int, high: int) -> Iterator[Transactions]:
        first = 0
        for part in self.parts:
            start, stop = max(low - first, 0), min(high - first, len(part))
            if start < stop:
                yield part.take(np.arange(start, stop))
            first += len(part)


def _holding(rows: Transactions, sets: Sequence[frozenset[str]]) -> NDArray[np.bool_]:
    """Which records hold all items of each set."""
    places = np.repeat(np.arange(len(rows)), np.diff(rows.indptr))
    codes = {label: code for code, label in enumerate(rows.labels)}
    columns: dict[str, NDArray[np.bool_]] = {}
    for label in {label for items in sets for label in items}:
        columns[label] = np.zeros(len(rows), dtype=np.bool_)
        columns[label][places[rows.indices == codes.get(label, -1)]] = True
    return np.array([np.logical_and.reduce([columns[label] for label in items]) for items in sets])


def read_handed_blocks(
    counts: NDArray[np.int64], rates: NDArray[np.float64], law: LawWeights, chance: np.random.Generator
) -> NDArray[np.float64]:
    """The support of each set (a row of `counts`, a column for each block) in the eyes of whoever cleans every block by
    Bayes' rule, knowing the set's mean count in a block (`rates`)."""
    chances = np.array(law.weights, dtype=np.float64) / sum(law.weights)
    noise = law.first + chance.choice(len(chances), size=counts.shape, p=chances)
    return np.array(
        [
            clean_blocks(seen, law, rate=float(rate)).sum()
            for seen, rate in zip(counts + noise, rates.tolist(), strict=True)
        ]
    )
