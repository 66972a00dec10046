"""A frame and its schema as integers, which is all that the algorithms see.

Values that mean the same (null, NaN, the empty text) are *missing*; the caller says what becomes of them:

- "refuse": an error names the column (the default);
- "drop": the row is left out, and counted;
- "category": missing is a leaf of its own, released as an empty cell, and joins other values only at the top.

A sensitive value or a class that is missing counts as a value of its own, as it does for the auditor.

A table that is not in memory comes as its distinct rows, each with the number of rows it stands for (`times`); what is
counted of rows is counted by `total`, `counted` and `tally`, so that both give the same numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UsageError
from confide.core.tables.frames import to_table
from confide.core.tables.row_places import name_rows
from confide.core.tables.schema import Schema
from confide.publish.tables.coding.coded_population import CodedPopulation, ReadPopulation
from confide.publish.tables.coding.numeric import NumberColumn
from confide.publish.tables.coding.quasi import QuasiIdentifier, coded_quasi
from confide.publish.tables.coding.texts import MISSING, Texts

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Coded", "CodedTable", "Missing", "check_columns"]

Missing = Literal["refuse", "drop", "category"]


@dataclass(frozen=True)
class Coded:
    """A column as numbers: `labels[codes[row]]` is the value, as text; labels are in order, missing (if any) first."""

    name: str
    codes: NDArray[np.int32]
    labels: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class CodedTable:
    """A table as integers, by role. `rows[i]` is the row of the original that row i is; fewer if some were dropped.

    `table` is the original as an Arrow table (all rows). `persons[row]` numbers the person of a row, None without a
    column of that role. `times[i]` says how many rows of the original row i of `table` stands for, None for one each.
    `population` are the people that those of the table are from, where they were given.
    """

    table: "pa.Table"
    schema: Schema
    rows: NDArray[np.int64]
    quasi: tuple[QuasiIdentifier, ...]
    sensitive: tuple[Coded, ...]
    classes: Coded | None
    persons: NDArray[np.int32] | None
    times: NDArray[np.int64] | None = None
    population: CodedPopulation | None = None

    @classmethod
    def of(
        cls,
        frame: Any,
        schema: Schema,
        *,
        missing: Missing = "refuse",
        times: NDArray[np.int64] | None = None,
        population: Any = None,
    ) -> "CodedTable":
        """Code a frame as its schema says; faults are named with their column, never with a value of a person.

        With `times` the frame holds distinct rows, and only the columns that are needed; `check_columns` was asked of
        the whole. `population` is a table, or the path of one, with a row for each person that could be in the frame.
        """
        if missing not in get_args(Missing):
            raise UsageError(
                f"missing={missing!r}; choose among {', '.join(get_args(Missing))}", parameter="missing", value=missing
            )
        table = schema.read_texts(to_table(frame))
        if times is None:
            check_columns(table.column_names, table.num_rows, schema)
        quasi = {name: _read_quasi(table, schema, name, times) for name in schema.named("quasi-identifier")}
        absent = np.zeros(table.num_rows, dtype=np.bool_)
        for column in quasi.values():
            absent |= column.missing
        if absent.any() and missing == "refuse":
            name = next(name for name, column in quasi.items() if column.missing.any())
            where = name_rows(quasi[name].missing, times)
            raise InputError(
                f"values are missing {where}; fill them in, or choose missing='category' or 'drop'",
                column=name,
                cures=({"missing": "category"}, {"missing": "drop"}),
            )
        rows = np.flatnonzero(~absent) if missing == "drop" else np.arange(table.num_rows)
        if not len(rows):
            raise InputError("no row has all quasi-identifiers; choose missing='category'")
        there = set(table.column_names)
        classes = [_coded(table, name, rows) for name in schema.named("class")]
        persons = _persons(table, schema, rows)
        columns = {name: column.at(rows) for name, column in quasi.items()}
        people = None
        if population is None:

            def say_rows(marked: NDArray[np.bool_]) -> str:
                found = np.zeros(len(absent), dtype=np.bool_)
                found[rows] = marked  # rows that were dropped count on
                return name_rows(found, times)

            coded = tuple(coded_quasi(schema, name, column, say_rows) for name, column in columns.items())
        else:
            schema, coded, people = _with_population(population, schema, columns)
            people.check_size(len(rows) if persons is None else int(persons.max()) + 1)
        return cls(
            table=table,
            schema=schema,
            rows=rows,
            quasi=coded,
            sensitive=tuple(_coded(table, name, rows) for name in schema.named("sensitive") if name in there),
            classes=classes[0] if classes else None,
            persons=persons,
            times=times,
            population=people,
        )

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def counts(self) -> NDArray[np.int64] | None:
        """How many rows of the original each row stands for; None for one each."""
        return None if self.times is None else self.times[self.rows]

    @cached_property
    def total(self) -> int:
        """How many rows of the original there are, without those that were dropped."""
        return len(self.rows) if self.counts is None else int(self.counts.sum())

    @cached_property
    def dropped(self) -> int:
        """How many rows were left out since a quasi-identifier was missing."""
        whole = self.table.num_rows if self.times is None else int(self.times.sum())
        return whole - self.total

    def counted(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> int:
        """How many rows of the original these rows (numbers, or a mask) stand for."""
        if self.counts is not None:
            return int(self.counts[rows].sum())
        return int(rows.sum()) if rows.dtype == np.bool_ else len(rows)

    def tally(
        self,
        codes: NDArray[np.integer],
        width: int = 0,
        rows: "NDArray[np.int64] | NDArray[np.bool_] | slice | None" = None,
    ) -> NDArray[np.int64]:
        """How many rows of the original have each code; `codes` are those of all rows, or of `rows`."""
        if self.counts is None:
            return np.bincount(codes, minlength=width)
        weights = self.counts if rows is None else self.counts[rows]
        return np.bincount(codes, weights=weights, minlength=width).astype(np.int64)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """The weight of each quasi-identifier, as a share of all."""
        given = np.array([column.weight for column in self.quasi], dtype=np.float64)
        return given / given.sum()


def check_columns(names: Sequence[str], rows: int, schema: Schema) -> None:
    """Refuse a table whose columns do not fit the schema, or that has no rows."""
    if len(set(names)) < len(names):
        raise InputError(f"column {next(n for n in names if list(names).count(n) > 1)!r} is there twice; rename one")
    schema.require(names)
    if not schema.named("quasi-identifier"):
        raise InputError("no column is a quasi-identifier; name those by which a person could be recognised")
    for role in ("class", "person"):
        if len(schema.named(role)) > 1:
            raise InputError(f"{' and '.join(map(repr, schema.named(role)))} are both {role}; name one such column")
    if not rows:
        raise InputError("the table has no rows")


def _with_population(
    population: Any, schema: Schema, columns: "dict[str, Any]"
) -> tuple[Schema, tuple[QuasiIdentifier, ...], CodedPopulation]:
    """The quasi-identifiers of a table and of its population, coded alike, and the schema by which they are."""
    found = ReadPopulation.of(population, schema)
    schema = found.complete(schema, columns)
    coded, leaves = [], []

    def where(marked: NDArray[np.bool_]) -> str:
        return f"in {marked.sum():,} of {len(marked):,} rows of the table and the population"

    for name, column in columns.items():
        both = coded_quasi(schema, name, column.joined(found.texts[name]), where)
        coded.append(replace(both, codes=both.codes[: len(column.codes)]))
        leaves.append(both.codes[len(column.codes) :])
    return schema, tuple(coded), CodedPopulation.of(found.table, leaves, found.incomplete)


def _read_quasi(table: "pa.Table", schema: Schema, name: str, times: NDArray[np.int64] | None) -> Texts | NumberColumn:
    spec, column = schema.columns[name], table.column(name)
    return Texts.of(column, name) if spec.release is None else NumberColumn.of(column, spec, name, times)


def _coded(table: "pa.Table", name: str, rows: NDArray[np.int64]) -> Coded:
    """A sensitive column or the class, its values in order; missing, if it occurs, is the first."""
    column = Texts.of(table.column(name), name).at(rows)
    place = {text: i for i, text in enumerate(column.texts)}
    if column.numbers is not None:
        texts = [column.texts[i] for i in np.argsort(column.numbers, kind="stable") if column.texts[i]]
    else:
        texts = sorted(text for text in place if text)
    labels = [MISSING, *texts] if (column.codes < 0).any() else texts
    new = np.zeros(len(column.texts) + 1, dtype=np.int32)  # the last for -1: missing
    for code, label in enumerate(labels):
        new[place[label] if label else -1] = code
    codes = new[column.codes]
    seen = np.bincount(codes, minlength=len(labels)) > 0  # dropped rows may have held others
    return Coded(name, (np.cumsum(seen) - 1).astype(np.int32)[codes], tuple(np.array(labels, dtype=object)[seen]))


def _persons(table: "pa.Table", schema: Schema, rows: NDArray[np.int64]) -> NDArray[np.int32] | None:
    named = schema.named("person")
    if not named:
        return None
    column = Texts.of(table.column(named[0]), named[0])
    if (column.codes < 0).any():
        raise InputError("values are missing; every row must say whose it is", column=named[0])
    return np.unique(column.codes[rows], return_inverse=True)[1].astype(np.int32)
