"""Rows of a table that look alike, and how often each value stands among them; integers throughout.

When are two values the same? An auditor answers in the way that is harder to pass:

- in a quasi-identifier they are the same only if no reader of the file can tell them apart: null, "" and NaN differ,
  0.0 and -0.0 differ, two NaNs differ if their bits do (a row number could hide there);
- in a sensitive column whatever means the same is the same: null, NaN and "" are all "missing", 0.0 is -0.0.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Groups",
    "NumberedColumn",
    "Sizes",
    "Tally",
    "count_members",
    "group_rows",
    "look_alike",
    "number_sensitive",
    "number_values",
]


@dataclass(frozen=True)
class NumberedColumn:
    """A column as numbers 0 .. n - 1, equal where its values are the same; `values` are these, where they are known."""

    codes: NDArray[np.int64]
    n: int
    values: "pa.Array | None" = None


@dataclass(frozen=True)
class Groups:
    """`of[row]` is the group of a row, `sizes[group]` how many rows it has.

    With `times`, row i is there so many times; None for once each.
    """

    of: NDArray[np.int64]
    sizes: NDArray[np.int64]
    times: NDArray[np.int64] | None = None

    def tally(self, column: NumberedColumn, *, members: NumberedColumn | None = None) -> "Tally":
        """How often each value stands in each group that holds it; with `members`, once for each member of a group."""
        pairs = _number(self.of * column.n + column.codes)
        if members is None:
            counts = _counted(pairs, self.times)
        else:
            _, first = np.unique(_number(pairs.codes * members.n + members.codes).codes, return_index=True)
            counts = np.bincount(pairs.codes[first], minlength=pairs.n)
        group, value = np.empty(pairs.n, dtype=np.int64), np.empty(pairs.n, dtype=np.int64)
        group[pairs.codes], value[pairs.codes] = self.of, column.codes
        order = np.lexsort((-counts, group))
        starts = np.searchsorted(group[order], np.arange(len(self.sizes)))
        return Tally(starts, group[order], counts[order], value[order])


@dataclass(frozen=True)
class Tally:
    """Counts of values within groups: by group, commonest first. `starts[g]` is where group g begins."""

    starts: NDArray[np.int64]
    group: NDArray[np.int64]
    counts: NDArray[np.int64]
    value: NDArray[np.int64]

    def by_value(self, n: int) -> NDArray[np.int64]:
        """For each of n values, the sum of its counts."""
        totals = np.zeros(n, dtype=np.int64)
        np.add.at(totals, self.value, self.counts)
        return totals

    @property
    def totals(self) -> NDArray[np.int64]:
        """For each group, the sum of its counts."""
        return np.add.reduceat(self.counts, self.starts) if len(self.starts) else self.counts

    @property
    def different(self) -> NDArray[np.int64]:
        """For each group, how many of its values have a count above 0."""
        return np.bincount(self.group[self.counts > 0], minlength=len(self.starts)).astype(np.int64)

    def of_all(self, ok: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """For each group, whether something holds of all its values."""
        return np.logical_and.reduceat(ok, self.starts) if len(self.starts) else ok

    @property
    def tops(self) -> NDArray[np.int64]:
        """For each group, the count of its commonest value."""
        return self.counts[self.starts]

    def tails(self, l: int) -> NDArray[np.int64]:  # noqa: E741 - the paper's letter
        """For each group, how many rows hold its l-th commonest value or a rarer one."""
        rare = np.arange(len(self.group)) - self.starts[self.group] >= l - 1
        tails = np.zeros(len(self.starts), dtype=np.int64)
        np.add.at(tails, self.group[rare], self.counts[rare])
        return tails


@dataclass(frozen=True)
class Sizes:
    """How many groups there are, how many members the smallest has, and how many all have together."""

    groups: int
    least: int
    total: int

    @classmethod
    def of(cls, sizes: NDArray[np.int64]) -> "Sizes":
        """Those of groups of these sizes, at least one."""
        return cls(len(sizes), int(sizes.min()), int(sizes.sum()))

    @property
    def mean(self) -> float:
        """Members in a group on average."""
        return self.total / self.groups

    def __add__(self, other: "Sizes") -> "Sizes":
        return Sizes(self.groups + other.groups, min(self.least, other.least), self.total + other.total)


def look_alike(table: "pa.Table", roles: Mapping[str, str]) -> tuple[Groups, dict[str, NumberedColumn]]:
    """The groups of rows that agree in all quasi-identifiers, and the sensitive columns, numbered."""
    quasi = [number_values(table.column(name), name=name) for name, role in roles.items() if role == "quasi-identifier"]
    sensitive = {
        name: number_sensitive(table.column(name), name=name) for name, role in roles.items() if role == "sensitive"
    }
    return group_rows(quasi, table.num_rows), sensitive


def group_rows(columns: Iterable[NumberedColumn], rows: int, times: NDArray[np.int64] | None = None) -> Groups:
    """Group the rows that agree in all columns; `times` as in `Groups`."""
    whole = NumberedColumn(np.zeros(rows, dtype=np.int64), 1)
    for column in columns:
        if whole.n * column.n >= 2**62:
            whole = _number(whole.codes)
        whole = NumberedColumn(whole.codes * column.n + column.codes, whole.n * column.n)
    whole = _number(whole.codes)
    return Groups(whole.codes, _counted(whole, times), times)


def count_members(groups: Groups, members: NumberedColumn) -> NDArray[np.int64]:
    """How many different members each group has."""
    pairs = _number(groups.of * members.n + members.codes)
    group = np.empty(pairs.n, dtype=np.int64)
    group[pairs.codes] = groups.of
    return np.bincount(group, minlength=len(groups.sizes)).astype(np.int64)


def number_values(column: "pa.ChunkedArray", *, name: str) -> NumberedColumn:
    """Number the values of a quasi-identifier: different wherever a file would show a difference."""
    return _encode(_plain(column), name)


def number_sensitive(column: "pa.ChunkedArray", *, name: str) -> NumberedColumn:
    """Number the values of a sensitive column: the same wherever they mean the same."""
    import pyarrow as pa
    import pyarrow.compute as pc

    values = _plain(column)
    if pa.types.is_floating(values.type):
        numbers = pc.add(values.cast(pa.float64()), 0.0)  # -0.0 becomes 0.0
        values = pc.if_else(pc.is_nan(numbers), pa.scalar(None, pa.float64()), numbers)
    elif pa.types.is_large_string(values.type):
        values = pc.if_else(pc.equal(values, ""), pa.scalar(None, values.type), values)
    return _encode(values, name)


def _plain(column: "pa.ChunkedArray") -> "pa.ChunkedArray":
    """The column without what only concerns its storage: extension types, run lengths, dictionaries, short offsets."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column.type, pa.BaseExtensionType):
        column = column.cast(column.type.storage_type)
    if pa.types.is_run_end_encoded(column.type):
        column = pc.run_end_decode(column)
    if pa.types.is_dictionary(column.type):  # its dictionary may hold a value twice
        column = column.cast(column.type.value_type)
    if pa.types.is_string(column.type) or pa.types.is_string_view(column.type):
        column = column.cast(pa.large_string())
    return column


def _encode(values: "pa.ChunkedArray", name: str) -> NumberedColumn:
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        whole: Any = pa.concat_arrays(values.chunks) if values.num_chunks else pa.array([], values.type)
        encoded = pc.dictionary_encode(whole, null_encoding="encode")
    except pa.ArrowNotImplementedError:
        raise InputError(f"values of type {values.type} cannot be compared", column=name) from None
    codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return NumberedColumn(codes, max(1, len(encoded.dictionary)), encoded.dictionary)


def _counted(column: NumberedColumn, times: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """How many rows have each number; sums below 2**53 are exact."""
    return np.bincount(column.codes, weights=times, minlength=column.n).astype(np.int64)


def _number(keys: NDArray[np.int64]) -> NumberedColumn:
    """The same partition in small numbers, by hashing: several times faster than by sorting."""
    import pyarrow as pa

    encoded = pa.array(keys).dictionary_encode()
    return NumberedColumn(encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64), len(encoded.dictionary))
