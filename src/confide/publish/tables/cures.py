"""What would work where a request is refused: settings near those asked for, each of them tried.

One parameter is changed at a time: k, l and the others of the requirement, the share of rows that may be left out, the
highest level of a column, the method. Where no single one helps, distinct diversity takes the place of another, then
several change at once. A try looks at the coarsest groups alone wherever they decide; otherwise the method itself is
run, if the table is small.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import floor
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError, ConfideError
from confide.core.requirements.tables import OthersKnown, TableRequirement, all_of
from confide.core.requirements.tables.weaker import (
    settings_of,
    simple_parts,
    to_distinct,
    weaken,
    weakenings,
)
from confide.core.requirements.weakening import Weakening
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.recoding import numbered

if TYPE_CHECKING:
    from confide.publish.tables.publisher import TablePublisher

__all__ = ["refused"]

_MOST_CELLS = 20_000  # of a table on which a method is run only to see whether it works
_MODEST = 0.5  # a larger share of rows left out is proposed only where nothing else works


def refused(error: CannotMeetError, publisher: "TablePublisher", table: CodedTable) -> CannotMeetError:
    """The refusal with what fails, if it does not say so yet, and with what works."""
    parameter, value, what = error.parameter, error.value, error.what
    if parameter is None and (failing := _worst_part(publisher, table)) is not None:
        part, column, share = failing
        settings = settings_of(part)
        parameter, value = next(iter(settings.items()), (None, None))
        shown = ", ".join(f"{name}={number:g}" for name, number in settings.items())
        where = "" if column is None else f" for {column!r}"
        what += f"; {shown} fails{where} in coarsest groups of {share:.1%} of the rows"
    cures = _cures(publisher, table)
    return CannotMeetError(what, parameter=parameter, value=value, cures=cures, advice=error.advice)


def _cures(publisher: "TablePublisher", table: CodedTable) -> list[dict[str, Any]]:
    """Settings that work; another method, or other sensitive values not known, only where nothing else does."""
    if not isinstance(publisher.requirement, TableRequirement):
        return []
    if found := _settings(publisher, table):
        return found
    for change, changed in _changed(publisher):
        if _works(changed, table):
            return [change]
        if found := _settings(changed, table):
            return [change | cure for cure in found]
    return []


def _changed(publisher: "TablePublisher") -> Iterator[tuple[dict[str, Any], "TablePublisher"]]:
    """The same request to another method, and one that does not ask about other sensitive values."""
    from confide.publish.tables.incognito.publisher import Incognito
    from confide.publish.tables.mondrian.mondrian import Mondrian

    kinds: list[tuple[str, type[TablePublisher]]] = [("mondrian", Mondrian), ("incognito", Incognito)]
    for name, kind in kinds:
        if not isinstance(publisher, kind) and publisher.loss in (*kind.losses, type(publisher).loss):
            options = {field: getattr(publisher, field) for field in ("requirement", "suppress", "missing")}
            yield {"method": name}, kind(**options)
    assert isinstance(publisher.requirement, TableRequirement)
    plain = [part.of if isinstance(part, OthersKnown) else part for part in simple_parts(publisher.requirement)]
    if all_of(*plain) != publisher.requirement:
        yield {"others_known": False}, replace(publisher, requirement=all_of(*plain))


def _settings(publisher: "TablePublisher", table: CodedTable) -> list[dict[str, Any]]:
    """For each parameter the nearest value that works by itself; otherwise a weaker diversity, or several at once."""
    assert isinstance(publisher.requirement, TableRequirement)
    people = table.total if table.persons is None else int(table.persons.max()) + 1
    steps = weakenings(publisher.requirement, rows=people)

    def works(cure: dict[str, float]) -> bool:
        return _works(_weaker(publisher, cure), table)

    found: list[dict[str, Any]] = [cure for step in steps for cure in step.cures(works)]
    found += _higher_levels(publisher, table)
    found += [cure for cure in _suppressing(publisher).cures(works) if cure["suppress"] <= _MODEST or not found]
    return found or _distinct(publisher, table) or _together(publisher, table, steps)


def _weaker(publisher: "TablePublisher", cure: dict[str, float]) -> "TablePublisher":
    """The same request with these settings."""
    assert isinstance(publisher.requirement, TableRequirement)
    requirement = publisher.requirement
    for name, value in cure.items():
        requirement = weaken(requirement, name, value)
    return replace(publisher, requirement=requirement, suppress=cure.get("suppress", publisher.suppress))


def _suppressing(publisher: "TablePublisher") -> Weakening:
    return Weakening("suppress", range(floor(round(publisher.suppress * 10_000, 6)) + 1, 10_000), 10_000)


def _higher_levels(publisher: "TablePublisher", table: CodedTable) -> Iterator[dict[str, Any]]:
    """The lowest top level of a single column that works, for each column that the schema keeps below its top."""
    for place, column in enumerate(table.quasi):
        for highest in range(column.highest + 1, column.height + 1):
            raised = (*table.quasi[:place], replace(column, highest=highest), *table.quasi[place + 1 :])
            if _works(publisher, replace(table, quasi=raised)):
                yield {f"columns.{column.name}.levels": [column.lowest, highest]}
                break


def _distinct(publisher: "TablePublisher", table: CodedTable) -> list[dict[str, Any]]:
    """Distinct diversity in place of another one, where no l of that works."""
    assert isinstance(publisher.requirement, TableRequirement)
    asked = [settings_of(part).get("l", 0) for part in GroupTest(publisher.requirement, table).parts]
    weaker = Weakening("l", range(floor(max(asked)), 1, -1))

    def changed(l: float) -> "TablePublisher":  # noqa: E741 - the paper's letter
        return replace(publisher, requirement=to_distinct(publisher.requirement, int(l)))  # type: ignore[arg-type]

    if len(weaker) == 0 or changed(2).requirement == publisher.requirement:
        return []
    near = weaker.nearest(lambda l: _works(changed(l), table))  # noqa: E741 - the paper's letter
    return [] if near is None else [{"diversity": "distinct", "l": near}]


def _together(publisher: "TablePublisher", table: CodedTable, steps: list[Weakening]) -> list[dict[str, Any]]:
    """All parameters as weak as they can be; then one after the other as near to what is asked as the others allow."""
    steps = [*steps, _suppressing(publisher)]
    chosen = {step.parameter: step.value(len(step) - 1) for step in steps if len(step)}

    def works(cure: dict[str, float]) -> bool:
        return _works(_weaker(publisher, {**chosen, **cure}), table)

    if not works({}):
        return []
    for step in reversed(steps):  # rows stay, if that is possible
        weakest = {name: chosen.pop(name) for name in [step.parameter] if name in chosen}
        if not works({}):
            chosen |= next(iter(step.cures(works)), weakest)
    return [chosen]


def _works(publisher: "TablePublisher", table: CodedTable) -> bool:
    """Whether the method would decide on a release."""
    try:
        test = GroupTest.of(publisher.requirement, table, suppress=1)
        lost, some = _failing_rows(publisher, table, test)
        passes = some and lost <= publisher.budget(table)
        settled = lost == 0 or not test.has_reference  # else leaving rows out changes what others need
        if settled and passes and publisher.coarsest_suffices and (test.monotone or publisher.keeps_groups(table)):
            return True
        if settled and not passes and (publisher.begins_at_coarsest or (test.monotone and not publisher.budget(table))):
            return False
        if len(table) * len(table.quasi) > _MOST_CELLS:
            return False
        publisher.check_recoded(publisher.recode(table))
    except ConfideError:
        return False
    return True


def _coarsest(publisher: "TablePublisher", table: CodedTable) -> tuple[NDArray[np.int32], int]:
    """The groups that the highest levels keep apart, whatever the method does."""
    columns = publisher.kept_apart(table)
    tops = [(column.maps[column.highest][column.codes], len(column.labels[column.highest])) for column in columns]
    return numbered(tops, len(table))


def _failing_rows(publisher: "TablePublisher", table: CodedTable, test: GroupTest) -> tuple[int, bool]:
    """How many rows are in coarsest groups that fail, and whether some are in others."""
    group, count = _coarsest(publisher, table)
    ok = test.passes(group, count)
    return table.total - table.counted(ok[group]), bool(ok.any())


def _worst_part(publisher: "TablePublisher", table: CodedTable) -> tuple[TableRequirement, str | None, float] | None:
    """The part of the requirement, and the sensitive column, that fails in most rows of the coarsest groups."""
    worst: tuple[TableRequirement, str | None, float] | None = None
    for part in GroupTest(publisher.requirement, table).parts:  # type: ignore[arg-type]  # refused where it is none
        columns: list[Any] = [None]
        if part.of_sensitive and not isinstance(part, OthersKnown):
            columns = sorted(table.sensitive, key=lambda c: -int(table.tally(c.codes).max()))
        for column in columns:
            alone = table if column is None else replace(table, sensitive=(column,))
            lost, _ = _failing_rows(publisher, alone, GroupTest(part, alone))
            if lost and (worst is None or lost / table.total > worst[2]):
                worst = part, None if column is None else column.name, lost / table.total
    return worst
