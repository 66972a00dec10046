"""Figures 21, 23, 27 and 28 of the thesis as tables: loss of nuggets against k, run time of itemset utility.

`python -m benchmarks publish.figures_itemsets`. One record a point; items in no nugget are deleted first, as in the
ICDM paper. Figures 21 and 23, with 27(a) and 28(a), are against k, with h = 1 and p = infinity. Figures 27(b) and
28(b) are against h, with the private items of section 4.5.1 and p = 4; h begins at 0.5, for below 0.48 nothing can be
published (see docs/publish-transactions.md). All items are public (delta = 100%), so there is no random selection to
average over. Seconds are the median of three runs, and the spread is theirs; the ratio is of losses, literal
remove-all over ours.

Loss is the share of the distinct nuggets of the raw data. Rivals: remove-all, literally (every item of *any* mole) and
as `confide.publish` has it (every item of a *minimal* mole), both after the same deletion; and the k-anonymizer on the
raw data, since it knows no nuggets. Of k' on retail the thesis names 1% and 5%; 3% is ours.
"""

import math
import pathlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from confide.core.release import Release
from confide.core.requirements import Coherence
from confide.core.transactions.container import Transactions
from confide.core.transactions.support import support_count
from confide.publish import copy_private_items, suppress
from confide.publish.transactions.families.diagrams import Diagram, build
from confide.publish.transactions.families.moles_and_nuggets import MoleSource, nugget_diagram
from confide.publish.transactions.suppression.itemset_utility import nugget_counts

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
            raw = nugget_diagram(tx, min_support=support_count(support, len(tx)), max_length=None)
            for k in K:
                yield _against_k(name, tx, support, raw, k, grouped[k])
        for support in figure.nugget_supports:
            for h in H:
                yield _against_h(name, tx, support, h)


def _whole_run(
    tx: Transactions, support: float, requirement: Coherence, private: tuple[str, ...] = ()
) -> Release[Transactions]:
    """What a user calls, with its defaults: explained, verified, shuffled."""
    return suppress(tx, requirement, private=private, utility="itemsets", nugget_support=support, icdm_deletion=True)


def _exact(release: Release[Transactions]) -> tuple[int, int]:
    """The nuggets there were, and those lost, as the owner sees them."""
    assert release.owner is not None
    return release.owner.facts["nuggets"], release.owner.facts["nuggets_lost"]


def _against_k(
    name: str, tx: Transactions, support: float, raw: Diagram, k: int, grouped: Transactions
) -> dict[str, Any]:
    requirement = Coherence(h=1.0, k=k, p=math.inf)
    answer, seconds = _timed(tx, support, requirement)
    nuggets, gone = _exact(answer)
    lost = gone / nuggets
    any_mole, minimal = (1 - kept / nuggets for kept in _kept_by_remove_all(tx, support, raw, requirement))
    alike = 1 - nugget_counts(grouped, min_support=support_count(support, len(tx))).total / nuggets
    figure = FIGURES[name]
    return {
        "claim": f"Figure {figure.loss}, {figure.time}(a): {name}, k' = {support:.0%}, k = {k}",
        "ours": {"share_of_nuggets_lost": round(lost, 6), "seconds_in_all": round(median(seconds), 3)},
        "rival": {
            "name": "remove-all",
            "share_of_nuggets_lost": round(any_mole, 6),
            "remove-all, minimal moles": round(minimal, 6),
            "k-anonymizer": round(alike, 6),
        },
        "ratio": round(any_mole / lost, 3) if lost else None,
        "spread": [round(min(seconds), 3), round(max(seconds), 3)],
        "settings": {"h": 1.0, "p": "inf", "nuggets": nuggets, **NO_SELECTION},
    }


def _against_h(name: str, tx: Transactions, support: float, h: float) -> dict[str, Any]:
    made = copy_private_items(tx)
    figure = FIGURES[name]
    requirement = Coherence(h=h, k=figure.k_against_h, p=4)
    answer, seconds = _timed(made.transactions, support, requirement, tuple(made.private))
    nuggets, gone = _exact(answer)
    lost = gone / nuggets
    return {
        "claim": f"Figure {figure.time}(b): {name}, k' = {support:.0%}, h = {h}",
        "ours": {"share_of_nuggets_lost": round(lost, 6), "seconds_in_all": round(median(seconds), 3)},
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
        began = time.perf_counter()
        answer = _whole_run(tx, support, requirement, private)
        seconds.append(time.perf_counter() - began)
    return answer, seconds


def _grouped(tx: Transactions, k: int) -> Transactions:
    requirement = Coherence(h=1.0, k=k, p=math.inf)
    return suppress(tx, requirement, method="k-anonymizer", explain=False, verify=False).data


def _kept_by_remove_all(tx: Transactions, support: float, raw: Diagram, requirement: Coherence) -> Iterator[int]:
    """The nuggets left without the items of any mole; and without those of minimal moles."""
    least = max(requirement.k, support_count(support, len(tx)))
    source = MoleSource(tx, requirement, np.zeros(tx.n_items, dtype=np.bool_), tx.supports() >= least)
    # With h = 1 a mole is what occurs and is not k-frequent.
    moles = build(lambda made: made.minus(made.subsets(source.rows), made.subsets(source.frequent)), source.codes())
    minimal = build(
        lambda made: made.minimal(made.minus(made.subsets(source.rows), made.subsets(source.frequent))), source.codes()
    )
    for family in (moles, minimal):
        items = np.flatnonzero(family.counts(tx.n_items).per_item > 0)
        yield raw.without(items.tolist()).counts(tx.n_items).total - 1  # the empty itemset is not a nugget
