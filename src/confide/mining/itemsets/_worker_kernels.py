"""The search as one thread runs it: claim an item, project the database on it, search what is left on bitmaps.

In a database of at most 64 frequent items every row is one word. The task of item i projects: it takes the rows that
hold i, and keeps of them the items that are frequent together with i, which the columns of the database tell. The tasks
of a database of more items are in `_list_kernels`.

One kernel serves both forms of the database. Numba compiles everything a kernel calls once more into it, so a second
worker would cost as many seconds again.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import claim, kernel, popcount, stopped
from confide.mining.databases.task import ALL, CLOSED, FOUND, MAXIMAL, SEARCH, WIDE
from confide.mining.itemsets._all_kernels import mine_all
from confide.mining.itemsets._bitmap_kernels import ONE, ZERO, columns, common_count, merge_equal
from confide.mining.itemsets._closed_kernels import mine_closed
from confide.mining.itemsets._dense_kernels import recheck
from confide.mining.itemsets._list_kernels import list_task
from confide.mining.itemsets._maximal_kernels import mine_maximal
from confide.mining.itemsets._record_kernels import add_group, note

__all__ = ["worker"]

Words = NDArray[np.uint64]
Longs = NDArray[np.int64]
Ints = NDArray[np.int32]


@kernel
def _word_task(
    task: int,
    order: Longs,
    supports: Longs,
    masks: Words,
    weights: Longs,
    pairs: Words,
    pair_shifts: Words,
    pair_width: int,
    kind: int,
    min_support: int,
    max_length: int,
    shortcuts: bool,
    bit_supports: Longs,
    rows: Words,
    row_weights: Longs,
) -> Any:
    """Prepare the search for the sets in which item `order[task]` comes first.

    `pairs` are the columns of the database. `bit_supports`, `rows` and `row_weights` take the result. Gives (what is
    to do, fixed, optional, candidates, killers, number of rows).
    """
    item = order[task]
    support = supports[item]
    own = ONE << np.uint64(item)
    perfect, candidates, killers = ZERO, ZERO, ZERO
    # A closed set may turn out longer than the limit, so that its perfect extensions must be known in any case.
    others = range(0 if kind != ALL else task + 1, len(order) if max_length > 1 or kind == CLOSED else 0)
    for other in others:
        if other == task:
            continue
        b = order[other]
        bit = ONE << np.uint64(b)
        both = common_count(pairs, item * pair_width, b * pair_width, pair_width, pair_shifts)
        bit_supports[b] = both
        if both < min_support:
            continue
        if shortcuts and both == support:
            if other < task:
                return 0, ZERO, ZERO, ZERO, ZERO, 0
            perfect |= bit
        elif other < task:
            killers |= bit
        else:
            candidates |= bit
    fixed = own if kind == ALL else own | perfect
    optional = perfect if kind == ALL else ZERO
    length = np.int64(popcount(fixed))
    todo = 0
    if kind == ALL or (kind == CLOSED and length <= max_length) or (kind == MAXIMAL and candidates | killers == ZERO):
        todo = FOUND
    n_rows = 0
    if candidates and length < max_length:
        todo |= SEARCH
        wanted = candidates | killers
        for r in range(len(masks)):
            if masks[r] & own and masks[r] & wanted:
                rows[n_rows], row_weights[n_rows] = masks[r] & wanted, weights[r]
                n_rows += 1
    return todo, fixed, optional, candidates, killers, n_rows


@kernel
def worker(
    queue: Longs,
    stop: Longs,
    as_words: bool,
    codes: Ints,
    supports: Longs,
    order: Longs,
    words: Words,
    word_weights: Longs,
    entries: Ints,
    starts: Longs,
    occurrences: Ints,
    weights: Ints,
    list_columns: Words,
    list_width: int,
    near_starts: Longs,
    near_items: Ints,
    near_counts: Ints,
    dealt: Words,
    dealt_weights: Ints,
    dealt_starts: Longs,
    dealt_ends: Longs,
    fixed_codes: Ints,
    optional_codes: Ints,
    capacity: int,
    kind: int,
    min_support: int,
    max_length: int,
    shortcuts: bool,
    seen: Words,
    n_seen: Longs,
    thread: int,
    keep: bool,
    table: Longs,
) -> Any:
    """Claim items from `queue` until none is left, and search the sets in which each comes first.

    `queue` is the next item and the one at which to end.
    `codes[i]` and `supports[i]` are those of item i. With `as_words` the database is `words`, bit i for item i, and
    items are tried in the `order` given; otherwise it is the lists `entries` (with `list_columns` if dense), and an
    item whose universe exceeds `capacity`, at most 64, is handed back as wide. `seen` and `n_seen` are the maximal
    sets known to all threads, of which this is number `thread`. What is found is noted if `keep`, else counted in
    `table`.

    Gives (records, groups, universes, wide items); once `stop` is set, soon and incomplete.
    """
    n_items = len(supports)
    most = len(words)
    for i in range(len(starts) - 1):
        most = max(most, starts[i + 1] - starts[i])
    for i in range(dealt_starts.shape[1]):
        held = 0
        for part in range(len(dealt_starts)):
            held += dealt_ends[part, i] - dealt_starts[part, i]
        most = max(most, held)
    rows, row_weights = np.empty(most, np.uint64), np.empty(most, np.int64)
    hash_table = np.empty(max(4 * most, 8), np.int32)
    blocks, levels = np.empty((64, 64), np.uint64), np.empty((3, 66, 64), np.int64)
    arena, shifts, pairs, pair_shifts = np.empty(0, np.uint64), np.empty(0, np.uint64), words, words
    pair_width = 0
    bit_supports = np.zeros(64, np.int64)
    counts, touched, bits = np.zeros(n_items, np.int64), np.empty(n_items, np.int32), np.zeros(n_items, np.uint64)
    members = np.empty((n_items + len(fixed_codes) + len(optional_codes) + 1, 3), np.int32)
    universe, outside = np.empty(len(members), np.int32), np.empty(len(members), np.int32)
    records, n = np.empty((1024, 3), np.uint64), 0
    groups, n_groups = np.empty((1024, 4), np.int64), 0
    universes, n_codes = np.empty(4096, np.int32), 0
    wide, n_wide = np.empty(n_items, np.int32), 0
    if as_words:
        used = ~ZERO if n_items == 64 else (ONE << np.uint64(n_items)) - ONE
        pairs, pair_shifts, pair_width = columns(words, word_weights, len(words), used, blocks, arena, shifts)
        for i in range(n_items):
            universe[i] = codes[i]
    while True:
        task = claim(queue)
        if task >= queue[1] or stopped(stop):
            break
        if as_words:
            item, size = order[task], n_items
            todo, fixed, optional, candidates, killers, n_rows = _word_task(
                task, order, supports, words, word_weights, pairs, pair_shifts, pair_width,
                kind, min_support, max_length, shortcuts, bit_supports, rows, row_weights,
            )  # fmt: skip
            length, extra, n_outside = np.int64(popcount(fixed)), np.int64(popcount(optional)), 0
        else:
            item = task
            todo, fixed, optional, candidates, killers, length, extra, size, n_rows, n_outside = list_task(
                item, codes, supports, entries, starts, occurrences, weights, list_columns, list_width,
                near_starts, near_items, near_counts, dealt, dealt_weights, dealt_starts, dealt_ends,
                fixed_codes, optional_codes, capacity, kind, min_support, max_length, shortcuts,
                counts, touched, bits, members, outside, universe, bit_supports, rows, row_weights,
            )  # fmt: skip
            n_seen[thread] = 0  # bits mean other items now
        if todo == 0:
            continue
        if keep:
            groups, universes = add_group(groups, n_groups, universes, n_codes, task, n, universe, size)
            n_groups += 1
            n_codes += size
        if todo & FOUND and keep:
            records = note(records, n, fixed, optional, supports[item])
            n += 1
        elif todo & FOUND:
            table[length, extra] += 1
        if todo & WIDE:
            wide[n_wide] = item
            n_wide += 1
        if not todo & SEARCH:
            continue
        n_rows = merge_equal(rows, row_weights, n_rows, hash_table)
        arena, shifts, width = columns(rows, row_weights, n_rows, candidates | killers, blocks, arena, shifts)
        before, noting = n, keep or n_outside > 0
        if kind == ALL:
            records, n = mine_all(
                arena, shifts, width, levels, candidates, fixed, optional, bit_supports,
                min_support, max_length, shortcuts, noting, table, records, n, stop,
            )  # fmt: skip
        elif kind == CLOSED:
            records, n = mine_closed(
                arena, shifts, width, levels, candidates, killers, fixed, bit_supports,
                min_support, max_length, noting, table, records, n, stop,
            )  # fmt: skip
        else:
            records, n = mine_maximal(
                arena, shifts, width, levels, candidates, killers, fixed, bit_supports,
                min_support, max_length, shortcuts, seen, n_seen, thread, noting, table, records, n, stop,
            )  # fmt: skip
        if n_outside:
            n = recheck(
                list_columns, list_width, members, outside, n_outside,
                kind, min_support, max_length, records, before, n,
            )  # fmt: skip
            if not keep:
                for r in range(before, n):
                    table[np.int64(popcount(records[r, 0])), 0] += 1
                n = before
    return records[:n], groups[:n_groups], universes[:n_codes], wide[:n_wide]
