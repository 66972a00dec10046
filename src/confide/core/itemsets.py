"""Itemsets with their supports, in three flat arrays: ten million of them are no trouble.

offsets   0     2        5   6
items     3 7 | 1 3 7 | 9 |          set i is items[offsets[i]:offsets[i + 1]], codes ascending
supports  41    12       88
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UsageError
from confide.core.frames import Framed

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Itemsets"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Itemsets(Framed):
    """A set of itemsets with their supports over one database.

    `offsets`, `items` and `supports` are as drawn above; `labels[code]` is an item's label; `n_transactions` the
    number of records counted. Supports are counts. The order of the sets is deterministic; two objects are equal
    when they hold the same sets with the same supports, in any order.

    Further columns, one value per set (an estimate, a standard error), travel in `columns`.

    >>> pairs = Itemsets.from_pairs([(("a",), 3), (("a", "b"), 2)], n_transactions=4)
    >>> list(pairs)
    [(('a',), 3), (('a', 'b'), 2)]
    >>> pairs.support_of(["b", "a"])
    2
    """

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    supports: NDArray[np.int64]
    labels: tuple[str, ...]
    n_transactions: int
    columns: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)

    # -- making ---------------------------------------------------------------------------------------------------

    @classmethod
    def from_arrays(
        cls,
        offsets: NDArray[np.int64],
        items: NDArray[np.int32],
        supports: NDArray[np.int64],
        *,
        labels: tuple[str, ...],
        n_transactions: int,
    ) -> "Itemsets":
        """Wrap arrays as they are, after checking that their lengths agree."""
        if len(offsets) != len(supports) + 1 or (len(offsets) and offsets[-1] != len(items)):
            raise UsageError("offsets must hold one entry more than supports and end at len(items)")
        return cls(offsets=offsets, items=items, supports=supports, labels=tuple(labels), n_transactions=n_transactions)

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[Iterable[object], int]], *, n_transactions: int) -> "Itemsets":
        """Build from (labels, support) pairs; labels become codes in label order."""
        from confide.core.labels import label_order

        listed = [(tuple(str(x) for x in itemset), int(support)) for itemset, support in pairs]
        labels = tuple(sorted({x for itemset, _ in listed for x in itemset}, key=label_order))
        code = {label: i for i, label in enumerate(labels)}
        sets = [sorted({code[x] for x in itemset}) for itemset, _ in listed]
        return cls(
            offsets=np.concatenate([[0], np.cumsum([len(s) for s in sets], dtype=np.int64)]).astype(np.int64),
            items=np.array([x for s in sets for x in s], dtype=np.int32),
            supports=np.array([support for _, support in listed], dtype=np.int64),
            labels=labels,
            n_transactions=n_transactions,
        )

    # -- looking --------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.supports)

    def __iter__(self) -> Iterator[tuple[tuple[str, ...], int]]:
        for i in range(len(self)):
            yield self[i]

    def __getitem__(self, i: int) -> tuple[tuple[str, ...], int]:
        if not -len(self) <= i < len(self):
            raise IndexError(i)
        i %= len(self)
        codes = self.items[self.offsets[i] : self.offsets[i + 1]]
        return tuple(self.labels[c] for c in codes), int(self.supports[i])

    def __repr__(self) -> str:
        per_level = ", ".join(f"{n}: {count:,}" for n, count in self.level_counts().items())
        return f"<Itemsets {len(self):,} over {self.n_transactions:,} transactions; by length {per_level or 'none'}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Itemsets):
            return NotImplemented
        if len(self) != len(other) or self.n_transactions != other.n_transactions:
            return False
        if self.labels == other.labels:
            a, b = self.sorted(), other.sorted()
            return bool(
                np.array_equal(a.offsets, b.offsets)
                and np.array_equal(a.items, b.items)
                and np.array_equal(a.supports, b.supports)
            )
        return self.as_dict() == other.as_dict()

    __hash__ = None  # type: ignore[assignment]  # arrays inside

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of items of each set."""
        return np.diff(self.offsets)

    def level_counts(self) -> dict[int, int]:
        """How many sets there are of each length."""
        counts = np.bincount(self.lengths) if len(self) else np.zeros(0, dtype=np.int64)
        return {n: int(count) for n, count in enumerate(counts) if count}

    def level(self, n: int) -> "Itemsets":
        """The sets of exactly n items."""
        return self.take(np.flatnonzero(self.lengths == n))

    def levels(self) -> Iterator[tuple[int, "Itemsets"]]:
        """(n, the sets of n items) for each length that occurs, ascending."""
        for n in self.level_counts():
            yield n, self.level(n)

    def support_of(self, itemset: Iterable[object]) -> int | None:
        """The support of one set of labels, or None when it is not among these."""
        code = {label: i for i, label in enumerate(self.labels)}
        try:
            wanted = np.array(sorted({code[str(x)] for x in itemset}), dtype=np.int32)
        except KeyError:
            return None
        candidates = np.flatnonzero(self.lengths == len(wanted))
        for position, item in enumerate(wanted):
            candidates = candidates[self.items[self.offsets[candidates] + position] == item]
        return int(self.supports[candidates[0]]) if len(candidates) else None

    def as_dict(self) -> dict[frozenset[str], int]:
        """{labels: support}. Needs some 300 bytes a set; meant for small results."""
        return {frozenset(itemset): support for itemset, support in self}

    # -- choosing -------------------------------------------------------------------------------------------------

    def take(self, index: NDArray[np.int64]) -> "Itemsets":
        """The sets at these positions, in this order."""
        lengths = self.lengths[index]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        positions = np.repeat(self.offsets[index] - offsets[:-1], lengths) + np.arange(offsets[-1])
        return Itemsets(
            offsets=offsets,
            items=self.items[positions],
            supports=self.supports[index],
            labels=self.labels,
            n_transactions=self.n_transactions,
            columns={name: values[index] for name, values in self.columns.items()},
        )

    def top(self, k: int) -> "Itemsets":
        """The k sets of largest support; ties go to the shorter set, then to the smaller codes."""
        if k >= len(self):
            keep = np.arange(len(self))
        else:
            # Everything at or above the k-th support, so that the tie rule sees all that tie.
            kth = np.partition(self.supports, len(self) - k)[len(self) - k] if k > 0 else np.iinfo(np.int64).max
            keep = np.flatnonzero(self.supports >= kth)
        chosen = self.take(keep).sorted()
        order = np.argsort(-chosen.supports, kind="stable")[: max(k, 0)]
        return chosen.take(order)

    def sorted(self) -> "Itemsets":
        """The same sets in canonical order: by length, then by codes."""
        parts = []
        for n in self.level_counts():
            index = np.flatnonzero(self.lengths == n)
            rows = self.items[self.offsets[index][:, None] + np.arange(n)]
            parts.append(index[np.lexsort(rows.T[::-1])] if n else index)
        return self.take(np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64))

    # -- leaving --------------------------------------------------------------------------------------------------

    def to_arrow(self) -> "pyarrow.Table":
        """A table with `items` (list of labels), `support`, and any further columns."""
        import pyarrow as pa

        labels = pa.array(self.labels, type=pa.string())
        names = pa.DictionaryArray.from_arrays(pa.array(self.items), labels)
        offsets = pa.array(self.offsets, type=pa.int64())
        columns: dict[str, Any] = {
            "items": pa.LargeListArray.from_arrays(offsets, names),
            "support": pa.array(self.supports),
        }
        columns.update({name: pa.array(values) for name, values in self.columns.items()})
        return pa.table(columns)

    @classmethod
    def from_arrow(cls, table: "pyarrow.Table", *, n_transactions: int) -> "Itemsets":
        """Read back what `to_arrow` wrote."""
        missing = {"items", "support"} - set(table.column_names)
        if missing:
            raise InputError(f"no column {sorted(missing)[0]!r}; columns are: {', '.join(table.column_names)}")
        pairs = zip(table["items"].to_pylist(), table["support"].to_pylist(), strict=True)
        found = cls.from_pairs(pairs, n_transactions=n_transactions)
        extra = {name: table[name].to_numpy() for name in table.column_names if name not in ("items", "support")}
        return Itemsets(**{**found.__dict__, "columns": extra})
