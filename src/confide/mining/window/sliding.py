"""The closed frequent itemsets of the last so many records of a stream, exact after every record.

    records   . . . . [ o o o o o o o o ] <- r        size = 8
                        |
                        leaves as r arrives

Only sets that the arriving or the leaving record holds can change, and a record holds few: a step costs about as much
as listing the closed sets inside two records, however many the window has. This is the part that Moment plays (Chi,
Wang, Yu and Muntz, ICDM 2004); no tree of border sets is kept, so nothing is stored but the answer, the records, and
the positions of the common items. `_window_kernels` has the argument why it is exact.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from os import PathLike
from typing import TYPE_CHECKING, Any

from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.itemsets.container import Itemsets
from confide.core.transactions.container import Transactions
from confide.core.transactions.intake import as_transactions, is_table
from confide.core.transactions.labels import as_label
from confide.core.transactions.support import Threshold, support_count

if TYPE_CHECKING:
    from confide.mining.window._state import WindowState

__all__ = ["SlidingWindow"]

_LARGEST = 1_000_000_000
_CHUNK = 1 << 14  # records of a list or generator that are held at once


@dataclass(kw_only=True, eq=False)
class SlidingWindow:
    """Keeps the closed frequent itemsets of the last `size` records.

    `size`: number of records looked at, 1 or more; a larger one forgets more slowly and takes more memory.
    `min_support`: a count, or a fraction of `size`; a larger one keeps fewer itemsets and is faster. A fraction
    means the same count from the first record on: while the window is filling, an itemset needs as many records as
    it will when it is full, so that a set never turns infrequent by an arrival.

    Exact at any moment: `closed()` is what mining the window again would give. Costs: a step searches the closed sets
    inside the arriving and the leaving record, with supports from bitmaps of `size` bits; `closed()` costs its
    output. Memory: the records, the closed sets, and `size` bits for each item that occurs more than half as often as
    `min_support` asks; an item that no record holds any more is forgotten. Not for use by two threads at once.

    >>> window = SlidingWindow(size=3, min_support=2)
    >>> window.learn_many([["a", "b"], ["a", "b", "c"], ["c"]])
    >>> list(window.closed())
    [(('c',), 2), (('a', 'b'), 2)]
    >>> window.learn_one(["c", "b"])
    >>> list(window.closed()), len(window)
    ([(('c',), 3), (('b', 'c'), 2)], 3)
    """

    size: int
    min_support: Threshold
    _state: "WindowState | None" = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.size, bool) or not hasattr(self.size, "__index__"):
            raise RequirementError(f"size must be a whole number of records, not {self.size!r}")
        self.size = self.size.__index__()
        if not 1 <= self.size <= _LARGEST:
            raise RequirementError(
                f"size={self.size} is not a window size; use 1 to {_LARGEST:,} records",
                parameter="size",
                value=self.size,
            )
        if self.min_count > self.size:
            raise RequirementError(
                f"min_support={self.min_support} can never be reached by a window of size={self.size}; "
                "use a count up to size, or a fraction",
                parameter="min_support",
                value=self.min_support,
            )

    @property
    def min_count(self) -> int:
        """`min_support` as a count of records."""
        return support_count(self.min_support, self.size)

    def __len__(self) -> int:
        """Number of records in the window; `size` once it is full."""
        return 0 if self._state is None else len(self._state)

    # -- learning -------------------------------------------------------------------------------------------------

    def learn_one(self, record: Iterable[object]) -> None:
        """Let one record in (items are text or whole numbers; repeats count once), and the oldest out if full."""
        self._open().learn_row(_labels(record))

    def learn_many(self, records: Any) -> None:
        """Let records in, in order: the same as `learn_one` on each, only faster. `Transactions` are fastest.

        Takes what `frequent_itemsets` takes, and generators, which are read as they go.

        If a record is refused, those before it have been learned, as they would have been one by one.
        """
        if isinstance(records, Transactions):
            self._open().learn(records.indptr, records.indices, records.labels)
            return
        if not isinstance(records, Iterable) or isinstance(records, str | PathLike) or is_table(records):
            self.learn_many(as_transactions(records))
            return
        source, before = iter(records), 0
        while chunk := list(islice(source, _CHUNK)):
            rows: list[list[str]] = []
            refused: InputError | None = None
            for row in chunk:
                try:
                    rows.append(_labels(row))
                except InputError as error:
                    refused = InputError(error.what, source="records", line=before + len(rows) + 1)
                    break
            self.learn_many(Transactions.from_lists(rows))
            if refused is not None:
                raise refused
            before += len(rows)

    def forget(self, count: int) -> None:
        """Let the oldest `count` records out, with none in their place."""
        if isinstance(count, bool) or not hasattr(count, "__index__") or not 0 <= count.__index__() <= len(self):
            raise UsageError(f"forget takes a number of records from 0 to {len(self)}, not {count!r}")
        if count:
            self._open().forget(count.__index__())

    def _open(self) -> "WindowState":
        if self._state is None:
            from confide.mining.window._state import WindowState

            self._state = WindowState(self.size, self.min_count)
        return self._state

    # -- looking --------------------------------------------------------------------------------------------------

    def closed(self) -> Itemsets:
        """The closed frequent itemsets of the records now in the window, in canonical order.

        Closed: no larger set is in just as many records. The empty set is left out.
        """
        offsets, items, supports, labels = self._open().closed()
        found = Itemsets.from_arrays(offsets, items, supports, labels=labels, n_transactions=len(self))
        return found.sorted()

    def frequent(self) -> Itemsets:
        """All frequent itemsets of the records now in the window, expanded from the closed ones."""
        from confide.mining.rules.subsets import expand_closed

        return expand_closed(self.closed())

    def transactions(self) -> Transactions:
        """The records now in the window, oldest first."""
        return Transactions.from_arrays(*self._open().records())

    # -- keeping --------------------------------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """The window as an Arrow IPC file: its parameters and its records, from which the rest follows."""
        from confide.mining.window import _files as _window_files

        return _window_files.pack(self.transactions(), size=self.size, min_support=self.min_support)

    @classmethod
    def from_bytes(cls, data: bytes, *, source: object = None) -> "SlidingWindow":
        """The window that `to_bytes` packed; its future is the same as the original's.

        Only records are read, never internal state: a damaged or forged file is refused or gives a sound window.
        Costs as much as learning the records. `source` names the data in error messages.
        """
        from confide.mining.window import _files as _window_files

        given: object = data
        if not isinstance(given, bytes | bytearray | memoryview):
            raise UsageError(f"from_bytes takes the bytes of to_bytes, not {type(given).__name__}")
        records, size, min_support = _window_files.unpack(data, source=source)
        try:
            window = cls(size=size, min_support=min_support)
        except RequirementError as error:
            raise InputError(str(error), source=source) from None
        window.learn_many(records)
        return window

    def save(self, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Write `to_bytes` to a file, atomically; an existing file only with `replace=True`."""
        from confide.core.files import atomic_write

        data = self.to_bytes()
        with atomic_write(path, replace=replace) as file:
            file.write(data)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "SlidingWindow":
        """The window that `save` wrote."""
        from confide.core.files import read_bytes

        return cls.from_bytes(bytes(read_bytes(path)), source=path)


def _labels(record: Iterable[object]) -> list[str]:
    """The labels of one record, each once."""
    if isinstance(record, str | bytes) or not isinstance(record, Iterable):
        raise InputError(f"a record must be a list of items, not one {type(record).__name__}")
    return list(dict.fromkeys(map(as_label, record)))
