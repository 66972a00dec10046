"""Kernels of branch and bound: which items to suppress so that every mole is broken and most is kept.

What is kept is the price of the items that stay and the sets, of a diagram, that lose no item. Each item is UNDECIDED,
KEPT or OUT. A node of the search tree is worked out as far as it can be:

- a mole with one undecided item, and none out, takes that item out;
- an item without which no more could be kept than by the best choice known is kept;
- a bound: no choice below this node keeps more than what is there now, less what the moles still cost. Each set of the
  diagram counts for the first undecided item it holds, so that the losses of two items add up; moles are then paid one
  after the other out of what is left of their cheapest item (a feasible solution of the dual programme).

All numbers are whole, so a bound is a proof. The search goes into depth, and its whole state is in arrays: it can stop
after any node and go on.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
Flags = NDArray[np.bool_]

UNDECIDED, KEPT, OUT = 0, 1, 2
DEPTH, TRAIL, BEST, BOUND, DONE = 0, 1, 2, 3, 4  # entries of `now`


class Problem(NamedTuple):
    """Moles one after the other, over items 0..n-1; prices of the items; a diagram, its levels in those items.

    `item_of` is -1 for a level whose item is in no mole and stays.
    """

    offsets: I64
    items: I32
    price: I64
    level: I32
    lo: I32
    hi: I32
    root: np.int64
    item_of: I32


class State(NamedTuple):
    """Where the search stands. Decision d took `branch[d]` (OUT first, then KEPT) for `decided[d]`."""

    status: NDArray[np.int8]
    trail: I32  # items in the order in which they were decided
    decided: I32
    mark: I64  # the length of the trail before decision d
    branch: NDArray[np.int8]
    ceiling: I64  # what no choice below the node of decision d passes
    now: I64
    best_out: Flags


class SubsetRoom(NamedTuple):
    """Scratch."""

    below: I64
    above: I64
    clear: I64
    worth: I64  # by item: what is lost if it alone goes
    share: I64  # by item: losses that add up
    waiting: I64  # by item: unbroken moles that hold it


@kernel
def _decide(state: State, item: int, status: int) -> None:
    state.status[item] = status
    state.trail[state.now[TRAIL]] = item
    state.now[TRAIL] += 1


@kernel
def _break_moles(problem: Problem, state: State) -> bool:
    """Take out what moles leave no choice about; false when a mole is kept whole."""
    changed = True
    while changed:
        changed = False
        for mole in range(len(problem.offsets) - 1):
            free, last = 0, -1
            for e in range(problem.offsets[mole], problem.offsets[mole + 1]):
                status = state.status[problem.items[e]]
                if status == OUT:
                    free = 2
                    break
                if status == UNDECIDED:
                    free += 1
                    last = problem.items[e]
            if free == 0:
                return False
            if free == 1:
                _decide(state, last, OUT)
                changed = True
    return True


@kernel
def _measure(problem: Problem, state: State, room: SubsetRoom) -> int:
    """What is kept if all undecided items stay; fills `worth` and `share`."""
    status, root = state.status, problem.root
    below, above, clear = room.below, room.above, room.clear
    below[0], below[1] = 0, 1
    for i in range(2, root + 1):
        item = problem.item_of[problem.level[i]]
        below[i] = below[problem.lo[i]]
        if item < 0 or status[item] != OUT:
            below[i] += below[problem.hi[i]]
    above[: root + 1] = 0
    clear[: root + 1] = 0
    above[root] = 1
    clear[root] = 1
    total = below[root]
    for v in range(len(status)):
        room.worth[v] = problem.price[v]
        room.share[v] = problem.price[v]
        if status[v] != OUT:
            total += problem.price[v]
    for i in range(root, 1, -1):
        if above[i] == 0:
            continue
        lo, hi = problem.lo[i], problem.hi[i]
        item = problem.item_of[problem.level[i]]
        above[lo] += above[i]
        clear[lo] += clear[i]
        if item < 0:
            above[hi] += above[i]
            clear[hi] += clear[i]
        elif status[item] != OUT:
            above[hi] += above[i]
            room.worth[item] += above[i] * below[hi]
            if status[item] == KEPT:
                clear[hi] += clear[i]
            else:
                room.share[item] += clear[i] * below[hi]
    return total


@kernel
def _unpaid(problem: Problem, state: State, room: SubsetRoom) -> tuple[np.int64, int]:
    """What the unbroken moles still cost at least, and the one with the fewest undecided items (or -1).

    Uses up `share`; counts in `waiting` the unbroken moles of each item.
    """
    status = state.status
    room.waiting[:] = 0
    cost, tightest, fewest = np.int64(0), -1, len(status) + 1
    for mole in range(len(problem.offsets) - 1):
        begin, end = problem.offsets[mole], problem.offsets[mole + 1]
        broken, free, cheapest = False, 0, np.int64(0)
        for e in range(begin, end):
            v = problem.items[e]
            if status[v] == OUT:
                broken = True
                break
            if status[v] == UNDECIDED:
                cheapest = room.share[v] if free == 0 else min(cheapest, room.share[v])
                free += 1
        if broken:
            continue
        cost += cheapest
        for e in range(begin, end):
            v = problem.items[e]
            if status[v] == UNDECIDED:
                room.share[v] -= cheapest
                room.waiting[v] += 1
        if free < fewest:
            fewest, tightest = free, mole
    return cost, tightest


@kernel
def _go_back(state: State) -> bool:
    """Undo up to the last decision whose other branch is open, and take that; false when there is none."""
    now = state.now
    while now[DEPTH] > 0:
        d = now[DEPTH] - 1
        while now[TRAIL] > state.mark[d]:
            now[TRAIL] -= 1
            state.status[state.trail[now[TRAIL]]] = UNDECIDED
        if state.branch[d] == OUT:
            state.branch[d] = KEPT
            _decide(state, state.decided[d], KEPT)
            return True
        now[DEPTH] -= 1
    return False


@kernel
def _next_item(problem: Problem, state: State, room: SubsetRoom, mole: int) -> int:
    """Of the mole's undecided items the one that breaks most for what it costs; the first of equals."""
    best, score = -1, -1.0
    for e in range(problem.offsets[mole], problem.offsets[mole + 1]):
        v = problem.items[e]
        if state.status[v] == UNDECIDED:
            mine = room.waiting[v] / max(room.worth[v], 1)
            if mine > score:
                best, score = v, mine
    return best


@kernel
def search(problem: Problem, state: State, room: SubsetRoom, nodes: int) -> None:
    """Work out up to so many nodes; `now` then holds the best choice's worth, a bound on any choice's, and whether it
    is proved."""
    now = state.now
    for _ in range(nodes):
        total, tightest, ceiling = np.int64(0), -1, np.int64(0)
        alive = True
        again = True
        while alive and again:
            again = False
            alive = _break_moles(problem, state)
            if not alive:
                break
            total = _measure(problem, state, room)
            alive = total > now[BEST]
            for v in range(len(state.status)):
                if alive and state.status[v] == UNDECIDED and total - room.worth[v] <= now[BEST]:
                    _decide(state, v, KEPT)
                    again = True
        if alive:
            cost, tightest = _unpaid(problem, state, room)
            ceiling = total - cost
            if now[DEPTH] > 0:
                ceiling = min(ceiling, state.ceiling[now[DEPTH] - 1])
            alive = ceiling > now[BEST]
        if alive and tightest < 0:
            now[BEST] = total
            for v in range(len(state.status)):
                state.best_out[v] = state.status[v] == OUT
            alive = False
        if alive:
            d = now[DEPTH]
            state.decided[d] = _next_item(problem, state, room, tightest)
            state.mark[d], state.branch[d], state.ceiling[d] = now[TRAIL], OUT, ceiling
            now[DEPTH] = d + 1
            _decide(state, state.decided[d], OUT)
        elif not _go_back(state):
            now[BOUND], now[DONE] = now[BEST], 1
            return
    # What is open: the node to come, below the last decision, and the other branch of every decision that went OUT.
    now[BOUND] = now[BEST]
    for d in range(now[DEPTH]):
        if state.branch[d] == OUT or d == now[DEPTH] - 1:
            now[BOUND] = max(now[BOUND], state.ceiling[d])
