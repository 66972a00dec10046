"""Transactions that stay in their files, perturbed batch by batch, and written as Parquet parts.

What is drawn comes from the system, in the thread or task that perturbs the batch; nothing is shared between them.
"""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from confide.collect.schemes.scheme import Scheme
from confide.core.artefacts.parts import read_released_parts
from confide.core.datasets.manifest import Manifest, StagedParts, Staging
from confide.core.datasets.shuffling import WithLabels, code_lists, write_parts
from confide.core.datasets.transactions import StoredTransactions
from confide.core.randomness import Randomness
from confide.core.transactions.container import Transactions

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["perturb_stored"]


def perturb_stored(
    scheme: Scheme, stored: StoredTransactions, *, into: str | PathLike[str], shuffle: bool
) -> tuple[StoredTransactions, StagedParts]:
    """The perturbed records, in parts beside `into` that have no name yet."""
    nobody = Transactions(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), stored.labels)
    labels = scheme.perturb(nobody, randomness=Randomness.system()).labels
    staging = Staging(Path(into))
    parts = write_parts(
        stored,
        stored.engine,
        staging.folder,
        rows=len(stored),
        convert=_Perturb(scheme, labels),
        finish=WithLabels(labels),
        shuffle=shuffle,
    )
    manifest = Manifest("transactions", parts)
    staging.written(manifest)
    data = read_released_parts(staging.folder, manifest, type="transactions", engine=stored.engine.name)
    assert isinstance(data, StoredTransactions)
    return data, StagedParts(staging, manifest)


@dataclass(frozen=True)
class _Perturb:
    """A batch as it is perturbed, in codes of `labels`."""

    scheme: Scheme
    labels: tuple[str, ...]

    def __call__(self, batch: Transactions) -> "pa.Table":
        """Perturb the batch."""
        made = self.scheme.perturb(batch, randomness=Randomness.system())
        assert made.labels == self.labels
        return code_lists(made.indptr, made.indices)
