"""What would work where a request is refused: settings near those asked for, each of them tried.

One parameter is changed at a time: k, l and the others of the requirement, the share of rows that may be left out, the
highest level of a column, the method. Where no single one helps, distinct diversity takes the place of another, then
several change at once. Of each parameter the weakest value is tried first; where that works, halving finds the nearest
one that does. Where the time for tries is over before that, the last value that worked is proposed, and the refusal
says so.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import floor
from typing import TYPE_CHECKING, Any

from confide.core.errors import CannotMeetError
from confide.core.requirements.tables import OthersKnown, TableRequirement, all_of
from confide.core.requirements.tables.weaker import (
    settings_of,
    simple_parts,
    to_distinct,
    weaken,
    weakenings,
)
from confide.core.requirements.weakening import Weakening, join_settings
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.refusals.release_trials import SettingTrials, count_failing

if TYPE_CHECKING:
    from confide.publish.tables.publisher import TablePublisher

__all__ = ["explain_refusal"]

_MODEST = 0.5  # a larger share of rows left out is proposed only where nothing else works


def explain_refusal(error: CannotMeetError, publisher: "TablePublisher", table: CodedTable) -> CannotMeetError:
    """The refusal with what fails, if it does not say so yet, and with settings that work."""
    parameter, value, what = error.parameter, error.value, error.what
    if parameter is None and (failing := _worst_part(publisher, table)) is not None:
        part, column, share = failing
        settings = settings_of(part)
        parameter, value = next(iter(settings.items()), (None, None))
        shown = ", ".join(f"{name}={number:g}" for name, number in settings.items())
        where = "" if column is None else f" for {column!r}"
        what += f"; {shown} fails{where} in coarsest groups of {share:.1%} of the rows"
    trials = SettingTrials()
    cures = _find_cures(publisher, table, trials)
    known = "these work, nearer settings were not all tried" if trials.cut_short else "nearest that works"
    return CannotMeetError(what, parameter=parameter, value=value, cures=cures, known=known, advice=error.advice)


def _find_cures(publisher: "TablePublisher", table: CodedTable, trials: SettingTrials) -> list[dict[str, Any]]:
    """Settings that work; another method, or other sensitive values not known, only where nothing else does."""
    if not isinstance(publisher.requirement, TableRequirement):
        return []
    if cures := _Request(publisher, table, trials).find_settings():
        return cures
    for change, changed in _other_requests(publisher):
        if trials.works(changed, table, always=True):
            return [change]
        if cures := _Request(changed, table, trials).find_settings():
            return [change | cure for cure in cures]
    return []


def _other_requests(publisher: "TablePublisher") -> Iterator[tuple[dict[str, Any], "TablePublisher"]]:
    """The same request to another method, and one that does not ask about other sensitive values."""
    from confide.publish.tables.incognito.incognito import Incognito
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


@dataclass(frozen=True, eq=False)
class _Request:
    """A refused request, to be tried with other settings."""

    publisher: "TablePublisher"
    table: CodedTable
    trials: SettingTrials

    @property
    def requirement(self) -> TableRequirement:
        assert isinstance(self.publisher.requirement, TableRequirement)
        return self.publisher.requirement

    def works(self, cure: dict[str, Any], *, always: bool = False) -> bool:
        """Whether it works with these settings in place of those asked for."""
        requirement = self.requirement
        for name, value in cure.items():
            requirement = weaken(requirement, name, value)
        suppress = cure.get("suppress", self.publisher.suppress)
        return self._works_under(requirement, suppress=suppress, always=always)

    def _works_under(self, requirement: TableRequirement, *, suppress: float | None = None, always: bool) -> bool:
        suppress = self.publisher.suppress if suppress is None else suppress
        weaker = replace(self.publisher, requirement=requirement, suppress=suppress)
        return self.trials.works(weaker, self.table, always=always)

    def find_settings(self) -> list[dict[str, Any]]:
        """For each parameter the nearest value that works alone; otherwise a weaker diversity, or several at once."""
        people = self.table.total if self.table.persons is None else int(self.table.persons.max()) + 1
        steps = weakenings(self.requirement, rows=people)
        suppressing = Weakening(
            "suppress", range(floor(round(self.publisher.suppress * 10_000, 6)) + 1, 10_000), 10_000
        )
        helping = [step for step in (*steps, suppressing) if len(step) and self.works(_weakest(step), always=True)]
        cures: list[dict[str, Any]] = [
            cure for step in helping if step is not suppressing for cure in step.cures(self.works)
        ]
        cures += self._raise_levels()
        if suppressing in helping:
            cures += [cure for cure in suppressing.cures(self.works) if cure["suppress"] <= _MODEST or not cures]
        return cures or self._ask_distinct() or self._weaken_together([*steps, suppressing])

    def _raise_levels(self) -> Iterator[dict[str, Any]]:
        """The lowest top level of a single column that works, for each column that the schema keeps below its top."""
        quasi = self.table.quasi
        for place, column in enumerate(quasi):
            for highest in range(column.highest + 1, column.height + 1):
                raised = (*quasi[:place], replace(column, highest=highest), *quasi[place + 1 :])
                if self.trials.works(self.publisher, replace(self.table, quasi=raised)):
                    yield {f"columns.{column.name}.levels": [column.lowest, highest]}
                    break

    def _ask_distinct(self) -> list[dict[str, Any]]:
        """Distinct diversity in place of another one, where no l of that works."""
        asked = [settings_of(part).get("l", 0) for part in simple_parts(self.requirement)]
        weaker = Weakening("l", range(floor(max(asked)), 1, -1))
        if len(weaker) == 0 or to_distinct(self.requirement, 2) == self.requirement:
            return []

        def works(l: float) -> bool:  # noqa: E741 - the paper's letter
            return self._works_under(to_distinct(self.requirement, int(l)), always=l == 2)

        near = weaker.nearest(works)
        return [] if near is None else [{"diversity": "distinct", "l": near}]

    def _weaken_together(self, steps: list[Weakening]) -> list[dict[str, Any]]:
        """All parameters as weak as they can be; then each as near to what is asked as the others allow."""
        chosen: dict[str, Any] = {}
        for step in steps:
            chosen = join_settings(chosen, _weakest(step)) if len(step) else chosen

        def works(cure: dict[str, Any]) -> bool:
            return self.works(join_settings(chosen, cure))

        if not self.works(chosen, always=True):
            return []
        for step in reversed(steps):  # rows stay, if that is possible
            weakest = _weakest(step) if len(step) else {}
            chosen = _without(chosen, weakest)
            if not works({}):
                chosen = join_settings(chosen, next(iter(step.cures(works)), weakest))
        return [chosen]


def _weakest(step: Weakening) -> dict[str, Any]:
    return step.setting(len(step) - 1)


def _without(chosen: dict[str, Any], setting: dict[str, Any]) -> dict[str, Any]:
    """The settings without this one; of a parameter for several columns, without its column."""
    left = dict(chosen)
    for name, value in setting.items():
        rest = {c: v for c, v in left.pop(name, {}).items() if c not in value} if isinstance(value, dict) else {}
        left.pop(name, None)
        left |= {name: rest} if rest else {}
    return left


def _worst_part(publisher: "TablePublisher", table: CodedTable) -> tuple[TableRequirement, str | None, float] | None:
    """The part of the requirement, and the sensitive column, that fails in most rows of the coarsest groups."""
    worst: tuple[TableRequirement, str | None, float] | None = None
    for part in GroupTest(publisher.requirement, table).parts:  # type: ignore[arg-type]  # refused where it is none
        columns: list[Any] = [None]
        if part.of_sensitive and not isinstance(part, OthersKnown):
            asked = [column for column in table.sensitive if part.column in (None, column.name)]
            columns = sorted(asked, key=lambda c: -int(table.tally(c.codes).max()))
        for column in columns:
            alone = table if column is None else replace(table, sensitive=(column,))
            lost, _ = count_failing(publisher, alone, GroupTest(part, alone))
            if lost and (worst is None or lost / table.total > worst[2]):
                worst = part, None if column is None else column.name, lost / table.total
    return worst
