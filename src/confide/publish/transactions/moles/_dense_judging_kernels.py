"""Judging one node X of the dense search: which X + v are moles, which are kept, which of those stay open."""

from typing import NamedTuple

import numpy as np

from confide.core.runtime.bit_kernels import and3_count, and_count
from confide.core.runtime.jit import kernel, trailing_zeros
from confide.publish.transactions.moles._small_database_kernels import Bits
from confide.publish.transactions.moles.mole_kernels import I32, I64, U64, MoleBounds

_MOST_LOSSES = 64  # losses summed for the bound L; with more items to come a child stays open


class Scratch(NamedTuple):
    """What judging one node takes."""

    candidates: U64  # a bit for each item
    losses: I64  # by item: what it loses the parent of the node
    chosen: I32  # extensions that are not moles, and their supports
    chosen_support: I64
    moles: I32  # extensions that are, and theirs
    mole_support: I64
    counts: I64  # by slot of a private item
    tops: I64  # the largest losses, ascending


@kernel
def count_private(bits: U64, base: Bits, n_act: int, counts: I64) -> int:
    """Count every private item in these records; returns the largest count."""
    most = 0
    for s in range(n_act):
        counts[s] = and3_count(bits, bits, base.private[s], base.stretch[s, 0], base.stretch[s, 1])
        most = max(most, counts[s])
    return most


@kernel
def find_candidates(d: int, item: int, n_items: int, without: I64, keeps: U64, candidates: U64) -> bool:
    """The items v after `item`, the last of X, for which every subset of X + v is kept, as far as it is known.

    `without` are the nodes of X less one item. Returns whether there are any.
    """
    low, words = (item + 1) >> 6, len(candidates)
    for w in range(words):
        candidates[w] = np.uint64(0) if w < low else ~np.uint64(0)
    if low < words:
        candidates[low] <<= np.uint64((item + 1) & 63)
    if n_items & 63:
        candidates[words - 1] &= (np.uint64(1) << np.uint64(n_items & 63)) - np.uint64(1)
    for j in range(d if d > 1 else 0):
        if without[j] >= 0:
            for w in range(low, words):
                candidates[w] &= keeps[without[j], w]
    left = np.uint64(0)
    for w in range(low, words):
        left |= candidates[w]
    return left != 0


@kernel
def drop_safe(support: int, most_private: int, limits: MoleBounds, losses: I64, candidates: U64, low: int) -> bool:
    """Drop candidates that the losses of X's parent prove safe, from word `low` on; returns whether any are left."""
    left = np.uint64(0)
    for w in range(low, len(candidates)):
        rest = candidates[w]
        while rest:
            lowest = rest & (~rest + np.uint64(1))
            safe = support - losses[(w << 6) + np.int64(trailing_zeros(rest))]
            rest ^= lowest
            if safe >= limits.k and most_private <= limits.allowed[safe]:
                candidates[w] ^= lowest
        left |= candidates[w]
    return left != 0


@kernel
def sort_by_support(
    here: U64, support: int, words: int, k: int, columns: U64, slot: I32, scratch: Scratch
) -> tuple[int, int, int]:
    """Count X + v for every candidate v: those in fewer than k records are moles, those as common as X are dropped.

    `here` are the bits of X. Returns how many are moles, how many are chosen, and the least support of the chosen.
    """
    n_moles, n_chosen, least = 0, 0, support
    for w in range(len(scratch.candidates)):
        rest = scratch.candidates[w]
        while rest:
            v = (w << 6) + np.int64(trailing_zeros(rest))
            rest &= rest - np.uint64(1)
            s = and_count(here, columns[slot[v]], words)
            if 0 < s < k:
                scratch.moles[n_moles] = v
                scratch.mole_support[n_moles] = s
                n_moles += 1
            elif 0 < s < support:
                scratch.chosen[n_chosen] = v
                scratch.chosen_support[n_chosen] = s
                n_chosen += 1
                least = min(least, s)
    return n_moles, n_chosen, least


@kernel
def sort_by_breach(
    here: U64, n_chosen: int, allowed: I64, base: Bits, n_act: int, slot: I32, scratch: Scratch
) -> tuple[int, int]:
    """Take the chosen that breach h with X for moles.

    Returns how many stay chosen, and how often the commonest private item occurs with X.
    """
    counts, chosen, supports = scratch.counts, scratch.chosen, scratch.chosen_support
    most = count_private(here, base, n_act, counts)
    stay = 0
    for i in range(n_chosen):
        v = chosen[i]
        support = supports[i]
        bound = allowed[support]
        breached = False
        if most > bound:
            column = base.columns[slot[v]]
            for s in range(n_act):
                if counts[s] > bound:
                    both = and3_count(here, column, base.private[s], base.stretch[s, 0], base.stretch[s, 1])
                    if both > bound:
                        breached = True
                        break
        if breached:
            scratch.moles[i - stay] = v
            scratch.mole_support[i - stay] = support
        else:
            chosen[stay] = v
            supports[stay] = support
            stay += 1
    return stay, most


@kernel
def _keep_largest(tops: I64, n: int, most: int, loss: int) -> tuple[int, int]:
    """Keep the `most` largest losses in tops[:n], ascending; returns their number, and by how much their sum grew."""
    if n < most:
        b = n
        while b > 0 and tops[b - 1] > loss:
            tops[b] = tops[b - 1]
            b -= 1
        tops[b] = loss
        return n + 1, loss
    if loss <= tops[0]:
        return n, 0
    smallest = tops[0]
    b = 0
    while b + 1 < n and tops[b + 1] < loss:
        tops[b] = tops[b + 1]
        b += 1
    tops[b] = loss
    return n, loss - smallest


@kernel
def open_children(
    support: int,
    most_private: int,
    n_chosen: int,
    more: int,
    limits: MoleBounds,
    scratch: Scratch,
    keeps: U64,
    opens: U64,
) -> None:
    """Write the chosen into `keeps`, and into `opens` those with `more` items to come that the bound L leaves open.

    `support` and `most_private` are those of X. Goes backwards, so that the losses of all larger items are known when a
    child is opened or closed.
    """
    n_tops, lost = 0, 0
    for i in range(n_chosen - 1, -1, -1):
        v = scratch.chosen[i]
        left = scratch.chosen_support[i]
        mark = np.uint64(1) << np.uint64(v & 63)
        keeps[v >> 6] |= mark
        safe = left - lost
        too_many = more > _MOST_LOSSES and n_chosen - 1 - i > _MOST_LOSSES
        if too_many or safe < limits.k or most_private > limits.allowed[safe]:
            opens[v >> 6] |= mark
        n_tops, grown = _keep_largest(scratch.tops, n_tops, min(more, _MOST_LOSSES), support - left)
        lost += grown


@kernel
def scratch_for(n_items: int, n_active: int) -> Scratch:
    """Scratch for so many items, and private items that have a slot."""
    return Scratch(
        np.empty((n_items + 63) >> 6, np.uint64),
        np.zeros(n_items, np.int64),
        np.empty(n_items, np.int32),
        np.empty(n_items, np.int64),
        np.empty(n_items, np.int32),
        np.empty(n_items, np.int64),
        np.empty(max(n_active, 1), np.int64),
        np.zeros(_MOST_LOSSES, np.int64),
    )
