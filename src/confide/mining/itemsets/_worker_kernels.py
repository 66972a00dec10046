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
from confide.mining.databases.database import Database
from confide.mining.databases.task import ALL, CLOSED, FOUND, MAXIMAL, SEARCH, WIDE, Task
from confide.mining.itemsets._all_kernels import mine_all
from confide.mining.itemsets._closed_kernels import mine_closed
from confide.mining.itemsets._dense_kernels import recheck
from confide.mining.itemsets._list_kernels import ListRoom, Plan, plan_list_task
from confide.mining.itemsets._maximal_kernels import mine_maximal
from confide.mining.itemsets._node_kernels import Branch, Notes
from confide.mining.itemsets._record_kernels import add_group, note
from confide.mining.itemsets.bitmap_kernels import ONE, ZERO, Bitmaps, common_count, lay_out, merge_equal
from confide.mining.itemsets.found import Seen

__all__ = ["worker"]

Longs = NDArray[np.int64]


@kernel
def _plan_word_task(database: Database, turn: int, pairs: Bitmaps, task: Task, room: ListRoom) -> Plan:
    """Prepare the search for the sets in which item `order[turn]` comes first; `pairs` are the database's columns.

    Fills `bit_supports`, `rows` and `row_weights` of the room.
    """
    order, masks, weights = database.order, database.words, database.word_weights
    kind, max_length, bit_supports = task.kind, task.max_length, room.bit_supports
    rows, row_weights = room.rows, room.row_weights
    none: Any = np.int64(0)  # as wide as what it stands beside: numba would not join the two types
    item = order[turn]
    support = database.supports[item]
    own = ONE << np.uint64(item)
    perfect, candidates, killers = ZERO, ZERO, ZERO
    # A closed set may turn out longer than the limit, so that its perfect extensions must be known in any case.
    others = range(0 if kind != ALL else turn + 1, len(order) if max_length > 1 or kind == CLOSED else 0)
    for other in others:
        if other == turn:
            continue
        b = order[other]
        bit = ONE << np.uint64(b)
        both = common_count(pairs, item * pairs.width, b * pairs.width)
        bit_supports[b] = both
        if both < task.min_support:
            continue
        if task.shortcuts and both == support:
            if other < turn:
                return Plan(none, Branch(ZERO, ZERO, ZERO, ZERO), none, none, none, none, none)
            perfect |= bit
        elif other < turn:
            killers |= bit
        else:
            candidates |= bit
    fixed = own if kind == ALL else own | perfect
    optional = perfect if kind == ALL else ZERO
    length: Any = np.int64(popcount(fixed))
    extra: Any = np.int64(popcount(optional))
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
    branch = Branch(fixed, optional, candidates, killers)
    return Plan(todo, branch, length, extra, len(database.supports), n_rows, none)


@kernel
def worker(queue: Longs, stop: Longs, database: Database, capacity: int, task: Task, seen: Seen, table: Longs) -> Any:
    """Claim items from `queue` until none is left, and search the sets in which each comes first.

    `queue` is the next item and the one at which to end. With `as_words` items are tried in the database's `order`;
    otherwise in their own, and an item whose universe exceeds `capacity`, at most 64, is handed back as wide. What is
    found is noted if `task.keep`, else counted in `table`.

    Gives (records, groups, universes, wide items); once `stop` is set, soon and incomplete.
    """
    supports, words = database.supports, database.words
    n_items = len(supports)
    room = _make_room(database)
    rows, row_weights = room.rows, room.row_weights
    hash_table = np.empty(max(4 * len(rows), 8), np.int32)
    blocks, levels = np.empty((64, 64), np.uint64), np.empty((3, 66, 64), np.int64)
    nothing: Any = np.int64(0)
    bitmaps, pairs = Bitmaps(words[:0], words[:0], nothing), Bitmaps(words, words, nothing)
    records, n = np.empty((1024, 3), np.uint64), 0
    groups, n_groups = np.empty((1024, 4), np.int64), 0
    universes, n_codes = np.empty(4096, np.int32), 0
    wide, n_wide = np.empty(n_items, np.int32), 0
    if database.as_words:
        used = ~ZERO if n_items == 64 else (ONE << np.uint64(n_items)) - ONE
        pairs = lay_out(words, database.word_weights, len(words), used, blocks, bitmaps)
        for i in range(n_items):
            room.universe[i] = database.codes[i]
    while True:
        turn = claim(queue)
        if turn >= queue[1] or stopped(stop):
            break
        if database.as_words:
            item = database.order[turn]
            plan = _plan_word_task(database, turn, pairs, task, room)
        else:
            item = turn
            plan = plan_list_task(database, item, capacity, task, room)
            seen.n_found[seen.thread] = 0  # bits mean other items now
        todo, branch, size = plan.todo, plan.branch, plan.size
        if todo == 0:
            continue
        if task.keep:
            groups, universes = add_group(groups, n_groups, universes, n_codes, turn, n, room.universe, size)
            n_groups += 1
            n_codes += size
        if todo & FOUND and task.keep:
            records = note(records, n, branch.fixed, branch.optional, supports[item])
            n += 1
        elif todo & FOUND:
            table[plan.length, plan.extra] += 1
        if todo & WIDE:
            wide[n_wide] = item
            n_wide += 1
        if not todo & SEARCH:
            continue
        n_rows = merge_equal(rows, row_weights, plan.n_rows, hash_table)
        bitmaps = lay_out(rows, row_weights, n_rows, branch.candidates | branch.killers, blocks, bitmaps)
        before, notes = n, Notes(task.keep or plan.n_outside > 0, table, records, n)
        if task.kind == ALL:
            records, n = mine_all(bitmaps, levels, branch, room.bit_supports, task, notes, stop)
        elif task.kind == CLOSED:
            records, n = mine_closed(bitmaps, levels, branch, room.bit_supports, task, notes, stop)
        else:
            records, n = mine_maximal(bitmaps, levels, branch, room.bit_supports, task, seen, notes, stop)
        if plan.n_outside:
            n = recheck(database, task, room.members, room.outside[: plan.n_outside], records, before, n)
            if not task.keep:
                for r in range(before, n):
                    table[np.int64(popcount(records[r, 0])), 0] += 1
                n = before
    return records[:n], groups[:n_groups], universes[:n_codes], wide[:n_wide]


@kernel
def _make_room(database: Database) -> ListRoom:
    """Scratch for a worker on this database: as many rows as its most frequent item has."""
    n_items, starts, dealt_starts = len(database.supports), database.starts, database.dealt_starts
    most = len(database.words)
    for i in range(len(starts) - 1):
        most = max(most, starts[i + 1] - starts[i])
    for i in range(dealt_starts.shape[1]):
        held = 0
        for part in range(len(dealt_starts)):
            held += database.dealt_ends[part, i] - dealt_starts[part, i]
        most = max(most, held)
    n_members = n_items + len(database.fixed) + len(database.optional) + 1
    return ListRoom(
        np.zeros(n_items, np.int64),
        np.empty(n_items, np.int32),
        np.zeros(n_items, np.uint64),
        np.empty((n_members, 3), np.int32),
        np.empty(n_members, np.int32),
        np.empty(n_members, np.int32),
        np.zeros(64, np.int64),
        np.empty(most, np.uint64),
        np.empty(most, np.int64),
    )
