"""Kernels of admission: one item after another, as long as the public part of every record is in at least k records.

Records with the same admitted items form a group: its size, and its admitted items as bits. Admitting v splits each
group into the records with v and those without. Who holds X holds every part of X, so only the parts with v are to be
judged: such a part is in as many records as there are, among those that hold v, records with all of its items.
"""

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
U64 = NDArray[np.uint64]
Flags = NDArray[np.bool_]


@kernel
def _within(part: U64, whole: U64, words: int) -> bool:
    for w in range(words):  # noqa: SIM110 - kernels have no all()
        if part[w] & ~whole[w]:
            return False
    return True


@kernel
def _fits(hit: I64, n_hit: int, held: I64, bits: U64, words: int, k: int) -> bool:
    """Whether each group in `hit`, of which `held` records hold the new item, is within k records that hold it."""
    for a in range(n_hit):
        part = hit[a]
        found = held[part]
        b = 0
        while found < k and b < n_hit:
            if b != a and _within(bits[part], bits[hit[b]], words):
                found += held[hit[b]]
            b += 1
        if found < k:
            # The group that failed is likely to fail the next item too: it stands first there, if it is hit.
            return False
    return True


@kernel
def admit(order: I32, supports: I64, tid_ptr: I64, tids: I32, weights: I64, k: int, n_first: int) -> Flags:
    """Which items of `order` are admitted; stops at the first refused one among the `n_first` that must be.

    `weights` says how many records each record stands for, and `supports` of how many all of an item's do.
    """
    group = np.zeros(len(weights), np.int32)
    capacity, words = 1024, 1
    bits = np.zeros((capacity, words), np.uint64)
    sizes = np.zeros(capacity, np.int64)
    held = np.zeros(capacity, np.int64)
    moved = np.zeros(capacity, np.int64)
    sizes[0] = weights.sum()
    n_groups = 1
    n_admitted = 0
    admitted = np.zeros(len(order), np.bool_)
    hit = np.empty(capacity, np.int64)
    for place in range(len(order)):
        v = order[place]
        cohort = tids[tid_ptr[v] : tid_ptr[v + 1]]
        n_hit = 0
        for t in cohort:
            g = group[t]
            if held[g] == 0:
                hit[n_hit] = g
                n_hit += 1
            held[g] += weights[t]
        ok = supports[v] >= k or supports[v] == 0
        if ok:
            # The longest parts first: they are the hardest to hide.
            lengths = np.empty(n_hit, np.int64)
            for a in range(n_hit):
                count = 0
                for w in range(words):
                    word = bits[hit[a], w]
                    while word:
                        word &= word - np.uint64(1)
                        count += 1
                lengths[a] = -count
            ranked = np.argsort(lengths, kind="mergesort")
            ordered = hit[:n_hit][ranked]
            for a in range(n_hit):
                hit[a] = ordered[a]
            ok = _fits(hit, n_hit, held, bits, words, k)
        if ok:
            admitted[place] = True
            if n_admitted >= 64 * words:
                wider = np.zeros((capacity, 2 * words), np.uint64)
                wider[:, :words] = bits
                bits, words = wider, 2 * words
            while n_groups + n_hit > capacity:
                taller = np.zeros((2 * capacity, words), np.uint64)
                taller[:capacity] = bits
                bits = taller
                sizes = np.concatenate((sizes, np.zeros(capacity, np.int64)))
                held = np.concatenate((held, np.zeros(capacity, np.int64)))
                moved = np.concatenate((moved, np.zeros(capacity, np.int64)))
                hit = np.concatenate((hit, np.zeros(capacity, np.int64)))
                capacity *= 2
            word, bit = n_admitted >> 6, np.uint64(1) << np.uint64(n_admitted & 63)
            n_admitted += 1
            for a in range(n_hit):
                g = hit[a]
                if held[g] == sizes[g]:
                    moved[g] = g
                else:
                    moved[g] = n_groups
                    bits[n_groups] = bits[g]
                    sizes[n_groups] = held[g]
                    sizes[g] -= held[g]
                    n_groups += 1
                bits[moved[g], word] |= bit
            for t in cohort:
                group[t] = moved[group[t]]
        for a in range(n_hit):
            held[hit[a]] = 0
        if not ok and place < n_first:
            break
    return admitted
