"""Where a collector keeps perturbed records: an embedded DuckDB file, or a PostgreSQL database.

A store belongs to one scheme and holds three tables, the same in both databases:

    confide_scheme        fingerprint, scheme            one row: the scheme the records were perturbed by
    confide_submissions   submission, lengths, codes     one row a submission: its id, and its records end to end
    confide_notes         name, text                     of the survey: its questions, and whether it is open

The id is drawn by the client and means nothing; nobody's address, name or time is written: there is no column for
them. `add` writes many submissions in one transaction and returns after the commit has reached the disk, so whatever
was acknowledged survives a kill, and a submission that comes twice is stored once: the primary key sees to that.

No row tells who came first: records are read back shuffled, and `forget_order` writes all rows anew in the order of
their random ids, into fresh pages, when a collector ends and when it starts again after a kill. While one runs, its
file or table still has the rows in the order in which they came.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any
from uuid import UUID

from confide.collect.schemes.scheme import Scheme
from confide.core.errors import InputError, UnreachableError
from confide.core.figures import ShownFields
from confide.core.randomness import Randomness

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from confide.core.transactions.container import Transactions

__all__ = [
    "Collected",
    "SubmissionOutcome",
    "Store",
    "Submission",
    "collect_records",
    "open_store",
    "opened",
    "read_store",
    "hide_password",
]


class SubmissionOutcome(Enum):
    """What became of a submission."""

    STORED = "stored"
    REPEATED = "already stored"
    CONFLICT = "conflict"


@dataclass(frozen=True)
class Submission:
    """One batch of perturbed records under an id its client drew: record after record, each of its `lengths`."""

    id: UUID
    lengths: tuple[int, ...]
    codes: tuple[int, ...]

    @classmethod
    def of(cls, id: UUID, records: Sequence[Sequence[int]]) -> "Submission":
        """Pack records as they came over the wire; they have been checked against the scheme."""
        return cls(id, tuple(map(len, records)), tuple(code for record in records for code in record))


class Store(ABC):
    """An open store. One thread at a time; `add` is the only way in."""

    @abstractmethod
    def add(self, submissions: Sequence[Submission]) -> list[SubmissionOutcome]:
        """Store submissions with different ids in one transaction; returns when they are on disk."""

    @abstractmethod
    def count(self) -> tuple[int, int]:
        """How many submissions, and how many records."""

    @abstractmethod
    def find_codes(self, ids: Sequence[UUID]) -> dict[UUID, Any]:
        """Lengths and codes of those of these submissions that are stored."""

    @abstractmethod
    def note(self, name: str) -> str | None:
        """What was noted about the survey under this name; None if nothing was."""

    @abstractmethod
    def write_note(self, name: str, text: str) -> None:
        """Note it, in place of what was noted before; returns when it is on disk."""

    @abstractmethod
    def scheme_text(self) -> str:
        """The JSON of the scheme this store belongs to."""

    @abstractmethod
    def read(self) -> "pa.Table":
        """Columns `lengths` and `codes` of every submission, in the order of their ids."""

    @abstractmethod
    def forget_order(self) -> None:
        """Write every row anew, in the order of their random ids, so that none tells when it came."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the file or connection."""


def open_store(address: str, scheme: Scheme | None = None) -> Store:
    """Open the store at a file name or a `postgresql://` address.

    With a scheme the store is made where there is none, and one that belongs to another scheme is refused; without
    one it must exist and is opened for reading only.
    """
    if address.startswith(("postgresql://", "postgres://")):
        from confide.collect.service.store_postgres import PostgresStore

        return PostgresStore(address, scheme)
    if re.match(r"[a-z][a-z0-9+.-]*://", address):
        raise InputError(
            "not a store we know; give a file name or a postgresql:// address", source=hide_password(address)
        )
    from confide.collect.service.store_duckdb import DuckDBStore

    return DuckDBStore(address, scheme)


def hide_password(address: str) -> str:
    """An address as messages may show it: without user and password."""
    return re.sub(r"//[^/@]*@", "//", address.partition("?")[0])


@dataclass(frozen=True, kw_only=True)
class Collected(ShownFields):
    """What a store holds: the scheme, and the perturbed records in the form `scheme.mine` takes.

    `records` are Transactions for a scheme over items (or over fields as boolean columns), else a matrix of value
    codes with a row per record and a column per field.
    """

    scheme: Scheme
    records: "Transactions | NDArray[np.int32]"


def read_store(address: str, *, scheme: Scheme | None = None) -> Collected:
    """Read every perturbed record of a store, shuffled; with `scheme` given, a store of another scheme is refused.

    A DuckDB file that a running collector has open cannot be read meanwhile: stop it, or collect into PostgreSQL.
    """
    with opened(address) as store:
        held = Scheme.from_json(store.scheme_text(), source=hide_password(address))
        if scheme is not None and scheme.fingerprint != held.fingerprint:
            raise another_scheme(address, held.fingerprint, scheme.fingerprint)
        return collect_records(held, store)


def collect_records(held: Scheme, store: Store) -> Collected:
    """Every perturbed record of an open store, which is of this scheme, shuffled."""
    table = store.read()
    records = held.unpack(_flat(table["lengths"]), _flat(table["codes"]))
    order = Randomness.system().permutation(len(records))  # of records: a batch need not stay together either
    taken = records.take(order) if hasattr(records, "labels") else records[order]
    return Collected(scheme=held, records=taken)


def _flat(column: Any) -> "NDArray[np.int32]":
    import numpy as np

    return np.concatenate([chunk.flatten().to_numpy() for chunk in column.chunks] or [np.empty(0, dtype=np.int32)])


@contextmanager
def opened(address: str, scheme: Scheme | None = None) -> Iterator[Store]:
    """`open_store` for a `with` block."""
    store = open_store(address, scheme)
    try:
        yield store
    finally:
        store.close()


def another_scheme(address: str, held: str, wanted: str) -> InputError:
    """The error for a store that belongs to another scheme."""
    return InputError(
        f"holds records of another scheme (fingerprint {held[:12]}, not {wanted[:12]}); records of two schemes cannot "
        "be mined together, so take another store",
        source=hide_password(address),
    )


def unreachable(address: str, error: Exception) -> UnreachableError:
    """The error for a database that does not answer, in one line and without its password."""
    said = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return UnreachableError(f"{hide_password(address)}: {said.removeprefix('IO: ').removeprefix('[libpq] ')}")


def outcomes(submissions: Sequence[Submission], new: set[UUID], held: dict[UUID, Any]) -> list[SubmissionOutcome]:
    """What became of each: `new` were written now, `held` has lengths and codes of those that were there before."""
    return [
        SubmissionOutcome.STORED
        if one.id in new
        else SubmissionOutcome.REPEATED
        if held.get(one.id) == (one.lengths, one.codes)
        else SubmissionOutcome.CONFLICT
        for one in submissions
    ]
