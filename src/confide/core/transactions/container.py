"""Baskets, histories, click-streams: records that are sets of items, as integer codes in compressed rows.

indptr   0       3   4       7
indices  0 2 5 | 2 | 1 2 4 |         record i is indices[indptr[i]:indptr[i + 1]], codes ascending, no repeats
labels   ("7", "10", "beer", ...)    label of each code, in label order
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import islice, pairwise
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UsageError
from confide.core.runtime.lazy import call
from confide.core.tables.framed import Framed
from confide.core.transactions.labels import as_label, label_order

if TYPE_CHECKING:
    import pyarrow
    import scipy.sparse

    from confide.core.datasets.protocol import Pass

__all__ = ["Transactions"]

S = TypeVar("S")


@dataclass(frozen=True, eq=False, repr=False)
class Transactions(Framed):
    """A database of transactions. Records keep their order; an empty record counts; a repeated item counts once.

    Labels are always text: whole numbers given by a caller become their digits. Codes follow label order (whole
    numbers by value, then text by code point), so they do not depend on the order of the records.

    >>> baskets = Transactions.from_lists([["beer", "nuts"], ["milk"], ["nuts", "milk", "nuts"]])
    >>> baskets
    <Transactions 3 records, 3 items, 5 entries>
    >>> list(baskets)
    [['beer', 'nuts'], ['milk'], ['milk', 'nuts']]
    """

    artefact_kind: ClassVar[Literal["transactions"]] = "transactions"
    in_memory: ClassVar[Literal[True]] = True
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    labels: tuple[str, ...]

    def _repr_html_(self) -> str:
        """For notebooks: how many there are, and the first of them."""
        rows = [(number, ", ".join(items)) for number, items in enumerate(islice(self, 10), start=1)]
        return f"<p>{escape(repr(self))}</p>" + str(call("confide.report.notebook:table_html", ("", "items"), rows))

    # -- making ---------------------------------------------------------------------------------------------------

    @classmethod
    def from_lists(cls, rows: Iterable[Iterable[object]]) -> "Transactions":
        """Build from any iterable of iterables of items (text or whole numbers)."""
        code: dict[object, int] = {}
        labels: list[str] = []
        by_label: dict[str, int] = {}
        codes: list[int] = []
        lengths: list[int] = []
        for number, row in enumerate(rows, start=1):
            if isinstance(row, str | bytes):
                raise InputError("a record must be a list of items, not one text", source="records", line=number)
            before = len(codes)
            for item in row:
                known = code.get(item) if not isinstance(item, bool | float) else None
                if known is None:
                    try:
                        label = as_label(item)
                    except InputError as error:
                        raise InputError(error.what, source="records", line=number) from None
                    known = by_label.setdefault(label, len(labels))
                    if known == len(labels):
                        labels.append(label)
                    code[item] = known
                codes.append(known)
            lengths.append(len(codes) - before)
        indptr = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)
        return cls.from_arrays(indptr, np.array(codes, dtype=np.int32), labels)

    @classmethod
    def from_arrays(
        cls, indptr: NDArray[Any], indices: NDArray[Any], labels: Iterable[str] | None = None
    ) -> "Transactions":
        """Build from compressed rows; rows are sorted and repeats dropped, codes brought into label order.

        `labels` defaults to the codes themselves, written as numbers.
        """
        indptr = np.ascontiguousarray(indptr, dtype=np.int64)
        indices = np.ascontiguousarray(indices, dtype=np.int32)
        if len(indptr) == 0 or indptr[0] != 0 or indptr[-1] != len(indices) or np.any(np.diff(indptr) < 0):
            raise UsageError("indptr must start at 0, never fall, and end at len(indices)")
        lowest, highest = (int(indices.min()), int(indices.max())) if len(indices) else (0, -1)
        names = tuple(str(i) for i in range(highest + 1)) if labels is None else tuple(labels)
        if lowest < 0 or highest >= len(names):
            raise UsageError(f"codes run from {lowest} to {highest}, but there are {len(names)} labels")
        order = sorted(range(len(names)), key=lambda i: label_order(names[i]))
        if order != list(range(len(names))):
            rank = np.empty(len(names), dtype=np.int32)
            rank[order] = np.arange(len(names), dtype=np.int32)
            indices = rank[indices]
            names = tuple(names[i] for i in order)
        if any(a == b for a, b in pairwise(names)):
            raise UsageError(f"two of {len(names):,} codes have the same label")
        return cls(*_sorted_rows(indptr, indices), names)

    @classmethod
    def read(cls, path: str | PathLike[str], **options: Any) -> "Transactions":
        """Read a file; see `confide.core.transactions.basket_files.read` for formats and options."""
        from confide.core.transactions import basket_files as transaction_files

        return transaction_files.read(path, **options)

    def write(self, path: str | PathLike[str], **options: Any) -> None:
        """Write a file, atomically; see `confide.core.transactions.basket_files.write`."""
        from confide.core.transactions import basket_files as transaction_files

        transaction_files.write(self, path, **options)

    @classmethod
    def from_frame(cls, frame: Any, *, id: str = "id", item: str = "item") -> "Transactions":
        """From a pandas, polars or Arrow frame, long or with a list column; see `confide.core.transactions.frames`."""
        from confide.core.transactions import frames as transaction_frames

        return transaction_frames.from_frame(frame, id=id, item=item)

    @classmethod
    def from_sparse(cls, matrix: Any, *, labels: Iterable[object] | None = None) -> "Transactions":
        """From a scipy sparse matrix (record x item); any entry that is not zero counts."""
        from confide.core.transactions import frames as transaction_frames

        return transaction_frames.from_sparse(matrix, labels=labels)

    def to_arrow(self) -> "pyarrow.Table":
        """An Arrow table with one list column `items`."""
        from confide.core.transactions import frames as transaction_frames

        return transaction_frames.to_arrow(self)

    def to_sparse(self) -> "scipy.sparse.csr_array":
        """A scipy sparse 0/1 matrix, record x item."""
        from confide.core.transactions import frames as transaction_frames

        return transaction_frames.to_sparse(self)

    # -- looking --------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def __iter__(self) -> Iterator[list[str]]:
        for i in range(len(self)):
            yield self[i]

    def __getitem__(self, i: int) -> list[str]:
        if not -len(self) <= i < len(self):
            raise IndexError(i)
        i %= len(self)
        return [self.labels[c] for c in self.indices[self.indptr[i] : self.indptr[i + 1]]]

    def __repr__(self) -> str:
        return f"<Transactions {len(self):,} records, {self.n_items:,} items, {len(self.indices):,} entries>"

    def __eq__(self, other: object) -> bool:
        """Same records in the same order; labels that never occur do not count."""
        if not isinstance(other, Transactions):
            return NotImplemented
        if not np.array_equal(self.indptr, other.indptr):
            return False
        a, b = self.without_unused(), other.without_unused()
        return a.labels == b.labels and np.array_equal(a.indices, b.indices)

    __hash__ = None  # type: ignore[assignment]  # arrays inside

    @property
    def items(self) -> tuple[str, ...]:
        """The labels, in code order."""
        return self.labels

    @property
    def n_items(self) -> int:
        """Number of labels, those that never occur included."""
        return len(self.labels)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of items of each record."""
        return np.diff(self.indptr)

    @cached_property
    def codes(self) -> dict[str, int]:
        """The code of each label."""
        return {label: code for code, label in enumerate(self.labels)}

    def supports(self) -> NDArray[np.int64]:
        """For each item, the number of records that hold it."""
        return np.bincount(self.indices, minlength=self.n_items).astype(np.int64, copy=False)

    # -- what records in files answer too (`confide.core.datasets.loading`) -----------------------------------------

    @property
    def entries(self) -> int:
        """Number of items of all records together."""
        return len(self.indices)

    @property
    def longest(self) -> int:
        """Number of items of the longest record; 0 without records."""
        return int(self.lengths.max(initial=0))

    def fold(self, job: "Pass[Transactions, S]", *, label: str) -> S:
        """The state of all records, as one batch (see `confide.core.datasets.protocol`)."""
        return job.add(job.begin(), self)

    def to_transactions(self) -> "Transactions":
        """Themselves: they are in memory."""
        return self

    # -- choosing -------------------------------------------------------------------------------------------------

    def take(self, index: NDArray[Any]) -> "Transactions":
        """The records at these positions (or under this mask), in this order; labels stay as they are."""
        index = np.flatnonzero(index) if index.dtype == np.bool_ else np.asarray(index, dtype=np.int64)
        lengths = self.lengths[index]
        indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        positions = np.repeat(self.indptr[index] - indptr[:-1], lengths) + np.arange(indptr[-1])
        return Transactions(indptr, self.indices[positions], self.labels)

    def keep_items(self, keep: NDArray[np.bool_]) -> "Transactions":
        """The same records with only the items whose mask is true; records may become empty, labels shrink."""
        mask = keep[self.indices]
        indptr = np.concatenate([[0], np.cumsum(mask)])[self.indptr].astype(np.int64)
        rank = (np.cumsum(keep) - 1).astype(np.int32)
        names = tuple(label for label, kept in zip(self.labels, keep, strict=True) if kept)
        return Transactions(indptr, rank[self.indices[mask]], names)

    def without_unused(self) -> "Transactions":
        """The same records, with labels that never occur dropped."""
        used = self.supports() > 0
        return self if used.all() else self.keep_items(used)


def _sorted_rows(indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Sort every row and drop repeats; untouched, and nearly free, when they are so already."""
    if len(indices) < 2:
        return indptr, indices
    starts = np.zeros(len(indices) + 1, dtype=np.bool_)
    starts[indptr] = True
    inside = ~starts[1:-1]
    if not np.any(inside & (indices[1:] <= indices[:-1])):
        return indptr, indices
    rows = np.repeat(np.arange(len(indptr) - 1, dtype=np.int64), np.diff(indptr))
    keys = np.sort(rows << 32 | indices)  # np.unique would hash first, which is slower here
    keys = keys[np.concatenate([[True], keys[1:] != keys[:-1]])]
    indptr = np.searchsorted(keys, np.arange(len(indptr), dtype=np.int64) << 32).astype(np.int64)
    return indptr, (keys & 0xFFFFFFFF).astype(np.int32)
