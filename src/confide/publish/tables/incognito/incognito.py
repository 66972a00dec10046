"""`Incognito`: generalise whole domains, at the least loss there is."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf, prod
from typing import Any, ClassVar

from confide.core.datasets.intake import as_rows
from confide.core.datasets.loading import is_loaded
from confide.core.errors import CannotMeetError, UsageError
from confide.core.requirements.base import is_number
from confide.core.requirements.tables import TableRequirement
from confide.core.runtime.progress import task
from confide.core.runtime.threads import stoppable
from confide.core.tables.schema import SchemaLike, schema_of
from confide.publish.tables.cells.contingency import Cells
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.incognito.lattice import Judge, Lattice
from confide.publish.tables.incognito.lattice_costs import measure_of
from confide.publish.tables.incognito.lattice_drawing import MOST_DRAWN, lattice_diagram
from confide.publish.tables.incognito.lattice_exploration import ExploredLattice, explore
from confide.publish.tables.incognito.lattice_rounds import fewest_kept, recode_in_rounds
from confide.publish.tables.incognito.lattice_search import FoundNode, find_any, find_within
from confide.publish.tables.publisher import TablePublisher
from confide.publish.tables.recoding import Recoding

__all__ = ["Incognito"]

_TITLE = "All generalisations"


@dataclass(kw_only=True)
class Incognito(TablePublisher):
    """Generalise each quasi-identifier to one level of its hierarchy: of all ways that meet the requirement, the one of
    least loss.

    Every value of a column is told as finely as every other, so further rows can be recoded the same way
    (`transform`), and tables of several years stay comparable. The price: one rare combination makes a column coarse
    for everybody, unless `suppress` lets some rows go. With `local` each row is recoded in the round that suits it
    (see `lattice_rounds`): far less is lost, but levels differ between rows. `levels` (by column) are those to use, for
    whoever chose them among the explored ones.

    The result is the optimum, not an approximation, if the search ends; ties go to fewer levels up, then to the columns
    in order. After `time_limit` seconds (None: no limit), or at Ctrl-C, the best found is taken, which may be another
    the next time, and the passport does not call it "optimal". Above some 50 million generalisations, as of 14 columns,
    nothing proves which is the best: a dive from the top and on from there always takes `time_limit`.
    Among the groups at a node, those that fail are suppressed, if they are few enough. Cost: one pass over the distinct
    combinations for each generalisation looked at, a few hundred of many thousands.

    >>> import pyarrow as pa
    >>> from confide import KAnonymity
    >>> people = pa.table({"age": ["21", "23", "38", "39"], "sex": ["f", "f", "m", "f"]})
    >>> schema = {
    ...     "age": {"role": "quasi-identifier", "hierarchy": {"build": "intervals", "widths": [10]}},
    ...     "sex": {"role": "quasi-identifier"},
    ... }
    >>> Incognito(requirement=KAnonymity(k=2), keep_order=True).publish(people, schema).data.to_pydict()
    {'age': ['20-29', '20-29', '30-39', '30-39'], 'sex': ['*', '*', '*', '*']}

    LeFevre, DeWitt, Ramakrishnan 2005; paper 002, section 6.1.1. The search is our own.
    """

    algorithm: ClassVar[str] = "incognito"

    local: bool = False
    levels: Mapping[str, int] | None = None
    time_limit: float | None = 60.0

    def coarsest_suffices(self, passing: int, rows: int) -> bool:
        """Not at levels that the caller chose, nor in rounds of which the first would keep too few rows."""
        return self.levels is None and (not self.local or passing >= fewest_kept(rows))

    def counts(self, part: TableRequirement) -> bool:
        """In rounds only weights: rows of other rounds may have labels that fit the same people."""
        return not self.local or not part.counts_population

    @property
    def is_global(self) -> bool:
        return not self.local

    def parameters(self) -> dict[str, Any]:
        """The options but for how long to search: whether the search ended is told instead."""
        return {name: value for name, value in super().parameters().items() if name != "time_limit"}

    def check(self) -> None:
        super().check()
        if self.time_limit is not None and (not is_number(self.time_limit) or self.time_limit < 0):
            raise UsageError(
                f"time_limit={self.time_limit} is not a number of seconds; use 0 or more, or None",
                parameter="time_limit",
                value=self.time_limit,
            )

    def recode(self, table: CodedTable) -> Recoding:
        test = GroupTest.of(self.requirement, table, suppress=self.suppress)
        if self.local:
            if self.loss != "ncp" or self.levels is not None:
                raise UsageError(
                    "local=True minimises the loss 'ncp', at levels of its own choice", parameter="local", value=True
                )
            return recode_in_rounds(table, test, budget=self.budget(table))
        cells, lattice, judge = self._prepared(table, test)
        notes: dict[str, Any] = {}
        if self.levels is not None:
            levels = self._levels_named(table)
        else:
            found = self._best(cells, lattice, judge)
            levels, notes = lattice.levels(found.node), {"optimal": found.optimal}
        grouping = cells.grouped(levels)
        ok = judge.passing(cells, grouping)
        made = Recoding.at_levels(table, levels, kept=ok[grouping.of][cells.of_row], notes=notes)
        if lattice.nodes > MOST_DRAWN:
            return made
        return replace(made, diagrams={_TITLE: lambda: lattice_diagram(explore(cells, lattice, judge), title=_TITLE)})

    def would_release(self, table: CodedTable) -> bool:
        if self.local or self.levels is not None:
            return super().would_release(table)
        return find_any(*self._prepared(table, GroupTest.of(self.requirement, table, suppress=self.suppress)))

    def explore(self, frame: Any, schema: SchemaLike) -> ExploredLattice:
        """Look at every generalisation: whether it meets the requirement, how many rows it suppresses, its loss.

        `minimal_levels()` of the result are the generalisations that meet it while no finer one does. For the owner:
        the figures are exact. `frame` as for `publish`: it need not be in memory.
        """
        self.check()
        frame = as_rows(frame)
        if not is_loaded(frame):
            from confide.publish.tables.stored.stored_release import code_stored

            return self.explore_coded(code_stored(self, frame, schema_of(schema)))
        return self.explore_coded(self.code(frame, schema))

    def explore_coded(self, table: CodedTable) -> ExploredLattice:
        """As `explore`, for a table that is coded already."""
        return explore(*self._prepared(table, GroupTest.of(self.requirement, table, suppress=self.suppress)))

    @staticmethod
    def generalisations(table: CodedTable) -> int:
        """How many generalisations a table has: one level for each column."""
        return prod(column.highest - column.lowest + 1 for column in table.quasi)

    def _prepared(self, table: CodedTable, test: GroupTest) -> tuple[Cells, Lattice, Judge]:
        budget = self.budget(table)
        measure = measure_of(self.loss, table, fewest=test.fewest, budget=budget)
        return Cells.of(table, test), Lattice(table, measure), Judge(table, test, measure, budget)

    def _best(self, cells: Cells, lattice: Lattice, judge: Judge) -> FoundNode:
        """The best generalisation found within the time."""
        if self.time_limit is None:
            lattice.check_nodes()
        ends = inf if self.time_limit is None else time.monotonic() + self.time_limit
        with stoppable() as stop, task("searching for the best generalisation"):
            found = find_within(cells, lattice, judge, lambda: stop.is_set() or time.monotonic() >= ends)
        if found is not None:
            return found
        raise CannotMeetError(
            "no generalisation within the levels allowed meets the requirement; even the coarsest leaves rows in "
            "groups that fail"
        )

    def _levels_named(self, table: CodedTable) -> tuple[int, ...]:
        """The levels that `levels` names."""
        assert self.levels is not None
        names = [column.name for column in table.quasi]
        for name in {*self.levels, *names}:
            if name not in names or name not in self.levels:
                raise UsageError(
                    f"levels must name each quasi-identifier and no other column; they are: {', '.join(names)}"
                )
        for column in table.quasi:
            level = self.levels[column.name]
            if isinstance(level, bool) or not isinstance(level, int) or not column.lowest <= level <= column.highest:
                raise UsageError(
                    f"levels: {column.name!r} may be at level {column.lowest} to {column.highest}, not {level}"
                )
        return tuple(self.levels[name] for name in names)
