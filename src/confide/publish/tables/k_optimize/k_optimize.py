"""`KOptimize`: the cuts through ordered columns that cost least."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError, UsageError
from confide.core.requirements.base import is_number
from confide.publish.jobs.loss_names import LossName
from confide.publish.tables.cells.contingency import Cells
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.k_optimize.cut_search import best_cuts
from confide.publish.tables.k_optimize.problem import CutProblem
from confide.publish.tables.k_optimize.range_labels import run_labels
from confide.publish.tables.publisher import TablePublisher
from confide.publish.tables.recoding import Recoding

__all__ = ["KOptimize"]

_SECONDS_OF_A_TRIAL = 1.0  # in which the search looks for any cuts that work


@dataclass(kw_only=True)
class KOptimize(TablePublisher):
    """Cut each ordered quasi-identifier into ranges: of all cuts that meet the requirement, those of least loss.

    A value of a column becomes the range it is in, the same for all rows. `loss` is the "classification" metric, for
    data from which classes are to be learned (the column with the role class; without one the first sensitive column,
    as in paper 002), or "discernibility". Values are in the order of the hierarchy or range; the lowest level that the
    schema allows decides how fine cuts may be. Time grows steeply with the number of cuts: up to about 40 the optimum
    is found within seconds, of a hundred the best found within `time_limit` seconds is taken (None: no limit). The
    passport tells the gap: the share by which a better recoding could cost less, 0 for the optimum.

    Takes requirements under which joined groups still pass; with `suppress`, those that do not compare groups with the
    whole table. Failing groups are suppressed, if they are few enough; the originals' "as many as it takes" is a
    `suppress` close to 1.

    Bayardo and Agrawal 2005; with diversity, the OPTI of paper 002, section 6.1.3.
    """

    algorithm: ClassVar[str] = "k-optimize"
    losses: ClassVar[tuple[str, ...]] = ("classification", "discernibility")

    loss: LossName = "classification"
    time_limit: float | None = 60.0

    @property
    def is_global(self) -> bool:
        return True

    def recode(self, table: CodedTable) -> Recoding:
        test = self._tested(table)
        problem = CutProblem.of(table, test, self._classes(table))
        budget = self.budget(table)
        found = best_cuts(
            problem,
            test,
            discern=self.loss == "discernibility",
            budget=budget,
            seconds=self.time_limit,
            same=self.loss == "classification" and table.classes is None,
        )
        if found.cuts is None:
            raise CannotMeetError("no cuts within the levels allowed meet the requirement, or none were found in time")
        runs = problem.segments(found.cuts)
        cells = Cells.of(table, test).rechosen([(run,) for run in runs])
        grouping = cells.grouped((0,) * len(runs))
        kept = cells.passing(grouping, test)[grouping.of][cells.of_row]
        return Recoding.by_leaf(
            table,
            [run_labels(column, run) for column, run in zip(table.quasi, runs, strict=True)],
            kept=kept,
            notes={"cuts": int(found.cuts.sum()), "possible_cuts": len(found.cuts), "gap": round(found.gap, 6)},
        )

    def would_release(self, table: CodedTable) -> bool:
        limit = _SECONDS_OF_A_TRIAL if self.time_limit is None else min(self.time_limit, _SECONDS_OF_A_TRIAL)
        shorter = replace(self, time_limit=limit)  # what is found in less time is found in more
        shorter.check_recoded(shorter.recode_with_numbers(table))
        return True

    def _tested(self, table: CodedTable) -> GroupTest:
        test = GroupTest.of(self.requirement, table, suppress=self.suppress)
        if self.time_limit is not None and (not is_number(self.time_limit) or self.time_limit <= 0):
            raise UsageError(
                f"time_limit={self.time_limit} must be a number of seconds above 0, or None",
                parameter="time_limit",
                value=self.time_limit,
            )
        if any(column.domain is not None and column.domain.grid is not None for column in table.quasi):
            raise UsageError("KOptimize cuts ranges anywhere, not on a grid; use Incognito or Mondrian")
        if table.persons is not None:
            raise UsageError("KOptimize takes a row per person; with a person column use Incognito or Mondrian")
        if not test.monotone or (test.has_reference and self.budget(table)):
            raise UsageError(
                f"KOptimize does not take {self.requirement.kind}{' with suppress' * test.monotone}; "
                "use Incognito or Mondrian"
            )
        return test

    def _classes(self, table: CodedTable) -> NDArray[np.int32] | None:
        if self.loss == "discernibility":
            return None
        if table.classes is not None:
            return table.classes.codes
        if not table.sensitive:
            raise UsageError(
                "loss='classification' needs a column with the role class, or a sensitive one",
                parameter="loss",
                value="classification",
            )
        return table.sensitive[0].codes
