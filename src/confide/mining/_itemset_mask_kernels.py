"""Searching a database of at most 64 frequent items: every row is one word from beginning to end.

Each item is a task, those of small support first; a thread claims the next. The task of item i projects: it takes
the rows that hold i, keeps of them the items that are frequent together with i, merges those that have become
equal, and searches the small database that remains.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.jit import kernel, popcount
from confide.mining._itemset_all_kernels import mine_all
from confide.mining._itemset_bitmap_kernels import ONE, ZERO, columns, common_count, merge_equal
from confide.mining._itemset_closed_kernels import mine_closed
from confide.mining._itemset_maximal_kernels import mine_maximal
from confide.mining._itemset_queue_kernels import claim
from confide.mining._itemset_record_kernels import add_group, note

__all__ = ["ALL", "CLOSED", "MAXIMAL", "mask_worker", "search"]

ALL, CLOSED, MAXIMAL = 0, 1, 2


@kernel
def search(
    masks: NDArray[np.uint64],
    weights: NDArray[np.int64],
    n_rows: int,
    hash_table: NDArray[np.int32],
    blocks: NDArray[np.uint64],
    arena: NDArray[np.uint64],
    shifts: NDArray[np.uint64],
    levels: NDArray[np.int64],
    kind: int,
    candidates: np.uint64,
    killers: np.uint64,
    fixed: np.uint64,
    optional: np.uint64,
    item_supports: NDArray[np.int64],
    min_support: int,
    max_length: int,
    shortcuts: bool,
    found: NDArray[np.uint64],
    n_found: NDArray[np.int64],
    thread: int,
    keep: bool,
    table: NDArray[np.int64],
    records: NDArray[np.uint64],
    n: int,
) -> Any:
    """Search the database of the first `n_rows` masks by the algorithm for `kind`; the rest as there.

    Gives (arena, shifts, records, number of records): the scratch and the records may have moved to grow.
    """
    n_rows = merge_equal(masks, weights, n_rows, hash_table)
    arena, shifts, width = columns(masks, weights, n_rows, candidates | killers, blocks, arena, shifts)
    if kind == ALL:
        records, n = mine_all(
            arena, shifts, width, levels, candidates, fixed, optional, item_supports,
            min_support, max_length, shortcuts, keep, table, records, n,
        )  # fmt: skip
    elif kind == CLOSED:
        records, n = mine_closed(
            arena, shifts, width, levels, candidates, killers, fixed, item_supports,
            min_support, max_length, keep, table, records, n,
        )  # fmt: skip
    else:
        records, n = mine_maximal(
            arena, shifts, width, levels, candidates, killers, fixed, item_supports,
            min_support, max_length, shortcuts, found, n_found, thread, keep, table, records, n,
        )  # fmt: skip
    return arena, shifts, records, n


@kernel
def mask_worker(
    queue: NDArray[np.int64],
    order: NDArray[np.int64],
    supports: NDArray[np.int64],
    codes: NDArray[np.int32],
    masks: NDArray[np.uint64],
    weights: NDArray[np.int64],
    kind: int,
    min_support: int,
    max_length: int,
    shortcuts: bool,
    found: NDArray[np.uint64],
    n_found: NDArray[np.int64],
    thread: int,
    keep: bool,
    table: NDArray[np.int64],
) -> Any:
    """Claim items from `queue`, in the `order` of ascending support, until none is left.

    `supports[b]` and `codes[b]` are those of item b. Gives (records, groups, universes), cut to size.
    """
    n_rows = len(masks)
    blocks = np.empty((64, 64), np.uint64)
    levels = np.empty((3, 66, 64), np.int64)
    rows, row_weights = np.empty(n_rows, np.uint64), np.empty(n_rows, np.int64)
    hash_table = np.empty(max(4 * n_rows, 8), np.int32)
    item_supports = np.zeros(64, np.int64)
    used = ZERO
    for b in order:
        used |= ONE << np.uint64(b)
    # Columns of the whole database only count pairs here: an arena for them alone, another for the searches.
    arena, shifts = np.empty(0, np.uint64), np.empty(0, np.uint64)
    pairs, pair_shifts, pair_width = columns(masks, weights, n_rows, used, blocks, arena, shifts)
    records, n = np.empty((1024 if keep else 1, 3), np.uint64), 0
    groups, n_groups = np.empty((64, 4), np.int64), 0
    universes = np.empty(len(codes), np.int32)
    while True:
        task = claim(queue)
        if task >= len(order):
            break
        item = order[task]
        support = supports[item]
        own = ONE << np.uint64(item)
        fixed, optional = own, ZERO
        candidates, killers = ZERO, ZERO
        dead = False
        for other in range(len(order)):
            if max_length == 1 and kind != CLOSED:
                break
            if other == task or (other < task and kind == ALL):
                continue
            b = order[other]
            both = common_count(pairs, item * pair_width, b * pair_width, pair_width, pair_shifts)
            item_supports[b] = both
            if both < min_support:
                continue
            bit = ONE << np.uint64(b)
            if both == support and shortcuts:
                optional |= bit
                dead |= other < task
            elif other < task:
                killers |= bit
            else:
                candidates |= bit
        if dead:
            continue
        if keep:
            groups, universes = add_group(groups, n_groups, universes, 0, task, n, codes, len(codes))
            n_groups += 1
        if kind != ALL:
            fixed |= optional
            optional = ZERO
        length = np.int64(popcount(fixed))
        is_found = kind == ALL or (kind == CLOSED and length <= max_length)
        if is_found or (kind == MAXIMAL and candidates | killers == ZERO):
            if keep:
                records = note(records, n, fixed, optional, support)
                n += 1
            else:
                table[length, np.int64(popcount(optional))] += 1
        if candidates == ZERO or length >= max_length:
            continue
        wanted = candidates | killers
        size = 0
        for r in range(n_rows):
            if masks[r] & own and masks[r] & wanted:
                rows[size], row_weights[size] = masks[r] & wanted, weights[r]
                size += 1
        arena, shifts, records, n = search(
            rows, row_weights, size, hash_table, blocks, arena, shifts, levels, kind, candidates, killers,
            fixed, optional, item_supports, min_support, max_length, shortcuts, found, n_found, thread,
            keep, table, records, n,
        )  # fmt: skip
    return records[:n], groups[:n_groups], universes
