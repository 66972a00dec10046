"""The sliding window against mining it anew after each record with pyfim's closed miner (C, by Christian Borgelt).

Ours learns the whole stream, one core, with all closed sets up to date after every record. Mining anew is timed at
steps spread over the stream, with whichever of pyfim's algorithms is fastest there, on lists of small ints. Both by
turns, so that a busy moment of the machine meets both. Every hundredth step of the stream is checked to be exact.
"""

import pathlib
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from typing import Any

import fim
import numpy as np

from benchmarks.timing import seconds
from confide import Transactions
from confide.core.samples.quest import quest
from confide.mining import SlidingWindow

ALGORITHMS = ("relim", "fpgrowth", "sam", "eclat", "apriori", "ista", "carpenter")
ROUNDS, SAMPLED, EVERY, MOST = 5, 20, 100, 60_000

Rows = list[list[int]]
Sets = dict[frozenset[str], int]


def streams(data: pathlib.Path) -> Iterator[tuple[str, Callable[[], Transactions], int, int]]:
    """(name, reader, window size, min support) of each claim."""
    bms = data / "bms" / "BMS-WebView-1.dat.gz"
    t10 = data / "quest" / "T10I4D100K.dat.gz"
    mushroom = data / "mushroom" / "mushroom.dat.gz"
    yield "BMS-WebView-1", lambda: Transactions.read(bms), 2000, 25
    yield "BMS-WebView-1", lambda: Transactions.read(bms), 5000, 25
    yield "T10I4D100K", lambda: Transactions.read(t10), 2000, 25
    yield "T20I4D50K (our generator, seed 1)", lambda: quest("T20I4D50K", seed=1), 2000, 25
    yield "mushroom", lambda: Transactions.read(mushroom), 2000, 500


def mine(algorithm: str, rows: Rows, min_support: int) -> list[tuple[tuple[int, ...], int]]:
    """The closed sets of these rows by pyfim."""
    found: list[tuple[tuple[int, ...], int]] = getattr(fim, algorithm)(rows, target="c", supp=-min_support, zmin=1)
    return found


def fastest(windows: list[Rows], min_support: int) -> str:
    """The algorithm of pyfim that mines these windows in the least time; one that is far behind is soon given up."""
    best, least = "", float("inf")
    for algorithm in ALGORITHMS:
        spent = 0.0
        for rows in windows:
            spent += min(seconds(partial(mine, algorithm, rows, min_support)) for _ in range(2))
            if spent > least:
                break
        else:
            best, least = algorithm, spent
    return best


def exact_steps(tx: Transactions, rows: Rows, size: int, min_support: int) -> tuple[int, int]:
    """(steps at which the window agrees with mining it anew, steps looked at)."""
    window = SlidingWindow(size=size, min_support=min_support)
    window.learn_many(tx.take(np.arange(size)))
    agreed = looked = 0
    for step in range(size + EVERY, len(tx) + 1, EVERY):
        window.learn_many(tx.take(np.arange(step - EVERY, step)))
        closed = window.closed().as_dict()
        # pyfim leaves an item that all records hold out of every set
        everywhere = frozenset[str]().union(*(x for x, support in closed.items() if support == size))
        anew: Sets = {everywhere: size} if everywhere else {}
        for itemset, support in mine("fpgrowth", rows[step - size : step], min_support):
            anew[everywhere.union(tx.labels[code] for code in itemset)] = support
        agreed += closed == anew
        looked += 1
    return agreed, looked


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """One row for each stream."""
    for name, read, size, min_support in streams(data):
        tx = read()
        tx = tx.take(np.arange(min(len(tx), size + MOST)))
        rows = [tx.indices[a:b].tolist() for a, b in zip(tx.indptr, tx.indptr[1:], strict=False)]
        windows = [rows[step - size : step] for step in np.linspace(size, len(rows), SAMPLED, dtype=np.int64)]
        algorithm = fastest(windows[::6], min_support)
        filling, rest = tx.take(np.arange(size)), tx.take(np.arange(size, len(tx)))
        own, other = [], []
        for _ in range(ROUNDS):
            window = SlidingWindow(size=size, min_support=min_support)
            window.learn_many(filling)
            own.append(seconds(partial(window.learn_many, rest)) / len(rest))
            other.append(sum(seconds(partial(mine, algorithm, x, min_support)) for x in windows) / SAMPLED)
        agreed, looked = exact_steps(tx, rows, size, min_support)
        ratios = [b / a for a, b in zip(own, other, strict=True)]
        yield {
            "claim": f"closed itemsets of the last {size:,} records of {name} after every record, min support "
            f"{min_support}, against mining them anew; exact at {agreed} of {looked} steps looked at",
            "ours": median(own),
            "rival": {"name": f"pyfim {algorithm}", "seconds": median(other)},
            "ratio": round(median(other) / median(own), 1),
            "spread": [round(min(ratios), 1), round(max(ratios), 1)],
            "settings": {
                "rounds": ROUNDS,
                "records": len(rest),
                "records a second": round(1 / median(own)),
                "closed sets at the end": len(window.closed()),
                "mined anew at": SAMPLED,
            },
        }
