"""Kernels that both mole searches share: counting, rows rewritten in ranks (0 is the rarest item), moles as found."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.array_kernels import copy_into
from confide.core.runtime.jit import kernel

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
U64 = NDArray[np.uint64]
Flags = NDArray[np.bool_]


class RankedRecords(NamedTuple):
    """What the searches read: records as ranks, ascending; the records of each rank; each record's private items."""

    row_ptr: I64
    rows: I32
    tid_ptr: I64
    tids: I32
    priv_ptr: I64
    privs: I32
    n_private: int


class MoleBounds(NamedTuple):
    """What makes a mole: fewer than `k` records, or more than `allowed[s]` of s records sharing a private item."""

    k: int
    allowed: I64


class FoundMoles(NamedTuple):
    """Moles of one size as a search finds them, with room for more: items, flat; supports; breached (else rare)."""

    items: I32
    supports: I32
    breach: Flags


@kernel
def no_moles(size: int, room: int) -> FoundMoles:
    """Room for so many moles of `size` items."""
    return FoundMoles(np.empty(room * size, np.int32), np.empty(room, np.int32), np.empty(room, np.bool_))


@kernel
def larger(array: Any, needed: int) -> Any:
    """The array at the start of one at least twice as long, and not shorter than `needed`."""
    grown = np.empty(max(2 * len(array), needed), array.dtype)
    copy_into(grown, array)
    return grown


@kernel
def with_moles(
    found: FoundMoles, n: int, path: I32, d: int, last: I32, supports: I64, new: int, breach: bool
) -> FoundMoles:
    """Write `new` moles behind the first n, with more room if needed: items path[1] .. path[d] and one of `last`."""
    room = len(found.supports)
    if n + new > room:
        room = max(2 * room, n + new)
        found = FoundMoles(
            larger(found.items, room * (d + 1)), larger(found.supports, room), larger(found.breach, room)
        )
    for i in range(new):
        at = (n + i) * (d + 1)
        for j in range(d):
            found.items[at + j] = path[j + 1]
        found.items[at + d] = last[i]
        found.supports[n + i] = supports[i]
        found.breach[n + i] = breach
    return found


@kernel
def filled(found: FoundMoles, n: int, size: int) -> tuple[I32, I32, Flags]:
    """The first n moles, without the room behind them."""
    return found.items[: n * size].copy(), found.supports[:n].copy(), found.breach[:n].copy()


@kernel
def item_counts(indices: I32, n_items: int) -> I64:
    """How often each code occurs."""
    counts = np.zeros(n_items, np.int64)
    for e in range(len(indices)):
        counts[indices[e]] += 1
    return counts


@kernel
def ranked_lengths(indptr: I64, indices: I32, rank: I32, start: int, stop: int, out: I64) -> None:
    """out[t + 1] = how many entries of row t have a rank, for the rows from start to stop."""
    for t in range(start, stop):
        kept = 0
        for e in range(indptr[t], indptr[t + 1]):
            kept += rank[indices[e]] >= 0
        out[t + 1] = kept


@kernel
def ranked_rows(indptr: I64, indices: I32, rank: I32, start: int, stop: int, row_ptr: I64, rows: I32) -> None:
    """Fill `rows` with the ranks of the entries that have one, ascending within each row."""
    for t in range(start, stop):
        at = row_ptr[t]
        for e in range(indptr[t], indptr[t + 1]):
            r = rank[indices[e]]
            if r >= 0:
                rows[at] = r
                at += 1
        first = row_ptr[t]
        if at - first > 40:
            rows[first:at].sort()
        else:
            for a in range(first + 1, at):
                r = rows[a]
                b = a - 1
                while b >= first and rows[b] > r:
                    rows[b + 1] = rows[b]
                    b -= 1
                rows[b + 1] = r


@kernel
def commonest_private(public_ptr: I64, public_tids: I32, priv_ptr: I64, privs: I32, n_private: int) -> I64:
    """For each public column, how many of its rows hold the private item commonest among them."""
    most = np.zeros(len(public_ptr) - 1, np.int64)
    counts = np.zeros(n_private, np.int64)
    for v in range(len(most)):
        best = 0
        for e in range(public_ptr[v], public_ptr[v + 1]):
            t = public_tids[e]
            for f in range(priv_ptr[t], priv_ptr[t + 1]):
                counts[privs[f]] += 1
                best = max(best, counts[privs[f]])
        most[v] = best
        for e in range(public_ptr[v], public_ptr[v + 1]):
            t = public_tids[e]
            for f in range(priv_ptr[t], priv_ptr[t + 1]):
                counts[privs[f]] = 0
    return most


@kernel
def to_codes(ranks: I32, size: int, code_of: I32) -> I32:
    """Sets of `size` ranks each, flat, as codes: one row each, ascending."""
    codes = np.empty((len(ranks) // size, size), np.int32)
    for i in range(len(codes)):
        for j in range(size):
            code = code_of[ranks[i * size + j]]
            b = j
            while b > 0 and codes[i, b - 1] > code:
                codes[i, b] = codes[i, b - 1]
                b -= 1
            codes[i, b] = code
    return codes


@kernel
def subset_moles(
    sets: I32, size: int, key_of_item: U64, slots: I64, table_sizes: I64, table_starts: I64, known: I32
) -> Flags:
    """For each row of `sets` (items ascending), whether a smaller known mole is part of it.

    `known` holds the smaller moles, flat; slot s of the hash table points at mole number slots[s] - 1, of size
    table_sizes, starting at table_starts. A set's key is the sum of its items' keys, so the keys of all 2**size subsets
    follow from one another; a hit is compared item by item.
    """
    found = np.zeros(len(sets), np.bool_)
    mask = np.uint64(len(slots) - 1)
    keys = np.zeros(1 << size, np.uint64)
    for i in range(len(sets)):
        for subset in range(1, (1 << size) - 1):
            low = 0
            while not subset >> low & 1:
                low += 1
            keys[subset] = keys[subset & (subset - 1)] + key_of_item[sets[i, low]]
            at = keys[subset] & mask
            while slots[at] != 0 and not found[i]:
                mole = slots[at] - 1
                if table_sizes[mole] < size and _is_mole(sets[i], subset, known, table_starts[mole], table_sizes[mole]):
                    found[i] = True
                at = (at + np.uint64(1)) & mask
            if found[i]:
                break
    return found


@kernel
def _is_mole(items: I32, subset: int, known: I32, start: int, size: int) -> bool:
    at = 0
    for j in range(len(items)):
        if subset >> j & 1:
            if at == size or known[start + at] != items[j]:
                return False
            at += 1
    return at == size


@kernel
def hash_table(known: I32, starts: I64, sizes: I64, key_of_item: U64, slots: I64) -> None:
    """Enter every known mole into `slots` (a power of two, zeros) at the sum of its items' keys."""
    mask = np.uint64(len(slots) - 1)
    for mole in range(len(sizes)):
        key = np.uint64(0)
        for e in range(starts[mole], starts[mole] + sizes[mole]):
            key += key_of_item[known[e]]
        at = key & mask
        while slots[at] != 0:
            at = (at + np.uint64(1)) & mask
        slots[at] = mole + 1
