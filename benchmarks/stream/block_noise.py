"""What noise by blocks costs its readers and its owner, and what it leaves of a count that never changes.

Precision: of published values, over windows that share no record and several keys. A still count: X without XY, both of
them the same in every window, from 30 and from 3,000 releases, by generalised least squares. A run: from file to
file, against `basic`; deeper mining is in it.
"""

import pathlib
import tempfile
import time
from collections.abc import Iterator
from statistics import median
from typing import Any

import numpy as np

from benchmarks.stream.windows import SIZE, streams, windows
from confide import OutputPrivacy, Randomness, Transactions
from confide.core.itemsets.container import Itemsets
from confide.stream import Butterfly, StreamRelease, release_stream
from confide.stream.blocks.block_precision import likely_supports, support_slope

EVERY, KEYS, STILL, ROUNDS, RECORDS = 100, 6, 1600, 3, 60_000


def butterfly(delta: float, scheme: str, seed: int) -> Butterfly:
    """One that publishes windows of 2,000 records, C = 25, K = 5, a release every 100."""
    requirement = OutputPrivacy(epsilon=0.2, delta=delta, min_support=25, vulnerable=5)
    more: dict[str, Any] = {"blocks": SIZE // EVERY} if scheme == "blocks" else {"scheme": scheme}
    return Butterfly(requirement, randomness=Randomness.seeded(seed), **more)


def relative(true: Itemsets, published: Itemsets) -> list[float]:
    """The relative errors of what is published."""
    known = true.as_dict()
    return [abs(value - known[items]) / known[items] for items, value in published.as_dict().items()]


def covered(made: Butterfly, true: Itemsets, published: Itemsets) -> list[tuple[bool, bool]]:
    """Whether a stated interval holds the support, and whether the value is near the threshold."""
    known, slope = true.as_dict(), support_slope(published.supports.astype(np.int64))
    found = []
    for items, value in published.as_dict().items():
        low, high = likely_supports(
            value, made.run_noise.chances, slope=slope, least=made.mining_support, records=true.n_transactions
        )
        found.append((low <= known[items] <= high, value < made.threshold + 5))
    return found


def precision(name: str, tx: Transactions, delta: float) -> dict[str, Any]:
    """The row of a stream and a delta."""
    count = len(tx) // SIZE
    off: dict[str, list[float]] = {"blocks": [], "basic": []}
    held: list[tuple[bool, bool]] = []
    true = windows(tx, butterfly(delta, "blocks", 0).mining_support, count=count)
    for seed in range(KEYS):
        for scheme in off:
            made = butterfly(delta, scheme, seed)
            for i, itemsets in enumerate(true):
                known = itemsets.take(np.flatnonzero(itemsets.supports >= made.mining_support))
                number = {"block": (i + 1) * SIZE // EVERY - 1} if scheme == "blocks" else {}
                out = made.release(known, **number).data
                off[scheme] += relative(known, out)
                held += covered(made, known, out) if scheme == "blocks" else []
    inside, near = np.array(held).T
    ours, rival = ([round(float(x), 4) for x in (np.mean(y), np.quantile(y, 0.95))] for y in off.values())
    return {
        "claim": f"relative error published, mean and 95th percentile, {name}, delta {delta}",
        "ours": ours,
        "rival": {"name": "basic", "error": rival},
        "settings": {
            "windows": count,
            "keys": KEYS,
            "values": len(inside),
            "stated intervals that hold the support": round(float(inside.mean()), 4),
            "the same, near the threshold": round(float(inside[near].mean()), 4),
        },
    }


def still(releases: int) -> dict[str, Any]:
    """What averaging leaves of a difference of two counts that never change."""
    made = butterfly(0.4, "blocks", 1)
    pairs = [(f"x{i}", 60) for i in range(STILL)] + [(f"x{i} y", 57) for i in range(STILL)]
    window = Itemsets.from_pairs([(name.split(), n) for name, n in pairs], n_transactions=SIZE)
    sums = np.zeros((STILL, releases))
    for b in range(releases):
        table = made.release(window, block=SIZE // EVERY - 1 + b).owner
        noise = dict(zip(window.as_dict(), (table.values - table.supports).tolist(), strict=True))
        sums[:, b] = [noise[frozenset([f"x{i}"])] - noise[frozenset([f"x{i}", "y"])] for i in range(STILL)]
    apart = np.abs(np.arange(releases)[:, None] - np.arange(releases)[None, :])
    moves = float(made.run_noise.draws * made.run_noise.block.variance)
    total = moves * np.clip(1 - apart * EVERY / SIZE, 0, None) + float(made.run_noise.permanent.variance)
    weights = np.linalg.solve(total, np.ones(releases))
    guesses = sums @ weights / weights.sum()
    return {
        "claim": f"squared error left of a rare pattern that never changes, {releases:,} releases averaged",
        "ours": round(float((guesses**2).mean()), 2),
        "rival": {"name": "s", "error": 10.0},
        "settings": {
            "by the law": round(float(2 / weights.sum()), 2),
            "patterns": STILL,
            "one reading": round(float((sums[:, -1] ** 2).mean()), 2),
        },
    }


def released(source: pathlib.Path, scheme: str) -> float:
    """Processor seconds of a run from file to file, with its state, the auditor's checks and the final verification."""
    with tempfile.TemporaryDirectory() as name:
        folder, began = pathlib.Path(name), time.process_time()
        keyed = {"noise_key": folder / "key"} if scheme == "blocks" else {}
        request = StreamRelease(
            records=source,
            min_support=25,
            window=SIZE,
            every=EVERY,
            limit=RECORDS,
            scheme=scheme,
            sync="none",
            state=folder / "state",
            **keyed,
        )
        release_stream(request, output=folder / "out.jsonl")
        return time.process_time() - began


def cost(name: str, tx: Transactions) -> dict[str, Any]:
    """Processor time of a run, against `basic`."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "in.dat"
        tx.take(np.arange(min(len(tx), RECORDS))).write(source)
        sides = [(released(source, "blocks"), released(source, "basic")) for _ in range(ROUNDS + 1)][1:]
    ratios = sorted(a / b for a, b in sides)
    return {
        "claim": f"releases by blocks, file to file, {name}: processor seconds",
        "ours": round(median(a for a, _ in sides), 3),
        "rival": {"name": "basic", "seconds": round(median(b for _, b in sides), 3)},
        "ratio": round(1 / median(ratios), 2),
        "spread": [round(1 / ratios[-1], 2), round(1 / ratios[0], 2)],
        "settings": {"records": RECORDS, "times the time of basic": round(median(ratios), 2)},
    }


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Rows for each stream, then those of a count that never changes."""
    for name, read, _ in streams(data):
        if "closed" not in name:
            tx = read()
            for delta in (0.4, 1.0):
                yield precision(name, tx, delta)
            yield cost(name, tx)
    for releases in (30, 3000):
        yield still(releases)
