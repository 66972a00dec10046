"""Searching a database of more than 64 frequent items: rows are lists until projection makes them words.

Items are numbered by ascending support (*ranks*), rows sorted by rank, and kept one after another with a -1 between:

    entries      -1  4 7 9  -1  0 7  -1  4 9  -1
    occurrences of 4: 2, 9      of 7: 3, 7      positions just behind the item

so the items that come after an item in its row are read from there up to the next -1, those before it downwards.
The task of item i counts the items beside it in all its rows. Those that are frequent with it are mostly few (a
dozen in T10I4D100K, of 870): when they and the items chosen so far fit into 64 bits, each row becomes a word and the
bitmap search takes over. Otherwise i is handed back as *wide*: the caller projects the database on i, which gives
another of the same form, with fewer items, and has that searched in turn. `_dense_kernels` has short cuts
for databases with columns.

In a projected database the items below `first` are killers only (see the closed and the maximal search); from there
on, each item is tried in turn, with those behind it as candidates and those before it as killers.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.mining.databases.database import Database
from confide.mining.databases.task import ALL, CLOSED, FOUND, MAXIMAL, SEARCH, WIDE, Task
from confide.mining.itemsets._dense_kernels import column_counts, column_masks
from confide.mining.itemsets._node_kernels import Branch
from confide.mining.itemsets.bitmap_kernels import ONE, ZERO

__all__ = ["ListRoom", "Plan", "plan_list_task", "project"]

FIXED, OPTIONAL, CANDIDATE, KILLER, OUTSIDE = 0, 1, 2, 3, 4

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


class ListRoom(NamedTuple):
    """Scratch of one worker. `counts` and `bits` are zero between two items; from `universe` on stands the result."""

    counts: Longs
    touched: Ints
    bits: NDArray[np.uint64]
    members: Ints
    outside: Ints
    universe: Ints
    bit_supports: Longs
    rows: NDArray[np.uint64]
    row_weights: Longs


class Plan(NamedTuple):
    """What an item leaves to do (`FOUND`, `SEARCH`, `WIDE`), and where: the branch, the lengths of its fixed and
    optional parts, how many codes, rows and killers outside are in the `Room`."""

    todo: int
    branch: Branch
    length: int
    extra: int
    size: int
    n_rows: int
    n_outside: int


@kernel
def _count_beside(database: Database, item: int, backwards: bool, counts: Longs, touched: Ints) -> Any:
    """Add up the weights of the items beside the occurrences of `item`; give how many were `touched`."""
    entries, occurrences, weights = database.entries, database.occurrences, database.weights
    n = 0
    for o in range(database.starts[item], database.starts[item + 1]):
        weight = weights[o]
        p = occurrences[o]
        other = entries[p]
        while other >= 0:
            if counts[other] == 0:
                touched[n] = other
                n += 1
            counts[other] += weight
            p += 1
            other = entries[p]
        if backwards:
            p = occurrences[o] - 2
            other = entries[p]
            while other >= 0:
                if counts[other] == 0:
                    touched[n] = other
                    n += 1
                counts[other] += weight
                p -= 1
                other = entries[p]
    return n


@kernel
def _look_up_pairs(database: Database, item: int, counts: Longs, touched: Ints) -> Any:
    """Give what `_count_beside` would, for items that are frequent with this one, from pairs counted before."""
    n = 0
    for e in range(database.near_starts[item], database.near_starts[item + 1]):
        touched[n] = database.near_items[e]
        counts[touched[n]] = database.near_counts[e]
        n += 1
    return n


@kernel
def _count_others(database: Database, task: Task, item: int, counts: Longs, touched: Ints) -> Any:
    """Count the items beside `item` in its rows, by the fastest way that the database has; give how many `touched`."""
    if database.width:
        return column_counts(database, item, item if task.kind == ALL else 0, counts, touched)
    if len(database.near_starts):
        return _look_up_pairs(database, item, counts, touched)
    return _count_beside(database, item, task.kind != ALL, counts, touched)


@kernel
def _dealt_masks(database: Database, item: int, masks: NDArray[np.uint64], mask_weights: Longs) -> Any:
    """Take the words of the rows of `item` that were made beforehand; give their number. No weights: 1 each."""
    dealt, weights, starts, ends = database.dealt, database.dealt_weights, database.dealt_starts, database.dealt_ends
    n = 0
    for part in range(len(starts)):
        for at in range(starts[part, item], ends[part, item]):
            masks[n], mask_weights[n] = dealt[at], weights[at] if len(weights) else 1
            n += 1
    return n


@kernel
def _row_masks(
    database: Database,
    item: int,
    backwards: bool,
    bits: NDArray[np.uint64],
    masks: NDArray[np.uint64],
    mask_weights: Longs,
) -> Any:
    """Turn the rows of `item` into words, dropping those that cannot count; give their number.

    A search for all sets (not `backwards`) knows the supports of pairs already and counts nothing shorter than
    three items, so a row needs two bits beside the item; the other searches compare rows, and need any.
    """
    entries, occurrences, weights = database.entries, database.occurrences, database.weights
    n = 0
    for o in range(database.starts[item], database.starts[item + 1]):
        mask = ZERO
        p = occurrences[o]
        other = entries[p]
        while other >= 0:
            mask |= bits[other]
            p += 1
            other = entries[p]
        if backwards:
            p = occurrences[o] - 2
            other = entries[p]
            while other >= 0:
                mask |= bits[other]
                p -= 1
                other = entries[p]
        if mask if backwards else mask & (mask - ONE):
            masks[n], mask_weights[n] = mask, weights[o]
            n += 1
    return n


@kernel
def project(database: Database, item: int, task: Task) -> Any:
    """The rows that hold `item`, cut down to the items frequent with it, as a database of the same form.

    Gives (entries, starts, occurrences, weights, supports, kept, first, perfect): `kept` are the old numbers of its
    items, `perfect` those left out because every one of the rows holds them. `first` is as in the essay above.
    """
    entries, occurrences, supports = database.entries, database.occurrences, database.supports
    n_items = len(supports)
    counts, touched = np.zeros(n_items, np.int64), np.empty(n_items, np.int32)
    begin, end = database.starts[item], database.starts[item + 1]
    n = _count_others(database, task, item, counts, touched)
    numbers = np.full(n_items, -1, np.int32)
    kept, perfect, new_supports = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int64)
    n_kept, n_perfect, first = 0, 0, 0
    for t in range(n_items):
        if task.shortcuts and counts[t] == supports[item]:
            perfect[n_perfect] = t
            n_perfect += 1
        elif counts[t] >= task.min_support:
            numbers[t] = n_kept
            kept[n_kept], new_supports[n_kept] = t, counts[t]
            n_kept += 1
            first += t < item
    # Weights make this more than is needed; what is not used is cut off.
    n_entries = end - begin + 1
    for i in range(n_kept):
        n_entries += new_supports[i]
    new_entries, row_weights = np.empty(n_entries, np.int32), np.empty(end - begin, np.int32)
    new_starts = np.zeros(n_kept + 1, np.int64)
    new_entries[0] = -1
    at = 1
    n_rows = 0
    for o in range(begin, end):
        before = at
        p = occurrences[o]
        if task.kind != ALL:
            while entries[p - 1] >= 0:
                p -= 1
        while entries[p] >= 0:
            number = numbers[entries[p]]
            if number >= 0:
                new_entries[at] = number
                new_starts[number + 1] += 1
                at += 1
            p += 1
        if at > before:
            row_weights[n_rows] = database.weights[o]
            n_rows += 1
            new_entries[at] = -1
            at += 1
    for i in range(n_kept):
        new_starts[i + 1] += new_starts[i]
    new_occurrences = np.empty(new_starts[-1], np.int32)
    new_weights = np.empty(new_starts[-1], np.int32)
    fill = new_starts[:-1].copy()
    r = 0
    for p in range(1, at):
        number = new_entries[p]
        if number < 0:
            r += 1
            continue
        new_occurrences[fill[number]] = p + 1
        new_weights[fill[number]] = row_weights[r]
        fill[number] += 1
    return (
        new_entries[:at].copy(), new_starts, new_occurrences, new_weights, new_supports[:n_kept],
        kept[:n_kept], first, perfect[:n_perfect],
    )  # fmt: skip


@kernel
def _assign_roles(task: Task, item: int, support: int, counts: Longs, touched: Ints, members: Ints, at: int) -> Any:
    """Sort the touched items that are frequent with `item` into roles, as members (number, role) from `at` on.

    Those in every row are optional in a search for all sets, and fixed in the others. Gives (end of the members,
    perfect ones, candidates, whether a killer is perfect, which ends the branch).
    """
    perfect = OPTIONAL if task.kind == ALL else FIXED
    n_perfect, n_candidates, dead = 0, 0, False
    for other in touched:
        if counts[other] < task.min_support:
            continue
        if task.shortcuts and counts[other] == support:
            role = perfect
            n_perfect += 1
            dead = dead or other < item
        elif other < item:
            role = KILLER
        else:
            role = CANDIDATE
            n_candidates += 1
        members[at, 1], members[at, 2] = other, role
        at += 1
    return at, n_perfect, n_candidates, dead


@kernel
def _sort_members(members: Ints, n: int) -> None:
    """Sort the first `n` members (code, number, role) by code. Mostly a dozen: insertion."""
    for i in range(1, n):
        code, number, role = members[i, 0], members[i, 1], members[i, 2]
        j = i - 1
        while j >= 0 and members[j, 0] > code:
            for part in range(3):
                members[j + 1, part] = members[j, part]
            j -= 1
        members[j + 1, 0], members[j + 1, 1], members[j + 1, 2] = code, number, role


@kernel
def plan_list_task(database: Database, item: int, capacity: int, task: Task, room: ListRoom) -> Plan:
    """Prepare the search for the sets in which `item` comes first.

    The database holds the rows with all of its `fixed` codes; every row also holds all of its `optional` ones. Fills
    `universe`, `bit_supports`, `rows` and `row_weights` of the room, and leaves its `counts` and `bits` zero.
    """
    kind, max_length, width = task.kind, task.max_length, database.width
    counts, touched, bits, members, outside, universe, bit_supports, rows, row_weights = room
    n_touched = 0
    if len(database.fixed) + 1 < max_length or kind == CLOSED:
        n_touched = _count_others(database, task, item, counts, touched)
    given = 0
    for code in database.fixed:
        members[given, 0], members[given, 1], members[given, 2] = code, -1, FIXED
        given += 1
    for code in database.optional:
        members[given, 0], members[given, 1], members[given, 2] = code, -1, OPTIONAL
        given += 1
    members[given, 0], members[given, 1], members[given, 2] = database.codes[item], item, FIXED
    n_members, n_perfect, n_candidates, dead = _assign_roles(
        task, item, database.supports[item], counts, touched[:n_touched], members, given + 1
    )
    own = given + 1 + n_perfect
    length = len(database.fixed) + 1 if kind == ALL else own
    todo = 0
    if (
        kind == ALL
        or (kind == CLOSED and length <= max_length)
        or (kind == MAXIMAL and (n_members == own or length == max_length))
    ):
        todo = FOUND
    # Killers may stay outside as long as columns are there to check them afterwards.
    n_outside = 0
    if width and own + n_candidates <= capacity:
        n_outside = max(0, n_members - capacity)
    if n_candidates > 0 and length < max_length:
        todo |= SEARCH if n_members - n_outside <= capacity else WIDE
    if dead:
        todo = 0
    # Candidates and killers are in the universe only if they are searched here.
    left_out = 0
    for i in range(given + 1, n_members):
        if members[i, 2] == KILLER and left_out < n_outside:
            members[i, 2] = OUTSIDE
            outside[left_out] = members[i, 1]
            left_out += 1
    size = 0
    for i in range(n_members):
        if i > given:
            members[i, 0] = database.codes[members[i, 1]]
        role = members[i, 2]
        if role == FIXED or role == OPTIONAL or (todo & SEARCH and role != OUTSIDE):
            for part in range(3):
                members[size, part] = members[i, part]
            size += 1
    fixed, optional, candidates, killers = ZERO, ZERO, ZERO, ZERO
    n_rows = 0
    _sort_members(members, size)
    for i in range(size):
        universe[i] = members[i, 0]
        if size > 64:
            continue
        bit = ONE << np.uint64(i)
        number, role = members[i, 1], members[i, 2]
        if role == FIXED:
            fixed |= bit
        elif role == OPTIONAL:
            optional |= bit
        else:
            bits[number] = bit
            bit_supports[i] = counts[number]
            if role == CANDIDATE:
                candidates |= bit
            else:
                killers |= bit
    if size > 64 and kind == ALL:
        optional = ~ZERO  # more itemsets than can be delivered; the caller sees that from this
    if todo & SEARCH and width:
        n_rows = column_masks(database, item, members, candidates | killers, rows, row_weights)
    elif todo & SEARCH and len(database.dealt):
        n_rows = _dealt_masks(database, item, rows, row_weights)
    elif todo & SEARCH:
        n_rows = _row_masks(database, item, kind != ALL, bits, rows, row_weights)
    for t in range(n_touched):
        counts[touched[t]] = 0
        bits[touched[t]] = ZERO
    return Plan(todo, Branch(fixed, optional, candidates, killers), length, own - length, size, n_rows, n_outside)
