"""Microaggregation: groups of rows that are near each other in all columns at once, and their means."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError, UsageError
from confide.core.requirements.base import check_count
from confide.core.requirements.tables import KAnonymity
from confide.core.runtime.threads import in_threads
from confide.core.tables.schema import Schema
from confide.publish.tables.averaging.group_numbers import settle_numbers
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.publisher import TablePublisher
from confide.publish.tables.recoding import Recoding

__all__ = ["Microaggregation", "all_averaged", "group_near_rows"]

_NEAR = 9  # groups that a row may move to, its own counted
_AVERAGES = ("mean", "median")


def all_averaged(schema: Schema) -> bool:
    """Whether every quasi-identifier is released as a mean or a median."""
    names = schema.named("quasi-identifier")
    return all(schema.columns[name].release in _AVERAGES for name in names)


@dataclass(kw_only=True)
class Microaggregation(TablePublisher):
    """Release means of k rows or a few more, where every quasi-identifier has `release = "mean"` or "median".

    The table is cut in two where the sum of squared errors falls most, each part likewise, while both keep k rows; then
    rows move to nearer centres, in so many `rounds`. Columns count alike (each by its standard deviation), or by their
    `weight`. Groups are made of all columns together: averaged column by column, rows would look alike in each column
    and hardly anywhere in all of them, and k would promise nothing. It takes k-anonymity, and a table with a row for
    each person and no missing values. Cost: rows x columns^2 x the depth of the cuts.

    >>> import pyarrow as pa
    >>> from confide import KAnonymity
    >>> people = pa.table({"age": [21, 23, 38, 39], "income": [1000, 1200, 3000, 3500]})
    >>> number = {"role": "quasi-identifier", "release": "mean"}
    >>> schema = {"age": {**number, "range": [0, 120]}, "income": {**number, "range": [0, 10000]}}
    >>> Microaggregation(requirement=KAnonymity(k=2), keep_order=True).publish(people, schema).data.to_pydict()
    {'age': [22, 22, 38, 38], 'income': [1100, 1100, 3250, 3250]}
    """

    algorithm: ClassVar[str] = "microaggregation"
    losses: ClassVar[tuple[str, ...]] = ("ncp",)

    rounds: int = 3

    def recode(self, table: CodedTable) -> Recoding:
        check_count("rounds", self.rounds, least=0, why="is no number of rounds")
        if not isinstance(self.requirement, KAnonymity):
            raise UsageError(f"microaggregation keeps k-anonymity alone, not {self.requirement.kind}; use mondrian")
        if table.persons is not None or table.counts is not None:
            raise UsageError("microaggregation takes a table in memory with one row per person; use mondrian")
        other = [c.name for c in table.quasi if c.numbers is None or c.numbers.spec.release not in _AVERAGES]
        if other:
            raise UsageError(
                f"microaggregation takes numbers alone, and {other[0]!r} is not released as a mean or a median; "
                "use mondrian"
            )
        gaps = [column.name for column in table.quasi if column.missing >= 0]
        if gaps:
            raise UsageError(
                f"values of {gaps[0]!r} are missing, which have no mean; choose missing='drop', or mondrian",
                parameter="missing",
                value=self.missing,
            )
        GroupTest.of(self.requirement, table, suppress=self.suppress)
        if len(table) < self.requirement.k:
            raise CannotMeetError("the table has fewer rows than a group must have")
        group, count = group_near_rows(_points(table), self.requirement.k, rounds=self.rounds)
        order = np.argsort(group, kind="stable")
        starts = np.searchsorted(group[order], np.arange(count))
        names = tuple(map(str, range(count)))
        made = Recoding(
            table=table,
            codes=(group,) * len(table.quasi),
            labels=(names,) * len(table.quasi),
            losses=tuple(_spans(column.codes[order], starts, column.leaves) for column in table.quasi),
            kept=np.ones(len(table), dtype=np.bool_),
            cells=group,
        )
        return settle_numbers(made, self.requirement)


def _points(table: CodedTable) -> NDArray[np.float64]:
    """The rows as points, each column on the scale of its standard deviation and weight."""
    scaled = []
    for column in table.quasi:
        assert column.numbers is not None
        values = column.numbers.limited
        spread = float(values.std())
        scaled.append((values - values.mean()) * (column.weight**0.5 / spread if spread > 0 else 0.0))
    return np.ascontiguousarray(np.stack(scaled, axis=1))


def group_near_rows(points: NDArray[np.float64], k: int, *, rounds: int) -> tuple[NDArray[np.int32], int]:
    """Groups of k rows or more with little squared error: the group of each row, and how many there are."""
    from scipy.spatial import cKDTree

    from confide.publish.tables.averaging._centre_kernels import cut_groups, move_rows

    sorted_by = in_threads(lambda j: np.argsort(points[:, j], kind="stable").astype(np.int32), range(points.shape[1]))
    orders = np.stack(sorted_by)
    group, count = cut_groups(points, orders, k)
    for _ in range(rounds if count > 1 else 0):
        sizes = np.bincount(group, minlength=count)
        centres = np.stack([np.bincount(group, weights=column, minlength=count) / sizes for column in points.T], axis=1)
        near = cKDTree(centres).query(centres, k=min(_NEAR, count))[1]
        if not move_rows(points, orders[0], group, centres, sizes, near, k):
            break
    return group, count


def _spans(leaves: NDArray[np.int32], starts: NDArray[np.int64], width: int) -> NDArray[np.float64]:
    """For each group, the share of a column's cells that its rows span; groups of `leaves` begin at `starts`."""
    high, low = np.maximum.reduceat(leaves, starts), np.minimum.reduceat(leaves, starts)
    return (high - low) / max(1, width - 1)
