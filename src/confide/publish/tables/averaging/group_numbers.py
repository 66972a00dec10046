"""One number for each group: what columns with a `release` become once rows are in groups.

Whatever algorithm made the groups, rows that look alike get the mean, or the median, of what they had; or the midpoint
of the range that their label stands for. Groups with equal numbers, and equal labels elsewhere, become one group, whose
number is still its mean: each part has it. A median is the lower one, a value that somebody has. In a group where a
value is missing beside others, all become missing.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError, UsageError
from confide.core.requirements import Requirement
from confide.core.requirements.tables import TableRequirement
from confide.publish.tables.coding import NumberColumn, QuasiIdentifier
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.recoding import Recoding

__all__ = ["lower_medians", "settle_numbers", "squared_errors"]


def settle_numbers(recoding: Recoding, requirement: Requirement) -> Recoding:
    """The recoding with numbers in the columns that are released as numbers; the same if there is none."""
    table = recoding.table
    if recoding.numbered or not any(column.numbers for column in table.quasi) or not len(recoding.rows):
        return recoding
    if table.counts is not None:
        raise UsageError(
            "means, medians and midpoints need the rows in memory; leave out release= in the schema",
            parameter="release",
        )
    rows, (group, count) = recoding.rows, recoding.groups
    codes, labels, losses = list(recoding.codes), list(recoding.labels), list(recoding.losses)
    first = np.zeros(count, dtype=np.int64)
    first[group] = rows
    for j, column in enumerate(table.quasi):
        if column.numbers is None:
            continue
        label = recoding.codes[j][first]
        if column.numbers.spec.release == "midpoint":
            numbers = _midpoints(recoding, j)[label]
        else:
            numbers = _averages(column, rows, group, count)
        if column.missing >= 0:
            gaps = np.bincount(group, weights=column.codes[rows] == column.missing, minlength=count) > 0
            numbers = np.where(gaps, np.nan, numbers)
        of_group, labels[j], losses[j] = _named(column.numbers, numbers, recoding.losses[j][label])
        codes[j] = np.zeros(len(table), dtype=np.int32)
        codes[j][rows] = of_group[group]
    cells = np.zeros(len(table), dtype=np.int32)
    cells[rows] = group
    made = replace(
        recoding,
        codes=tuple(codes),
        labels=tuple(labels),
        losses=tuple(losses),
        cells=cells,
        mapping=None,
        numbered=True,
    )
    assert isinstance(requirement, TableRequirement)
    test = GroupTest(requirement, table, recoding.kept)
    if not test.monotone and not test.passes(*made.groups, rows=rows).all():
        raise CannotMeetError(
            f"groups with the same numbers fail {requirement.kind} together",
            advice="release ranges instead of numbers, or round less",
        )
    return made


def lower_medians(values: NDArray[np.float64], group: NDArray[np.int32], count: int) -> NDArray[np.float64]:
    """For each group its median, of an even number of values the lower of the two in the middle."""
    order = np.lexsort((values, group))
    sizes = np.bincount(group, minlength=count)
    starts = np.cumsum(sizes) - sizes
    found: NDArray[np.float64] = values[order][starts + (sizes - 1) // 2]
    return found


def squared_errors(recoding: Recoding) -> dict[str, float]:
    """For each column of numbers: the squares of what released rows were moved by, as a share of their variance."""
    shares = {}
    for j, column in enumerate(recoding.table.quasi):
        if column.numbers is None:
            continue
        released = np.array([float(label) if label else np.nan for label in recoding.labels[j]])
        before, after = column.numbers.values[recoding.rows], released[recoding.codes[j][recoding.rows]]
        both = ~np.isnan(before)
        before, after = before[both], after[both]
        mean = before.mean() if len(before) else 0.0
        moved = np.where(np.isnan(after), before - mean, before - after)
        whole = float(((before - mean) ** 2).sum())
        shares[column.name] = float((moved**2).sum()) / whole if whole > 0 else 0.0
    return shares


def _averages(
    column: QuasiIdentifier, rows: NDArray[np.int64], group: NDArray[np.int32], count: int
) -> NDArray[np.float64]:
    """The mean or the median of each group; of one with missing values, anything."""
    assert column.numbers is not None
    values = column.numbers.limited[rows]
    if column.numbers.spec.release == "median":
        return lower_medians(values, group, count)
    whole = np.nan_to_num(values) if column.missing >= 0 else values
    low = whole.min(initial=0.0)  # sums of differences round less than sums of large numbers
    sums = np.bincount(group, weights=whole - low, minlength=count)
    means: NDArray[np.float64] = low + sums / np.bincount(group, minlength=count)
    return means


def _midpoints(recoding: Recoding, number: int) -> NDArray[np.float64]:
    """For each label of a column, the middle of the range it stands for; nan for a missing value."""
    from confide.publish.tables.loss.spread import leaf_sets

    column = recoding.table.quasi[number]
    assert column.domain is not None
    used = np.unique(recoding.codes[number][recoding.rows])
    sets = leaf_sets(recoding, number)
    middle = np.full(len(recoding.labels[number]), np.nan)
    for code in used.tolist():
        leaves = sets[code][sets[code] != column.missing]
        if len(leaves):
            middle[code] = column.domain.middle(int(leaves.min()), int(leaves.max()))
    return middle


def _named(
    column: NumberColumn, numbers: NDArray[np.float64], losses: NDArray[np.float64]
) -> tuple[NDArray[np.int32], tuple[str, ...], NDArray[np.float64]]:
    """Codes of the groups by their number and loss: the code of each group, what codes are called, their losses."""
    written = column.rounded(numbers) + 0.0  # -0.0 becomes 0.0
    different, of_number = np.unique(written, return_inverse=True)  # nan counts once
    costs, of_cost = np.unique(losses, return_inverse=True)
    pairs = of_number.reshape(-1).astype(np.int64) * len(costs) + of_cost.reshape(-1)
    used, codes = np.unique(pairs, return_inverse=True)
    texts = [column.text(number) for number in different.tolist()]
    labels = tuple(texts[at] for at in (used // len(costs)).tolist())
    return codes.reshape(-1).astype(np.int32), labels, costs[used % len(costs)]
