"""Transactions under broader names beside hiding: what is lost, and how long both take in the same process.

`python -m benchmarks publish.generalising`: k = 20, h = 1, without a taxonomy and with random ones, goals beside. With
`CONFIDE_ALL=1` also k = 5, p = 3 and h = 0.6 on six databases, and a million baskets. NCP: the share of all items that
an entry's name stands for, 1 where it is gone; bits: what a reader lacks to tell the item. Seconds are processor time
of whole verified releases, one call each; `ratio` is hiding's over ours. With h below 1 a tenth of all items, drawn at
random, are private.
"""

import os
import pathlib
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.timing import peak_memory
from confide import Coherence, Release, Transactions
from confide.core.tables.taxonomy import Taxonomy
from confide.publish import generalise, suppress

FILES = {
    "retail": "retail/retail.dat.gz",
    "BMS-WebView-1": "bms/BMS-WebView-1.dat.gz",
    "BMS-WebView-2": "bms/BMS-WebView-2.dat.gz",
    "T10I4D100K": "quest/T10I4D100K.dat.gz",
    "groceries": "groceries/groceries.csv.gz",
    "kosarak's prefix": "kosarak/kosarak_first36682.dat.gz",
}
GOALS = {
    ("retail", 2, None): {"ncp": 0.0025, "bits": 3.2},
    ("retail", 2, 10): {"ncp": 0.0045},
    ("retail", 2, 5): {"ncp": 0.0036},
    ("BMS-WebView-1", 2, None): {"ncp": 0.0055, "bits": 1.1},
    ("BMS-WebView-2", 2, None): {"ncp": 0.0045, "bits": 3.1},
    ("T10I4D100K", 2, None): {"ncp": 0.0027, "bits": 0.95},
    ("retail", 3, None): {"ncp": 0.007, "bits": 4.5},
}
MILLION = 11  # retail so often
EXCHANGED = 0.05  # of the entries of each copy: another item in its place


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each database, requirement and taxonomy."""
    every = bool(os.environ.get("CONFIDE_ALL"))
    read = {name: Transactions.read(data / file) for name, file in FILES.items()}
    for (name, p, fan_out), goal in GOALS.items():
        yield _measure(name, read[name], Coherence(h=1, k=20, p=p), fan_out, goal)
    for name in ("groceries", "kosarak's prefix"):
        yield _measure(name, read[name], Coherence(h=1, k=20, p=2), None, {})
    if every:
        many = copies(read["retail"], MILLION)
        for p in (2, 3):
            yield _measure(
                f"retail {MILLION} times", many, Coherence(h=1, k=20, p=p), None, {"seconds": 30} if p == 2 else {}
            )
        for name, tx in read.items():
            for k, p, h in ((k, p, h) for k in (5, 20) for p in (2, 3) for h in (1, 0.6)):
                for fan_out in (None, 5, 10):
                    if k != 20 or h != 1 or (name, p, fan_out) not in GOALS:
                        yield _measure(name, tx, Coherence(h=h, k=k, p=p), fan_out, {})


def random_taxonomy(tx: Transactions, fan_out: int, *, seed: int, private: Sequence[str] = ()) -> Taxonomy:
    """Names above the items, `fan_out` below each, whatever the items are."""
    items = np.random.default_rng(seed).permutation(sorted(set(tx.items) - set(private))).tolist()
    above: dict[str, list[str]] = {item: [item] for item in items}
    names, level = items, 0
    while len(names) > 1:
        level += 1
        higher = [f"level {level}, name {i}" for i in range(-(-len(names) // fan_out))]
        place = {name: higher[i // fan_out] for i, name in enumerate(names)}
        for row in above.values():
            row.append(place[row[-1]])
        names = higher
    return Taxonomy.from_rows(above.values())


def copies(tx: Transactions, times: int) -> Transactions:
    """The transactions so often, an item exchanged for one of another record in a twentieth of the entries."""
    rng = np.random.default_rng(1)
    indices = np.tile(tx.indices, times)
    changed = rng.random(len(indices)) < EXCHANGED
    indices[changed] = rng.choice(tx.indices, int(changed.sum()))
    lengths = np.tile(tx.lengths, times)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    held = np.unique(rows * tx.n_items + indices)
    ends = np.cumsum(np.bincount(held // tx.n_items, minlength=len(lengths)))
    return Transactions.from_arrays(
        np.concatenate([[0], ends]), (held % tx.n_items).astype(np.int32), [tx.labels[i] for i in range(tx.n_items)]
    )


def _measure(
    name: str, tx: Transactions, requirement: Coherence, fan_out: int | None, goal: dict[str, float]
) -> dict[str, Any]:
    private = _private(tx) if requirement.h < 1 else []
    taxonomy = None if fan_out is None else random_taxonomy(tx, fan_out, seed=1, private=private)
    hidden, rival = _timed(partial(suppress, tx, requirement, private=private))
    (broad, ours), peak = peak_memory(
        partial(_timed, partial(generalise, tx, requirement, private=private, taxonomy=taxonomy))
    )
    figures = ("ncp", "bits", "share_exact", "share_gone", "frequent_pairs_exact", "median_group", "pair_error")
    by = "no taxonomy" if fan_out is None else f"fan-out {fan_out}"
    return {
        "claim": f"broader names: {name}, k = {requirement.k}, p = {requirement.p:g}, h = {requirement.h:g}, {by}",
        "ours": {figure: broad.loss[figure] for figure in figures} | {"seconds": round(ours, 2)},
        "goal": goal or None,
        "rival": _hiding(tx, hidden, set(private)) | {"seconds": round(rival, 2)},
        "ratio": round(rival / ours, 3),
        "peak_megabytes": round(peak / 1e6),
        "settings": {**requirement.to_dict(), "records": len(tx), "unit": "seconds of processor time"},
    }


def _timed(call: Callable[[], Release[Any]]) -> tuple[Release[Any], float]:
    began = time.process_time()
    release = call()
    return release, time.process_time() - began


def _private(tx: Transactions) -> list[str]:
    return np.random.default_rng(1).permutation(sorted(tx.items)).tolist()[: tx.n_items // 10]


def _hiding(tx: Transactions, release: Release[Any], private: set[str]) -> dict[str, float]:
    """The same measures where an item is exact or gone."""
    left = set(release.data.items)
    supports = {
        item: int(count) for item, count in zip(tx.labels, np.bincount(tx.indices, minlength=tx.n_items), strict=True)
    }
    public = {item: count for item, count in supports.items() if item not in private and count}
    total = sum(public.values())
    gone = {item: count for item, count in public.items() if item not in left}
    bits = sum(count * np.log2(total / count) for count in gone.values()) / total
    share = sum(gone.values()) / total
    return {"ncp": round(share, 3), "bits": round(float(bits), 1), "share_exact": round(1 - share, 3)}
