"""A new table together with examples of what earlier releases cover: coded as one, so that both have the same numbers.

    rows 0 .. n - 1      the new table
    then                 an example of each region of an earlier release

A row that is carried on has the values of an example: all that is known of it by now is which region it was in, and
what it shows in the release covers that region.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UsageError
from confide.core.series.places import Earlier
from confide.publish.tables.coding import Coded, CodedTable
from confide.publish.tables.series.regions import code_regions, example_values, hull_of_rows

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Combined"]


@dataclass(frozen=True, eq=False)
class Combined:
    """`table` codes the `rows` of the new table, and behind them one example for each cell. `values[i]` is the value of
    row i (not of examples), in the numbers of places; `labels` names all values. `regions` are those of the cells,
    `known[j]` says whether the last release had column j; of others they are those of who still holds a place."""

    table: CodedTable
    rows: int
    values: NDArray[np.int32]
    labels: tuple[tuple[str, ...], ...]
    regions: NDArray[np.int32]
    known: NDArray[np.bool_]

    @classmethod
    def of(cls, table: CodedTable, earlier: Earlier) -> "Combined":
        """The table with examples behind its rows."""
        if table.dropped:
            raise UsageError(
                "after= follows people, so no row may be dropped; use missing='category'",
                value="drop",
                parameter="after",
            )
        for column in table.quasi:
            if column.numbers is not None:
                raise InputError("is released as a number; with after= use ranges or a hierarchy", column=column.name)
        examples = _examples(table, earlier)
        both = table if examples is None else CodedTable.of(examples, table.schema, missing="category")
        cells = earlier.places.cells
        regions, known = code_regions(both, earlier.places.regions, cells, earlier.name)
        stays = np.flatnonzero(earlier.holds >= 0)
        if not known.all() and len(stays):  # where those are who still hold a place
            cell = earlier.places.cell[earlier.holds[stays]]
            hulls, there = hull_of_rows(both, stays, cell, cells), np.unique(cell)
            unknown = np.flatnonzero(~known)
            regions[np.ix_(there, unknown)] = hulls[np.ix_(there, unknown)]
        values, labels = _number_values(table.sensitive, earlier.places.labels, len(table))
        return cls(both, len(table), values, labels, regions, known)

    def with_carried(self, places: NDArray[np.int64], earlier: Earlier) -> CodedTable:
        """The rows of the new table, and behind them one for each of these places, carried on."""
        import pyarrow as pa

        n, table = self.rows, self.table
        if not len(places):
            return self._of_rows(np.arange(n))
        cell, value = earlier.places.cell[places], earlier.places.value[places]
        example = np.concatenate([np.arange(n), n + cell])
        made = self._of_rows(example)
        arrow = made.table
        sensitive = []
        for number, column in enumerate(table.sensitive):
            texts = [self.labels[v][number] for v in value.tolist()]
            codes, labels = _recode(replace(column, codes=column.codes[:n]), texts)
            sensitive.append(Coded(column.name, codes, labels))
            at = arrow.column_names.index(column.name)
            kind = arrow.schema.field(at).type
            new = pa.array([text or None for text in texts], pa.string()).cast(kind)
            whole = pa.chunked_array([*arrow.column(at).slice(0, n).chunks, new], kind)
            arrow = arrow.set_column(at, column.name, whole)
        for name in table.schema.named("person"):
            at = arrow.column_names.index(name)
            kind = arrow.schema.field(at).type
            arrow = arrow.set_column(at, name, _strangers(arrow.column(at).slice(0, n), len(places), kind))
        persons = None if table.persons is None else np.arange(n + len(places), dtype=np.int32)
        return replace(made, table=arrow, sensitive=tuple(sensitive), persons=persons)

    def _of_rows(self, chosen: NDArray[np.int64]) -> CodedTable:
        """The same coding, of these rows alone."""
        import pyarrow as pa

        table = self.table
        classes = table.classes
        return CodedTable(
            table=table.table.take(pa.array(chosen)),
            schema=table.schema,
            rows=np.arange(len(chosen)),
            quasi=tuple(replace(column, codes=column.codes[chosen]) for column in table.quasi),
            sensitive=tuple(replace(column, codes=column.codes[chosen]) for column in table.sensitive),
            classes=None if classes is None else replace(classes, codes=classes.codes[chosen]),
            persons=None if table.persons is None else np.arange(len(chosen), dtype=np.int32),
        )


def _examples(table: CodedTable, earlier: Earlier) -> "pa.Table | None":
    """The rows of the table, and behind them an example of each cell."""
    import pyarrow as pa

    cells, n = earlier.places.cells, len(table)
    if not cells:
        return None
    given = {column.name: column for column in earlier.places.regions}
    columns: dict[str, Any] = {}
    for name in table.table.column_names:
        column = table.table.column(name)
        role = table.schema.columns[name].role
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if role == "quasi-identifier" and name in given:
            texts = example_values(table.schema, given[name], _texts_of(table, name))
            try:
                new = pa.array(texts, pa.string()).cast(column.type)
            except pa.ArrowInvalid:
                raise InputError(f"held other kinds of values in {earlier.name}", column=name) from None
            new = new.take(pa.array(given[name].codes))
        elif role == "person":
            new = _strangers(column, cells, column.type).slice(n)
        else:
            new = column.take(pa.array(np.zeros(cells, dtype=np.int64)))
        chunks = new.chunks if isinstance(new, pa.ChunkedArray) else [new]
        columns[name] = pa.chunked_array([*column.chunks, *chunks], column.type)
    return pa.table(columns)


def _texts_of(table: CodedTable, name: str) -> list[str | None]:
    """The different values of a column, as text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = table.table.column(name)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return [None if one is None else str(one) for one in pc.unique(column).to_pylist()]


def _strangers(column: "pa.ChunkedArray", count: int, kind: "pa.DataType") -> "pa.ChunkedArray":
    """A column of persons with so many more behind, none of whom is there."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
        column = column.cast(kind)
    if pa.types.is_integer(kind):
        first = int(pc.max(column).as_py() or 0) + 1
        new = pa.array([first + i for i in range(count)]).cast(kind)
    else:
        there = set(column.to_pylist())
        mark = "carried"
        while f"{mark} 0" in there or any(str(one).startswith(mark) for one in there):
            mark += "+"
        new = pa.array([f"{mark} {i}" for i in range(count)]).cast(kind)
    return pa.chunked_array([*column.chunks, new], kind)


def _recode(column: Coded, texts: Sequence[str]) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """A sensitive column with further values behind it; labels stay in order, new ones come last."""
    place = {label: code for code, label in enumerate(column.labels)}
    for text in texts:
        place.setdefault(text, len(place))
    new = np.array([place[text] for text in texts], dtype=np.int32)
    return np.concatenate([column.codes, new]), tuple(place)


def _number_values(
    columns: Sequence[Coded], known: tuple[tuple[str, ...], ...], rows: int
) -> tuple[NDArray[np.int32], tuple[tuple[str, ...], ...]]:
    """The value of each row, in the numbers of places; new combinations come last."""
    place = {label: number for number, label in enumerate(known)}
    if not columns:
        place.setdefault((), len(place))
        return np.full(rows, place[()], dtype=np.int32), tuple(place)
    stacked = np.stack([column.codes for column in columns], axis=1)
    if len(columns) == 1:
        for label in columns[0].labels:
            place.setdefault((label,), len(place))
        of_code = np.array([place[(label,)] for label in columns[0].labels], dtype=np.int32)
        return of_code[columns[0].codes], tuple(place)
    different, of_row = np.unique(stacked, axis=0, return_inverse=True)
    texts = [tuple(c.labels[code] for c, code in zip(columns, codes, strict=True)) for codes in different.tolist()]
    for text in texts:
        place.setdefault(text, len(place))
    return np.array([place[text] for text in texts], dtype=np.int32)[of_row.reshape(-1)], tuple(place)
