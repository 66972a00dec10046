"""Searching a database of more than 64 frequent items: rows are lists until projection makes them words.

Items are numbered by ascending support (*ranks*), rows sorted by rank, and kept one after another with a -1 between:

    entries      -1  4 7 9  -1  0 7  -1  4 9  -1
    occurrences of 4: 2, 9      of 7: 3, 7      positions just behind the item

so the items that come after an item in its row are read from there up to the next -1, those before it downwards.
The task of item i counts the items beside it in all its rows. Those that are frequent with it are mostly few (a
dozen in T10I4D100K, of 870): when they and the items chosen so far fit into 64 bits, each row becomes a word and the
bitmap search takes over. Otherwise i is handed back as *wide*: the caller projects the database on i, which gives
another of the same form, with fewer items, and has that searched in turn.

In a projected database the items below `first` are killers only (see the closed and the maximal search); from there
on, each item is tried in turn, with those behind it as candidates and those before it as killers.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.jit import kernel
from confide.mining._itemset_bitmap_kernels import ONE, ZERO
from confide.mining._itemset_mask_kernels import ALL, CLOSED, MAXIMAL, search
from confide.mining._itemset_queue_kernels import claim
from confide.mining._itemset_record_kernels import add_group, note

__all__ = ["list_worker", "project"]

FIXED, OPTIONAL, CANDIDATE, KILLER = 0, 1, 2, 3

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@kernel
def _count_beside(
    entries: Ints, occurrences: Ints, weights: Ints, begin: int, end: int,
    backwards: bool, counts: Longs, touched: Ints,
) -> Any:  # fmt: skip
    """Add up the weights of the items beside these occurrences; give how many were `touched`."""
    n = 0
    for o in range(begin, end):
        weight = weights[o]
        p = occurrences[o]
        item = entries[p]
        while item >= 0:
            if counts[item] == 0:
                touched[n] = item
                n += 1
            counts[item] += weight
            p += 1
            item = entries[p]
        if backwards:
            p = occurrences[o] - 2
            item = entries[p]
            while item >= 0:
                if counts[item] == 0:
                    touched[n] = item
                    n += 1
                counts[item] += weight
                p -= 1
                item = entries[p]
    return n


@kernel
def _row_masks(
    entries: Ints, occurrences: Ints, weights: Ints, begin: int, end: int,
    backwards: bool, bits: NDArray[np.uint64], masks: NDArray[np.uint64], mask_weights: Longs,
) -> Any:  # fmt: skip
    """Turn the rows of these occurrences into words, dropping empty ones; give their number."""
    n = 0
    for o in range(begin, end):
        mask = ZERO
        p = occurrences[o]
        item = entries[p]
        while item >= 0:
            mask |= bits[item]
            p += 1
            item = entries[p]
        if backwards:
            p = occurrences[o] - 2
            item = entries[p]
            while item >= 0:
                mask |= bits[item]
                p -= 1
                item = entries[p]
        if mask:
            masks[n], mask_weights[n] = mask, weights[o]
            n += 1
    return n


@kernel
def project(
    entries: Ints, starts: Longs, occurrences: Ints, weights: Ints, supports: Longs, item: int,
    backwards: bool, shortcuts: bool, min_support: int,
) -> Any:  # fmt: skip
    """The rows that hold `item`, cut down to the items frequent with it, as a database of the same form.

    Gives (entries, starts, occurrences, weights, supports, kept, first, perfect): `kept` are the old numbers of its
    items, `perfect` those left out because every one of the rows holds them. `first` is as in the essay above.
    """
    n_items = len(supports)
    counts, touched = np.zeros(n_items, np.int64), np.empty(n_items, np.int32)
    begin, end = starts[item], starts[item + 1]
    n = _count_beside(entries, occurrences, weights, begin, end, backwards, counts, touched)
    numbers = np.full(n_items, -1, np.int32)
    kept, perfect = np.empty(n, np.int32), np.empty(n, np.int32)
    n_kept, n_perfect, first = 0, 0, 0
    for t in np.sort(touched[:n]):
        if shortcuts and counts[t] == supports[item]:
            perfect[n_perfect] = t
            n_perfect += 1
        elif counts[t] >= min_support:
            numbers[t] = n_kept
            kept[n_kept] = t
            n_kept += 1
            first += t < item
    new_supports = counts[kept[:n_kept]]
    n_entries = 1
    for o in range(begin, end):
        n_entries += 1
        p = occurrences[o]
        while entries[p] >= 0:
            n_entries += numbers[entries[p]] >= 0
            p += 1
        p = occurrences[o] - 2
        while backwards and entries[p] >= 0:
            n_entries += numbers[entries[p]] >= 0
            p -= 1
    new_entries, row_weights = np.full(n_entries, -1, np.int32), np.empty(end - begin, np.int32)
    new_starts = np.zeros(n_kept + 1, np.int64)
    at = 1
    n_rows = 0
    for o in range(begin, end):
        before = at
        p = occurrences[o]
        if backwards:
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
            row_weights[n_rows] = weights[o]
            n_rows += 1
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
        new_entries[:at], new_starts, new_occurrences, new_weights, new_supports,
        kept[:n_kept], first, perfect[:n_perfect],
    )  # fmt: skip


@kernel
def _roles(
    item: int, support: int, counts: Longs, touched: Ints, n: int,
    shortcuts: bool, min_support: int, perfect: int, members: Ints, at: int,
) -> Any:  # fmt: skip
    """Sort the touched items that are frequent with `item` into roles, as members (number, role) from `at` on.

    Those in every row take the role `perfect`. Gives (end of the members, perfect ones, candidates, whether a killer
    is perfect, which ends the branch).
    """
    n_perfect, n_candidates, dead = 0, 0, False
    for t in range(n):
        other = touched[t]
        if counts[other] < min_support:
            continue
        if shortcuts and counts[other] == support:
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
        code, number, role = members[i]
        j = i - 1
        while j >= 0 and members[j, 0] > code:
            members[j + 1] = members[j]
            j -= 1
        members[j + 1, 0], members[j + 1, 1], members[j + 1, 2] = code, number, role


@kernel
def list_worker(
    queue: Longs,
    codes: Ints,
    supports: Longs,
    entries: Ints,
    starts: Longs,
    occurrences: Ints,
    weights: Ints,
    fixed_codes: Ints,
    optional_codes: Ints,
    capacity: int,
    kind: int,
    min_support: int,
    max_length: int,
    shortcuts: bool,
    keep: bool,
    table: Longs,
) -> Any:
    """Claim items from `queue` until none is left, and search the sets in which each is the first.

    The database holds the rows with all items of `fixed_codes`; every row also holds those of `optional_codes`.
    An item is wide when its universe exceeds `capacity`, at most 64. Gives (records, groups, universes, wide items).
    """
    n_items = len(supports)
    most = 0
    for i in range(n_items):
        most = max(most, starts[i + 1] - starts[i])
    # Scratch for the bitmap search, as in `mask_worker`; found maximal sets are private to one search here.
    blocks = np.empty((64, 64), np.uint64)
    levels = np.empty((3, 66, 64), np.int64)
    masks, mask_weights = np.empty(most, np.uint64), np.empty(most, np.int64)
    hash_table = np.empty(max(4 * most, 8), np.int32)
    bit_supports = np.zeros(64, np.int64)
    arena, shifts = np.empty(0, np.uint64), np.empty(0, np.uint64)
    found, n_found = np.zeros((1, 1 << 14 if kind == MAXIMAL else 1), np.uint64), np.zeros(1, np.int64)
    records, n = np.empty((1024, 3), np.uint64), 0
    groups, n_groups = np.empty((1024, 4), np.int64), 0
    universes, n_codes = np.empty(4096, np.int32), 0
    universe = np.empty(n_items + len(fixed_codes) + len(optional_codes) + 1, np.int32)
    wide, n_wide = np.empty(n_items, np.int32), 0
    counts, touched = np.zeros(n_items, np.int64), np.empty(n_items, np.int32)
    bits = np.zeros(n_items, np.uint64)
    members = np.empty((len(universe), 3), np.int32)  # code, number in this database, role
    for i in range(len(fixed_codes)):
        universe[i] = fixed_codes[i]
    for i in range(len(optional_codes)):
        universe[len(fixed_codes) + i] = optional_codes[i]
    given = len(fixed_codes) + len(optional_codes)
    while True:
        item = claim(queue)
        if item >= n_items:
            break
        support, begin, end = supports[item], starts[item], starts[item + 1]
        n_touched = 0
        if len(fixed_codes) + 1 < max_length or kind == CLOSED:
            n_touched = _count_beside(entries, occurrences, weights, begin, end, kind != ALL, counts, touched)
        for i in range(given):
            members[i, 0], members[i, 1], members[i, 2] = universe[i], -1, FIXED if i < len(fixed_codes) else OPTIONAL
        members[given, 0], members[given, 1], members[given, 2] = codes[item], -1, FIXED
        n_members, n_perfect, n_candidates, dead = _roles(
            item, support, counts, touched, n_touched, shortcuts, min_support,
            OPTIONAL if kind == ALL else FIXED, members, given + 1,
        )  # fmt: skip
        own = given + 1 + n_perfect
        length = len(fixed_codes) + 1 if kind == ALL else own
        is_found = kind == ALL or (kind == CLOSED and length <= max_length)
        is_found = is_found or (kind == MAXIMAL and (n_members == own or length == max_length))
        deeper = n_candidates > 0 and length < max_length
        if dead or not (is_found or deeper):
            for t in range(n_touched):
                counts[touched[t]] = 0
            continue
        searched = deeper and n_members <= capacity
        if deeper and not searched:
            wide[n_wide] = item
            n_wide += 1
        # Candidates and killers are members of the universe only if they are searched here.
        size = 0
        for i in range(n_members):
            if i > given:
                members[i, 0] = codes[members[i, 1]]
            if searched or members[i, 2] == FIXED or members[i, 2] == OPTIONAL:
                members[size] = members[i]
                size += 1
        fixed, optional, candidates, killers = ZERO, ZERO, ZERO, ZERO
        if size <= 64:
            _sort_members(members, size)
            for i in range(size):
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
        elif kind == ALL:
            optional = ~ZERO  # more itemsets than can be delivered; the caller sees that from this
        if keep:
            groups, universes = add_group(groups, n_groups, universes, n_codes, item, n, members[:size, 0], size)
            n_groups += 1
            n_codes += size
        if is_found and keep:
            records = note(records, n, fixed, optional, support)
            n += 1
        elif is_found:
            table[length, own - length] += 1
        if searched:
            n_masks = _row_masks(entries, occurrences, weights, begin, end, kind != ALL, bits, masks, mask_weights)
            n_found[0] = 0
            arena, shifts, records, n = search(
                masks, mask_weights, n_masks, hash_table, blocks, arena, shifts, levels, kind, candidates, killers,
                fixed, optional, bit_supports, min_support, max_length, shortcuts, found, n_found, 0,
                keep, table, records, n,
            )  # fmt: skip
        for t in range(n_touched):
            counts[touched[t]] = 0
            bits[touched[t]] = ZERO
    return records[:n], groups[:n_groups], universes[:n_codes], wide[:n_wide]
