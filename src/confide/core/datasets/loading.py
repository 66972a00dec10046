"""Records in memory, in files or on Spark: what a stage may ask of them without knowing which.

                    in memory        in files, on Spark
    baskets         Transactions     StoredTransactions     `Baskets`: what both answer
    rows            any frame        StoredTable            a frame is in memory, and says nothing

    records.in_memory            False for what stays in its files: what needs every record at once asks for them
    records.fold(job)            the state of all records (see `protocol`); in memory they are one batch
    records.to_transactions()    all of them in memory
    is_loaded, load_rows         the same for tables, whose frames know no such words
    require_loaded               refuses what an engine cannot do, in the engine's words

A stage that has a faster way in memory asks `in_memory`; one that has a pass for files can run it on either.
"""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

from confide.core.datasets.protocol import Pass
from confide.core.errors import UsageError
from confide.core.transactions.container import Transactions

if TYPE_CHECKING:
    from confide.core.datasets.stored_transactions import StoredTransactions

__all__ = ["Baskets", "are_baskets", "is_loaded", "load_rows", "require_folder", "require_loaded"]

S = TypeVar("S")


class Baskets(Protocol):
    """Transactions, wherever they are."""

    in_memory: ClassVar[bool]

    def __len__(self) -> int: ...

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, in code order."""
        ...

    @property
    def n_items(self) -> int:
        """Number of labels."""
        ...

    @property
    def codes(self) -> dict[str, int]:
        """The code of each label."""
        ...

    @property
    def entries(self) -> int:
        """Number of items of all records together."""
        ...

    @property
    def longest(self) -> int:
        """Number of items of the longest record."""
        ...

    def supports(self) -> NDArray[np.int64]:
        """For each item, the number of records that hold it."""
        ...

    def fold(self, job: Pass[Transactions, S], *, label: str) -> S:
        """The state of all records."""
        ...

    def to_transactions(self) -> Transactions:
        """All records in memory, in their order."""
        ...


def are_baskets(data: Any) -> "TypeGuard[Transactions | StoredTransactions]":
    """Whether these are transactions, in memory or in files; a list of lists is not, until it is taken in."""
    return getattr(data, "artefact_kind", None) == "transactions" and hasattr(data, "to_transactions")


def is_loaded(data: Any) -> bool:
    """Whether records are in memory: frames, arrays and lists are; what stays in files says that it does.

    >>> is_loaded([["tea"]]), is_loaded(Transactions.from_lists([["tea"]]))
    (True, True)
    """
    return getattr(data, "in_memory", True)


def load_rows(frame: Any) -> Any:
    """The rows of a table in memory: a frame as it is, a `StoredTable` read, or an InputError if it does not fit."""
    return frame if is_loaded(frame) else frame.to_table()


def require_loaded(data: Any, purpose: str) -> None:
    """Refuse records in files for a `purpose` that needs all of them in memory."""
    if not is_loaded(data):
        raise UsageError(
            f"{purpose} needs all records in memory, and engine {data.engine.name} leaves them in their files; "
            "use engine memory",
            parameter="engine",
            value=data.engine.name,
        )


def require_folder(into: "str | PathLike[str] | None") -> Path:
    """The folder that parts of a release go to; refuses None, since records in files are not released elsewhere."""
    if into is None:
        raise UsageError(
            "a data set that is not in memory is released into a folder; say which with into=",
            parameter="into",
            value=into,
        )
    return Path(into)
