"""`TopDownSpecialization`: values made finer while the requirement holds, where that teaches most."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.core.requirements.tables import TableRequirement
from confide.publish.jobs.loss_names import LossName
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.publisher import TablePublisher
from confide.publish.tables.recoding import Recoding
from confide.publish.tables.specialization.descent import descend
from confide.publish.tables.specialization.value_splits import leaf_map

__all__ = ["TopDownSpecialization"]


@dataclass(kw_only=True)
class TopDownSpecialization(TablePublisher):
    """Begin with the coarsest values and divide one at a time, the most information for the least anonymity first.

    A value becomes the same for all rows, but values of one column may differ in how fine they are: "Europe" can stay
    while "Asia" is divided into its countries. Columns with a hierarchy follow it; numbers with a declared range and no
    hierarchy are divided where it teaches most. With `loss="classification"` gains are information about the class
    (without a class column, about the first sensitive column), with `loss="ncp"` they are detail. A greedy choice: it
    is fast, and never taken back; the result is not the optimum.

    Takes every requirement; with `suppress`, those that do not compare groups with the whole table. Cost: for each
    division one pass over the distinct combinations of values.

    >>> import pyarrow as pa
    >>> from confide import KAnonymity
    >>> people = pa.table({"age": [21, 23, 38, 39], "buys": ["no", "no", "yes", "yes"]})
    >>> schema = {"age": {"role": "quasi-identifier", "range": [18, 99]}, "buys": {"role": "class"}}
    >>> made = TopDownSpecialization(requirement=KAnonymity(k=2), keep_order=True).publish(people, schema)
    >>> made.data["age"].to_pylist()
    ['18-30', '18-30', '31-99', '31-99']

    Fung, Wang, Yu 2005.
    """

    algorithm: ClassVar[str] = "top-down specialisation"
    losses: ClassVar[tuple[str, ...]] = ("classification", "ncp")

    begins_at_coarsest: ClassVar[bool] = True

    loss: LossName = "classification"

    def counts(self, part: TableRequirement) -> bool:
        return not part.counts_population

    @property
    def is_global(self) -> bool:
        return True

    def recode(self, table: CodedTable) -> Recoding:
        test = GroupTest.of(self.requirement, table, suppress=self.suppress)
        budget = self.budget(table)
        if test.has_reference and budget:
            raise UsageError(
                f"TopDownSpecialization does not take {self.requirement.kind} with suppress; use Incognito or Mondrian"
            )
        values, kept, steps = descend(table, test, classes=self._classes(table), budget=budget)
        maps = [leaf_map(column, found) for column, found in zip(table.quasi, values, strict=True)]
        for column, (_, labels, _) in zip(table.quasi, maps, strict=True):
            # groups whose values have the same name are one group in the release, and may fail together
            if not test.monotone and len(set(labels)) < len(labels):
                raise UsageError(
                    f"the hierarchy of {column.name!r} calls two of its values the same; rename one of them"
                )
        return Recoding.by_leaf(table, maps, kept=kept, notes={"divisions": steps})

    def _classes(self, table: CodedTable) -> NDArray[np.int32] | None:
        if self.loss == "ncp":
            return None
        if table.classes is not None:
            return table.classes.codes
        if not table.sensitive:
            raise UsageError(
                "loss='classification' needs a column with the role class, or a sensitive one; or loss='ncp'",
                parameter="loss",
                value="classification",
            )
        return table.sensitive[0].codes
