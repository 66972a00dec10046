"""OneDimensional: put all rows on a line, and make groups of neighbours (Ghinita et al. 2007; paper 002, 6.1.2)."""

from dataclasses import dataclass
from typing import ClassVar, get_args

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError, UsageError
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.mondrian.columns import column_arrays
from confide.publish.tables.one_dimensional.curves import Curve, along
from confide.publish.tables.publisher import TablePublisher
from confide.publish.tables.recoding import LeafMap, Recoding
from confide.publish.tables.top_groups import TopGroups

__all__ = ["OneDimensional"]


@dataclass(kw_only=True)
class OneDimensional(TablePublisher):
    """Local recoding by neighbours on a line: the fastest under l-diversity, with groups of hardly more than l rows.

    `curve` puts rows on a line: "hilbert", or "idistance" (by distance to reference points). Rows of each sensitive
    value (of the first such column) wait in a bucket; a group takes one row of each of l buckets, and what is left
    always stays eligible. Groups that do not keep the requirement yet are joined with their neighbours on the line, so
    any requirement is taken; without sensitive values, k neighbours make a group. A group is released as the smallest
    nodes that hold it; of a column with a declared range these are ranges of 1, 2, 4, 8 ... cells. Cost: n log n.
    """

    algorithm: ClassVar[str] = "one-dimensional"
    losses: ClassVar[tuple[str, ...]] = ("ncp",)

    begins_at_coarsest: ClassVar[bool] = True

    curve: Curve = "hilbert"

    def recode(self, table: CodedTable) -> Recoding:
        if self.curve not in get_args(Curve):
            raise UsageError(
                f"curve={self.curve!r}; choose among {', '.join(get_args(Curve))}", parameter="curve", value=self.curve
            )
        if table.persons is not None:
            raise UsageError("OneDimensional takes a table with one row per person; use Mondrian or Incognito")
        test = GroupTest.of(self.requirement, table, suppress=self.suppress)
        tops = TopGroups.of(table, test, table.quasi, budget=self.budget(table))
        keys = along(table, self.curve)
        parts = [_groups(table, tops, tops.order[begin:end], keys) for begin, end in tops.bounds.tolist()]
        rows = np.concatenate([part for part, _ in parts])
        starts = np.concatenate([np.diff(part) for _, part in parts]).cumsum()
        starts = np.concatenate([[0], starts]).astype(np.int64)
        group = np.zeros(len(table), dtype=np.int32)
        group[rows] = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
        named = _named(table, rows, starts)
        recoding = Recoding(
            table=table,
            codes=tuple(codes[group] for codes, _, _ in named),
            labels=tuple(labels for _, labels, _ in named),
            losses=tuple(losses for _, _, losses in named),
            kept=tops.kept,
            cells=group,
        )
        # Groups of the line that get the same labels are one group to everybody else, which can fail where each passes.
        released, count = recoding.groups
        if not tops.test.passes(released, count, rows=recoding.rows).all():
            raise CannotMeetError(f"neighbours on a line cannot be joined to keep {self.requirement.kind}")
        return recoding


def _groups(
    table: CodedTable, tops: TopGroups, rows: NDArray[np.int64], keys: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """These rows in the order of their groups, and where each begins."""
    from confide.publish.tables.one_dimensional._group_kernels import diverse_groups, join_until_ok

    test = tops.test
    order = rows[np.argsort(keys[rows], kind="stable")]
    starts = np.arange(len(order) + 1, dtype=np.int64)
    wanted, sensitive = max(
        ((test.different_values(column.name), column) for column in table.sensitive),
        key=lambda pair: pair[0],
        default=(1, None),
    )
    if wanted > 1 and sensitive is not None:
        commonest = int(np.bincount(sensitive.codes[order]).max())
        wanted = min(wanted, len(order) // commonest)  # else what is left is never eligible
    if wanted > 1 and sensitive is not None:
        order, starts = diverse_groups(order, sensitive.codes, len(sensitive.labels), wanted)
    values = np.ascontiguousarray(test.values + test.starts[:-1].astype(np.int32))
    return order, join_until_ok(test.rules, values, int(test.starts[-1]), order, starts)


def _named(table: CodedTable, rows: NDArray[np.int64], starts: NDArray[np.int64]) -> list[LeafMap]:
    """For each column what the groups are called: a code for each group, the labels, their NCP."""
    from confide.publish.tables.one_dimensional._group_kernels import smallest_nodes

    columns = column_arrays(table)
    leaves = np.ascontiguousarray(np.stack([column.codes for column in table.quasi], axis=1))
    lowest = np.array([column.lowest for column in table.quasi], dtype=np.int64)
    highest = np.array([column.highest for column in table.quasi], dtype=np.int64)
    level, node = smallest_nodes(leaves, rows, starts, columns.nodes, columns.level_at, lowest, highest)
    named: list[LeafMap] = []
    for j, column in enumerate(table.quasi):
        keys = (level[:, j].astype(np.int64) << 32) + node[:, j]
        different, codes = np.unique(keys, return_inverse=True)
        pairs = [(key >> 32, key & 0xFFFFFFFF) for key in different.tolist()]
        labels = tuple(column.labels[level][node] for level, node in pairs)
        losses = np.array([column.losses[level][node] for level, node in pairs])
        named.append((codes.reshape(-1).astype(np.int32), labels, losses))
    return named
