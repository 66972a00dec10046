"""A requirement put to groups of a table."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.core.requirements import Requirement
from confide.core.requirements.tables import (
    DeltaPresence,
    DistinctDiversity,
    KAnonymity,
    KMap,
    KMapByWeight,
    OthersKnown,
    TableRequirement,
    TCloseness,
    all_of,
)
from confide.publish.tables.coding import Coded, CodedTable
from confide.publish.tables.group_tests.fitting_people import count_fitting, row_weights
from confide.publish.tables.group_tests.limits import check_counted, check_required, check_size, check_values
from confide.publish.tables.group_tests.rules import PEOPLE, Rules, counted_by, made_rules, parts_of

__all__ = ["GroupTest"]

_NUMBER = re.compile(r"[+-]?([0-9]{1,100}(\.[0-9]{0,100})?|\.[0-9]{1,100})([eE][+-]?[0-9]{1,3})?")


@dataclass(frozen=True, eq=False)
class GroupTest:
    """What a group of rows that look alike must satisfy, in a form that kernels can ask thousands of times a second.

    `values[row, c]` is the value of row in sensitive column c, one of `widths[c]`. The reference of closeness are the
    rows of `released`.
    """

    requirement: TableRequirement | None
    table: CodedTable
    released: NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, requirement: Requirement, table: CodedTable, *, suppress: float = 0.0) -> "GroupTest":
        """The test of a requirement; raises where it makes no sense for the table, or nothing could meet it."""
        if not isinstance(requirement, TableRequirement):
            raise UsageError(f"{requirement.kind} is not a requirement of tables; use for example KAnonymity(k=5)")
        if requirement.of_sensitive and not table.sensitive:
            raise UsageError(f"{requirement.kind} needs a sensitive column; give one that role in the schema")
        names = [column.name for column in table.sensitive]
        strange = [name for name in requirement.columns if name is not None and name not in names]
        if strange:
            raise UsageError(
                f"something is asked of {strange[0]!r}, which is not a sensitive column; "
                f"sensitive columns are: {', '.join(names)}"
            )
        check_required(requirement, table.schema)
        check_counted(requirement, table)
        made = cls(requirement, table)
        made._check_meaning()
        made._check_possible(suppress)
        return made

    # -- what is known of it -----------------------------------------------------------------------------------------

    @cached_property
    def parts(self) -> tuple[TableRequirement, ...]:
        """The requirements that `&` joined; none for a test that everything passes."""
        return () if self.requirement is None else parts_of(self.requirement)

    @property
    def fewest(self) -> int:
        """The fewest rows (or persons) of a group that passes."""
        return 1 if self.requirement is None else self.requirement.fewest

    def different_values(self, column: str) -> int:
        """How many different values of a sensitive column a group that passes must have, at least 1."""
        asked = (part for part in self.parts if part.plain.column in (None, column))
        return max((part.values_needed for part in asked), default=1)

    def asked_of(self, part: TableRequirement) -> list[Coded]:
        """The sensitive columns that a part of it speaks of."""
        return [column for column in self.table.sensitive if part.plain.column in (None, column.name)]

    @property
    def monotone(self) -> bool:
        """Whether two groups that pass still pass as one.

        Counts add up, and every requirement but delta-disclosure bounds a convex function of them: its set of allowed
        histograms is closed under adding. Delta-disclosure passes over values a group does not have, so that a value
        may be rare enough to fail only after joining. Persons do not add up (one may be in both groups), so with them
        only the number of persons is monotone.
        """
        if self.table.persons is not None:
            return all(isinstance(part, KAnonymity | KMap) for part in self.parts)
        return all(part.plain.joins for part in self.parts)

    @property
    def monotone_suppressed(self) -> bool:
        """Whether coarser groups never leave more rows in groups that fail.

        Then a group that passes must pass with *any* rows added, not only with those of another passing group. True of
        counts that can only grow: the rows (or persons) of a group, its different sensitive values, the people of the
        population who fit it.
        """
        growing = (KAnonymity, KMap, KMapByWeight)
        more = () if self.table.persons is not None else (DistinctDiversity,)
        return all(isinstance(part, growing + more) for part in self.parts)

    @property
    def all_or_none(self) -> bool:
        """Whether a group that fails cannot be mended by leaving its rows out: then too few are in the release."""
        return any(isinstance(part, DeltaPresence) and part.low > 0 for part in self.parts)

    @cached_property
    def slots(self) -> dict[str, int]:
        """What is counted of the population, and where in a histogram it stands."""
        asked = dict.fromkeys(what for part in self.parts if (what := counted_by(part)) is not None)
        return {what: int(self.starts[-1]) + place for place, what in enumerate(sorted(asked))}

    @cached_property
    def weights(self) -> dict[str, NDArray[np.int64]]:
        """The weight of each row, in `WEIGHT_UNITS`, for each column of weights that is asked about."""
        return {name: row_weights(self.table, name) for name in self.slots if name != PEOPLE}

    def relaxation(self) -> "GroupTest":
        """The strongest test that is `monotone_suppressed` and passes all that this one passes."""
        least: list[TableRequirement] = []
        for part in self.parts:
            if part.fewest >= 2:
                least.append(KAnonymity(k=part.fewest))
            if self.table.persons is None and (values := part.values_needed) >= 2:
                least.append(DistinctDiversity(l=values, column=part.plain.column))
        sizes = [part.k for part in least if isinstance(part, KAnonymity)]
        kept: list[TableRequirement] = [KAnonymity(k=max(sizes))] if sizes else []
        kinds: dict[str | None, int] = {}
        for part in least:
            if isinstance(part, DistinctDiversity):
                kinds[part.column] = max(part.l, kinds.get(part.column, 0))
        kept += [DistinctDiversity(l=most, column=column) for column, most in kinds.items()]
        kept += [part for part in self.parts if isinstance(part, KMap | KMapByWeight)]
        return replace(self, requirement=all_of(*kept) if kept else None)

    def with_released(self, released: NDArray[np.bool_]) -> "GroupTest":
        """The same test with the rows of this mask as the reference of closeness."""
        return replace(self, released=released)

    @property
    def has_reference(self) -> bool:
        """Whether it compares groups with the whole release, so that suppressing a row changes what others need."""
        return any(part.plain.compares_release for part in self.parts)

    # -- for kernels -------------------------------------------------------------------------------------------------

    @cached_property
    def _combined(self) -> tuple[NDArray[np.int32], NDArray[np.int32]] | None:
        """The different combinations of sensitive values, and that of each row; None where nobody asks."""
        if not any(isinstance(part, OthersKnown) for part in self.parts):
            return None
        stacked = np.stack([column.codes for column in self.table.sensitive], axis=1)
        different, place = np.unique(stacked, axis=0, return_inverse=True)
        return different.astype(np.int32), place.reshape(-1).astype(np.int32)

    @cached_property
    def values(self) -> NDArray[np.int32]:
        """One row per row of the table, one column per sensitive column (and one for their combinations, if asked)."""
        columns = [column.codes for column in self.table.sensitive] if self._asks_values else []
        columns += [self._combined[1]] if self._combined is not None else []
        return np.stack(columns, axis=1) if columns else np.zeros((len(self.table), 0), dtype=np.int32)

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """How many values each column of `values` has."""
        own = [len(column.labels) for column in self.table.sensitive] if self._asks_values else []
        return (*own, *([len(self._combined[0])] if self._combined is not None else []))

    @property
    def _asks_values(self) -> bool:
        return any(not isinstance(part, KAnonymity) and counted_by(part) is None for part in self.parts)

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where the values of each column begin in a histogram, and its length."""
        return np.concatenate([[0], np.cumsum(self.widths)]).astype(np.int64)

    @cached_property
    def rules(self) -> Rules:
        """The requirement as arrays."""
        released: slice | NDArray[np.bool_] = slice(None) if self.released is None else self.released
        sensitive = self.table.sensitive if self._asks_values else ()
        tally = self.table.tally
        counts = [tally(c.codes[released], len(c.labels), released).astype(np.int64) for c in sensitive]
        rows = self.table.total if self.released is None else self.table.counted(self.released)
        orders = [np.array(self.order(column), dtype=np.int64) for column in sensitive]
        return made_rules(
            self.requirement,
            names=[column.name for column in sensitive],
            counts=counts,
            orders=orders,
            combinations=None if self._combined is None else self._combined[0],
            rows=rows,
            persons=self.table.persons is not None,
            slots=self.slots,
        )

    def order(self, column: Coded) -> list[int]:
        """The values of a sensitive column in their order: of numbers, or of the hierarchy the schema gives them."""
        if self.table.schema.columns[column.name].hierarchy is None:
            codes = list(range(len(column.labels)))
            if not any(getattr(part.plain, "ordered", False) for part in self.parts):
                return codes
            return sorted(codes, key=lambda code: _as_number(column.labels[code]) or Fraction(0))
        found = self.table.schema.hierarchy(column.name, column.labels).values
        place = {label: i for i, label in enumerate(found)}
        return sorted(range(len(column.labels)), key=lambda code: place[column.labels[code]])

    def passes(
        self,
        group: NDArray[np.int32],
        n_groups: int,
        *,
        weight: NDArray[np.int64] | None = None,
        values: NDArray[np.int32] | None = None,
        rows: NDArray[np.int64] | None = None,
        maps: "Sequence[NDArray[np.int32]] | None" = None,
    ) -> NDArray[np.bool_]:
        """For each group, whether it passes. `group` numbers the group of every row of the table, or of `rows`.

        With `values` (one row per item) and `weight` the items may be anything, such as distinct combinations. `maps`
        says for each quasi-identifier what its leaves became; without it nobody asks for people of a population.
        """
        from confide.publish.tables.group_tests._row_kernels import judged_groups

        persons = self.table.persons
        if weight is None and values is None:
            weight = self.table.counts
        if rows is not None:
            values = self.values[rows]
            weight = None if weight is None else weight[rows]
            persons = None if persons is None else persons[rows]
        return judged_groups(
            self.rules,
            np.ascontiguousarray(group, dtype=np.int32),
            n_groups,
            self.values if values is None else values,
            self.starts,
            np.zeros(0, dtype=np.int64) if weight is None else weight,
            np.zeros(0, dtype=np.int32) if persons is None else persons,
            self._counted(group, n_groups, rows, maps),
        )

    def _counted(
        self,
        group: NDArray[np.int32],
        n_groups: int,
        rows: NDArray[np.int64] | None,
        maps: "Sequence[NDArray[np.int32]] | None",
    ) -> NDArray[np.int64]:
        """For each group what is counted of the population, by slot; -1 where that is not known."""
        found = np.full((n_groups, len(self.slots)), -1, dtype=np.int64)
        for place, what in enumerate(sorted(self.slots)):
            if what != PEOPLE:
                mine = self.weights[what] if rows is None else self.weights[what][rows]
                found[:, place] = np.bincount(group, weights=mine, minlength=n_groups)
            elif maps is not None:
                found[:, place] = count_fitting(self.table, group, n_groups, rows, maps)
        return found

    # -- whether it makes sense --------------------------------------------------------------------------------------

    def _check_meaning(self) -> None:
        persons = self.table.persons is not None
        for part in self.parts:
            if persons and part.plain.compares_release:
                raise UsageError(
                    f"{part.plain.kind} together with a person column is not offered; use a diversity, or a table "
                    "with one row per person"
                )
            if isinstance(part, OthersKnown):
                if persons:
                    raise UsageError("others-known together with a person column is not defined; ask for it without")
                if len(self.table.sensitive) < 2:
                    raise UsageError("others-known needs two sensitive columns; ask for its part")
            if isinstance(part.plain, TCloseness):
                self._check_sums()
                if part.plain.ordered:
                    self._check_order(part)

    def _check_sums(self) -> None:
        """Distances are compared in whole numbers of 64 bits: rows squared, times the values."""
        values = max((len(column.labels) for column in self.table.sensitive), default=0)
        if self.table.total**2 * max(2, values) >= 1 << 62:
            raise UsageError(
                f"t-closeness of {self.table.total:,} rows with {values:,} sensitive values is more than 64 bits can "
                "count; use a diversity, or fewer values"
            )

    def _check_order(self, part: TableRequirement) -> None:
        for column in self.asked_of(part):
            if self.table.schema.columns[column.name].hierarchy is not None:
                continue
            numbers = list(map(_as_number, column.labels))
            if any(number is None for number in numbers):
                raise UsageError(
                    f"the values of {column.name!r} have no order; give the column a hierarchy in the schema, its rows "
                    "in order, or ask for t-closeness without order"
                )
            if len(set(numbers)) < len(numbers):
                raise UsageError(
                    f"{column.name!r} spells a number in several ways, such as 1 and 01, so its values have no order; "
                    "write each number in one way, or ask for t-closeness without order"
                )

    def _check_possible(self, suppress: float) -> None:
        """Raise if the whole table as one group fails; rows that may be suppressed can repair a diversity, no size."""
        rows, what = self.table.total, "rows"
        if self.table.persons is not None:
            rows, what = int(self.table.persons.max()) + 1, "persons"
        for part in self.parts:
            check_size(part, rows, what=what)
        if suppress > 0 or self.table.persons is not None:
            return
        counted = {
            column.name: np.sort(self.table.tally(column.codes, len(column.labels)))[::-1]
            for column in self.table.sensitive
        }
        for part in self.parts:
            names = [column.name for column in self.asked_of(part)] if part.of_sensitive else []
            for name in sorted(names, key=lambda name: -counted[name][0]):
                check_values(part, name, counted[name][counted[name] > 0], rows, what=what)


def _as_number(label: str) -> Fraction | None:
    """The exact value of a number, as text shows it; None if it is none, or endless."""
    return Fraction(label) if _NUMBER.fullmatch(label) else None
