"""Suppressing items in transactions that stay in their files: the counts come from passes over them, the choice is made
here, and the release is written as Parquet parts, where it is verified.

What an owner wishes is what `suppress` knows, but for what needs all records at once: utility "itemsets", methods that
compare whole records, p without bound, and the worst case that is left.
"""

import math
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.artefacts.parts import read_released_parts
from confide.core.datasets.manifest import Manifest, StagedParts, Staging
from confide.core.datasets.shuffling import WithLabels, code_lists, write_parts
from confide.core.datasets.transactions import StoredTransactions
from confide.core.errors import CannotMeetError, UsageError
from confide.core.figures import Figure, Figures
from confide.core.randomness import Randomness
from confide.core.release import OwnerPart, Release
from confide.core.requirements import Coherence
from confide.core.transactions.container import Transactions
from confide.publish.transactions.choice import Wishes, wished_codes
from confide.publish.transactions.declaration import check_eligible
from confide.publish.transactions.loss import (
    above_least,
    by_support,
    counted_losses,
    for_everybody,
    headline,
    key_figures,
    mostly_rare,
    nugget_losses,
)
from confide.publish.transactions.moles.stored import DeclaredFiles, find_stored_moles
from confide.publish.transactions.suppression.decision import Step, Suppression
from confide.publish.transactions.suppression.item_utility import best_for_items, suppress_for_items

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["suppress_stored"]


def suppress_stored(
    stored: StoredTransactions,
    requirement: Coherence,
    wishes: Wishes,
    *,
    private: tuple[str, ...],
    into: str | PathLike[str],
    keep_order: bool,
    explain: bool,
    verify: bool,
    order_caveat: str,
) -> Release[Any]:
    """As `suppress`; the parts are written beside `into`, and get that name when the release is written."""
    _check(requirement, wishes)
    original = DeclaredFiles.of(stored, private)
    suppression = _chosen(original, requirement, wishes)
    kept = suppression.kept(stored.n_items)
    labels = tuple(label for label, stays in zip(stored.labels, kept, strict=True) if stays)
    rank = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    staged = Staging(Path(into))
    parts = write_parts(
        stored,
        stored.engine,
        staged.folder,
        rows=len(stored),
        convert=_KeepItems(rank),
        finish=WithLabels(labels),
        shuffle=not keep_order,
    )
    manifest = Manifest("transactions", parts)
    staged.written(manifest)
    data = read_released_parts(staged.folder, manifest, type="transactions", engine=stored.engine.name)
    assert isinstance(data, StoredTransactions)
    known = stored.dictionary
    exact = counted_losses(
        original,
        kept,
        occurrences=known.entries,
        left=int(known.supports[kept].sum()),
        emptied=stored.fold(_CountEmptied(kept), label="counting emptied records"),
    )
    if wishes.nugget_support is not None:
        exact |= nugget_losses(stored, data, wishes.nugget_support, wishes.nugget_length, {})
    exact |= above_least(suppression.totals)
    left = [stored.labels[code] for code in original.private if kept[code]]
    loss = for_everybody(exact, requirement.k) | above_least(suppression.totals, k=requirement.k) | _not_measured()
    return Release.issue(
        data,
        requirement,
        stage="publish transactions",
        algorithm=wishes.algorithm(suppression),
        parameters=wishes.parameters(suppression) | {"order": "kept" if keep_order else "shuffled"},
        context={"private": left},
        loss=loss,
        headline=headline(exact, rare=mostly_rare(original, kept), k=requirement.k),
        key_figures=key_figures(loss),
        charts=(by_support(original, kept, requirement.k),),
        owner=OwnerPart(facts=exact) if explain else None,
        randomness=None if keep_order else Randomness.system().describe(),
        caveats=(order_caveat,) if keep_order else (),
        verify=verify,
        staged=StagedParts(staged, manifest),
    )


def _check(requirement: Coherence, wishes: Wishes) -> None:
    memory = "which needs all records in memory; use a smaller sample, or engine memory"
    if wishes.utility != "items":
        raise UsageError(f"utility='itemsets' counts the frequent itemsets that each choice loses, {memory}")
    if wishes.method not in ("auto", "tree", "optimal"):
        raise UsageError(f"method={wishes.method!r} compares whole records, {memory}, or method 'tree' or 'optimal'")
    if requirement.p == math.inf:
        raise UsageError(f"p=inf compares whole records, {memory}, or a number for p")


def _chosen(original: DeclaredFiles, requirement: Coherence, wishes: Wishes) -> Suppression:
    stored = original.transactions
    wanted, unwanted = wished_codes(original, wishes)
    supports = original.supports.copy()
    supports[unwanted] = 0
    declared = DeclaredFiles(stored, np.setdiff1d(original.private, unwanted).astype(np.int32), supports)
    public = ~declared.is_private & (supports > 0)
    if len(unwanted) and not public.any():
        raise CannotMeetError("without the items never to be published no public item is left")
    check_eligible(declared, requirement)
    moles = find_stored_moles(declared, requirement)
    how: dict[str, Any] = {"cost": wishes.cost, "keep": wanted}
    if wishes.method == "optimal":
        chosen = best_for_items(stored, moles, supports, **how, time_limit=wishes.time_limit)
    else:
        chosen = suppress_for_items(stored, moles, supports, **how, put_back=wishes.put_back)
    if not (public & chosen.kept(stored.n_items)).any():
        raise CannotMeetError(
            f"k={requirement.k}, h={requirement.h:g}, p={requirement.p:g} would leave no public item at all",
            nearest="a smaller p, then a smaller k or a larger h",
        )
    first = [Step(item=int(v), reason="never") for v in unwanted]
    return Suppression(steps=(*first, *chosen.steps), method=chosen.method, totals=chosen.totals, moles=moles)


def _not_measured() -> Figures:
    said = "not measured: the records are not in memory; the promised k and h hold"
    return Figures(Figure("worst_k_and_h", said, "text", "the worst case an attacker still meets"))


@dataclass(frozen=True, eq=False)
class _KeepItems:
    """A batch as rows of the codes that stay."""

    rank: NDArray[np.int32]

    def __call__(self, batch: Transactions) -> "pa.Table":
        from confide.mining.counting._level_kernels import filter_rows

        return code_lists(*filter_rows(batch.indptr, batch.indices, self.rank, 0, len(batch)))


@dataclass(frozen=True, eq=False)
class _CountEmptied:
    """The pass that counts records which lose all they held."""

    kept: NDArray[np.bool_]

    shared = False

    def begin(self) -> int:
        return 0

    def add(self, state: int, batch: Transactions) -> int:
        held = np.concatenate([[0], np.cumsum(self.kept[batch.indices])])[batch.indptr]
        return state + int(((np.diff(held) == 0) & (batch.lengths > 0)).sum())

    def merge(self, one: int, other: int) -> int:
        return one + other
