"""The windows that benchmarks of streams look at: spread over a stream, 2,000 records each."""

import pathlib
from collections.abc import Callable, Iterator

import numpy as np

from confide import Transactions
from confide.core.itemsets.container import Itemsets
from confide.core.samples.quest import quest
from confide.mining import SlidingWindow

SIZE = 2000


def streams(data: pathlib.Path) -> Iterator[tuple[str, Callable[[], Transactions], int]]:
    """(name, reader, min support); BMS-POS, which the paper has, cannot be had: retail stands in for it."""
    bms = data / "bms" / "BMS-WebView-1.dat.gz"
    retail = data / "retail" / "retail.dat.gz"
    mushroom = data / "mushroom" / "mushroom.dat.gz"
    yield "BMS-WebView-1", lambda: Transactions.read(bms), 25
    yield "retail", lambda: Transactions.read(retail), 25
    yield "T20I4D50K (our generator, seed 1)", lambda: quest("T20I4D50K", seed=1), 25
    yield "mushroom, closed itemsets", lambda: Transactions.read(mushroom), 500


def windows(tx: Transactions, min_support: int, *, count: int, closed: bool = False) -> list[Itemsets]:
    """The frequent itemsets of windows spread evenly over the stream."""
    found = []
    for end in np.linspace(SIZE, len(tx), count, dtype=np.int64):
        window = SlidingWindow(size=SIZE, min_support=min_support)
        window.learn_many(tx.take(np.arange(end - SIZE, end)))
        found.append(window.closed() if closed else window.frequent())
    return found
