"""A search for the least loss: the groups of the best method, regrouped for some time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from confide.core.errors import CannotMeetError, UsageError
from confide.core.requirements import Requirement
from confide.core.requirements.base import check_count, is_number
from confide.core.runtime.progress import task
from confide.core.runtime.threads import stoppable
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.publisher import TablePublisher
from confide.publish.tables.recoding import Recoding
from confide.publish.tables.regrouping.rounds import Partition, Regrouping
from confide.publish.tables.regrouping.spans import SpannedTable

__all__ = ["Regrouped", "Searched", "search"]


@dataclass(kw_only=True)
class Regrouped(TablePublisher):
    """GroupRows that other methods made, regrouped round by round while that loses less; `auto` calls it.

    A costly group, those near it and rows that full groups can spare are taken apart, put together anew from rows drawn
    at random, and stay so if that is cheaper and every group keeps the requirement. Labels are the smallest that hold
    their group: nodes of the hierarchy, and ranges that double, or end on the `grid` of the schema; never a value of
    somebody because it is the first or the last of its group. Equal rows may be in different groups; those of one
    person that look alike stay together.

    It searches for `time_limit` seconds, or for so many `rounds`, which the passport tells: what is drawn comes from a
    fixed seed, so as many rounds give the same groups, on any number of cores. Whatever it finds loses no more than
    each of the methods it began with.

    >>> import pyarrow as pa
    >>> from confide import KAnonymity
    >>> people = pa.table({"age": [21, 23, 38, 39, 22, 38], "sex": ["f", "f", "m", "f", "f", "m"]})
    >>> age = {"role": "quasi-identifier", "range": [0, 99], "grid": 5}
    >>> asked = Regrouped(requirement=KAnonymity(k=3), keep_order=True, rounds=2)
    >>> asked.publish(people, {"age": age, "sex": {"role": "quasi-identifier"}}).data.to_pydict()
    {'age': ['20-24', '20-24', '35-39', '35-39', '20-24', '35-39'], 'sex': ['f', 'f', '*', '*', 'f', '*']}
    """

    algorithm: ClassVar[str] = "regrouped"
    losses: ClassVar[tuple[str, ...]] = ("ncp",)

    time_limit: float = 3.0
    rounds: int | None = None

    def recode(self, table: CodedTable) -> Recoding:
        from confide.publish.tables.methods import choose

        options = {f.name: getattr(self, f.name) for f in fields(self)}
        chosen = choose(table, **options)
        if chosen.method == self.algorithm:
            return chosen.recoding
        return replace(chosen.recoding, notes={"begun_with": chosen.method, "rounds": chosen.rounds})

    def parameters(self) -> dict[str, Any]:
        """The options but for how long to search: the rounds that were done are told instead."""
        return {name: value for name, value in super().parameters().items() if name not in ("time_limit", "rounds")}

    def check(self) -> None:
        super().check()
        if not is_number(self.time_limit) or self.time_limit < 0:
            raise UsageError(
                f"time_limit={self.time_limit} is not a number of seconds; use 0 or more",
                parameter="time_limit",
                value=self.time_limit,
            )
        if self.rounds is not None:
            check_count("rounds", self.rounds, least=0, why="is no number of rounds")


@dataclass(frozen=True, kw_only=True)
class Searched:
    """What a search made, of what method's groups, and in how many rounds."""

    recoding: Recoding
    begun_with: str
    rounds: int


def search(
    starts: Sequence[tuple[str, Recoding]], requirement: Requirement, *, rounds: int | None, seconds: float
) -> Searched | None:
    """Regroup the start that costs least once its labels are as small as may be; None if none can be regrouped.

    `rounds` says how many; if it is None, as many as `seconds` allow. Ctrl-C ends the search with the best it has.
    """
    table = starts[0][1].table
    spanned = SpannedTable.of(table)
    best: tuple[float, str, Recoding, Regrouping] | None = None
    for name, recoding in (*starts, *_cut_where_labels_end(table, requirement)):
        begun = _begin(spanned, recoding, requirement)
        if begun is None:
            continue
        cost = begun.cost + recoding.suppressed
        if best is None or cost < best[0]:
            best = cost, name, recoding, begun
    if best is None:
        return None
    _, name, recoding, regrouping = best
    with stoppable() as stopped, task("searching for groups that lose less"):
        done = regrouping.run(rounds=rounds, seconds=seconds, stopped=stopped.is_set)
    return Searched(recoding=_recoding(regrouping, recoding, name, done), begun_with=name, rounds=done)


def _cut_where_labels_end(table: CodedTable, requirement: Requirement) -> Iterator[tuple[str, Recoding]]:
    """Mondrian's groups, ranges cut only where those of a search may end: its own would get labels twice as wide."""
    from confide.publish.tables.mondrian.columns import by_range
    from confide.publish.tables.mondrian.mondrian import Mondrian

    if not any(by_range(column) for column in table.quasi):
        return
    by_levels = replace(table, quasi=tuple(replace(column, domain=None) for column in table.quasi))
    relaxed = table.persons is None and GroupTest.of(requirement, table).monotone
    try:
        found = Mondrian(requirement=requirement, relaxed=relaxed).recode(by_levels)
    except CannotMeetError:
        return
    yield "mondrian-relaxed" if relaxed else "mondrian", replace(found, table=table)


def _begin(spanned: SpannedTable, recoding: Recoding, requirement: Requirement) -> Regrouping | None:
    """The search that begins with these groups; None if they pass only under other labels."""
    test = GroupTest.of(requirement, recoding.table)
    if recoding.suppressed:
        test = test.with_released(recoding.kept)
    group, count = recoding.groups
    begun = Regrouping(spanned, test, recoding.rows, Partition(group, count))
    return begun if begun.passes() else None


def _recoding(regrouping: Regrouping, begun: Recoding, name: str, rounds: int) -> Recoding:
    """The groups as a recoding."""
    table, rows = begun.table, begun.rows
    part = regrouping.partition()
    low, high = regrouping.spans()
    cells = np.zeros(len(table), dtype=np.int32)
    cells[rows] = part.group
    columns = {j: regrouping.spanned.named(i, low[:, i], high[:, i]) for i, j in enumerate(regrouping.spanned.columns)}
    named = [columns[j] for j in range(len(table.quasi))]
    return Recoding(
        table=table,
        codes=tuple(codes[cells] for codes, _, _ in named),
        labels=tuple(labels for _, labels, _ in named),
        losses=tuple(losses for _, _, losses in named),
        kept=begun.kept,
        cells=cells,
        notes={"begun_with": name, "rounds": rounds},
    )
