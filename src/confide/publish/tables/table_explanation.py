"""The owner's part: exact losses, risk before and after, and why a cell of a row changed."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.core.figures import Column, Table, Unit
from confide.core.release import OwnerPart
from confide.publish.tables.cautions import NOTHING_FOUND, find_cautions
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.loss.loss_figures import TableLoss, group_chart
from confide.publish.tables.loss.utility import compare_tables
from confide.publish.tables.recoding import Recoding, numbered
from confide.publish.tables.risk.column_risk import unique_rows
from confide.publish.tables.risk.groups import count_people, group_risk
from confide.publish.tables.risk.population import population_risk
from confide.publish.tables.risk.special_uniques import special_uniques

__all__ = ["owner_part"]

T = TypeVar("T")

_POPULATION = 100  # times the rows of the table, where nobody says how large the population is
_MOST_COLUMNS = 30
_MOST_VALUES = 3

_RISKS = (
    ("{who} in the smallest group", "smallest"),
    ("{who} in a group on average", "mean"),
    ("share of {who} that no other looks like", "unique"),
    ("prosecutor: chance to find a person known to be in the table, at worst", "highest_prosecutor"),
    ("prosecutor: the same on average", "prosecutor"),
    ("journalist: chance to find anybody, at worst", "highest_journalist"),
    ("marketer: share of {who} a register would match rightly", "marketer"),
)


@dataclass(frozen=True)
class _Sizes:
    """Groups before or after: how many rows, or people, each has, and whose smallest it is (None: one row each)."""

    sizes: NDArray[np.int64]
    worst: NDArray[np.int64] | None

    @classmethod
    def of(cls, table: CodedTable, group: NDArray[np.int32], count: int, rows: NDArray[np.int64]) -> "_Sizes":
        if table.persons is None:
            return cls(table.tally(group, count, rows), None)
        return cls(*count_people(group, table.persons[rows]))

    @property
    def people(self) -> int:
        return int((self.sizes if self.worst is None else self.worst).sum())


def owner_part(recoding: Recoding, loss: TableLoss, test: GroupTest) -> OwnerPart:
    """What the owner may see: the exact figures, groups before and after, and a reason for every row."""
    table = recoding.table
    persons = table.persons is not None
    before, count = numbered([(column.codes, column.leaves) for column in table.quasi], len(table))
    sizes = {"before": table.tally(before, count), "released": recoding.sizes}

    def risks() -> Table:
        rows = np.arange(len(table))
        return _risk_table(
            _Sizes.of(table, before, count, rows), _Sizes.of(table, *recoding.groups, recoding.rows), persons
        )

    def warnings() -> Table:
        found = find_cautions(recoding) or (NOTHING_FOUND,)
        return Table((Column("warning", "text"),), tuple((text.removeprefix("warning: "),) for text in found))

    return OwnerPart(
        facts=loss.exact(),
        diagrams=_Later(recoding.diagrams),
        tables=_Later(
            {
                "Look at this before you publish": warnings,
                "Risk before and after": risks,
                "Columns that give people away": lambda: _column_table(recoding),
            }
            | _special_tables(table)
            | _utility_tables(recoding)
        ),
        charts=(group_chart(sizes),),
        explain=_Explanations(recoding, test).of if table.times is None else None,
    )


class _Later(Mapping[str, T]):
    """Tables and diagrams that are made when somebody looks at them: most releases have an owner who does not."""

    def __init__(self, makers: Mapping[str, Callable[[], T]]):
        self._makers = makers
        self._made: dict[str, T] = {}

    def __getitem__(self, title: str) -> T:
        if title not in self._made:
            self._made[title] = self._makers[title]()
        return self._made[title]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


def _risk_table(before: _Sizes, after: _Sizes, persons: bool) -> Table:
    """Risks of the input beside those of the release; where no register is known, the table is the population.

    A person with several descriptions counts once for each of them in Pitman's estimate, in the table and outside.
    """
    risks = [group_risk(side.sizes, worst=side.worst) for side in (before, after)]
    who = "people" if persons else "rows"
    rows = [(name.format(who=who), *(getattr(risk, field) for risk in risks)) for name, field in _RISKS]
    stays = population_risk(before.sizes, population=int(before.sizes.sum()) * _POPULATION).stays_unique
    alone = "a person whom nobody looks like is unique" if persons else "a unique row is unique"
    told = (
        f"{alone} among {before.people * _POPULATION:,} people too ({_POPULATION} times the table; Pitman's estimate)"
    )
    return Table(
        (Column("risk", "text"), Column("before", "number"), Column("released", "number")),
        (*rows, (told, stays, None)),
    )


def _column_table(recoding: Recoding) -> Table:
    """The share of rows, or people, that are unique by a column, or by two: before, and after."""
    table, kept = recoding.table, recoding.rows
    names = [column.name for column in table.quasi]
    before = unique_rows(names, [column.codes for column in table.quasi], times=table.counts, persons=table.persons)
    times = None if table.counts is None else table.counts[kept]
    persons = None if table.persons is None else table.persons[kept]
    found = unique_rows(names, [codes[kept] for codes in recoding.codes], times=times, persons=persons)
    after = {one.columns: one.share for one in found}
    rows = [(" and ".join(one.columns), one.share, after[one.columns]) for one in before if one.share > 0]
    who = "rows" if table.persons is None else "people"
    columns = (Column("columns", "text"), Column(f"unique {who} before", "share"), Column("released", "share"))
    return Table(columns, tuple(rows[:_MOST_COLUMNS]))


def _special_tables(table: CodedTable) -> dict[str, Callable[[], Table]]:
    """The rows of the input that few values single out, and the columns by which they do."""
    if table.times is not None:  # distinct rows of files: insensitive columns are not among them
        return {}
    found = cache(lambda: special_uniques(table.table, table.schema, most=_MOST_VALUES))

    def rows() -> Table:
        scores = found().scores
        worst = [int(row) for row in np.argsort(-scores, kind="stable")[:_MOST_COLUMNS] if scores[row] > 0]
        shown = tuple((row + 1, float(scores[row]), len(found().of_row(row))) for row in worst)
        columns = (Column("row", "count"), Column("SUDA score", "number"), Column("ways to single it out", "count"))
        return Table(columns, shown)

    def columns() -> Table:
        roles = table.schema.roles
        shown = tuple((name, roles[name], share) for name, share in found().by_column.items())
        return Table((Column("column", "text"), Column("role", "text"), Column("share of all scores", "share")), shown)

    few = f"up to {_MOST_VALUES} values"
    return {f"Rows of the input that {few} single out": rows, f"Columns among {few} that single a row out": columns}


def _utility_tables(recoding: Recoding) -> dict[str, Callable[[], Table]]:
    """The original beside the release, but for classifiers, which take long."""
    from confide.publish.tables.table_release import released_table

    table = recoding.table
    if table.times is not None:
        return {}

    def compared() -> Table:
        released = released_table(recoding, np.arange(len(recoding.rows)))
        return compare_tables(table.table, released, table.schema, classifiers=False).table()

    return {"The original beside the release": compared}


@dataclass(frozen=True)
class _Explanations:
    """Why each cell of a row of the input became what it is."""

    recoding: Recoding
    test: GroupTest

    @cached_property
    def _group_of(self) -> NDArray[np.int64]:
        """The group of each row of the coded table, -1 for a suppressed one."""
        group = np.full(len(self.recoding.table), -1, dtype=np.int64)
        group[self.recoding.rows] = self.recoding.groups[0]
        return group

    def of(self, row: int) -> Table:
        """The cells of a row of the input (counted from 0): what they became, and why."""
        table = self.recoding.table
        if isinstance(row, bool) or not isinstance(row, int) or not 0 <= row < table.table.num_rows:
            raise UsageError(f"row {row} is not a row of the input; rows are 0 to {table.table.num_rows - 1:,}")
        place = int(np.searchsorted(table.rows, row))
        if place == len(table) or table.rows[place] != row:
            return self._left_out(row, "a quasi-identifier is missing, and such rows are dropped")
        group = self._group_of[place]
        if group < 0:
            return self._left_out(row, "too few rows look like it, or tell too much; it is one of those left out")
        alike = np.flatnonzero(self._group_of == group)
        rows: list[tuple[Any, ...]] = []
        for number, column in enumerate(table.quasi):
            leaf = column.codes[place]
            value = column.labels[0][column.maps[0][leaf]]
            if column.numbers is not None:
                value = column.numbers.text(float(column.numbers.values[place]))
            released = self.recoding.labels[number][self.recoding.codes[number][place]]
            same = alike[column.codes[alike] == leaf]
            why = self._why(value, released, alike, same)
            rows.append((column.name, value, released, self._people(alike), self._people(same), why))
        return Table(self._columns, tuple(rows))

    @property
    def _columns(self) -> tuple[Column, ...]:
        alike = "rows that look alike" if self.recoding.table.persons is None else "people who look alike"
        units: dict[str, Unit] = {alike: "count", "of them with this value": "count"}
        names = ("column", "value", "released as", *units, "why")
        return tuple(Column(name, units.get(name, "text")) for name in names)

    def _people(self, rows: NDArray[np.int64]) -> int:
        """How many people these rows are of."""
        persons = self.recoding.table.persons
        return len(rows) if persons is None else len(np.unique(persons[rows]))

    def _why(self, value: str, released: str, alike: NDArray[np.int64], same: NDArray[np.int64]) -> str:
        if value == released:
            return "as it was"
        whole = np.zeros(len(same), dtype=np.int32)
        if not self.test.passes(whole, 1, rows=same)[0]:
            return "with its own value the row would be in a group that fails the requirement"
        others = np.setdiff1d(alike, same)
        if not self.test.passes(np.zeros(len(others), dtype=np.int32), 1, rows=others)[0]:
            return "without the rows of this value the others would fail the requirement"
        if self.test.slots:
            return "a finer value here may fit too few people of the population, or cost more detail elsewhere"
        return "a finer value here would cost more detail elsewhere, or breaks the rule that equal values stay equal"

    def _left_out(self, row: int, why: str) -> Table:
        table = self.recoding.table
        cells = [(column.name, str(table.table.column(column.name)[row].as_py())) for column in table.quasi]
        return Table(self._columns, tuple((name, value, None, None, None, why) for name, value in cells))
