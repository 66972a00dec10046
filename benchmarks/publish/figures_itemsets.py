"""Figures 21, 23, 27 and 28 of the thesis as tables: loss of nuggets against k, run time of itemset utility.

`python -m benchmarks publish.figures_itemsets`. One record a point; items in no nugget are deleted first, as in the
ICDM paper. Figures 21 and 23, with 27(a) and 28(a), are against k, with h = 1 and p = infinity. Figures 27(b) and
28(b) are against h, with the private items of section 4.5.1 and p = 4; h begins at 0.5, for below 0.48 nothing can be
published (see docs/publish-transactions.md). All items are public (delta = 100%), so there is no random selection to
average over. Seconds are processor time of all threads, the median of three runs, and the spread is theirs; the ratio
is of losses, remove-all over ours.

Loss is the share of the distinct nuggets of the raw data, and, as the thesis counts, of the nuggets once per edge of
their border. Ours is `suppress` with its defaults (explained, verified, needless items put back); beside it stand the
thesis' own order (`put_back=False`) and the smallest loss there is (`method="optimal"`, with what it leaves unproved).
Rivals: remove-all (every item of a minimal mole) after the same deletion; and the k-anonymizer on the raw data, since
it knows no nuggets. A rival that would leave no public item is refused, and loses everything. Of k' on retail the
thesis names 1% and 5%; 3% is ours.
"""

import math
import pathlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

from benchmarks.publish.experiment_items import copy_private_items
from confide.core.errors import CannotMeetError
from confide.core.release import Release
from confide.core.requirements import Coherence
from confide.core.transactions.container import Transactions
from confide.mining import count_itemsets, frequent_itemsets
from confide.publish import suppress

RUNS = 3
K = (10, 20, 30, 40, 50)
H = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
NO_SELECTION = {"delta": 1.0, "selections": "none: every item is public", "runs": RUNS}


@dataclass(frozen=True)
class Figure:
    """What is drawn of one dataset: k' of each panel, and k of the sweep over h."""

    loss: str
    time: str
    nugget_supports: tuple[float, ...]
    k_against_h: int


FIGURES = {
    "connect": Figure("21", "27", (0.4, 0.5, 0.6), k_against_h=50),
    "retail": Figure("23", "28", (0.01, 0.03, 0.05), k_against_h=10),
}


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each point."""
    for name, figure in FIGURES.items():
        tx = Transactions.read(data / name / f"{name}.dat.gz")
        _whole_run(tx, max(figure.nugget_supports), Coherence(h=1.0, k=50, p=math.inf))  # compiles, or loads, kernels
        grouped = {k: _grouped(tx, k) for k in K}
        for support in figure.nugget_supports:
            for k in K:
                yield _against_k(name, tx, support, k, grouped[k])
        for support in figure.nugget_supports:
            for h in H:
                yield _against_h(name, tx, support, h)


def _whole_run(
    tx: Transactions, support: float, requirement: Coherence, private: tuple[str, ...] = (), **more: Any
) -> Release[Transactions]:
    """What a user calls, with its defaults: explained, verified, shuffled, needless items put back."""
    options: dict[str, Any] = {"utility": "itemsets", "nugget_support": support, "icdm_deletion": True}
    return suppress(tx, requirement, private=private, **options, **more)


def _exact(release: Release[Transactions]) -> tuple[int, int]:
    """The nuggets there were, and those lost, as the owner sees them."""
    assert release.owner is not None
    return release.owner.facts["nuggets"], release.owner.facts["nuggets_lost"]


def _against_k(name: str, tx: Transactions, support: float, k: int, grouped: Transactions) -> dict[str, Any]:
    requirement = Coherence(h=1.0, k=k, p=math.inf)
    answer, seconds = _timed(tx, support, requirement)
    nuggets, gone = _exact(answer)
    lost = gone / nuggets
    thesis = _whole_run(tx, support, requirement, put_back=False)
    best = _whole_run(tx, support, requirement, method="optimal")
    least = math.ceil(support * len(tx))
    edges = _once_per_edge(tx, least)
    try:
        removed = _exact(_whole_run(tx, support, requirement, method="remove-all"))[1] / nuggets
    except CannotMeetError:
        removed = 1.0  # nothing public would be left
    alike = 1 - sum(count_itemsets(grouped, min_support=least).values()) / nuggets
    figure = FIGURES[name]
    return {
        "claim": f"Figure {figure.loss}, {figure.time}(a): {name}, k' = {support:.0%}, k = {k}",
        "ours": {
            "share_of_nuggets_lost": round(lost, 6),
            "once per edge": round(1 - _once_per_edge(answer.data, least) / edges, 6),
            "in the thesis' order": round(_exact(thesis)[1] / nuggets, 6),
            "in the thesis' order, once per edge": round(1 - _once_per_edge(thesis.data, least) / edges, 6),
            "optimal": round(_exact(best)[1] / nuggets, 6),
            "optimal, at most too much": best.loss["share_above_least"],
            "processor_seconds_in_all": round(median(seconds), 3),
        },
        "rival": {
            "name": "remove-all",
            "share_of_nuggets_lost": round(removed, 6),
            "k-anonymizer": round(alike, 6),
        },
        "ratio": round(removed / lost, 3) if lost else None,
        "spread": [round(min(seconds), 3), round(max(seconds), 3)],
        "settings": {"h": 1.0, "p": "inf", "nuggets": nuggets, **NO_SELECTION},
    }


def _against_h(name: str, tx: Transactions, support: float, h: float) -> dict[str, Any]:
    made = copy_private_items(tx)
    figure = FIGURES[name]
    requirement = Coherence(h=h, k=figure.k_against_h, p=4)
    try:
        answer, seconds = _timed(made.transactions, support, requirement, tuple(made.private))
    except CannotMeetError as refusal:
        return {"claim": f"Figure {figure.time}(b): {name}, k' = {support:.0%}, h = {h}", "refused": str(refusal)}
    nuggets, gone = _exact(answer)
    lost = gone / nuggets
    return {
        "claim": f"Figure {figure.time}(b): {name}, k' = {support:.0%}, h = {h}",
        "ours": {"share_of_nuggets_lost": round(lost, 6), "processor_seconds_in_all": round(median(seconds), 3)},
        "rival": None,
        "ratio": None,
        "spread": [round(min(seconds), 3), round(max(seconds), 3)],
        "settings": {
            "k": requirement.k,
            "p": requirement.p,
            "nuggets": nuggets,
            **NO_SELECTION,
        },
    }


def _timed(
    tx: Transactions, support: float, requirement: Coherence, private: tuple[str, ...] = ()
) -> tuple[Release[Transactions], list[float]]:
    seconds = []
    for _ in range(RUNS):
        began = time.process_time()
        answer = _whole_run(tx, support, requirement, private)
        seconds.append(time.process_time() - began)
    return answer, seconds


def _grouped(tx: Transactions, k: int) -> Transactions:
    return suppress(tx, Coherence(h=1.0, k=k, p=math.inf), method="k-anonymizer").data


def _once_per_edge(tx: Transactions, least: int) -> int:
    """The nuggets as the thesis counts them: an edge from each item of a maximal itemset stands for 2**(n - 1)."""
    found = frequent_itemsets(tx, min_support=least, kind="maximal")
    return sum(int(n) << (int(n) - 1) for n in found.lengths)
