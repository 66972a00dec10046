"""The owner's part of a release: why each item went, what it broke, how long records were and are.

The owner reads "identifying combination" where the papers say mole, and "frequent itemset worth keeping" for nugget.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.figures import Column, Figure, Figures, Table
from confide.core.figures.charts import Chart
from confide.core.release import OwnerPart
from confide.core.requirements import Coherence
from confide.core.transactions.container import Transactions
from confide.publish.transactions.declaration import Declared
from confide.publish.transactions.moles.collection import MinimalMoles
from confide.publish.transactions.moles.minimal import find_moles
from confide.publish.transactions.suppression.decision import Suppression
from confide.publish.transactions.suppression.item_utility import MoleList

__all__ = ["owner_part", "record_lengths"]

_WHY = {
    "never": "marked never to be published",
    "alone": "identifying on its own",
    "greedy": "chosen by score",
    "option": "in no frequent itemset worth keeping (ICDM deletion)",
    "all": "the method suppresses it",
}


def owner_part(
    tx: Transactions,
    original: Declared,
    suppression: Suppression,
    moles: MinimalMoles | None,
    declared: Declared,
    code_of: NDArray[np.int32],
    requirement: Coherence,
) -> OwnerPart:
    """For each suppressed item: why, its score, how many minimal moles it broke, and the smallest of them."""
    from confide.publish.transactions.suppression._greedy_kernels import replay

    if moles is None:
        moles = find_moles(declared, requirement)
    listed = MoleList.of(moles)
    position = {int(code): i for i, code in enumerate(code_of)}
    order = np.array([position[step.item] for step in suppression.steps if step.reason != "never"], dtype=np.int32)
    counts, first = replay(listed.offsets, listed.items, listed.item_ptr, listed.item_moles, order)
    rows: list[tuple[Any, ...]] = []
    at = 0
    for step in suppression.steps:
        broke, smallest = 0, ""
        if step.reason != "never":
            broke = int(counts[at])
            if first[at] >= 0:
                smallest = " + ".join(moles.labels[c] for c in listed.mole(int(first[at])))
            at += 1
        score = "" if step.reason != "greedy" else math.inf if not step.cost else float(step.gain / step.cost)
        rows.append(
            (tx.labels[step.item], int(original.supports[step.item]), _WHY[step.reason], score, broke, smallest)
        )
    columns = (
        Column("item", "text"),
        Column("records that hold it", "count"),
        Column("why", "text"),
        Column("score", "number"),
        Column("combinations broken", "count"),
        Column("the smallest of them", "text"),
    )
    sizes = moles.counts()
    return OwnerPart(
        facts=Figures(
            Figure("minimal_moles", len(moles), "count", "identifying combinations (minimal moles)"),
            Figure("minimal_moles_too_rare", len(moles) - moles.breaches(), "count", "of them in too few records"),
            Figure("minimal_moles_breaching_h", moles.breaches(), "count", "of them giving away a private item"),
            Figure("suppressed_items", len(suppression.steps), "count", "items hidden"),
        ),
        tables={
            "Suppressed items, in order": Table(columns, tuple(rows)),
            "Identifying combinations by size": Table(
                (Column("items", "count"), Column("combinations", "count")), tuple(sizes.items())
            ),
        },
        charts=(
            Chart(
                title="Identifying combinations by size",
                x=tuple(str(n) for n in sizes),
                series={"combinations": tuple(float(count) for count in sizes.values())},
                x_label="items in the combination",
                y_label="combinations",
                y_unit="count",
            ),
        )
        if sizes
        else (),
    )


def record_lengths(original: Declared, data: Transactions, private: list[str]) -> Chart:
    """How many public items records had and have: what an attacker can know at most."""
    tx = original.transactions
    secret_before = original.is_private[tx.indices]
    codes = np.zeros(data.n_items, dtype=np.bool_)
    codes[[data.codes[label] for label in private]] = True
    before = _public_lengths(tx, ~secret_before)
    after = _public_lengths(data, ~codes[data.indices])
    top = int(min(max(before.max(initial=0), 1), 40))
    counted = [np.bincount(np.minimum(lengths, top), minlength=top + 1).tolist() for lengths in (before, after)]
    return Chart(
        title="Public items of a record",
        x=tuple(float(i) for i in range(top + 1)),
        series={"before": tuple(counted[0]), "after": tuple(counted[1])},
        kind="line",
        x_label="public items" + (f" (the last: {top} or more)" if before.max(initial=0) > top else ""),
        y_label="records",
        y_unit="count",
        x_unit="count",
    )


def _public_lengths(tx: Transactions, public: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.diff(np.concatenate([[0], np.cumsum(public)])[tx.indptr])
