"""The population that the people of a table are from, as integers beside those of the table.

A population is a table with a row for each person in it. It is coded with the table, by the same hierarchies and
ranges, so that a recoding of the one is a recoding of the other. Hierarchies that are built are built from both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UsageError
from confide.core.tables.frames import read_table, to_table
from confide.core.tables.schema import Schema
from confide.publish.tables.coding.texts import Texts

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["CodedPopulation", "ReadPopulation"]


@dataclass(frozen=True, eq=False)
class CodedPopulation:
    """`codes[i, column]` are leaves that `people[i]` people have; `table` holds the quasi-identifiers of all of them.

    `incomplete` more lack a value, and are counted nowhere.
    """

    table: "pa.Table"
    codes: NDArray[np.int32]
    people: NDArray[np.int64]
    incomplete: int

    @property
    def total(self) -> int:
        """How many people there are."""
        return int(self.people.sum())

    @classmethod
    def of(cls, table: "pa.Table", columns: Sequence[NDArray[np.int32]], incomplete: int) -> "CodedPopulation":
        """Count the people with each combination of leaves; `columns` are those of all people."""
        codes, people = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
        return cls(table, codes.astype(np.int32), people.astype(np.int64), incomplete)

    def check_size(self, people: int) -> None:
        """Refuse a population that cannot hold the table."""
        if self.total < people:
            raise InputError(
                f"the population has {self.total:,} people, fewer than the {people:,} of the table; give a table of "
                "all who could be in it"
            )


@dataclass(frozen=True, eq=False)
class ReadPopulation:
    """The quasi-identifiers of the population as texts, of everybody who lacks none."""

    table: "pa.Table"
    texts: Mapping[str, Texts]
    incomplete: int

    @classmethod
    def of(cls, population: Any, schema: Schema) -> "ReadPopulation":
        """Read a population from a frame or a file; faults are named as the population's."""
        named = schema.named("quasi-identifier")
        numbers = [name for name in named if schema.columns[name].release is not None]
        if numbers:
            raise UsageError(
                f"{numbers[0]!r} is released as a {schema.columns[numbers[0]].release}, which fits nobody in "
                "particular; leave out release= where people of a population are counted",
                parameter="release",
            )
        whole = read_table(population) if isinstance(population, str | PathLike) else to_table(population)
        missing = [name for name in named if name not in whole.column_names]
        if missing:
            raise InputError(
                f"the population has no column {missing[0]!r}; it needs the quasi-identifiers: {', '.join(named)}"
            )
        written = Schema({name: schema.columns[name] for name in named}, schema.folder)
        try:
            table = written.read_texts(whole.select(list(named)))
            texts = {name: Texts.of(table.column(name), name) for name in named}
        except InputError as error:
            raise _of_population(error) from None
        there = np.ones(table.num_rows, dtype=np.bool_)
        for column in texts.values():
            there &= ~column.missing
        rows = np.flatnonzero(there)
        if len(rows) < table.num_rows:
            table = table.filter(_mask(there))
        return cls(table, {name: column.at(rows) for name, column in texts.items()}, len(there) - len(rows))

    def complete(self, schema: Schema, columns: Mapping[str, Texts]) -> Schema:
        """The schema with hierarchies that know the values of both, where these are built from values."""
        built = {}
        for name, column in columns.items():
            spec = schema.columns[name]
            if spec.range is None and (spec.hierarchy is None or isinstance(spec.hierarchy, Mapping)):
                both = column.joined(self.texts[name])
                values = [both.texts[number] for number in both.used]
                built[name] = replace(spec, hierarchy=schema.hierarchy(name, values))
        return replace(schema, columns={**schema.columns, **built})


def _of_population(error: InputError) -> InputError:
    return InputError(f"in the population: {error.what}", source=error.source, line=error.line, column=error.column)


def _mask(there: NDArray[np.bool_]) -> "pa.Array":
    import pyarrow as pa

    return pa.array(there)
