"""Scoring every column of a table at every node of a level, from class counts carried by its records.

The arithmetic is that of `mining.trees._tree_kernels.grow`, where each record counts once; here a record counts for
all joined records it stands for, so the scores of equal class counts are equal to the last unit.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel, prefetch
from confide.join.tree._join_kernels import collect, mark
from confide.join.tree.entries import Entries
from confide.join.tree.layout import CodeColumns
from confide.mining.trees.arrays import LEFT, RIGHT
from confide.mining.trees.impurity_kernels import GINI, QUANTUM_BITS, gini_mass, quantised, term

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
U64 = NDArray[np.uint64]
F64 = NDArray[np.float64]

BLOCK = 16
LOW_HALF = 0xFFFFFFFF

# log2(m) for 1 <= m < 2 as a polynomial in m - 1.5 (Chebyshev points, degree 9), and a bound on its error.
LOG2 = (
    0.5849624946482888,
    0.9617966976201252,
    -0.3205976856665405,
    0.14248766166831364,
    -0.07128261382759149,
    0.03802026999910133,
    -0.020688410343063884,
    0.011806549768152763,
    -0.008869569714806857,
    0.005283498678181786,
)
LOG2_ERROR = 1e-8
CHUNK = 512
QUANTUM = float(1 << QUANTUM_BITS)
FEW = 32
NEVER = -1e300
MANTISSA, ONE = 0x000FFFFFFFFFFFFF, 0x3FF0000000000000


class SplitRules(NamedTuple):
    """Which splits count, and for how much: the criterion's code, units per bit, and the least records of a leaf and
    of each of two branches.
    """

    criterion: int
    scale: float
    min_leaf: int
    min_branch: int


class Nodes(NamedTuple):
    """Nodes to score: their places in the level, and their class counts."""

    which: I64
    totals: I64


class ColumnScores(NamedTuple):
    """What is found for column j at node i: gain and split information, 0 where no split qualifies; the cut; branches.

    `cuts[i, j]` are the codes on both sides of a numeric cut, and where missing numbers go (0: there are none);
    `branches[i, j]` the children the split makes.
    """

    gains: I64
    infos: I64
    cuts: I32
    branches: I32


class Tallies(NamedTuple):
    """Class counts by value of the columns of one pass: the j-th column's begin at base[j].

    They are plain in `avc`, a row a value, or, of two classes, packed in `sums`, the first in the low half; the other
    is empty.
    """

    base: I64
    avc: I64
    sums: U64


@kernel
def sum_entries(level: Entries, which: I64, totals: I64) -> None:
    """Add the class counts of the entries of node which[i] to totals[i]."""
    for i in range(len(which)):
        for e in range(level.start[which[i]], level.stop[which[i]]):
            for c in range(level.counts.shape[1]):
                totals[i, c] += level.counts[e, c]


@kernel
def count_values(
    codes: I32, first: int, last: int, level: Entries, packed: U64, low: int, high: int, tallies: Tallies
) -> None:
    """Add the class counts of the entries low..high - 1 to those of their values in columns first..last - 1.

    Records are taken in blocks, column by column, so that a block's codes are fetched once, and the next
    block's are asked for meanwhile. Unsigned indices spare the check for negative ones, a third of the time.
    """
    rows, counts, avc, sums = level.rows, level.counts, tallies.avc, tallies.sums
    classes = counts.shape[1]
    for e in range(low, min(low + BLOCK, high)):
        prefetch(codes, rows[e], first)
    for block in range(low, high, BLOCK):
        end = min(block + BLOCK, high)
        for e in range(end, min(end + BLOCK, high)):
            prefetch(codes, rows[e], first)
        for j in range(first, last):
            at = tallies.base[j - first]
            if len(packed) > 0:
                for e in range(block, end):
                    sums[np.uint64(at + codes[np.uint32(rows[e]), j])] += packed[e]
            else:
                for e in range(block, end):
                    v = np.uint64(at + codes[np.uint32(rows[e]), j])
                    for c in range(classes):
                        avc[v, c] += counts[e, c]


@kernel
def add_logs(x: F64, bits: I64, mantissa: I64, m: F64, n: int, sign: float, sums: F64) -> None:
    """Add sign * x * log2(x) to the first n of `sums`, to within LOG2_ERROR * x; straight code, run in lanes.

    `bits` are those of x, and `m` the numbers whose bits are `mantissa`: two views of the same memory each.
    """
    for i in range(n):
        mantissa[i] = (bits[i] & MANTISSA) | ONE
    for i in range(n):
        t = m[i] - 1.5
        p = LOG2[9]
        p = p * t + LOG2[8]
        p = p * t + LOG2[7]
        p = p * t + LOG2[6]
        p = p * t + LOG2[5]
        p = p * t + LOG2[4]
        p = p * t + LOG2[3]
        p = p * t + LOG2[2]
        p = p * t + LOG2[1]
        p = p * t + LOG2[0]
        sums[i] += sign * x[i] * (float((bits[i] >> 52) - 1023) + p)  # nothing where x is 0


@kernel
def move_counts(tallies: Tallies, at: int, width: int, listed: int, seen: I32, here: I64) -> int:
    """Move the counts of the values that occur to `here`, one row a value in order, leaving zeros; how many there are.

    The column's counts begin at `at`. `seen` has the values: `listed` of them already, or it gets them (listed < 0).
    """
    avc, sums = tallies.avc, tallies.sums
    classes = avc.shape[1]
    n = 0
    if len(sums) > 0:
        for k in range(width if listed < 0 else listed):
            v = k if listed < 0 else seen[k]
            both = sums[at + v]
            if both != np.uint64(0):
                sums[at + v] = np.uint64(0)
                here[n, 0] = np.int64(both & np.uint64(LOW_HALF))
                here[n, 1] = np.int64(both >> np.uint64(32))
                seen[n] = v
                n += 1
        return n
    for k in range(width if listed < 0 else listed):
        v = k if listed < 0 else seen[k]
        present = False
        for c in range(classes):
            here[n, c] = avc[at + v, c]
            present |= avc[at + v, c] > 0
            avc[at + v, c] = 0
        if present:
            seen[n] = v
            n += 1
    return n


@kernel
def outline_gains(here: I64, n: int, whole: I64, total: int, least: int, gains: F64) -> float:
    """The gain, in bits and less a constant, of a cut below each of n values, and the largest; fast, not exact.

    A cut that leaves fewer than `least` records on a side is worth NEVER. Off by at most 2 * total * LOG2_ERROR.
    """
    classes = len(whole)
    x, mantissa = np.empty(CHUNK, dtype=np.float64), np.empty(CHUNK, dtype=np.int64)
    bits, m = x.view(np.int64), mantissa.view(np.float64)
    left = np.zeros((classes + 1, CHUNK), dtype=np.float64)
    so_far = np.zeros(classes, dtype=np.float64)
    sums = np.zeros(CHUNK, dtype=np.float64)
    best = NEVER
    for begin in range(1, n, CHUNK):
        width = min(CHUNK, n - begin)
        for i in range(width):
            size = 0.0
            for c in range(classes):
                so_far[c] += float(here[begin + i - 1, c])
                left[c, i] = so_far[c]
                size += so_far[c]
            left[classes, i] = size
            sums[i] = 0.0
        for c in range(classes + 1):
            sign, all_of_it = -1.0, float(total)
            if c < classes:
                sign, all_of_it = 1.0, float(whole[c])
            for i in range(width):
                x[i] = left[c, i]
            add_logs(x, bits, mantissa, m, width, sign, sums)
            for i in range(width):
                x[i] = all_of_it - left[c, i]
            add_logs(x, bits, mantissa, m, width, sign, sums)
        for i in range(width):
            gain = sums[i]
            if left[classes, i] < least or total - left[classes, i] < least:
                gain = NEVER
            gains[begin + i] = gain
            best = max(best, gain)
    return best


@kernel
def mass_of(counts: I64, criterion: int, scale: float) -> int:
    """As `impurity_kernels.masses`, of one row."""
    total, terms, squares = np.int64(0), 0, 0.0
    for c in range(len(counts)):
        total += counts[c]
        if criterion == GINI:
            squares += float(counts[c]) * float(counts[c])
        else:
            terms += term(counts[c], scale)
    return gini_mass(total, squares, scale) if criterion == GINI else term(total, scale) - terms


@kernel
def best_cut(
    here: I64, n: int, whole: I64, total: int, rules: SplitRules, begin: int, outlined: F64
) -> tuple[int, int, int]:
    """The best cut of a numeric column: gain, split information, and the place (from `begin`) of the first value to go
    right.

    Logarithms are most of the work, so cuts are first outlined, and only those that may be best are scored: the first
    of the best scores is within a quantum of the largest gain, and that within twice the error of what was outlined.
    """
    classes = len(whole)
    criterion, scale = rules.criterion, rules.scale
    least = max(rules.min_leaf, rules.min_branch)  # both sides of a cut are leaves, and both its branches
    worth = NEVER
    if criterion != GINI and n >= FEW:
        worth = outline_gains(here, n, whole, total, least, outlined)
        worth -= 4.0 * LOG2_ERROR * total + (QUANTUM + 8.0 * classes + 16.0) / scale
    left, right = np.zeros(classes, dtype=np.int64), whole.copy()
    all_mass = mass_of(whole, criterion, scale)
    gain, info, cut, best, size = 0, 0, 0, 0, 0
    for k in range(1, n):
        for c in range(classes):
            count = here[k - 1, c]
            left[c] += count
            right[c] -= count
            size += count
        if k < begin or size < least or total - size < least or (worth != NEVER and outlined[k] < worth):
            continue
        here_gain = all_mass - mass_of(left, criterion, scale) - mass_of(right, criterion, scale)
        if quantised(here_gain) > best:
            best, gain, cut = quantised(here_gain), here_gain, k
            info = term(total, scale) - term(size, scale) - term(total - size, scale)
    return gain, info, cut


@kernel
def gain_apart(here: I64, n: int, whole: I64, total: int, rules: SplitRules) -> tuple[int, int]:
    """Gain and split information of setting all categories apart.

    Zeros unless each of them has min_leaf records, and two have min_branch.
    """
    criterion, scale = rules.criterion, rules.scale
    gain, info, large = mass_of(whole, criterion, scale), term(total, scale), 0
    for k in range(n):
        gain -= mass_of(here[k], criterion, scale)
        size = here[k, 0]
        for c in range(1, len(whole)):
            size += here[k, c]
        if size < rules.min_leaf:
            return 0, 0
        info -= term(size, scale)
        large += size >= rules.min_branch
    if large < 2:
        return 0, 0
    return gain, info


@kernel
def score_columns(
    columns: CodeColumns,
    first: int,
    last: int,
    level: Entries,
    packed: U64,
    nodes: Nodes,
    rules: SplitRules,
    scores: ColumnScores,
) -> None:
    """Write into `scores` the best split of columns first..last - 1 at every one of `nodes`.

    `packed` has both counts of an entry in one word, the first in the low half, or is empty. Missing numbers have the
    code gaps[j], the last, so they stay right of every cut; then they are tried on the left, and stay there if that
    gains more.
    """
    codes, widths, rows, totals = columns.codes, columns.widths, level.rows, nodes.totals
    gains, infos, cuts, branches = scores.gains, scores.infos, scores.cuts, scores.branches
    classes = level.counts.shape[1]
    base = np.zeros(last - first + 1, dtype=np.int64)
    widest = 1
    for j in range(first, last):
        widest = max(widest, widths[j])
        base[j - first + 1] = base[j - first] + widths[j]
    avc = np.zeros((0 if len(packed) > 0 else base[last - first], classes), dtype=np.int64)
    sums = np.zeros(base[last - first] if len(packed) > 0 else 0, dtype=np.uint64)
    tallies = Tallies(base, avc, sums)
    bits = np.zeros((widest >> 6) + 1, dtype=np.uint64)
    words = np.zeros((len(bits) >> 6) + 1, dtype=np.uint64)
    seen = np.empty(widest + 1, dtype=np.int32)
    here = np.empty((widest + 1, classes), dtype=np.int64)
    turned = np.empty((widest + 1, classes), dtype=np.int64)
    outlined = np.empty(widest + 1, dtype=np.float64)
    for i in range(len(nodes.which)):
        low, high = level.start[nodes.which[i]], level.stop[nodes.which[i]]
        total = totals[i, 0]  # not from a literal 0, for which numba would compile everything below a second time
        for c in range(1, classes):
            total += totals[i, c]
        count_values(codes, first, last, level, packed, low, high, tallies)
        for j in range(first, last):
            listed = -1
            if 4 * (high - low) < widths[j]:  # a node with few records of a wide column must not pay for the width
                for e in range(low, high):
                    mark(bits, words, codes[rows[e], j])
                listed = collect(bits, words, seen)
            n = move_counts(tallies, base[j - first], widths[j], listed, seen, here)
            if columns.numeric[j]:
                missing = n > 0 and seen[n - 1] == columns.gaps[j]
                gain, info, cut = best_cut(here, n, totals[i], total, rules, 1, outlined)
                gains[i, j], infos[i, j], branches[i, j] = gain, info, 2
                if cut > 0:
                    cuts[i, j, 0], cuts[i, j, 1] = seen[cut - 1], seen[cut]
                    cuts[i, j, 2] = RIGHT if missing else 0
                if missing and n > 2:
                    for c in range(classes):
                        turned[0, c] = here[n - 1, c]
                        for k in range(1, n):
                            turned[k, c] = here[k - 1, c]
                    # A cut below the first number would set the missing ones apart, as the last cut above did.
                    gain, info, cut = best_cut(turned, n, totals[i], total, rules, 2, outlined)
                    if quantised(gain) > quantised(gains[i, j]):
                        gains[i, j], infos[i, j] = gain, info
                        cuts[i, j, 0], cuts[i, j, 1], cuts[i, j, 2] = seen[cut - 2], seen[cut - 1], LEFT
            else:
                gain, info = gain_apart(here, n, totals[i], total, rules)
                gains[i, j], infos[i, j], branches[i, j] = gain, info, n
