"""Whether a method would release a table under other settings.

The coarsest groups alone decide wherever they can, which takes milliseconds. Otherwise the method itself is asked
(`would_release`), whatever the size of the table. Those tries share a stretch of time: once it is over, only a try
that is marked `always` is still made, so that a refusal of a large table waits for a few runs of the method and for
this stretch, and not for a hundred runs.
"""

from time import monotonic
from typing import TYPE_CHECKING, Any

from confide.core.errors import ConfideError
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.recoding import numbered

if TYPE_CHECKING:
    from confide.publish.tables.publisher import TablePublisher

__all__ = ["SettingTrials", "count_failing"]

SECONDS = 15.0
"""How long methods are run to see whether they work."""


class SettingTrials:
    """Tries of one refused request. `cut_short` says whether some were left out since time was over."""

    def __init__(self, *, seconds: float = SECONDS) -> None:
        self.deadline = monotonic() + seconds
        self.cut_short = False
        self._outcomes: dict[Any, bool] = {}

    def works(self, publisher: "TablePublisher", table: CodedTable, *, always: bool = False) -> bool:
        """Whether the method would decide on a release; False where that was not tried for lack of time."""
        levels = tuple(column.highest for column in table.quasi)
        key = (type(publisher), publisher.requirement, publisher.suppress, levels)
        if key not in self._outcomes:
            try:
                outcome = _decide_by_coarsest(publisher, table)
                if outcome is None:
                    if monotonic() > self.deadline and not always:
                        self.cut_short = True
                        return False
                    outcome = publisher.would_release(table)
            except ConfideError:
                outcome = False
            self._outcomes[key] = outcome
        return self._outcomes[key]


def count_failing(publisher: "TablePublisher", table: CodedTable, test: GroupTest) -> tuple[int, bool]:
    """How many rows are in coarsest groups that fail, and whether some are in others."""
    columns = publisher.kept_apart(table)
    tops = [(column.maps[column.highest][column.codes], len(column.labels[column.highest])) for column in columns]
    group, count = numbered(tops, len(table))
    ok = test.passes(group, count, maps=[column.maps[column.highest] for column in table.quasi])
    return table.total - table.counted(ok[group]), bool(ok.any())


def _decide_by_coarsest(publisher: "TablePublisher", table: CodedTable) -> bool | None:
    """Whether there is a release, as far as the coarsest groups tell; None where they do not decide."""
    test = GroupTest.of(publisher.requirement, table, suppress=1)
    failing, some = count_failing(publisher, table, test)
    if failing and test.has_reference:  # leaving rows out changes what the others need
        return None
    budget = publisher.budget(table)
    if some and failing <= budget:
        joins = test.monotone or publisher.keeps_groups(table)
        return True if joins and publisher.coarsest_suffices(table.total - failing, table.total) else None
    return False if publisher.begins_at_coarsest or (test.monotone and not budget) else None
