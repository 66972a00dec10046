"""Growing a tree under a requirement, breadth first; a split competes only if all its children may be published.

grow_diverse      the nodes; for each one
  a loop over columns
    _count_codes  class counts of each code that occurs
    numeric       walked from the lowest up; two places for missing numbers
    categorical   with `merge`, children that fail are merged as pruning does
  choose_column   which one is taken (`_tree_kernels`)
  _children       the nodes below it, and their records
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import interpreted_as, kernel
from confide.mining.trees.impurity_kernels import GINI, choose_column, gini_mass, quantised
from confide.share.pruning.leaf_kernels import passes
from confide.share.pruning.leaf_tests import LeafTest
from confide.share.pruning.pruning_kernels import merge_children

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]

# Columns of the table of nodes; class counts follow. CUT_LOW, CUT_HIGH: the last code that goes left and the first that
# goes right. MISSING: 0 left, 1 right, -1 where no number is missing. ANSWER: where the codes of a categorical split
# are listed, CUT_LOW of them; -1 otherwise.
PARENT, COLUMN, CUT_LOW, CUT_HIGH, MISSING, LOW, HIGH, DEPTH, ANSWER, COUNTS = range(10)


class GrowthRecords(NamedTuple):
    """The records to grow on: codes by column, which columns are numbers and which may be asked about, classes y.

    A missing number has the code widths[j]. `rows` are the records in the order of their nodes.
    """

    codes: I32
    numeric: NDArray[np.bool_]
    used: NDArray[np.bool_]
    widths: I64
    rows: I64
    y: I32


class GrowthRules(NamedTuple):
    """How to grow: the criterion with its table of terms and scale, the least of a leaf and of a branch, how deep."""

    terms: I64
    criterion: int
    scale: float
    min_leaf: int
    min_branch: int
    max_depth: int
    merge: bool


def _mass(x: I64, total: int, terms: I64, criterion: int, scale: float) -> int:
    if criterion == GINI:
        numbers = x.tolist()
        return gini_mass(total, sum(float(number) ** 2 for number in numbers), scale)
    return int(terms[total]) - int(terms[x].sum())


@interpreted_as(_mass)
def mass(x: I64, total: int, terms: I64, criterion: int, scale: float) -> int:
    """The impurity of class counts, times their records."""
    if criterion == GINI:
        squares = 0.0
        for c in range(len(x)):
            squares += float(x[c]) * float(x[c])
        return gini_mass(total, squares, scale)
    result = terms[total]
    for c in range(len(x)):
        result -= terms[x[c]]
    return result


@kernel
def _merged(
    table: I64, sizes: I64, fails: NDArray[np.bool_], into: I64, nothing: I64, test: LeafTest
) -> None:  # fmt: skip
    """Merge children that fail; into[i] is then the child that stands for i, and its row the sum."""
    n = len(table)
    label, hit = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for i in range(n):
        label[i] = np.argmax(table[i])
        hit[i] = table[i, label[i]]
    merge_children(sizes, label, hit, table, nothing, fails, into, test)
    for i in range(n):
        root = i
        while into[root] != root:
            root = into[root]
        into[i] = root


@kernel
def _larger(array: I64, needed: int) -> Any:
    """The array, or a copy with room for twice as many rows as needed."""
    if needed <= len(array):
        return array
    result = np.zeros((2 * needed, array.shape[1]), dtype=np.int64)
    for i in range(len(array)):
        for j in range(array.shape[1]):
            result[i, j] = array[i, j]
    return result


@kernel
def _children(
    nodes: I64, made: int, at: int, records: GrowthRecords, widest: int, answers: I64, listed: int, spare: I64
) -> Any:  # fmt: skip
    """Append the children of node `at` and put its records in their order; return (nodes, their number)."""
    rows, y, asked = records.rows, records.y, nodes[at, COLUMN]
    column, absent = records.codes[asked], records.widths[asked]
    low, high, first = nodes[at, LOW], nodes[at, HIGH], made
    cut, goes = nodes[at, CUT_LOW], nodes[at, MISSING]
    numeric = nodes[at, ANSWER] < 0
    branch = np.zeros(1 if numeric else widest, dtype=np.int64)
    branches = 2
    if not numeric:
        branches = 0
        for i in range(nodes[at, ANSWER], listed):
            branch[answers[i, 0]] = answers[i, 1]
            branches = max(branches, answers[i, 1] + 1)
    sizes = np.zeros(branches + 1, dtype=np.int64)
    for i in range(low, high):
        v = column[rows[i]]
        to = branch[v] if not numeric else goes if v == absent else np.int64(v > cut)
        sizes[to + 1] += 1
    nodes = _larger(nodes, made + branches)
    for b in range(branches):
        sizes[b + 1] += sizes[b]
    for b in range(branches):
        nodes[made, PARENT], nodes[made, COLUMN], nodes[made, DEPTH] = at, -1, nodes[at, DEPTH] + 1
        nodes[made, LOW], nodes[made, HIGH], nodes[made, ANSWER] = low + sizes[b], low + sizes[b + 1], -1
        made += 1
    for i in range(low, high):
        spare[i] = rows[i]
    for i in range(low, high):
        v = column[spare[i]]
        to = branch[v] if not numeric else goes if v == absent else np.int64(v > cut)
        rows[low + sizes[to]] = spare[i]
        sizes[to] += 1
        nodes[first + to, COUNTS + y[spare[i]]] += 1
    return nodes, made


def _count_codes_(column: I32, rows: I64, y: I32, avc: I64, sizes: I64, seen: I64) -> int:
    width, classes = avc.shape
    cells = np.bincount(column[rows].astype(np.int64) * classes + y[rows], minlength=width * classes)
    avc += cells.reshape(width, classes)
    sizes += avc.sum(axis=1)
    values = np.flatnonzero(sizes)
    seen[: len(values)] = values
    return len(values)


@interpreted_as(_count_codes_)
def _count_codes(column: I32, rows: I64, y: I32, avc: I64, sizes: I64, seen: I64) -> int:
    """Count the codes of these records, all and by class; list those that occur, ascending, and return how many.

    `avc` and `sizes` hold zeros before.
    """
    values = 0
    for r in rows:
        v = column[r]
        if sizes[v] == 0:
            seen[values] = v
            values += 1
        sizes[v] += 1
        avc[v, y[r]] += 1
    if values > 1:
        seen[:values].sort()
    return values


@kernel
def grow_diverse(records: GrowthRecords, classes: int, rules: GrowthRules, test: LeafTest) -> Any:
    """Grow a tree on these records: (nodes, answers), children after their parent.

    answers[i] are a code and the number of the child, among its siblings, that records with it go to.
    """
    codes, numeric, used, widths, rows, y = records
    terms, criterion, scale, min_leaf, min_branch, max_depth, merge = rules
    columns, least = len(codes), max(min_leaf, min_branch)
    widest = 2
    for j in range(columns):
        widest = max(widest, widths[j] + 1)
    avc, sizes = np.zeros((widest, classes), dtype=np.int64), np.zeros(widest, dtype=np.int64)
    seen, spare = np.empty(widest, dtype=np.int64), np.empty(len(rows), dtype=np.int64)
    left, right, whole = (
        np.zeros(classes, dtype=np.int64),
        np.zeros(classes, dtype=np.int64),
        np.zeros(classes, dtype=np.int64),
    )
    room, nothing = np.empty(classes, dtype=np.int64), np.zeros((1, 1), dtype=np.int64)
    gains, infos = np.zeros(columns, dtype=np.int64), np.zeros(columns, dtype=np.int64)
    cuts, families = np.zeros((columns, 3), dtype=np.int64), np.zeros((columns, widest), dtype=np.int64)
    nodes, answers = np.zeros((64, COUNTS + classes), dtype=np.int64), np.zeros((64, 2), dtype=np.int64)
    nodes[0, PARENT], nodes[0, COLUMN], nodes[0, ANSWER], nodes[0, HIGH] = -1, -1, -1, len(rows)
    for r in rows:
        nodes[0, COUNTS + y[r]] += 1
    made, listed, at = 1, 0, -1
    while at + 1 < made:
        at += 1
        low, high = nodes[at, LOW], nodes[at, HIGH]
        total, kinds = high - low, 0
        for c in range(classes):
            whole[c] = nodes[at, COUNTS + c]
            kinds += whole[c] > 0
        if kinds < 2 or total < 2 * max(least, 1) or nodes[at, DEPTH] >= max_depth:
            continue
        all_mass = mass(whole, total, terms, criterion, scale)
        for j in range(columns):
            gains[j], infos[j] = 0, 0
            if not used[j]:
                continue
            values = _count_codes(codes[j], rows[low:high], y, avc, sizes, seen)
            if values > 1 and numeric[j]:
                gone = sizes[widths[j]]
                numbers, best = values - (gone > 0), 0
                for side in range(1 if gone == 0 or numbers < 2 else 2):
                    size = side * gone
                    for c in range(classes):
                        left[c] = avc[widths[j], c] if side == 1 and gone > 0 else 0
                    for i in range(numbers - (side == 1 or gone == 0)):
                        v = seen[i]
                        size += sizes[v]
                        for c in range(classes):
                            left[c] += avc[v, c]
                            right[c] = whole[c] - left[c]
                        if size < least or total - size < least:
                            continue
                        gain = all_mass - mass(left, size, terms, criterion, scale)
                        gain -= mass(right, total - size, terms, criterion, scale)
                        if quantised(gain) <= best:
                            continue
                        if not passes(size, left, room, test):
                            continue
                        if not passes(total - size, right, room, test):
                            continue
                        best, gains[j] = quantised(gain), gain
                        infos[j] = terms[total] - terms[size] - terms[total - size]
                        cuts[j, 0], cuts[j, 1], cuts[j, 2] = v, seen[i + 1], -1 if gone == 0 else 1 - side
            elif values > 1:
                table, parts = np.empty((values, classes), dtype=np.int64), np.empty(values, dtype=np.int64)
                fails, into = np.zeros(values, dtype=np.bool_), np.arange(values)
                failing = 0
                for i in range(values):
                    parts[i] = sizes[seen[i]]
                    for c in range(classes):
                        table[i, c] = avc[seen[i], c]
                    fails[i] = parts[i] < min_leaf or not passes(parts[i], table[i], room, test)
                    failing += fails[i]
                if failing > 0 and merge:
                    _merged(table, parts, fails, into, nothing, test)
                gain, info, large, kept, ok = all_mass, terms[total], 0, 0, failing == 0 or merge
                for i in range(values):
                    if into[i] != i:
                        continue
                    kept += 1
                    ok = ok and parts[i] >= min_leaf
                    ok = ok and passes(parts[i], table[i], room, test)
                    large += parts[i] >= min_branch
                    gain -= mass(table[i], parts[i], terms, criterion, scale)
                    info -= terms[parts[i]]
                if ok and kept > 1 and large > 1:
                    gains[j], infos[j] = gain, info
                for i in range(values):
                    families[j, seen[i]] = into[i]
            for i in range(values):
                sizes[seen[i]] = 0
                for c in range(classes):
                    avc[seen[i], c] = 0
        chosen = choose_column(gains, infos, criterion)
        if chosen < 0:
            continue
        nodes[at, COLUMN] = chosen
        nodes[at, CUT_LOW], nodes[at, CUT_HIGH], nodes[at, MISSING] = cuts[chosen, 0], cuts[chosen, 1], cuts[chosen, 2]
        if not numeric[chosen]:
            nodes[at, ANSWER] = listed
            column, values = codes[chosen], 0
            for i in range(low, high):
                v = column[rows[i]]
                if sizes[v] == 0:
                    seen[values] = v
                    values += 1
                sizes[v] = 1
            seen[:values].sort()
            answers = _larger(answers, listed + values)
            nodes[at, CUT_LOW], number = values, 0
            for i in range(values):
                sizes[seen[i]] = 0
                if families[chosen, seen[i]] == i:
                    spare[low + i] = number
                    number += 1
            for i in range(values):
                answers[listed, 0], answers[listed, 1] = seen[i], spare[low + families[chosen, seen[i]]]
                listed += 1
        nodes, made = _children(nodes, made, at, records, widest, answers, listed, spare)
    return nodes[:made], answers[:listed]


@kernel
def locate(nodes: I64, answers: I64, codes: I32, widths: I64, rows: I64) -> I64:
    """The node at which each record ends."""
    first, largest = np.full(len(nodes), -1, dtype=np.int64), np.full(len(nodes), -1, dtype=np.int64)
    for i in range(1, len(nodes)):
        up = nodes[i, PARENT]
        if first[up] < 0:
            first[up] = i
        most = largest[up]
        if most < 0 or nodes[i, HIGH] - nodes[i, LOW] > nodes[most, HIGH] - nodes[most, LOW]:
            largest[up] = i
    ends = np.zeros(len(rows), dtype=np.int64)
    for r in range(len(rows)):
        at = 0
        while nodes[at, COLUMN] >= 0:
            j = nodes[at, COLUMN]
            v, following = codes[j, rows[r]], largest[at]
            if nodes[at, ANSWER] >= 0:
                for i in range(nodes[at, ANSWER], nodes[at, ANSWER] + nodes[at, CUT_LOW]):
                    if answers[i, 0] == v:
                        following = first[at] + answers[i, 1]
                        break
            elif v != widths[j]:
                following = first[at] + (2 * v >= nodes[at, CUT_LOW] + nodes[at, CUT_HIGH] + 1)
            elif nodes[at, MISSING] >= 0:
                following = first[at] + nodes[at, MISSING]
            at = following
        ends[r] = at
    return ends
