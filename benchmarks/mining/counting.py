"""Candidate counting against numpy bitmaps, one candidate at a time (our own plain version).

The candidates are 20,000 sets of 1 to 6 items, each drawn from a random record, so that most of them occur.
"""

import itertools
import pathlib
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.timing import by_turns
from confide import Transactions
from confide.mining import itemset_supports

DATABASES = (
    "retail/retail.dat.gz",
    "quest/T10I4D100K.dat.gz",
    "bms/BMS-WebView-1.dat.gz",
    "connect/connect.dat.gz",
)
CANDIDATES, ROUNDS, SEED = 20_000, 5, 1


def plain_supports(tx: Transactions, offsets: NDArray[np.int64], codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Bitmaps of all items that candidates name, ANDed candidate by candidate."""
    used = np.unique(codes)
    place = np.zeros(tx.n_items, dtype=np.int64)
    place[used] = np.arange(len(used))
    held = np.zeros((len(used), -(-len(tx) // 64) * 64), dtype=np.bool_)
    named = np.isin(tx.indices, used)
    held[place[tx.indices[named]], np.repeat(np.arange(len(tx)), tx.lengths)[named]] = True
    columns = np.packbits(held, axis=1).view(np.uint64)
    return np.array(
        [
            np.bitwise_count(np.bitwise_and.reduce(columns[place[codes[a:b]]])).sum(dtype=np.int64)
            for a, b in itertools.pairwise(offsets)
        ]
    )


def candidates(tx: Transactions) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Sets of 1 to 6 items that occur together in some record."""
    draw = np.random.default_rng(SEED)
    sets = []
    for i in draw.choice(np.flatnonzero(tx.lengths), CANDIDATES):
        record = tx.indices[tx.indptr[i] : tx.indptr[i + 1]]
        sets.append(np.sort(draw.choice(record, min(len(record), int(draw.integers(1, 7))), replace=False)))
    return np.concatenate([[0], np.cumsum([len(s) for s in sets])]), np.concatenate(sets)


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """One row for each database."""
    for name in DATABASES:
        tx = Transactions.read(data / name)
        sets = candidates(tx)
        ours, plain = partial(itemset_supports, tx, sets), partial(plain_supports, tx, *sets)
        same = np.array_equal(ours(), plain())  # also compiles
        yield {
            "claim": f"count {CANDIDATES:,} candidates on {name.split('/')[0]}, "
            + ("same counts" if same else "COUNTS DIFFER"),
            **by_turns(ours, plain, rounds=ROUNDS),
            "settings": f"rival: numpy bitmaps one by one; median of {ROUNDS}; seed {SEED}",
        }
