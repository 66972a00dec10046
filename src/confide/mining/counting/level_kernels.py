"""Kernels of level-wise mining: arrays in, arrays out.

A database is searched in two forms. *Rows* hold, record after record, the ranks of the frequent items, ascending:

    starts  0     2        5  5           record r is rows[starts[r]:starts[r + 1]]
    rows    0 4 | 1 2 4 |  | 3

*Columns* hold one bit a record: bit r & 63 of columns[i, r >> 6] says whether record r holds the item of rank i.
Pairs are counted from rows (one increment for each pair of each record: cheap while records are short) or from
columns (one AND and popcount for each pair and 64 records, however full they are); longer sets from columns only.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel, popcount

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]

__all__ = [
    "count_items",
    "count_sets",
    "fill_columns",
    "filter_rows",
    "find_row",
    "find_rows",
    "join",
    "pair_work",
    "pairs_by_columns",
    "pairs_by_rows",
    "trim_rows",
]


@kernel
def count_items(indices: I32, first: int, last: int, items: int) -> I64:
    """For each item code, how often it stands in indices[first:last]."""
    # Four tables in turn: an item that soon comes again would wait for its own count to be stored.
    counts = np.zeros((4, items), dtype=np.int32)
    whole = first + (last - first) // 4 * 4
    for j in range(first, whole, 4):
        counts[0, np.uint32(indices[j])] += 1
        counts[1, np.uint32(indices[j + 1])] += 1
        counts[2, np.uint32(indices[j + 2])] += 1
        counts[3, np.uint32(indices[j + 3])] += 1
    for j in range(whole, last):
        counts[0, np.uint32(indices[j])] += 1
    total = np.zeros(items, dtype=np.int64)
    for i in range(items):
        total[i] = np.int64(counts[0, i]) + counts[1, i] + counts[2, i] + counts[3, i]
    return total


@kernel
def filter_rows(indptr: I64, indices: I32, rank: I32, first: int, last: int) -> Any:
    """Records first..last-1 as rows of the items whose `rank` is not negative.

    Ranks ascend with codes, so the rows come out ascending.
    """
    # One more than can be kept: what is not kept is written too, and overwritten. Whether an item is frequent
    # cannot be predicted, so a branch would cost more. Unsigned positions spare the check for negative ones.
    rows = np.empty(indptr[last] - indptr[first] + 1, dtype=np.int32)
    starts = np.empty(last - first + 1, dtype=np.int64)
    end: Any = 0
    for r in range(first, last):
        starts[r - first] = end
        for j in range(indptr[r], indptr[r + 1]):
            at = rank[np.uint32(indices[j])]
            rows[end] = at
            end += np.int64(1) + (np.int64(at) >> np.int64(63))
    starts[last - first] = end
    return starts, rows[:end]


@kernel
def trim_rows(starts: I64, rows: I32, rank: I32, shortest: int) -> Any:
    """The rows with new ranks, without items whose rank is negative, and without records of fewer than `shortest`."""
    kept = np.empty(starts[-1] - starts[0] + 1, dtype=np.int32)
    ends = np.empty(len(starts), dtype=np.int64)
    ends[0] = 0
    records: Any = 0
    end: Any = 0
    for r in range(len(starts) - 1):
        if starts[r + 1] - starts[r] < shortest:
            continue
        begin = end
        for j in range(starts[r], starts[r + 1]):
            at = rank[np.uint32(rows[j])]
            kept[end] = at
            end += np.int64(1) + (np.int64(at) >> np.int64(63))
        if end - begin < shortest:
            end = begin
        else:
            records += 1
            ends[records] = end
    return ends[: records + 1], kept[:end]


@kernel
def pair_work(starts: I64, rows: I32, items: int) -> I64:
    """For each rank, the pairs that it comes first in: what counting its line of a table takes."""
    work = np.zeros(items, dtype=np.int64)
    for r in range(len(starts) - 1):
        end = starts[r + 1]
        for a in range(starts[r], end):
            work[rows[a]] += end - 1 - a
    return work


@kernel
def pairs_by_rows(starts: I64, rows: I32, first: int, table: I32) -> None:
    """Add to table[i - first, j], i < j, the rows that hold the items of ranks i and j, for each i the table has.

    Rows ascend. The first lines of all are filled from the beginning of each row, other lines from its end, so that
    what belongs to lines on one side of them is not even read.
    """
    for r in range(len(starts) - 1):
        end = starts[r + 1]
        for step in range(end - 1 - starts[r]):
            a = end - 2 - step if first > 0 else starts[r] + step
            i = rows[a] - first
            if i < 0 or (first == 0 and i >= len(table)):
                break
            if i >= len(table):
                continue
            line = table[i]
            for b in range(a + 1, end):
                line[np.uint32(rows[b])] += 1  # unsigned: no check for a negative place


@kernel
def fill_columns(indptr: I64, indices: I32, begins: U32, first: int, last: int, columns: U64) -> None:
    """Set the bits of records first..last-1, the first of which is bit 0, in columns that lie end to end.

    begins[code] is where the column of an item begins. Items that are not asked for have a column,
    too, one of some that are thrown away: that saves a branch.
    """
    for r in range(first, last):
        word, bit = np.uint64((r - first) >> 6), np.uint64(1) << np.uint64((r - first) & 63)
        for j in range(indptr[r], indptr[r + 1]):
            columns[np.uint64(begins[np.uint32(indices[j])]) + word] |= bit


@kernel
def pairs_by_columns(columns: U64, width: int, first: int, table: I32) -> None:
    """Add to table[i - first, j], i < j, the records that hold the items of ranks i and j; `width` words at a time.

    Four columns meet each other column at once, so that a word is loaded for four counts. What is not above the
    diagonal means nothing.
    """
    items, words = columns.shape
    fours = len(table) // 4 * 4
    for begin in range(0, words, width):
        end = min(begin + width, words)
        for i in range(0, fours, 4):
            c0, c1 = columns[first + i, begin:end], columns[first + i + 1, begin:end]
            c2, c3 = columns[first + i + 2, begin:end], columns[first + i + 3, begin:end]
            for j in range(first + i + 1, items):
                other = columns[j, begin:end]
                n0, n1, n2, n3 = np.uint64(0), np.uint64(0), np.uint64(0), np.uint64(0)
                for w in range(end - begin):
                    word = other[w]
                    n0 += popcount(c0[w] & word)
                    n1 += popcount(c1[w] & word)
                    n2 += popcount(c2[w] & word)
                    n3 += popcount(c3[w] & word)
                table[i, j] += np.int32(n0)
                table[i + 1, j] += np.int32(n1)
                table[i + 2, j] += np.int32(n2)
                table[i + 3, j] += np.int32(n3)
        for i in range(fours, len(table)):
            c0 = columns[first + i, begin:end]
            for j in range(first + i + 1, items):
                other = columns[j, begin:end]
                n0 = np.uint64(0)
                for w in range(end - begin):
                    n0 += popcount(c0[w] & other[w])
                table[i, j] += np.int32(n0)


@kernel
def count_sets(columns: U64, sets: I32, width: int) -> I64:
    """Count, for each of the sets (rows of ranks, in lexicographic order), the records that hold it.

    The intersections along one set are kept, and the next set goes on from the prefix that both have.
    """
    counts = np.zeros(len(sets), dtype=np.int64)
    n = sets.shape[1]
    path = np.empty((n, width), dtype=np.uint64)
    words = columns.shape[1]
    for begin in range(0, words, width):
        size = min(width, words - begin)
        for s in range(len(sets)):
            depth = 0
            if s > 0:
                while depth < n - 1 and sets[s, depth] == sets[s - 1, depth]:
                    depth += 1
            while depth < n - 1:
                own, here = columns[sets[s, depth], begin : begin + size], path[depth]
                if depth == 0:
                    for w in range(size):
                        here[w] = own[w]
                else:
                    above = path[depth - 1]
                    for w in range(size):
                        here[w] = above[w] & own[w]
                depth += 1
            own, above = columns[sets[s, n - 1], begin : begin + size], path[n - 2]
            found = np.uint64(0)
            for w in range(size):
                found += popcount(above[w] & own[w])
            counts[s] += np.int64(found)
    return counts


@kernel
def find_row(sets: I32, wanted: I32) -> int:
    """Where among the sets (rows in lexicographic order) `wanted` is, or -1."""
    low, high = 0, len(sets)
    n = sets.shape[1]
    while low < high:
        middle = (low + high) // 2
        k = 0
        while k < n and sets[middle, k] == wanted[k]:
            k += 1
        if k == n:
            return middle
        if sets[middle, k] < wanted[k]:
            low = middle + 1
        else:
            high = middle
    return -1


@kernel
def find_rows(sets: I32, wanted: I32) -> I64:
    """Where among the sets each row of `wanted` is, or -1."""
    found = np.empty(len(wanted), dtype=np.int64)
    for i in range(len(wanted)):
        found[i] = find_row(sets, wanted[i])
    return found


@kernel
def join(sets: I32, group: I32) -> Any:
    """Candidates one item longer than `sets` (rows in lexicographic order), all of whose parts are among the sets.

    Gives (candidates, parts): parts[c, i] is the number of candidate c without its item i. Items of the same
    non-negative `group` exclude each other: no record holds two of them.
    """
    m, n = sets.shape
    room = max(16, 2 * m)
    made = np.empty((room, n + 1), dtype=np.int32)
    parts = np.empty((room, n + 1), dtype=np.int64)
    wanted = np.empty(n, dtype=np.int32)
    count = 0
    for a in range(m):
        for b in range(a + 1, m):
            k = 0
            while k < n - 1 and sets[a, k] == sets[b, k]:
                k += 1
            if k < n - 1:
                break
            x, y = sets[a, n - 1], sets[b, n - 1]
            if group[x] >= 0 and group[x] == group[y]:
                continue
            if count == room:
                room *= 2
                larger, more = np.empty((room, n + 1), dtype=np.int32), np.empty((room, n + 1), dtype=np.int64)
                for c in range(count):
                    for k in range(n + 1):
                        larger[c, k], more[c, k] = made[c, k], parts[c, k]
                made, parts = larger, more
            for k in range(n):
                made[count, k] = sets[a, k]
            made[count, n] = y
            parts[count, n], parts[count, n - 1] = a, b
            whole = True
            for skip in range(n - 1):
                for k in range(n):
                    wanted[k] = made[count, k if k < skip else k + 1]
                parts[count, skip] = find_row(sets, wanted)
                if parts[count, skip] < 0:
                    whole = False
                    break
            if whole:
                count += 1
    return made[:count], parts[:count]
