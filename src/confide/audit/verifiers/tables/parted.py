"""A table with more different rows than there is memory for, judged in parts, each with whole groups.

    of        every part once: sizes of groups, whether persons are numbered, counts of sensitive values in the whole
    judged    every part again: what is asked of each group; the answers add up

A part is read from the file each time it is needed (`stored.PartedRows`), so nothing here grows with the rows.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from confide.audit.verifiers.grouping import Sizes
from confide.audit.verifiers.tables.look import GroupCheck, TableLook, WholeCounts, look_with_persons
from confide.audit.verifiers.tables.tallied_rows import PartedRows
from confide.core.artefacts.originals import Population
from confide.core.checks import Check

__all__ = ["PartedLook"]

R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class PartedLook:
    """What `TableLook` is for a table in memory. `whole` counts rows, then persons; `sensitive` names columns."""

    table: PartedRows
    roles: Mapping[str, str]
    sensitive: tuple[str, ...]
    rows: Sizes
    members: Sizes
    whole: tuple[WholeCounts, WholeCounts]
    counts_persons: bool
    orders: Mapping[str, Any] = field(default_factory=dict)
    weights: tuple[str, ...] = ()
    population: Population | None = None

    @classmethod
    def of(
        cls, table: PartedRows, roles: Mapping[str, str], *, sensitive: bool, weights: tuple[str, ...] = ()
    ) -> "PartedLook":
        """Read every part once."""
        found: PartedLook | None = None
        for rows in table.parts():
            part = look_with_persons(rows, roles, sensitive=sensitive)
            times = part.groups.times
            here = cls(
                table=table,
                roles=roles,
                sensitive=tuple(part.sensitive),
                rows=part.rows,
                members=part.members,
                whole=(
                    WholeCounts(part.rows.total, {
                        name: np.bincount(column.codes, weights=times, minlength=column.n).astype(np.int64)
                        for name, column in part.sensitive.items()
                    }),
                    WholeCounts(part.members.total, {
                        name: part.tally(name).by_value(column.n) for name, column in part.sensitive.items()
                    }),
                ),
                counts_persons=part.counts_persons,
                weights=weights,
            )  # fmt: skip
            found = here if found is None else found._with(here)
        assert found is not None  # a table without rows fits into memory
        return found

    def ordered(self, orders: Mapping[str, Any]) -> "PartedLook":
        """The same, with the declared orders of sensitive values."""
        return replace(self, orders=orders)

    def beside(self, population: Population | None) -> "PartedLook":
        """The same, with a population to count."""
        return replace(self, population=population)

    def judged(self, judge: "Callable[[TableLook, R], Iterator[Check]]", requirement: R) -> list[Check]:
        """The checks of all parts, added up."""
        found: list[Check] = []
        for part in self._looks():
            answers = list(judge(part, requirement))
            found = [_added(*pair) for pair in zip(found, answers, strict=True)] if found else answers
        return found

    def _looks(self) -> Iterator[TableLook]:
        for rows in self.table.parts():
            part = look_with_persons(rows, self.roles, sensitive=bool(self.sensitive), weights=self.weights)
            yield replace(part, orders=self.orders, whole=self.whole, population=self.population)

    def _with(self, other: "PartedLook") -> "PartedLook":
        """This and further groups."""
        return replace(
            self,
            rows=self.rows + other.rows,
            members=self.members + other.members,
            whole=(self.whole[0] + other.whole[0], self.whole[1] + other.whole[1]),
            counts_persons=self.counts_persons and other.counts_persons,
        )


def _added(one: Check, other: Check) -> Check:
    """The same check of more groups; what is not asked of groups is the same in all parts, unless one says more."""
    if isinstance(one, GroupCheck) and isinstance(other, GroupCheck):
        return one.with_more(other)
    return one if not one.ok else other
