"""Suppression that keeps itemsets (Border-Cohesion): whole runs, losses beside the baseline, diagrams against borders.

`python -m benchmarks publish.itemsets`. Runs are as in section 4.5 of the thesis: h = 1, p = infinity, every item
public, items in no nugget deleted first, as in the ICDM paper. Whole runs are measured against the bound we promise; no
public program does this. Losses are shares of the distinct nuggets of the raw data; remove-all is the thesis' own,
every item of any mole.
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
from confide.core.requirements import Coherence
from confide.core.transactions.container import Transactions
from confide.core.transactions.support import support_count
from confide.mining import frequent_itemsets
from confide.publish.transactions.families.diagrams import Sets
from confide.publish.transactions.families.moles_and_nuggets import MoleSource, mole_diagram, nugget_diagram
from confide.publish.transactions.suppression.decision import Suppression
from confide.publish.transactions.suppression.itemset_utility import nugget_counts, suppress_for_itemsets

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


def _whole_run(tx: Transactions, support: float, k: int, method: Any = "auto") -> Suppression:
    requirement = Coherence(h=1.0, k=k, p=math.inf)
    return suppress_for_itemsets(tx, requirement, (), nugget_support=support, icdm_deletion=True, method=method)


def _counting(tx: Transactions) -> dict[str, Any]:
    """All frequent itemsets of connect at 40%: in all and for each item, against pyfim counting them in all."""
    import fim

    rows = [[int(item) for item in row] for row in tx]

    def spectrum() -> dict[tuple[int, int], float]:
        return fim.eclat(rows, target="s", supp=40, zmin=1, report="#")  # type: ignore[no-any-return]

    total = nugget_counts(tx, min_support=0.4).total
    assert total == sum(spectrum().values())
    nodes = len(nugget_diagram(tx, min_support=support_count(0.4, len(tx)), max_length=None))
    line = compare(
        f"{total:,} frequent itemsets of connect at 40% counted, in all and for each item, in under 2 s",
        lambda: nugget_counts(tx, min_support=0.4),
        spectrum,
        rival_name="pyfim eclat, pattern spectrum (by length and support, not by item)",
        settings={"nodes": nodes},
    )
    assert line["ours"] < 2
    return line


def _compression(tx: Transactions, support: float) -> dict[str, Any]:
    """Edges of the nugget border over the itemsets it stands for; the thesis counts those once per edge."""
    found = frequent_itemsets(tx, min_support=support, kind="maximal")
    edges = int(found.lengths.sum())  # an edge from each item of a maximal itemset
    repeated = sum(int(n) << (int(n) - 1) for n in found.lengths)
    total = nugget_counts(tx, min_support=support).total
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
    """Edges of the mole border over the moles it stands for: minimal moles within maximal records."""
    source = _thesis_source(tx, support, k)
    total = mole_diagram(source).counts(tx.n_items).total
    upper = _bits(source.minimal, source.codes())
    lower = _bits(source.rows, source.codes())
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


def _bits(sets: Sets, codes: NDArray[np.int32]) -> NDArray[np.uint64]:
    """Each set once, as a row of 64-bit words."""
    packed = np.zeros((len(sets.starts) - 1, 8 * -(-len(codes) // 64)), dtype=np.uint8)
    rank = np.zeros(int(codes.max()) + 1, dtype=np.int64)
    rank[codes] = np.arange(len(codes))
    which, bit = np.repeat(np.arange(len(packed)), np.diff(sets.starts)), rank[sets.items]
    np.bitwise_or.at(packed, (which, bit >> 3), (1 << (bit & 7)).astype(np.uint8))
    return np.unique(packed.view(np.uint64), axis=0)


def _thesis_source(tx: Transactions, support: float, k: int) -> MoleSource:
    """The public items that are in a nugget and no moles alone; all items are public."""
    least = max(k, support_count(support, len(tx)))
    requirement = Coherence(h=1.0, k=k, p=math.inf)
    return MoleSource(tx, requirement, np.zeros(tx.n_items, dtype=np.bool_), tx.supports() >= least)


def _against_the_bound(name: str, tx: Transactions, support: float, k: int) -> dict[str, Any]:
    answers: list[Suppression] = []
    seconds = _timed(lambda: answers.append(_whole_run(tx, support, k)))
    answer = answers[-1]
    total = answer.totals["nuggets"]
    everything = _kept_when_all_go(tx, support, k)
    return _line(
        f"itemset utility on {name}, k'={support:.0%}, k={k}, p=inf, h=1, whole run in under {BOUND:g} s",
        seconds,
        {"name": "the bound itself", "seconds": BOUND},
        BOUND,
        {
            "loss_of_nuggets": f"{1 - answer.totals['nuggets_kept'] / total:.4%}",
            "loss_by_remove_all": f"{1 - everything / total:.4%}",
            "moles": answer.totals["moles_to_break"],
            "suppressed_by_the_rule": sum(step.reason == "greedy" for step in answer.steps),
        },
    )


def _kept_when_all_go(tx: Transactions, support: float, k: int) -> int:
    """The nuggets that are left when every item that is in a mole is suppressed."""
    least = support_count(support, len(tx))
    in_moles = np.flatnonzero(mole_diagram(_thesis_source(tx, support, k)).counts(tx.n_items).per_item > 0)
    nuggets = nugget_diagram(tx, min_support=least, max_length=None)
    return nuggets.without(in_moles.tolist()).counts(tx.n_items).total - 1


def _default_run(tx: Transactions) -> dict[str, Any]:
    """Without the deletion, thousands of items are in moles; p = 3 so that a diagram of the rare ones is not needed."""
    requirement = Coherence(h=1.0, k=20, p=3)
    answers: list[Suppression] = []
    seconds = _timed(lambda: answers.append(suppress_for_itemsets(tx, requirement, (), nugget_support=0.01)), runs=3)
    steps = [step for step in answers[-1].steps if step.reason == "greedy"]
    return _line(
        f"itemset utility on retail, k'=1%, k=20, p=3, h=1, nothing deleted first, in under {BOUND:g} s",
        seconds,
        {"name": "the bound itself", "seconds": BOUND},
        BOUND,
        {"moles": answers[-1].totals["moles_to_break"], "suppressed_by_the_rule": len(steps), "method": "walk"},
    )


def _against_borders(tx: Transactions) -> dict[str, Any]:
    """The two exact methods on data small enough for the first."""
    same = _whole_run(tx, 0.03, 50, "zdd").steps == _whole_run(tx, 0.03, 50, "border").steps
    return compare(
        "diagrams against borders (plain Python), whole run on retail, k'=3%, k=50, p=inf, h=1",
        lambda: _whole_run(tx, 0.03, 50, "zdd"),
        lambda: _whole_run(tx, 0.03, 50, "border"),
        rival_name="our border method",
        repeats=3,
        settings={"same sequence": same},
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
