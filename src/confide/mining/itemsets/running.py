"""The search as threads run it, whatever holds the records; and what it found, written out.

Records (`SearchedRecords`) give *roots*, databases in which all of them can be searched (see
`confide.mining.databases`), each for some of the frequent items; what a worker hands back as too wide for a word, they
give again as lists. Threads claim items from a queue; what they find is put together in the order of the items, so the
result does not depend on which thread was faster.
"""

import math
import os
import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import RequirementError
from confide.core.itemsets.container import item_dtype, offset_dtype
from confide.core.runtime import progress
from confide.core.runtime.threads import cores, interruptible
from confide.mining.databases.database import Database, Root, SearchedRecords
from confide.mining.databases.task import ALL, MAXIMAL, Task, word
from confide.mining.itemsets.found import Found, Seen

__all__ = ["Threads", "by_length", "deliver", "explore"]

_ALONE = 20_000  # entries below which a second thread costs more than it saves
_WRITTEN_AT_ONCE = 100_000  # itemsets that are written out sooner than a thread wakes up
_SEEN = 1 << 15  # maximal sets each thread remembers to save work


def explore(source: SearchedRecords, task: Task, pool: "Threads") -> tuple[list[Found], NDArray[np.int64]]:
    """Run the search; give what the workers found, in order, and the table of counts."""
    from confide.mining.itemsets import _list_kernels as lists
    from confide.mining.itemsets import _record_kernels as kernels
    from confide.mining.itemsets._worker_kernels import worker

    supports = source.supports()
    frequent = np.flatnonzero(supports >= task.min_support).astype(np.int32)
    longest = min(len(frequent), source.longest)
    # One row of the table per length of the fixed part of a record, one column per number of optional items. In a
    # search for all itemsets a fixed part never gets near 64 items: each of its subsets is visited, too.
    shape = (min(longest, 64) + 1, longest + 1) if task.kind == ALL else (longest + 1, 1)
    tables = np.zeros((pool.size, *shape), dtype=np.int64)
    if len(frequent) == 0:
        return [], tables[0]
    remembered = _SEEN if task.kind == MAXIMAL else 1
    seen, n_seen = np.zeros((pool.size, remembered), dtype=np.uint64), np.zeros(pool.size, dtype=np.int64)

    def search(
        database: Database, queue: NDArray[np.int64], thread: int, capacity: int | None = None
    ) -> tuple[Found, list[int]]:
        # Threads share the maximal sets they have seen as long as bits mean the same items to all of them.
        mine = slice(None) if database.as_words else slice(thread, thread + 1)
        noted, groups, universes, wide = worker(
            queue,
            pool.stop,
            database,
            word() if capacity is None else capacity,
            task,
            Seen(seen[mine], n_seen[mine], thread if database.as_words else 0),
            tables[thread],
        )
        ends = np.append(groups[1:, 1], len(noted)) if len(groups) else groups[:, 1]
        return Found(noted, groups, universes, ends, kernels.sizes(groups, ends, noted)), wide.tolist()

    def project(database: Database, item: int) -> tuple[Database, int]:
        entries, starts, places, weights, counts, kept, first, perfect = lists.project(database, item, task)
        own, joined = database.codes[item : item + 1], database.codes[perfect]
        fixed, optional = [database.fixed, own], [database.optional]
        (optional if task.kind == ALL else fixed).append(joined)
        projected = Database(
            False, database.codes[kept], counts, entries=entries, starts=starts, occurrences=places, weights=weights,
            fixed=np.concatenate(fixed), optional=np.concatenate(optional),
        )  # fmt: skip
        return projected, first

    parts: list[Found] = []
    waiting: list[int] = []
    for root in source.roots(supports, frequent, task):
        firsts = _searched(root, search, pool)
        parts += [found for found, _ in firsts]
        waiting += [item for _, wide in firsts for item in wide]
    waiting.sort()
    unclaimed = enumerate(source.list_databases(waiting))
    turn = threading.Lock()
    branches: list[list[Found]] = [[] for _ in waiting]

    def search_branches(thread: int) -> None:
        # Depth first, so that only the databases on one path are in memory.
        while not pool.stop[0]:
            with turn:
                claimed = next(unclaimed, None)
            if claimed is None:
                return
            number, root = claimed
            stack = [root]
            del root, claimed
            while stack and not pool.stop[0]:
                database, first = project(*stack.pop())
                found, wide = search(database, np.array([first, len(database.supports)]), thread)
                branches[number].append(found)
                stack.extend((database, other) for other in reversed(wide))

    if waiting:
        pool.run(search_branches, "mining deeper", len(waiting), lambda: sum(map(bool, branches)))
    parts += _joined([found for branch in branches for found in branch])
    return parts, tables.sum(axis=0)


def _searched(root: Root, search: Callable[..., Any], pool: "Threads") -> list[Any]:
    queue = np.array([root.first, root.last], dtype=np.int64)

    def work(thread: int) -> Any:
        return search(root.database, queue, thread, root.capacity)

    return pool.run(work, "mining", root.last, lambda: int(queue[0]))


def _joined(parts: Sequence[Found]) -> list[Found]:
    """Many small findings as one, or none; they stay in the order given, behind all that came before."""
    if not parts:
        return []
    groups, ends = [], []
    n_records = n_codes = 0
    for number, part in enumerate(parts):
        groups.append(part.groups + np.array([0, n_records, n_codes, 0]))
        groups[-1][:, 0] = 2**31 + number
        ends.append(part.ends + n_records)
        n_records += len(part.records)
        n_codes += len(part.universes)
    return [
        Found(
            np.concatenate([part.records for part in parts]),
            np.concatenate(groups),
            np.concatenate([part.universes for part in parts]),
            np.concatenate(ends),
            np.concatenate([part.sizes for part in parts]),
        )
    ]


def deliver(
    parts: Sequence[Found], pool: "Threads", *, n_labels: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int32]]:
    """Write out the itemsets that the records stand for; give (offsets, items, supports)."""
    from confide.mining.itemsets import _record_kernels as kernels

    sizes = [part.sizes for part in parts]
    n_sets, n_items = (int(sum(float(size[:, column].sum()) for size in sizes)) for column in (0, 1))
    # A database of 2**31 records is not searched, so supports fit into int32 always.
    offset, item, support = offset_dtype(n_items), item_dtype(n_labels), np.dtype(np.int32)
    _refuse_beyond_memory(n_sets, n_items, offset.itemsize + support.itemsize, item.itemsize)
    offsets = np.zeros(n_sets + 1, dtype=offset)
    items, supports = np.empty(n_items, dtype=item), np.empty(n_sets, dtype=support)
    # Groups follow each other in the order of their tasks, whichever worker took them.
    tasks = np.concatenate([part.groups[:, 0] for part in parts]) if parts else np.zeros(0, dtype=np.int64)
    order = np.argsort(tasks, kind="stable")
    ordered = np.concatenate(sizes)[order].astype(np.int64) if parts else np.zeros((0, 2), dtype=np.int64)
    starts = np.empty_like(ordered)
    starts[order] = np.cumsum(ordered, axis=0) - ordered
    queues = [np.zeros(1, dtype=np.int64) for _ in parts]
    first = np.cumsum([0] + [len(part.groups) for part in parts])

    def work(_: int) -> None:
        for number, part in enumerate(parts):
            begins = starts[first[number] : first[number + 1]]
            kernels.expand(queues[number], pool.stop, part, begins, offsets, items, supports)

    if n_sets < _WRITTEN_AT_ONCE:
        work(0)
    else:
        pool.run(work, "writing itemsets", len(tasks), lambda: sum(int(queue[0]) for queue in queues))
    return offsets, items, supports


def _refuse_beyond_memory(n_sets: int, n_items: int, bytes_per_set: int, bytes_per_item: int) -> None:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if bytes_per_set * n_sets + bytes_per_item * n_items > 0.8 * memory:
        raise RequirementError(
            f"{n_sets:.3g} itemsets do not fit into this machine's memory; raise min_support, set max_length, "
            'or use kind="closed" or "maximal" (count_itemsets counts them)',
            parameter="kind",
        )


def by_length(table: NDArray[np.int64], max_length: int) -> dict[int, int]:
    """Sum the table up by length; a cell with q optional items stands for q over k sets with k of them."""
    totals = [0] * sum(table.shape)
    filled = np.nonzero(table)
    for number, fixed, optional in zip(table[filled].tolist(), *(place.tolist() for place in filled), strict=True):
        for length, ways in enumerate(_choices(optional, min(optional, max_length - fixed)), fixed):
            totals[length] += number * ways
    return {length: total for length, total in enumerate(totals) if total}


@lru_cache(maxsize=1024)
def _choices(items: int, most: int) -> tuple[int, ...]:
    """How many sets of 0, 1, ... up to `most` there are of so many items; in Python's numbers, which have no end."""
    return tuple(math.comb(items, chosen) for chosen in range(most + 1))


class Threads:
    """Runs a kernel on all cores, or on one when there is too little to do. Kernels return soon once `stop` is set."""

    def __init__(self, entries: int) -> None:
        self.size = 1 if entries < _ALONE else cores(most=16)
        self.stop = np.zeros(1, dtype=np.int64)

    def run(self, work: Callable[[int], Any], label: str, total: int, done: Callable[[], int]) -> list[Any]:
        """Call `work(0)`, `work(1)`, ... at once, one call per thread; give their results in this order.

        Meanwhile say under `label` how many of `total` are `done`.
        """
        with progress.task(label, total=total) as step:
            said = 0

            def look() -> None:
                nonlocal said
                now = min(done(), total)
                step(now - said)
                said = now

            return interruptible(work, threads=self.size, stop=lambda: self.stop.fill(1), look=look)
