"""Records that stay in their files, perturbed batch by batch, and written as Parquet parts.

What is drawn comes from the system, in the thread or task that perturbs the batch; nothing is shared between them.
While records are shuffled they are codes; labels stand in once a part is written.
"""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from confide.collect.designs.block_scheme import BlockScheme
from confide.collect.fields.field_coding import encode_table
from confide.collect.fields.fields import Fields
from confide.collect.schemes.scheme import Scheme
from confide.core.artefacts.released_parts import read_released_parts
from confide.core.datasets.manifest import Manifest, StagedParts, Staging
from confide.core.datasets.protocol import Source
from confide.core.datasets.shuffling import WithLabels, code_lists, write_parts
from confide.core.datasets.stored_table import StoredColumns, StoredTable
from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.randomness import Randomness
from confide.core.transactions.container import Transactions

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["perturb_stored"]


def perturb_stored(
    scheme: Scheme, stored: StoredTransactions | StoredTable, *, into: str | PathLike[str], shuffle: bool
) -> tuple[StoredTransactions | StoredTable, StagedParts]:
    """The perturbed records, in parts beside `into` that have no name yet."""
    source, perturb = _work(scheme, stored)
    with Staging(Path(into)) as staging:
        parts = write_parts(
            source,
            stored.engine,
            staging.folder,
            rows=len(stored),
            convert=perturb,
            finish=perturb.finish,
            shuffle=shuffle,
        )
        manifest = Manifest(perturb.type, parts)
        staging.written(manifest)
        data = read_released_parts(staging.folder, manifest, type=manifest.type, engine=stored.engine)
        return data, StagedParts(staging, manifest)


def _work(scheme: Scheme, stored: StoredTransactions | StoredTable) -> tuple[Source[Any], Any]:
    """What is read, and what is done with a batch of it."""
    draws = Randomness.system()
    if stored.artefact_kind == "transactions":
        nobody = Transactions(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), stored.labels)
        return stored, _PerturbItems(scheme, scheme.perturb(nobody, randomness=draws).labels)
    fields = scheme.fields
    assert fields is not None
    fields.check_columns(stored.column_names)
    source = StoredColumns(stored, fields.names, fields.names)
    if isinstance(scheme, BlockScheme):
        return source, _PerturbAnswers(scheme)
    if not scheme.sends_items:
        return source, _PerturbValues(scheme, fields)
    nothing = np.zeros((0, len(fields)), dtype=np.int32)
    return source, _PerturbFields(scheme, scheme.perturb(nothing, randomness=draws).labels, fields)


@dataclass(frozen=True)
class _PerturbItems:
    """A batch of baskets as it is perturbed, in codes of `labels`."""

    scheme: Scheme
    labels: tuple[str, ...]

    type = "transactions"

    @property
    def finish(self) -> WithLabels:
        return WithLabels(self.labels)

    def __call__(self, batch: Transactions) -> "pa.Table":
        return self.sent(batch)

    def sent(self, records: Any) -> "pa.Table":
        """What is sent for these records."""
        made = self.scheme.perturb(records, randomness=Randomness.system())
        assert made.labels == self.labels
        return code_lists(made.indptr, made.indices)


@dataclass(frozen=True)
class _PerturbFields(_PerturbItems):
    """The same for rows of a table, of which a scheme over items sends the boolean columns."""

    fields: Fields

    def __call__(self, batch: "tuple[int, pa.RecordBatch]") -> "pa.Table":  # type: ignore[override]  # another source
        before, rows = batch
        return self.sent(encode_table(self.fields, rows, before=before))


@dataclass(frozen=True)
class _PerturbValues:
    """Rows of a table as they are perturbed, a column of codes for each field."""

    scheme: Scheme
    fields: Fields

    type = "table"

    @property
    def finish(self) -> "_WithValues":
        return _WithValues(self.fields)

    def __call__(self, batch: "tuple[int, pa.RecordBatch]") -> "pa.Table":
        import pyarrow as pa

        before, rows = batch
        made = self.scheme.perturb(encode_table(self.fields, rows, before=before), randomness=Randomness.system())
        return pa.table({name: np.ascontiguousarray(made[:, i]) for i, name in enumerate(self.fields.names)})


@dataclass(frozen=True)
class _PerturbAnswers:
    """Rows of a table as they are answered: a question and an answer each, as text."""

    scheme: BlockScheme

    type = "table"

    @property
    def finish(self) -> "_AsDrawn":
        return _AsDrawn()

    def __call__(self, batch: "tuple[int, pa.RecordBatch]") -> "pa.Table":
        import pyarrow as pa

        codes = self.scheme.encode_truth(pa.Table.from_batches([batch[1]]))
        return self.scheme.draw_answers(codes, Randomness.system()).to_table()


@dataclass(frozen=True)
class _AsDrawn:
    """Answers are released as they were drawn."""

    def __call__(self, rows: "pa.Table") -> "pa.Table":
        return rows


@dataclass(frozen=True)
class _WithValues:
    """Rows of codes as they are released."""

    fields: Fields

    def __call__(self, rows: "pa.Table") -> "pa.Table":
        return self.fields.to_table(np.stack([column.to_numpy() for column in rows.columns], axis=1))
