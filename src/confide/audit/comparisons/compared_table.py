"""A released table beside the one that was read: which row came from which is the owner's knowledge, and stays there.

- Every released row came from one row, and no two from the same.
- A quasi-identifier covers the value of its row (`label_fit`), or is the number that rows which look alike make
  (`averages`). Persons are one person within a group exactly where they
  were. A pseudonym is that of its row's identifier. Shifted dates moved by the same days for all of a person. All
  other columns are equal.
- No column came, none went but identifiers; as many rows were read, and had a value missing, as the passport says.

Two values are equal here if they mean the same: NaN, null and the empty text are missing, 0.0 is -0.0. A failed check
names the column and how many rows are wrong, never a value.
"""

import hashlib
import hmac
import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from confide.audit.comparisons.averages import wrong_numbers
from confide.audit.comparisons.label_fit import covered
from confide.audit.comparisons.values import Values, meaning, microseconds_since, read_values
from confide.audit.verifiers.grouping import group_rows, number_values
from confide.core.artefacts.originals import OriginalTable
from confide.core.checks import Check
from confide.core.datasets.stored_table import StoredTable
from confide.core.passport import Passport
from confide.core.runtime.threads import in_threads
from confide.core.tables.frames import to_table

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["columns_check", "compare_table", "rows_check", "uncovered_pairs"]

_DENSE = 1 << 24  # pairs that are marked in an array; more are sorted out
_SMALL = 100_000  # rows for which starting threads costs more than it saves
_A_DAY = 86_400_000_000  # microseconds
_PSEUDONYMS = 10_000  # rows whose pseudonyms are worked out again, of more


def compare_table(data: Any, passport: Passport, original: OriginalTable) -> Iterator[Check]:
    """The checks of a table that `publish table` releases."""
    if isinstance(original.table, StoredTable):
        from confide.audit.comparisons.compared_parts import compare_parts

        yield from compare_parts(data, passport, original)
        return
    released = to_table(data)
    columns = columns_check(released.column_names, original)
    yield columns
    places = _places(original, released.num_rows)
    yield Check(
        name="every released row came from one row",
        ok=places is not None,
        detail=f"{released.num_rows:,} rows" if places is not None else "two came from the same, or one from none",
    )
    if places is None or not columns.ok:
        return
    look = _Look(released, original, places, passport.parameters.get("missing") == "drop")
    threads = 1 if released.num_rows < _SMALL else None
    wrong_rows = in_threads(look.wrong_rows, released.column_names, threads=threads)
    wrong = dict(zip(released.column_names, wrong_rows, strict=True))
    faults = [f"{name!r} in {rows:,} of {released.num_rows:,} rows" for name, rows in wrong.items() if rows]
    yield Check(
        name="every cell covers what was read",
        ok=not faults,
        detail=f"not so: {', '.join(faults)}" if faults else f"{len(wrong)} columns, {released.num_rows:,} rows",
    )
    yield rows_check(passport, original.table.num_rows, released.num_rows, look.dropped)


def columns_check(names: list[str], original: OriginalTable) -> Check:
    """The released columns are those that were read, but for identifiers that no pseudonym stands for."""
    kept = [
        name
        for name in original.table.column_names
        if original.key is not None or original.schema.columns[name].role != "identifier"
    ]
    return Check(
        name="the columns are those that were read",
        ok=names == kept,
        detail="" if names == kept else f"{len(set(kept) - set(names))} went, {len(set(names) - set(kept))} came",
    )


def rows_check(passport: Passport, read: int, released: int, dropped: int) -> Check:
    """As many rows were read, left out, and left out for a missing value, as the passport says."""
    loss = passport.loss
    told = {
        "rows": read,
        "rows_left_out": read - released,
        "rows_suppressed": read - released - dropped,
        "rows_with_missing_values": dropped,
    }
    wrong = [name for name, rows in told.items() if name in loss and not _says(loss[name], rows)]
    if dropped and "rows_with_missing_values" not in loss:
        wrong.append("rows_with_missing_values")
    out = read - released
    return Check(
        name="rows left out are counted",
        ok=not wrong,
        detail=f"not so: {', '.join(wrong)}" if wrong else f"{out:,} of {read:,} rows are left out",
    )


def _says(told: Any, rows: int) -> bool:
    """Whether a figure says so many rows: the number, "fewer than 5", or "101 to 104"."""
    if not isinstance(told, str):
        return bool(told == rows)
    if fewer := re.fullmatch(r"fewer than ([0-9,]+)", told):
        return 0 < rows < int(fewer[1].replace(",", ""))
    if between := re.fullmatch(r"([0-9,]+) to ([0-9,]+)", told):
        low, high = (int(end.replace(",", "")) for end in between.groups())
        return low <= rows <= high
    return False


def _places(original: OriginalTable, released: int) -> NDArray[np.int64] | None:
    """Where each released row came from, if that is a one-to-one map into the rows that were read."""
    places, rows = original.places, original.table.num_rows  # type: ignore[union-attr]  # in memory here
    if places is None or places.shape != (released,) or not np.issubdtype(places.dtype, np.integer):
        return None
    if released and not (int(places.min()) >= 0 and int(places.max()) < rows):
        return None
    taken = np.zeros(rows, dtype=np.bool_)
    taken[places] = True
    return places if int(taken.sum()) == released else None


class _Look:
    """Both tables, column by column."""

    def __init__(self, released: "pa.Table", original: OriginalTable, places: NDArray[np.int64], drops: bool):
        self.released, self.original, self.places = released, original, places
        self.table = cast("pa.Table", original.table)
        self._read: dict[str, Values] = {}
        self.gaps: NDArray[np.bool_] | None = None
        if drops:
            self.gaps = np.zeros(self.table.num_rows, dtype=np.bool_)
            for name in original.schema.named("quasi-identifier"):
                self.gaps |= _missing(self._values(name))

    @property
    def dropped(self) -> int:
        """How many rows were left out since a quasi-identifier is missing."""
        return 0 if self.gaps is None else int(self.gaps.sum())

    def _values(self, name: str) -> Values:
        if name not in self._read:
            self._read[name] = read_values(self.table.column(name), name=name)
        return self._read[name]

    def wrong_rows(self, name: str) -> int:
        """In how many rows a column does not say what was read."""
        column = self.original.schema.columns[name]
        role = column.role
        if role == "quasi-identifier":
            return self._uncovered(name) if column.release is None else self._wrong_numbers(name)
        if role == "person":
            return self._wrong_persons(name)
        if role == "identifier":
            return self._wrong_pseudonyms(name)
        return self._changed(name) if column.shift is None else self._wrong_shifts(name)

    def _wrong_shifts(self, name: str) -> int:
        """Rows whose date did not move by the days of its person, whole ones and no more than the schema allows."""
        most = self.original.schema.columns[name].shift
        days, (least, largest) = self.days_moved[name], self.days_of_person
        gaps = np.isnan(days)
        was = read_values(self.table.column(name), name=name)
        kept = gaps == was.missing[was.codes[self.places]]
        moved = gaps | ((days == np.floor(days)) & (np.abs(days) <= most) & (days == least) & (days == largest))
        return int((~(kept & moved)).sum())

    @cached_property
    def days_moved(self) -> dict[str, NDArray[np.float64]]:
        """By how many days each released date was moved, nan where it or what was read is missing."""
        places = self.places
        return {
            name: (microseconds_since(self.released.column(name)) - microseconds_since(self.table.column(name))[places])
            / _A_DAY
            for name in self.original.schema.shifted
        }

    @cached_property
    def days_of_person(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The least and the most days by which any date of a row's person was moved."""
        schema = self.original.schema
        whose = self._values((*schema.named("person"), *schema.named("identifier"))[0])
        of = whose.codes[self.places]
        least, most = np.full(len(whose), np.inf), np.full(len(whose), -np.inf)
        for days in self.days_moved.values():
            there = ~np.isnan(days)
            np.minimum.at(least, of[there], days[there])
            np.maximum.at(most, of[there], days[there])
        return least[of], most[of]

    def _uncovered(self, name: str) -> int:
        values, labels = self._values(name), read_values(self.released.column(name), name=name)
        known: Any = range(len(values))
        if self.gaps is not None:
            known = np.unique(values.codes[~self.gaps]).tolist()
        return uncovered_pairs(
            values, labels, values.codes, self.places, labels.codes, schema=self.original.schema, name=name, known=known
        )

    def _wrong_numbers(self, name: str) -> int:
        values, column = self._values(name), self.released.column(name)
        read = np.where(values.missing, np.nan, values.numbers)[values.codes[self.places]]
        spec = self.original.schema.columns[name]
        return wrong_numbers(spec, read, read_values(column, name=name), column.type, self.group)

    @cached_property
    def group(self) -> NDArray[np.int64]:
        """The group of each released row: those that look alike."""
        quasi = [number_values(self.released.column(q), name=q) for q in self.original.schema.named("quasi-identifier")]
        return group_rows(quasi, self.released.num_rows).of

    def _changed(self, name: str) -> int:
        import pyarrow as pa
        import pyarrow.compute as pc

        before, after, places = self.table.column(name), self.released.column(name), pa.array(self.places)
        if before.type == after.type and before.take(places).equals(after):
            return 0
        was, now = meaning(before), meaning(after)
        if was.type != now.type:
            return len(now)
        was = was.take(places)
        try:
            same = pc.or_(pc.fill_null(pc.equal(was, now), False), pc.and_(pc.is_null(was), pc.is_null(now)))
            return int(len(now) - (pc.sum(same).as_py() or 0))
        except pa.ArrowNotImplementedError:  # lists and records
            pairs = zip(was.to_pylist(), now.to_pylist(), strict=True)
            return sum(repr(one) != repr(other) for one, other in pairs)

    def _wrong_persons(self, name: str) -> int:
        """Rows of persons whom a group joins or divides: its numbers and its persons must be one to one."""
        group = self.group
        number, person = number_values(self.released.column(name), name=name), self._values(name)
        persons = person.codes[self.places].astype(np.int64)
        told = _numbered(group * number.n + number.codes)
        real = _numbered(group * max(1, len(person)) + persons)
        both = told * (int(real.max(initial=0)) + 1) + real
        _, first, of = np.unique(both, return_index=True, return_inverse=True)
        divided = np.bincount(real[first], minlength=1)[real[first]] > 1
        joined = np.bincount(told[first], minlength=1)[told[first]] > 1
        return int((divided | joined)[of.reshape(-1)].sum())

    def _wrong_pseudonyms(self, name: str) -> int:
        key, values = self.original.key, self._values(name)
        assert key is not None
        rows = np.arange(self.released.num_rows)
        if len(rows) > _PSEUDONYMS:
            rows = np.sort(np.random.default_rng().choice(rows, _PSEUDONYMS, replace=False))
        given = self.released.column(name).take(rows).to_pylist()
        texts = [values.texts[code] for code in values.codes[self.places[rows]].tolist()]
        salt = f"{len(name)}:{name}:".encode()
        made = [hmac.digest(key, salt + text.encode(), hashlib.sha256).hex()[:32] for text in texts]
        return sum(one != other for one, other in zip(given, made, strict=True))


def uncovered_pairs(
    values: Values, labels: Values, before: NDArray[Any], places: NDArray[np.int64], after: NDArray[Any], **how: Any
) -> int:
    """In how many rows i the label after[i] does not stand for the value before[places[i]]; `how` as in `covered`."""
    width, pairs = len(labels), len(values) * len(labels)
    if pairs <= _DENSE:
        from confide.audit.comparisons._pair_kernels import mark_pairs

        seen = np.zeros(pairs, dtype=np.bool_)
        mark_pairs(before, places, after, width, seen)
        different = np.flatnonzero(seen)
    else:
        import pyarrow.compute as pc

        different = pc.unique(before[places].astype(np.int64) * width + after).to_numpy()
    ok = covered(values, labels, (different // width, different % width), **how)
    if ok.all():
        return 0
    return int(np.isin(before[places].astype(np.int64) * width + after, different[~ok]).sum())


def _missing(values: Values) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = values.missing[values.codes]
    return found


def _numbered(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.unique(keys, return_inverse=True)[1].reshape(-1).astype(np.int64)
