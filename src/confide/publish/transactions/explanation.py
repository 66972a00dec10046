"""The owner's part of a release: why each item went, what it broke, how long records were and are.

The owner reads "identifying combination" where the papers say mole, and "frequent itemset worth keeping" for nugget.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.figures import Chart, Column, Figure, Figures, Table
from confide.core.release import OwnerPart
from confide.core.transactions.container import Transactions
from confide.publish.transactions.declaration import Declared
from confide.publish.transactions.moles.collection import MinimalMoles
from confide.publish.transactions.suppression.decision import Suppression
from confide.publish.transactions.suppression.item_utility import MoleList

__all__ = ["owner_part", "record_lengths"]

_WHY = {
    "never": "marked never to be published",
    "alone": "identifying on its own",
    "greedy": "chosen by score",
    "option": "in no frequent itemset worth keeping (ICDM deletion)",
    "all": "the method suppresses it",
    "optimal": "in the best choice found",
    "records": "with it, some record is like fewer than k",
}


def owner_part(original: Declared, suppression: Suppression, code_of: NDArray[np.int32]) -> OwnerPart:
    """For each suppressed item: why, its score, how many identifying combinations it broke, and the smallest of them.

    Made from what the release had to find anyway; nothing is searched for an explanation, so it costs a fraction of the
    release and cannot fail it. Where the minimal moles were not listed, the combinations are those the score counted.
    `code_of` gives the original code of each item the minimal moles speak of.
    """
    labels = original.transactions.labels
    moles = suppression.moles
    broken = _broken(suppression) if moles is None else _replay_steps(suppression, moles, code_of)
    rows: list[tuple[Any, ...]] = []
    for step, (broke, smallest) in zip(suppression.steps, broken, strict=True):
        score = "" if step.reason != "greedy" else math.inf if not step.cost else float(step.gain / step.cost)
        rows.append((labels[step.item], int(original.supports[step.item]), _WHY[step.reason], score, broke, smallest))
    tables = {"Suppressed items, in order": Table(_COLUMNS, tuple(rows))}
    if moles is None:
        return OwnerPart(tables=tables)
    deleted = any(step.reason == "option" for step in suppression.steps)
    of_what = " of the items not deleted first" if deleted else ""
    sizes = moles.counts()
    tables["Identifying combinations by size"] = Table(
        (Column("items", "count"), Column("combinations", "count")), tuple(sizes.items())
    )
    found = Figures(
        Figure("minimal_moles", len(moles), "count", f"identifying combinations (minimal moles){of_what}"),
        Figure("minimal_moles_too_rare", len(moles) - moles.breaches(), "count", "of them in too few records"),
        Figure("minimal_moles_breaching_h", moles.breaches(), "count", "of them giving away a private item"),
    )
    chart = Chart(
        title="Identifying combinations by size",
        x=tuple(str(n) for n in sizes),
        series={"combinations": tuple(float(count) for count in sizes.values())},
        x_label="items in the combination",
        y_label="combinations",
        y_unit="count",
    )
    return OwnerPart(facts=found, tables=tables, charts=(chart,) if sizes else ())


_COLUMNS = (
    Column("item", "text"),
    Column("records that hold it", "count"),
    Column("why", "text"),
    Column("score", "number"),
    Column("combinations broken", "count"),
    Column("the smallest of them", "text"),
)


def _broken(suppression: Suppression) -> list[tuple[int | str, str]]:
    """What each step broke, as far as its score says; the smallest combination is not known."""
    return [
        (step.gain if step.reason == "greedy" else 1 if step.reason == "alone" else "", "")
        for step in suppression.steps
    ]


def _replay_steps(
    suppression: Suppression, moles: MinimalMoles, code_of: NDArray[np.int32]
) -> list[tuple[int | str, str]]:
    """What each step broke of the minimal moles, and the smallest of those."""
    from confide.publish.transactions.suppression.greedy_kernels import replay

    listed = MoleList.of(moles)
    position = {int(code): i for i, code in enumerate(code_of)}
    told = [step.reason not in ("never", "option") for step in suppression.steps]
    steps = [step for step, tell in zip(suppression.steps, told, strict=True) if tell]
    order = np.array([position[step.item] for step in steps], dtype=np.int32)
    counts, first = replay(listed.offsets, listed.items, listed.item_ptr, listed.item_moles, order)
    found = iter(zip(counts.tolist(), first.tolist(), strict=True))
    broken: list[tuple[int | str, str]] = []
    for tell in told:
        if not tell:
            broken.append(("", ""))
            continue
        count, mole = next(found)
        broken.append((count, " + ".join(moles.labels[c] for c in listed.mole(mole)) if mole >= 0 else ""))
    return broken


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
