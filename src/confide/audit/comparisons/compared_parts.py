"""A released table in parts beside the one in files that it was made from.

Rows were shuffled where nobody could say which is which. But equal values became equal ones, and groups were left out
as a whole: so the owner says what each value becomes, each of these is looked at (`label_fit`), and then the rows that
were read, so recoded, without those of groups that are not there, must be the released rows, each as often. That is
compared by sums of digests, of whole rows and, to name a fault, of columns.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.audit.comparisons.compared_table import columns_check, rows_check, uncovered_pairs
from confide.audit.comparisons.digests import digest_values, draw_keys, mixed
from confide.audit.comparisons.values import read_values
from confide.core.artefacts.originals import OriginalTable
from confide.core.checks import Check
from confide.core.datasets.long_rows import row_batches
from confide.core.datasets.stored_table import StoredTable
from confide.core.passport import Passport

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["compare_parts"]

Digests = NDArray[np.uint64]


def compare_parts(data: StoredTable, passport: Passport, original: OriginalTable) -> Iterator[Check]:
    """The checks of a table in parts."""
    stored = original.table
    assert isinstance(stored, StoredTable)
    columns = columns_check(data.column_names, original)
    yield columns
    wrong = {name: _uncovered(name, original) for name in original.becomes}
    faults = [f"{name!r} for {values:,} values" for name, values in wrong.items() if values]
    yield Check(
        name="every label covers what becomes it",
        ok=not faults,
        detail=f"not so: {', '.join(faults)}" if faults else f"{len(wrong)} columns",
    )
    if faults or not columns.ok:
        return
    names = tuple(data.column_names)
    keys = draw_keys(len(names))
    quasi = tuple(name in original.becomes for name in names)
    label = "comparing rows, for the auditor"
    released = data.engine.fold(_Rows(data, names), _SumRows(keys, quasi), label=label)
    recoded = {name: _Becomes.of(original, name, keys[names.index(name)]) for name in original.becomes}
    job = _SumRows(keys, quasi, tuple(recoded.get(name) for name in names), np.unique(np.concatenate(released.groups)))
    read = stored.engine.fold(_Rows(stored, names), job, label=label)
    of_both = zip(names, released.columns.tolist(), read.columns.tolist(), strict=True)
    differing = [repr(name) for name, one, other in of_both if one != other]
    same = released.rows == read.rows and released.sum == read.sum and not differing
    which = f" ({', '.join(differing)})" if differing else ""
    yield Check(
        name="the rows are those that were read",
        ok=same,
        detail=f"{released.rows:,} rows"
        if same
        else f"{released.rows:,} rows are released where {read.rows:,} should be, or their cells differ{which}",
    )
    drops = passport.parameters.get("missing") == "drop"
    yield rows_check(passport, len(stored), released.rows, read.gaps if drops else 0)


def _uncovered(name: str, original: OriginalTable) -> int:
    """How many values become a label that does not stand for them."""
    given, at, made = original.becomes[name]
    values, labels = read_values(given, name=name), read_values(made, name=name)
    here = np.flatnonzero(at >= 0)
    known = range(len(values))
    return uncovered_pairs(
        values, labels, values.codes, here, labels.codes[at[here]], schema=original.schema, name=name, known=known
    )


@dataclass(frozen=True, eq=False)
class _Becomes:
    """What values become, by digest: `after[i]` stands for the value of digest `before[i]`, ascending."""

    before: Digests
    after: Digests
    gap: np.uint64

    @classmethod
    def of(cls, original: OriginalTable, name: str, key: np.uint64) -> "_Becomes":
        import pyarrow as pa

        given, at, made = original.becomes[name]
        here = np.flatnonzero(at >= 0)
        before, after = digest_values(given.take(pa.array(here)), key), digest_values(made, key)[at[here]]
        order = np.argsort(before)
        return cls(before[order], after[order], digest_values(pa.nulls(1, pa.large_string()), key)[0])

    def recode(self, digests: Digests) -> tuple[Digests, NDArray[np.bool_]]:
        """What values with these digests become, and which of them become something that is released."""
        if not len(self.before):
            return digests, np.zeros(len(digests), dtype=np.bool_)
        at = np.minimum(np.searchsorted(self.before, digests), len(self.before) - 1)
        return self.after[at], self.before[at] == digests


@dataclass
class _Sums:
    """Rows, and sums of their digests: of whole rows, of each column within its group; `gaps` lack a value."""

    columns: Digests
    rows: int = 0
    sum: int = 0
    gaps: int = 0
    groups: list[Digests] = field(default_factory=lambda: [np.zeros(0, dtype=np.uint64)])


@dataclass(frozen=True, eq=False)
class _SumRows:
    """The pass over one of the two tables; over the one that was read with `becomes` and the groups that are there."""

    keys: Digests
    quasi: tuple[bool, ...]
    becomes: tuple[_Becomes | None, ...] = ()
    there: Digests | None = None

    shared = False

    def begin(self) -> _Sums:
        return _Sums(np.zeros(len(self.keys), dtype=np.uint64))

    def add(self, state: _Sums, batch: "pa.Table") -> _Sums:
        digests = [digest_values(batch.column(j), key) for j, key in enumerate(self.keys)]
        kept = np.ones(batch.num_rows, dtype=np.bool_)
        gaps = np.zeros(batch.num_rows, dtype=np.bool_)
        for j, becomes in enumerate(self.becomes):
            if becomes is not None:
                gaps |= digests[j] == becomes.gap
                digests[j], known = becomes.recode(digests[j])
                kept &= known
        group = np.zeros(batch.num_rows, dtype=np.uint64)
        for of_column, is_quasi in zip(digests, self.quasi, strict=True):
            if is_quasi:
                group = mixed(group + of_column)
        if self.there is None:
            state.groups = [np.unique(np.concatenate([*state.groups, group]))]
        else:
            kept &= np.isin(group, self.there)
        whole, columns = group, np.zeros(len(self.keys), dtype=np.uint64)
        for j, of_column in enumerate(digests):
            columns[j] = mixed(group + of_column)[kept].sum(dtype=np.uint64)
            whole = mixed(whole + of_column)
        here = _Sums(columns, int(kept.sum()), int(whole[kept].sum(dtype=np.uint64)), int(gaps.sum()))
        return self.merge(state, here)

    def merge(self, one: _Sums, other: _Sums) -> _Sums:
        return _Sums(
            one.columns + other.columns,  # of arrays of 64 bits: what is above falls away
            one.rows + other.rows,
            (one.sum + other.sum) % (1 << 64),
            one.gaps + other.gaps,
            [np.unique(np.concatenate([*one.groups, *other.groups]))],
        )


@dataclass(frozen=True)
class _Rows:
    """Some columns of a table in files, as a source; named by their numbers, so that no name stands in the way."""

    stored: StoredTable
    names: tuple[str, ...]

    @property
    def shards(self) -> tuple[Any, ...]:
        return self.stored.shards

    def read(self, shard: Any) -> "Iterator[pa.Table]":
        import pyarrow as pa

        names = list(self.names)
        for batch in row_batches(self.stored.parts, shard, names, self.stored.batch_rows, coded=names):
            yield pa.Table.from_batches([batch]).select(names).rename_columns([str(n) for n in range(len(names))])
