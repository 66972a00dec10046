"""Suppression that keeps itemsets (Border-Cohesion): whole runs, losses beside the baseline, diagrams against borders.

`python -m benchmarks publish.itemsets`. Runs are as in section 4.5 of the thesis: h = 1, p = infinity, every item
public, items in no nugget deleted first, as in the ICDM paper; all through `suppress` with its defaults (explained,
verified, needless items put back). Whole runs are measured against the bound we promise; no public program does this.
Losses are shares of the distinct nuggets of the raw data. Compression rates are edges of a border over the itemsets it
stands for: counted once each, and once per edge, as the thesis does.
"""

import math
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.timing import compare
from confide.core.errors import CannotMeetError
from confide.core.release import Release
from confide.core.requirements import Coherence
from confide.core.transactions.container import Transactions
from confide.mining import count_itemsets, frequent_itemsets
from confide.publish import minimal_moles, suppress

RUNS = 5
BOUND = 8.0  # seconds for a whole run
CONNECT = tuple((support, k) for support in (0.4, 0.5, 0.6) for k in (10, 50))
RETAIL = tuple((0.01, k) for k in (10, 20, 30, 40, 50))


def run(data: Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each claim."""
    connect = Transactions.read(data / "connect" / "connect.dat.gz")
    retail = Transactions.read(data / "retail" / "retail.dat.gz")
    _whole_run(connect, 0.6, 50)  # compiles, or loads, the kernels
    yield _counting(connect)
    for support in (0.4, 0.5, 0.6):
        yield _compression(connect, support)
    for k in (10, 50):
        yield _mole_compression(retail, 0.01, k)
    for name, tx, settings in (("connect", connect, CONNECT), ("retail", retail, RETAIL)):
        for support, k in settings:
            yield _against_the_bound(name, tx, support, k)
    yield _default_run(retail)
    yield _against_borders(retail)


def _whole_run(tx: Transactions, support: float, k: int, method: Any = "auto") -> Release[Transactions]:
    requirement = Coherence(h=1.0, k=k, p=math.inf)
    return suppress(tx, requirement, utility="itemsets", nugget_support=support, icdm_deletion=True, method=method)


def _counting(tx: Transactions) -> dict[str, Any]:
    """All frequent itemsets of connect at 40%, counted by length, against pyfim."""
    import fim

    rows = [[int(item) for item in row] for row in tx]

    def spectrum() -> dict[tuple[int, int], float]:
        return fim.eclat(rows, target="s", supp=40, zmin=1, report="#")  # type: ignore[no-any-return]

    total = _nuggets(tx, 0.4)
    assert total == sum(spectrum().values())
    return compare(
        f"{total:,} frequent itemsets of connect at 40% counted by length",
        lambda: count_itemsets(tx, min_support=0.4),
        spectrum,
        rival_name="pyfim eclat, pattern spectrum (by length and support)",
    )


def _nuggets(tx: Transactions, support: float) -> int:
    return sum(count_itemsets(tx, min_support=support).values())


def _compression(tx: Transactions, support: float) -> dict[str, Any]:
    """Edges of the nugget border over the itemsets it stands for; the thesis counts those once per edge."""
    found = frequent_itemsets(tx, min_support=support, kind="maximal")
    edges = int(found.lengths.sum())  # an edge from each item of a maximal itemset
    repeated = sum(int(n) << (int(n) - 1) for n in found.lengths)
    total = _nuggets(tx, support)
    return {
        "claim": f"the nugget border of connect at {support:.0%} is a small part of its nuggets",
        "ours": edges,
        "rival": {"name": "distinct nuggets", "itemsets": total},
        "ratio": round(total / edges, 1),
        "spread": None,
        "settings": {
            "maximal": len(found),
            "compression": f"{edges / total:.5%}",
            "itemsets once per edge": repeated,
            "compression counted so": f"{edges / repeated:.5%}",
        },
    }


def _mole_compression(tx: Transactions, support: float, k: int) -> dict[str, Any]:
    """Edges of the mole border over the moles it stands for: minimal moles within maximal records.

    With h = 1 and p = infinity a mole is what occurs and is not in k records.
    """
    left = tx.keep_items(tx.supports() >= max(k, math.ceil(support * len(tx))))
    total = sum(count_itemsets(left, min_support=1).values()) - sum(count_itemsets(left, min_support=k).values())
    moles = minimal_moles(left, Coherence(h=1.0, k=k, p=math.inf))
    upper = _bits([row for size in moles.counts() for row in moles.level(size)], left.n_items)
    lower = _bits(np.split(left.indices, left.indptr[1:-1]), left.n_items)
    lower = lower[np.argsort(-np.bitwise_count(lower).sum(axis=1), kind="stable")]
    sizes = np.bitwise_count(upper).sum(axis=1)
    kept, n, edges, repeated = np.zeros_like(lower), 0, 0, 0
    for row in lower:
        if (row & ~kept[:n]).any(axis=1).all():  # within no larger record
            kept[n] = row
            n += 1
            below = sizes[~(upper & ~row).any(axis=1)]
            edges += len(below)
            repeated += sum(1 << int(np.bitwise_count(row).sum() - size) for size in below)
    return {
        "claim": f"the mole border of retail at k'={support:.0%}, k={k} against its moles",
        "ours": edges,
        "rival": {"name": "moles", "itemsets": total},
        "ratio": round(total / edges, 3),
        "spread": None,
        "settings": {
            "minimal": len(upper),
            "maximal": n,
            "compression": f"{edges / total:.2%}",
            "itemsets once per edge": repeated,
            "compression counted so": f"{edges / repeated:.2%}",
        },
    }


def _bits(sets: list[NDArray[np.int32]], n_items: int) -> NDArray[np.uint64]:
    """Each set once, as a row of 64-bit words."""
    packed = np.zeros((len(sets), 8 * -(-n_items // 64)), dtype=np.uint8)
    which = np.repeat(np.arange(len(sets)), [len(x) for x in sets])
    items = np.concatenate([*sets, np.zeros(0, dtype=np.int32)])
    np.bitwise_or.at(packed, (which, items >> 3), (1 << (items & 7)).astype(np.uint8))
    return np.unique(packed.view(np.uint64), axis=0)


def _against_the_bound(name: str, tx: Transactions, support: float, k: int) -> dict[str, Any]:
    answers: list[Release[Transactions]] = []
    seconds = _timed(lambda: answers.append(_whole_run(tx, support, k)))
    try:
        everything = _lost(_whole_run(tx, support, k, "remove-all"))
    except CannotMeetError:
        everything = 1.0  # nothing public would be left
    return _line(
        f"itemset utility on {name}, k'={support:.0%}, k={k}, p=inf, h=1, whole run in under {BOUND:g} s",
        seconds,
        {"name": "the bound itself", "seconds": BOUND},
        BOUND,
        {"loss_of_nuggets": f"{_lost(answers[-1]):.4%}", "loss_by_remove_all": f"{everything:.4%}"},
    )


def _lost(release: Release[Transactions]) -> float:
    assert release.owner is not None
    return float(release.owner.facts["share_of_nuggets_lost"])


def _default_run(tx: Transactions) -> dict[str, Any]:
    """Without the deletion, thousands of items are in moles."""
    requirement = Coherence(h=1.0, k=20, p=3)
    answers: list[Release[Transactions]] = []
    seconds = _timed(lambda: answers.append(suppress(tx, requirement, utility="itemsets", nugget_support=0.01)), runs=3)
    return _line(
        f"itemset utility on retail, k'=1%, k=20, p=3, h=1, nothing deleted first, in under {BOUND:g} s",
        seconds,
        {"name": "the bound itself", "seconds": BOUND},
        BOUND,
        {
            "loss_of_nuggets": f"{_lost(answers[-1]):.4%}",
            "suppressed": answers[-1].loss["public_items_suppressed"],
            "method": answers[-1].passport.parameters["method"],
        },
    )


def _against_borders(tx: Transactions) -> dict[str, Any]:
    """The two exact methods on data small enough for the first."""
    same = _whole_run(tx, 0.03, 50, "zdd").data.labels == _whole_run(tx, 0.03, 50, "border").data.labels
    return compare(
        "diagrams against borders (plain Python), whole run on retail, k'=3%, k=50, p=inf, h=1",
        lambda: _whole_run(tx, 0.03, 50, "zdd"),
        lambda: _whole_run(tx, 0.03, 50, "border"),
        rival_name="our border method",
        repeats=3,
        settings={"same items kept": same},
    )


def _timed(call: Callable[[], object], runs: int = RUNS) -> list[float]:
    seconds = []
    for _ in range(runs):
        began = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - began)
    return seconds


def _line(claim: str, seconds: list[float], rival: object, other: float, settings: dict[str, Any]) -> dict[str, Any]:
    middle = statistics.median(seconds)
    return {
        "claim": claim,
        "ours": round(middle, 4),
        "rival": rival,
        "ratio": round(other / middle, 2),
        "spread": [round(other / max(seconds), 2), round(other / min(seconds), 2)],
        "settings": {"repeats": len(seconds), "seed": None, **settings},
    }
