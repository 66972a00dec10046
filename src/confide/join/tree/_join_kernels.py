"""Kernels of one table of a join: counts by join value, and the division of a node's records among its children.

Entries are records of a table at a node: `rows[e]` is the record and `counts[e]` its class counts, the joined records
it stands for. The entries of the i-th node of a `level` are `start[i]:stop[i]`. All arithmetic is on int64 and
exact; a kernel that would pass LIMIT, or meets counts that do not divide, says so and its result is not used.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel, trailing_zeros
from confide.join.tree.entries import Entries, SplitSummary

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
U64 = NDArray[np.uint64]

LIMIT = 1 << 62
SMALL = 1 << 31
FINE, TOO_LARGE, DOES_NOT_FIT = 0, 1, 2


class Splits(NamedTuple):
    """Splits of the nodes at places `which` of a level, one entry a node.

    Node which[i] splits on column[i]: numbers above code cut[i] go right, but for code gap[i]; where cut[i] is -1,
    every category that occurs is a child. Its children are first[i], first[i] + 1, ..., counted within one call.
    """

    which: I64
    column: I32
    cut: I32
    gap: I32
    first: I64


@kernel
def mark(bits: U64, words: U64, v: int) -> None:
    """Note that v occurs: `bits` has a bit for each value, `words` a bit for each word of `bits`."""
    word = v >> 6
    bits[word] |= np.uint64(1) << np.uint64(v & 63)
    words[word >> 6] |= np.uint64(1) << np.uint64(word & 63)


@kernel
def collect(bits: U64, words: U64, seen: I32) -> int:
    """List the marked values in ascending order and unmark them; how many there are."""
    n = 0
    for upper in range(len(words)):
        open_words = words[upper]
        words[upper] = np.uint64(0)
        while open_words != np.uint64(0):
            word = 64 * upper + int(trailing_zeros(open_words))
            open_words &= open_words - np.uint64(1)
            left = bits[word]
            bits[word] = np.uint64(0)
            while left != np.uint64(0):
                seen[n] = 64 * word + int(trailing_zeros(left))
                n += 1
                left &= left - np.uint64(1)
    return n


@kernel
def sum_by_key(keys: I32, counts: I64, sums: I64) -> int:
    """Add the counts of every record to the sums of its key; records of key -1 are left out."""
    for i in range(len(keys)):
        key = keys[i]
        if key >= 0:
            for c in range(counts.shape[1]):
                sums[key, c] += counts[i, c]
                if sums[key, c] > LIMIT:
                    return TOO_LARGE
    return FINE


@kernel
def order_by_key(keys: I32, n_keys: int, rows: I64) -> I64:
    """The records `rows`, by key; those of one key in the order given."""
    at = np.zeros(n_keys + 1, dtype=np.int64)
    for i in range(len(rows)):
        at[keys[rows[i]] + 1] += 1
    for key in range(n_keys):
        at[key + 1] += at[key]
    ordered = np.empty(len(rows), dtype=np.int64)
    for i in range(len(rows)):
        key = keys[rows[i]]
        ordered[at[key]] = rows[i]
        at[key] += 1
    return ordered


@kernel
def common_divisor(a: int, b: int) -> int:
    """The greatest common divisor of two positive numbers."""
    while b > 0:
        a, b = b, a % b
    return a


@kernel
def rescale_by_key(keys: I32, counts: I64, sums: I64, earlier: I64) -> int:
    """Make the records of every key add up to `sums` where they added up to `earlier`; shares stay as they are.

    t * s / s' is a whole number; reduced to t / (s'/g) * (s/g), no step passes the result.
    """
    times = np.zeros(sums.shape, dtype=np.int64)
    parts = np.ones(sums.shape, dtype=np.int64)
    for key in range(len(sums)):
        for c in range(sums.shape[1]):
            if sums[key, c] > 0 and earlier[key, c] > 0:
                g = common_divisor(sums[key, c], earlier[key, c])
                times[key, c] = sums[key, c] // g
                parts[key, c] = earlier[key, c] // g
    for i in range(len(keys)):
        key = keys[i]
        for c in range(counts.shape[1]):
            t = counts[i, c]
            if t == 0:
                continue
            if key < 0:
                counts[i, c] = 0
                continue
            share = t // parts[key, c]
            if share * parts[key, c] != t:
                return DOES_NOT_FIT
            if share > 0 and times[key, c] > LIMIT // share:
                return TOO_LARGE
            counts[i, c] = share * times[key, c]
    return FINE


@kernel
def branch_entries(
    codes: I32, widest: int, level: Entries, splits: Splits, branch: I32, values: I32, totals: I64
) -> None:
    """Write into branch[e] the child that entry e goes to, into `totals` the class counts of each child.

    `values` gets the code that leads to each child (0 and 1 for left and right); `widest` is the number of codes of
    the widest column.
    """
    rows, counts = level.rows, level.counts
    place = np.full(widest, -1, dtype=np.int32)
    for i in range(len(splits.which)):
        own = codes[:, splits.column[i]]
        low, high = level.start[splits.which[i]], level.stop[splits.which[i]]
        base, cut, gap = splits.first[i], splits.cut[i], splits.gap[i]
        if cut >= 0:
            values[base], values[base + 1] = 0, 1
            for e in range(low, high):
                v = own[np.uint32(rows[e])]
                branch[e] = 1 if v > cut and v != gap else 0
        else:
            largest = 0
            for e in range(low, high):
                v = own[np.uint32(rows[e])]
                place[v] = 0
                largest = max(largest, v)
            made = 0
            for v in range(largest + 1):
                if place[v] == 0:
                    place[v] = made
                    values[base + made] = v
                    made += 1
            for e in range(low, high):
                branch[e] = place[own[np.uint32(rows[e])]]
            for k in range(made):
                place[values[base + k]] = -1
        for e in range(low, high):
            for c in range(counts.shape[1]):
                totals[base + branch[e], c] += counts[e, c]


@kernel
def place_entries(level: Entries, which: I64, first: I64, branch: I32, kept: I32, born: Entries) -> None:
    """Copy the entries of the nodes `which` to their children, in order; kept[child] is -1 for a child let go.

    The children of node which[i] are numbered from first[i] on. `born` has room for the entries of the kept children:
    its `start` and `stop`, `rows` and `counts` are written.
    """
    at = np.zeros(len(born.start) + 1, dtype=np.int64)
    for i in range(len(which)):
        for e in range(level.start[which[i]], level.stop[which[i]]):
            child = kept[first[i] + branch[e]]
            if child >= 0:
                at[child + 1] += 1
    for child in range(1, len(at)):
        at[child] += at[child - 1]
    for child in range(len(born.start)):
        born.start[child], born.stop[child] = at[child], at[child + 1]
    for i in range(len(which)):
        for e in range(level.start[which[i]], level.stop[which[i]]):
            child = kept[first[i] + branch[e]]
            if child >= 0:
                born.rows[at[child]] = level.rows[e]
                for c in range(level.counts.shape[1]):
                    born.counts[at[child], c] = level.counts[e, c]
                at[child] += 1


@kernel
def summarise_children(
    keys: I32, n_keys: int, children: Entries, key_start: I64, out_keys: I32, out_counts: I64
) -> None:
    """Write the class counts of every child by join value: those of child i at key_start[i]:key_start[i + 1], values
    ascending. `keys` is the join value of each record, of `n_keys`.
    """
    rows, counts, start, stop = children.rows, children.counts, children.start, children.stop
    classes = counts.shape[1]
    sums = np.zeros((n_keys, classes), dtype=np.int64)
    bits = np.zeros((n_keys >> 6) + 1, dtype=np.uint64)
    words = np.zeros((len(bits) >> 6) + 1, dtype=np.uint64)
    seen = np.empty(n_keys + 1, dtype=np.int32)
    at = 0
    for i in range(len(start)):
        before = -1
        for e in range(start[i], stop[i]):
            key = keys[np.uint32(rows[e])]
            if key != before:
                mark(bits, words, key)
                before = key
            for c in range(classes):
                sums[key, c] += counts[e, c]
        n = collect(bits, words, seen)
        for k in range(n):
            out_keys[at] = seen[k]
            for c in range(classes):
                out_counts[at, c] = sums[seen[k], c]
                sums[seen[k], c] = 0
            at += 1
        key_start[i + 1] = at


@kernel
def divide_entries(
    keys: I32, n_keys: int, level: Entries, which: I64, summary: SplitSummary, child_start: I64
) -> tuple[int, I32, I64]:
    """Divide the entries of the nodes `which`, the parents of a neighbour's split summary, among their children.

    An entry of key v with count t gets t * s / s' in a child, s being the child's count at v and s' the node's (which
    this table knows itself). Entries left with nothing are dropped. Returns FINE or what is wrong, and the records and
    counts of the children; `child_start` gets where each child's begin and end.
    """
    rows, counts, start, stop = level.rows, level.counts, level.start, level.stop
    n_children, key_start, sent_keys, sent_counts = summary.n_children, summary.start, summary.keys, summary.counts
    classes = counts.shape[1]
    size = np.zeros(n_keys, dtype=np.int32)
    begin = np.zeros(n_keys, dtype=np.int64)
    sums = np.zeros((n_keys, classes), dtype=np.int64)
    seen = np.empty(n_keys, dtype=np.int32)
    widest, entries = 0, 0
    for i in range(len(which)):
        widest = max(widest, stop[which[i]] - start[which[i]])
        entries += stop[which[i]] - start[which[i]]
    bucket = np.empty(widest, dtype=np.int64)
    new_rows = np.empty(entries + entries // 2 + 64, dtype=np.int32)  # grows where a record goes to more children
    new_counts = np.empty((len(new_rows), classes), dtype=np.int64)
    share = np.empty(classes, dtype=np.int64)
    times = np.zeros(classes, dtype=np.int64)
    parts = np.ones(classes, dtype=np.int64)
    small = np.zeros(classes, dtype=np.bool_)
    made, child, status = 0, 0, FINE
    for i in range(len(which)):
        low, high = start[which[i]], stop[which[i]]
        n = 0
        for e in range(low, high):
            own = np.uint32(keys[np.uint32(rows[e])])
            if size[own] == 0:
                seen[n] = own
                n += 1
            size[own] += 1
            for c in range(classes):
                sums[own, c] += counts[e, c]
        at = 0
        for k in range(n):
            begin[seen[k]] = at
            at += size[seen[k]]
        for e in range(low, high):
            own = np.uint32(keys[np.uint32(rows[e])])
            bucket[begin[own]] = e
            begin[own] += 1
        for _ in range(n_children[i]):
            for k in range(key_start[child], key_start[child + 1]):
                key = sent_keys[k]
                if key < 0 or key >= n_keys or size[key] == 0:
                    status = DOES_NOT_FIT
                    break
                for c in range(classes):
                    s, whole = sent_counts[k, c], sums[key, c]
                    small[c] = whole < SMALL  # then t * s cannot overflow, and there is no need to reduce
                    if s < 0 or s > whole:
                        status = DOES_NOT_FIT
                    elif s == 0 or s == whole:
                        times[c], parts[c] = (0 if s == 0 else 1), 1
                    elif small[c]:
                        times[c], parts[c] = s, whole
                    else:
                        g = common_divisor(s, whole)
                        times[c], parts[c] = s // g, whole // g
                if made + size[key] > len(new_rows):
                    larger = 2 * (made + size[key])
                    more_rows = np.empty(larger, dtype=np.int32)
                    more_counts = np.empty((larger, classes), dtype=np.int64)
                    for e in range(made):
                        more_rows[e] = new_rows[e]
                        for c in range(classes):
                            more_counts[e, c] = new_counts[e, c]
                    new_rows, new_counts = more_rows, more_counts
                for b in range(begin[key] - size[key], begin[key]):
                    e = bucket[b]
                    something = False
                    for c in range(classes):
                        t = counts[e, c]
                        if parts[c] > 1 and t > 0:
                            if small[c]:
                                t *= times[c]
                                part = t // parts[c]
                                exact = part * parts[c] == t
                            else:
                                part = t // parts[c]
                                exact = part * parts[c] == t
                                part *= times[c]
                            if not exact:
                                status = DOES_NOT_FIT
                            share[c] = part
                        else:
                            share[c] = t * times[c]
                        something |= share[c] > 0
                    if something:
                        new_rows[made] = rows[e]
                        for c in range(classes):
                            new_counts[made, c] = share[c]
                        made += 1
            child += 1
            child_start[child] = made
        for k in range(n):
            size[seen[k]] = 0
            for c in range(classes):
                sums[seen[k], c] = 0
        if status != FINE:
            break
    return status, new_rows[:made], new_counts[:made]
