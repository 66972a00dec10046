"""Suppressing items in transactions that stay in their files: the counts come from passes over them, the choice is made
here, and the release is written as Parquet parts, where it is verified.

What an owner wishes is what `suppress` knows, but for what needs all records at once (`DeclaredFiles.refuse`), and the
worst case that is left.
"""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.artefacts.originals import OriginalBaskets
from confide.core.artefacts.released_parts import read_released_parts
from confide.core.datasets.manifest import Manifest, StagedParts, Staging
from confide.core.datasets.shuffling import WithLabels, code_lists, write_parts
from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.figures import Figure, Figures
from confide.core.randomness import Randomness
from confide.core.release import OwnerPart, Release
from confide.core.requirements import Coherence
from confide.core.requirements.coherence import ORDER_KEPT
from confide.core.transactions.container import Transactions
from confide.publish.jobs.transactions import Wishes
from confide.publish.transactions.loss import (
    above_least,
    by_support,
    for_everybody,
    headline,
    item_losses,
    key_figures,
    mostly_rare,
    nugget_losses,
)
from confide.publish.transactions.moles.stored_moles import DeclaredFiles
from confide.publish.transactions.suppression_choice import SuppressionChoice, describe_wishes, name_algorithm
from confide.publish.transactions.tried_settings import choose_or_refuse

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
) -> Release[Any]:
    """As `suppress`; the parts are written beside `into`, and get that name when the release is written."""
    original = DeclaredFiles.of(stored, private)
    choice = SuppressionChoice.of(original, wishes)
    suppression = choose_or_refuse(choice, requirement)
    kept = suppression.mask_kept(stored.n_items)
    labels = tuple(label for label, stays in zip(stored.labels, kept, strict=True) if stays)
    rank = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    with Staging(Path(into)) as staged:
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
        data = read_released_parts(staged.folder, manifest, type="transactions", engine=stored.engine)
        exact = item_losses(original, kept)
        if wishes.nugget_support is not None:
            counted = {} if len(choice.unwanted) else suppression.totals
            exact |= nugget_losses(stored, data, wishes.nugget_support, wishes.nugget_length, counted)
        exact |= above_least(suppression.totals)
        left = [stored.labels[code] for code in original.private if kept[code]]
        loss = for_everybody(exact, requirement.k) | above_least(suppression.totals, k=requirement.k) | _not_measured()
        return Release.issue(
            data,
            requirement,
            stage="publish transactions",
            algorithm=name_algorithm(wishes, suppression),
            parameters=describe_wishes(wishes, suppression) | {"order": "kept" if keep_order else "shuffled"},
            context={"private": left},
            loss=loss,
            headline=headline(exact, rare=mostly_rare(original, kept), k=requirement.k),
            key_figures=key_figures(loss),
            charts=(by_support(original, kept, requirement.k),),
            owner=OwnerPart(facts=exact) if explain else None,
            randomness=None if keep_order else Randomness.system().describe(),
            caveats=(ORDER_KEPT,) if keep_order else (),
            original=OriginalBaskets(transactions=stored),
            verify=verify,
            staged=StagedParts(staged, manifest),
        )


def _not_measured() -> Figures:
    said = "not measured: the records are not in memory; the promised k and h hold"
    return Figures(Figure("worst_k_and_h", said, "text", "the worst case an attacker still meets"))


@dataclass(frozen=True, eq=False)
class _KeepItems:
    """A batch as rows of the codes that stay."""

    rank: NDArray[np.int32]

    def __call__(self, batch: Transactions) -> "pa.Table":
        from confide.mining.counting.level_kernels import filter_rows

        return code_lists(*filter_rows(batch.indptr, batch.indices, self.rank, 0, len(batch)))
