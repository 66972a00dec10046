"""Counting moles by visiting every public itemset of at most p items once, for sparse data and small p.

An itemset is visited after the item it starts from, the others ascending: the records that hold it are known at each
node, as (record, place of the last item in it), so its support is their number, and what follows in the records are
its extensions. Minimal moles that breach h without being rare are looked up in a hash table. Nothing visited is kept.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel


class ShrinkingRecords(NamedTuple):
    """Records that shrink: record t is items[starts[t]:][:lengths[t]], ascending; who held an item, by item."""

    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    items: NDArray[np.int32]
    holder_starts: NDArray[np.int64]  # records that held v at first: holders[holder_starts[v]:holder_starts[v + 1]]
    holders: NDArray[np.int32]


class BreachTable(NamedTuple):
    """The minimal moles that breach h: set i is items[starts[i]:starts[i + 1]]; their hash table, and items' keys."""

    starts: NDArray[np.int64]
    items: NDArray[np.int32]
    keys: NDArray[np.uint64]
    slots: NDArray[np.int64]  # the number of a set plus one; 0 for none


@kernel
def hash_breaches(breaches: BreachTable) -> None:
    """Enter each set under the sum of its items' keys."""
    starts, items, keys, slots = breaches
    mask = np.uint64(len(slots) - 1)
    for i in range(len(starts) - 1):
        total = np.uint64(0)
        for at in range(starts[i], starts[i + 1]):
            total += keys[items[at]]
        slot = total & mask
        while slots[slot] != 0:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = i + 1


@kernel
def _breaches(path: NDArray[np.int64], size: int, breaches: BreachTable) -> bool:
    """Whether some part of path[:size] that has its last item is one of the sets."""
    starts, items, keys, slots = breaches
    mask = np.uint64(len(slots) - 1)
    for part in range(1, 1 << (size - 1)):
        total = keys[path[size - 1]]
        length = 1
        for bit in range(size - 1):
            if part >> bit & 1:
                total += keys[path[bit]]
                length += 1
        slot = total & mask
        while slots[slot] != 0:
            i = slots[slot] - 1
            if starts[i + 1] - starts[i] == length:
                same = 0
                for at in range(starts[i], starts[i + 1]):
                    if items[at] == path[size - 1]:
                        same += 1
                    for bit in range(size - 1):
                        if part >> bit & 1 and items[at] == path[bit]:
                            same += 1
                if same == length:
                    return True
            slot = (slot + np.uint64(1)) & mask
    return False


@kernel
def walk(
    first: int,
    stop: int,
    alone: bool,
    k: int,
    p: int,
    rows: ShrinkingRecords,
    breaches: BreachTable,
    found: NDArray[np.int64],
) -> int:
    """Add to `found`, for every item, the moles of 2 to p items that hold it and start from an item in first..stop-1;
    return how many those are.

    Those that start from v have items after v only, so that each mole is visited once; with `alone` they have any other
    items, so that all moles with v are visited.
    """
    starts, lengths, items = rows.starts, rows.lengths, rows.items
    holder_starts, holders = rows.holder_starts, rows.holders
    may_breach = len(breaches.starts) > 1
    n, room = len(found), 0
    for v in range(first, stop):
        here = 0
        for at in range(holder_starts[v], holder_starts[v + 1]):
            here += lengths[holders[at]]
        room = max(room, here)
    # At depth d a set has d + 1 items. Its records and places: the bucket of its last item among those of depth d.
    record, place = np.empty((p, room), dtype=np.int32), np.empty((p, room), dtype=np.int64)
    extension = np.empty((p, min(n, room)), dtype=np.int32)
    begin, count = np.zeros((p, n), dtype=np.int64), np.zeros((p, n), dtype=np.int64)
    n_extensions, at_extension = np.zeros(p, dtype=np.int64), np.zeros(p, dtype=np.int64)
    is_mole, moles = np.zeros(p, dtype=np.bool_), np.zeros(p, dtype=np.int64)
    path = np.zeros(p, dtype=np.int64)
    total_moles = 0
    for v in range(first, stop):
        size = 0
        for at in range(holder_starts[v], holder_starts[v + 1]):
            t = holders[at]
            position = starts[t]
            if not alone:
                while items[position] != v:
                    position += 1
                position += 1
            record[0, size], place[0, size] = t, position
            size += 1
        path[0], is_mole[0], moles[0] = v, False, 0
        lo, hi, d = 0, size, 0
        entering = True
        while d >= 0:
            if entering:  # count the extensions of path[: d + 1], whose records are record[d, lo:hi]
                known = 0
                for at in range(lo, hi):
                    t = record[d, at]
                    for position in range(place[d, at], starts[t] + lengths[t]):
                        w = items[position]
                        if w == v:
                            continue
                        if count[d, w] == 0:
                            extension[d, known] = w
                            known += 1
                        count[d, w] += 1
                last = d + 2 == p
                if last:
                    for at in range(known):
                        w = extension[d, at]
                        path[d + 1] = w
                        if is_mole[d] or count[d, w] < k or (may_breach and _breaches(path, p, breaches)):
                            found[w] += 1
                            moles[d] += 1
                        count[d, w] = 0
                    known = 0
                else:
                    total = 0
                    for at in range(known):
                        begin[d, extension[d, at]] = total
                        total += count[d, extension[d, at]]
                    for at in range(lo, hi):
                        t = record[d, at]
                        for position in range(place[d, at], starts[t] + lengths[t]):
                            w = items[position]
                            if w != v:
                                record[d + 1, begin[d, w]], place[d + 1, begin[d, w]] = t, position + 1
                                begin[d, w] += 1
                n_extensions[d], at_extension[d] = known, 0
            if at_extension[d] < n_extensions[d]:
                w = extension[d, at_extension[d]]
                at_extension[d] += 1
                lo, hi = begin[d, w] - count[d, w], begin[d, w]
                path[d + 1] = w
                is_mole[d + 1] = is_mole[d] or count[d, w] < k or (may_breach and _breaches(path, d + 2, breaches))
                moles[d + 1] = 1 if is_mole[d + 1] else 0
                count[d, w] = 0
                d += 1
                entering = True
            else:
                found[path[d]] += moles[d]
                if d > 0:
                    moles[d - 1] += moles[d]
                else:
                    total_moles += moles[0]
                d -= 1
                entering = False
    return total_moles


@kernel
def remove_item(v: int, rows: ShrinkingRecords) -> None:
    """Take item v out of the records that hold it."""
    starts, lengths, items, holder_starts, holders = rows
    for at in range(holder_starts[v], holder_starts[v + 1]):
        t = holders[at]
        end = starts[t] + lengths[t]
        position = starts[t]
        while items[position] != v:
            position += 1
        while position + 1 < end:
            items[position] = items[position + 1]
            position += 1
        lengths[t] -= 1


@kernel
def insert_item(v: int, rows: ShrinkingRecords) -> None:
    """Undo `remove_item`: the records still have the room."""
    starts, lengths, items, holder_starts, holders = rows
    for at in range(holder_starts[v], holder_starts[v + 1]):
        t = holders[at]
        position = starts[t] + lengths[t]
        while position > starts[t] and items[position - 1] > v:
            items[position] = items[position - 1]
            position -= 1
        items[position] = v
        lengths[t] += 1
