"""Itemsets with their supports, in three flat arrays: ten million of them fit easily.

offsets   0     2        5   6
items     3 7 | 1 3 7 | 9 |          set i is items[offsets[i]:offsets[i + 1]], codes ascending
supports  41    12       88

Each array is as narrow as its numbers allow: mostly 8 bytes a set and 2 an item.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UsageError
from confide.core.runtime.lazy import call
from confide.core.tables.framed import Framed

if TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = ["Itemsets", "frozensets", "item_dtype", "offset_dtype", "support_dtype"]

_SHOWN = 20  # rows in a notebook

Integers: TypeAlias = NDArray[np.int16] | NDArray[np.int32] | NDArray[np.int64]


def offset_dtype(n_items: int) -> np.dtype[Any]:
    """The type of the offsets of sets that hold `n_items` items together: int32, or int64 from 2**31 on."""
    return np.dtype(np.int32 if n_items < 1 << 31 else np.int64)


def item_dtype(n_labels: int) -> np.dtype[Any]:
    """The type of the codes of `n_labels` items: int16, or int32 from 32,768 on."""
    return np.dtype(np.int16 if n_labels < 1 << 15 else np.int32)


def support_dtype(n_transactions: int) -> np.dtype[Any]:
    """The type of supports among `n_transactions` records: int32, or int64 from 2**31 on.

    Never int16: a quotient of two such arrays is of single precision in numpy.
    """
    return np.dtype(np.int32 if n_transactions < 1 << 31 else np.int64)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Itemsets(Framed):
    """A set of itemsets with their supports over one database.

    `offsets`, `items` and `supports` are as drawn above; `labels[code]` is an item's label; `n_transactions` the
    number of records counted. Supports are counts. The order of the sets is deterministic; two objects are equal
    when they hold the same sets with the same supports, in any order.

    The arrays are stored in the smallest type that fits: `offsets` and `supports` in int32 or int64, `items` in int16
    or int32 (see `offset_dtype`, `item_dtype`, `support_dtype`). Sums and products of them can outgrow it: convert
    first, as `coded` and `lengths` do.

    Further columns, one value per set (an estimate, a standard error), travel in `columns`.

    >>> pairs = Itemsets.from_pairs([(("a",), 3), (("a", "b"), 2)], n_transactions=4)
    >>> list(pairs)
    [(('a',), 3), (('a', 'b'), 2)]
    >>> pairs.support_of(["b", "a"])
    2
    """

    artefact_kind = "itemsets"
    offsets: Integers
    items: Integers
    supports: Integers
    labels: tuple[str, ...]
    n_transactions: int
    columns: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)

    # -- making ---------------------------------------------------------------------------------------------------

    @classmethod
    def from_arrays(
        cls,
        offsets: Integers,
        items: Integers,
        supports: Integers,
        *,
        labels: tuple[str, ...],
        n_transactions: int,
    ) -> "Itemsets":
        """Wrap arrays, after checking that their lengths agree; those wider than need be are copied, narrower."""
        if len(offsets) != len(supports) + 1 or (len(offsets) and offsets[-1] != len(items)):
            raise UsageError(
                "offsets must hold one entry more than supports and end at len(items); there are "
                f"{len(offsets)} offsets, {len(supports)} supports and {len(items)} items"
            )
        return cls(
            offsets=_narrowed(offsets, offset_dtype(len(items))),
            items=_narrowed(items, item_dtype(len(labels))),
            supports=_narrowed(supports, support_dtype(n_transactions)),
            labels=tuple(labels),
            n_transactions=n_transactions,
        )

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[Iterable[object], int]], *, n_transactions: int) -> "Itemsets":
        """Build from (labels, support) pairs; labels become codes in label order."""
        from confide.core.transactions.labels import label_order

        listed = [(tuple(str(x) for x in itemset), int(support)) for itemset, support in pairs]
        labels = tuple(sorted({x for itemset, _ in listed for x in itemset}, key=label_order))
        code = {label: i for i, label in enumerate(labels)}
        sets = [sorted({code[x] for x in itemset}) for itemset, _ in listed]
        return cls.from_arrays(
            np.cumsum([0, *(len(s) for s in sets)], dtype=np.int64),
            np.array([x for s in sets for x in s], dtype=np.int32),
            np.array([support for _, support in listed], dtype=np.int64),
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

    def _repr_html_(self) -> str:
        """For notebooks: the sets of largest support."""
        rows = [
            (", ".join(items), f"{support:,}", f"{support / max(self.n_transactions, 1):.1%}")
            for items, support in self.top(_SHOWN)
        ]
        words = f"{len(self):,} itemsets over {self.n_transactions:,} records"
        words += f"; the {_SHOWN} of largest support" if len(self) > _SHOWN else ""
        return f"<p>{words}</p>" + str(call("confide.report.notebook:table_html", ("items", "records", "share"), rows))

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
        return np.diff(self.offsets).astype(np.int64, copy=False)

    def coded(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """(offsets, items) in the types that kernels take, int64 and int32, however they are stored here."""
        return np.ascontiguousarray(self.offsets, dtype=np.int64), np.ascontiguousarray(self.items, dtype=np.int32)

    def level_counts(self) -> dict[int, int]:
        """How many sets there are of each length."""
        counts = np.bincount(self.lengths) if len(self) else np.zeros(0, dtype=np.int64)
        return {n: int(count) for n, count in enumerate(counts) if count}

    def level(self, n: int) -> "Itemsets":
        """The sets of exactly n items."""
        return self.take(np.flatnonzero(self.lengths == _number(n, "level")))

    def levels(self) -> Iterator[tuple[int, "Itemsets"]]:
        """(n, the sets of n items) for each length that occurs, ascending."""
        for n in self.level_counts():
            yield n, self.level(n)

    def support_of(self, itemset: Iterable[object]) -> int | None:
        """The support of one set of labels, or None when it is not among these."""
        given: object = itemset
        if not isinstance(given, Iterable):
            raise UsageError(f"support_of takes a list of items, not {type(given).__name__}")
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
        # In 64 bits: positions may repeat, so what is taken can be larger than what is here.
        offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64, copy=False)
        positions = np.repeat(self.offsets[index] - offsets[:-1], lengths) + np.arange(offsets[-1])
        return Itemsets(
            offsets=_narrowed(offsets, offset_dtype(int(offsets[-1]))),
            items=self.items[positions],
            supports=self.supports[index],
            labels=self.labels,
            n_transactions=self.n_transactions,
            columns={name: values[index] for name, values in self.columns.items()},
        )

    def top(self, k: int) -> "Itemsets":
        """The k sets of largest support; ties go to the shorter set, then to the smaller codes."""
        k = max(_number(k, "top"), 0)
        if k >= len(self):
            keep = np.arange(len(self))
        elif k == 0:
            keep = np.zeros(0, dtype=np.int64)
        else:
            # Everything at or above the k-th support, so that the tie rule sees all that tie.
            kth = np.partition(self.supports, len(self) - k)[len(self) - k]
            keep = np.flatnonzero(self.supports >= kth)
        chosen = self.take(keep).sorted()
        order = np.argsort(-chosen.supports.astype(np.int64, copy=False), kind="stable")[:k]
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
        # One schema for all, whatever the arrays are stored as.
        names = pa.DictionaryArray.from_arrays(pa.array(self.items, type=pa.int32()), labels)
        offsets = pa.array(self.offsets, type=pa.int64())
        columns: dict[str, Any] = {
            "items": pa.LargeListArray.from_arrays(offsets, names),
            "support": pa.array(self.supports, type=pa.int64()),
        }
        columns.update({name: pa.array(values) for name, values in self.columns.items()})
        return pa.table(columns)

    def to_pandas(self) -> "pandas.DataFrame":
        """As `to_arrow`, as a pandas frame (needs pandas); `items` holds frozensets, fit for comparing."""
        frame = super().to_pandas()
        frame["items"] = frozensets(frame["items"])
        return frame

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


def frozensets(column: "pandas.Series[Any]") -> "pandas.Series[Any]":
    """A column of lists as one of frozensets."""
    return column.map(frozenset)


def _number(given: object, asked: str) -> int:
    if isinstance(given, bool) or not isinstance(given, int | np.integer):
        raise UsageError(f"{asked} takes a whole number, not {type(given).__name__}")
    return int(given)


def _narrowed(values: Integers, dtype: np.dtype[Any]) -> Any:
    """The values as `dtype`, or as int64 where one of them, by mistake or not, is too large for it."""
    if values.dtype == dtype:
        return values
    if values.size and values.dtype.kind not in "iu":
        raise UsageError(f"offsets, items and supports must be arrays of integers, not of {values.dtype}")
    limit = np.iinfo(dtype).max
    fits = not values.size or (-limit <= values.min() and values.max() <= limit)
    return values.astype(dtype if fits else np.int64, copy=False)
