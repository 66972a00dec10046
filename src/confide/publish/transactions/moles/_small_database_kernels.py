"""Small databases for the dense search: the records of an itemset's first item, or first two, as bits.

A column has a bit for each record of the cohort. Records of one private item stand together where the caller ordered
them so, and a private item is then counted over a short stretch of words.
"""

from typing import NamedTuple

import numpy as np

from confide.core.runtime.bit_kernels import and3_count, has_bit
from confide.core.runtime.jit import kernel, trailing_zeros
from confide.publish.transactions.moles.mole_kernels import I32, I64, U64, MoleBounds, RankedRecords


class Bits(NamedTuple):
    """A small database: the records of the first item, or the first two, as bits."""

    columns: U64  # columns[slot of the item]: which records hold it
    private: U64  # private[slot of the private item]
    stretch: I64  # the words in which that private item occurs: from the first to before the second


class ColumnSlots(NamedTuple):
    """The column of each item, and of each private item, in a small database; -1 for none."""

    items: I32
    private: I32


class DatabasePair(NamedTuple):
    """The database of the first item and of the first two, the numbers of the records in `one`, and room for those in
    `two`, kept from call to call."""

    one: Bits
    two: Bits
    whole: I32
    records_of_two: I32


@kernel
def _copy_columns(cohort: I32, ptr: I64, entries: I32, above: int, slot: I32, columns: U64) -> int:
    """Columns over the cohort's records for the entries above `above` that have a slot; returns their words."""
    words = (len(cohort) + 63) >> 6
    columns[:, :words] = 0
    for b in range(len(cohort)):
        t = cohort[b]
        bit = np.uint64(1) << np.uint64(b & 63)
        for e in range(ptr[t + 1] - 1, ptr[t] - 1, -1):
            u = entries[e]
            if u <= above:
                break
            if slot[u] >= 0:
                columns[slot[u], b >> 6] |= bit
    return words


@kernel
def copy_cohort(
    cohort: I32, above: int, slot: I32, private_slot: I32, n_active: int, records: RankedRecords, out: Bits
) -> int:
    """Fill a small database with the cohort's records; returns how many words a column has."""
    words = _copy_columns(cohort, records.row_ptr, records.rows, above, slot, out.columns)
    if n_active > 0:
        _copy_columns(cohort, records.priv_ptr, records.privs, -1, private_slot, out.private)
    for s in range(n_active):
        out.stretch[s, 0] = words
        out.stretch[s, 1] = 0
        for w in range(words):
            if out.private[s, w]:
                out.stretch[s, 0] = min(out.stretch[s, 0], w)
                out.stretch[s, 1] = w + 1
    return words


@kernel
def room(n_columns: int, n_active: int, words: int) -> Bits:
    """A small database to be filled."""
    return Bits(
        np.empty((max(n_columns, 1), words), np.uint64),
        np.empty((max(n_active, 1), words), np.uint64),
        np.zeros((max(n_active, 1), 2), np.int64),
    )


@kernel
def set_first(row: U64, n: int) -> None:
    """Set the first n bits."""
    for b in range(n):
        row[b >> 6] |= np.uint64(1) << np.uint64(b & 63)


@kernel
def active_private(cohort: I32, limits: MoleBounds, records: RankedRecords, private_slot: I32) -> tuple[int, int]:
    """Give slots to the private items that could breach at all: some itemset of k records or more would have to hold
    too many. Returns how many those are, and how often the commonest occurs."""
    counts = np.zeros(records.n_private, np.int64)
    for t in cohort:
        for e in range(records.priv_ptr[t], records.priv_ptr[t + 1]):
            counts[records.privs[e]] += 1
    n, most = 0, 0
    for s in range(records.n_private):
        if counts[s] > limits.allowed[min(limits.k, len(cohort))]:
            private_slot[s] = n
            n += 1
            most = max(most, counts[s])
    return n, most


@kernel
def copy_second(
    item: int,
    support: int,
    bits: U64,
    keeps: U64,
    limits: MoleBounds,
    records: RankedRecords,
    slots: ColumnSlots,
    pair: DatabasePair,
) -> tuple[int, int]:
    """Copy the records of the first two items (the bits set) from the first database into the second, renumbered.

    `item` is the second item; `keeps` are the items to follow. Returns how many words a column has, and how many
    private items have a slot: those that could breach below.
    """
    one, whole, slot, private_slot = pair.one, pair.whole, slots.items, slots.private
    cohort = pair.records_of_two[:support]
    n = 0
    for w in range((len(whole) + 63) >> 6):
        rest = bits[w]
        while rest:
            cohort[n] = whole[(w << 6) + np.int64(trailing_zeros(rest))]
            rest &= rest - np.uint64(1)
            n += 1
    own_slot = np.full(len(slot), -1, np.int32)
    for v in range(item + 1, len(slot)):
        if has_bit(keeps, v):
            own_slot[v] = slot[v]
    own_private_slot = np.full(len(private_slot), -1, np.int32)
    n_act = 0
    for s in range(len(private_slot)):
        j = private_slot[s]
        if j >= 0:
            count = and3_count(bits, bits, one.private[j], one.stretch[j, 0], one.stretch[j, 1])
            if count > limits.allowed[min(limits.k, support)]:
                own_private_slot[s] = n_act
                n_act += 1
    words = copy_cohort(cohort, item, own_slot, own_private_slot, n_act, records, pair.two)
    bits[:words] = 0
    set_first(bits, support)
    return words, n_act
