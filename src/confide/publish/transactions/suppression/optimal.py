"""The best choice of items to suppress, by branch and bound: what is lost, and a proof of how little could be.

Breaking all minimal moles at the smallest loss is NP-hard (thesis, Theorem 2), so the search has a time limit. It
begins with a choice already made (the greedy one, needless items put back), never ends with a worse one, and says in
`Best.least` what every choice loses at least. When it ends in time, that is what the choice loses: it is optimal.

An item's loss is its price (item utility), or the nuggets that hold it, counted on a diagram (itemset utility). The
kernels say how the bound is found, in whole numbers.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError
from confide.core.runtime.progress import task
from confide.core.runtime.threads import stoppable
from confide.publish.transactions.families.diagrams import DecisionDiagram, Sets

if TYPE_CHECKING:
    from confide.publish.transactions.suppression._optimal_kernels import Problem, State, SubsetRoom

__all__ = ["TIME_LIMIT", "Best", "best_choice"]

TIME_LIMIT = 60.0
"""Seconds the search takes at most, if nothing else is asked for."""

_STEP = 30_000_000  # entries read between two looks at the clock: some hundredths of a second
_LARGEST = 1 << 61


@dataclass(frozen=True)
class Best:
    """The items that go; what that loses; and the least that any choice loses, equal to it if the choice is optimal."""

    items: tuple[int, ...]
    loss: int
    least: int


def best_choice(
    moles: Sets,
    *,
    first: Iterable[int],
    keep: Iterable[int] = (),
    price: NDArray[np.int64] | None = None,
    nuggets: DecisionDiagram | None = None,
    time_limit: float | None = None,
) -> Best:
    """Choose items that break all `moles` and lose the least price and nuggets, beginning with the choice `first`.

    `price` is by item code, `keep` must stay (`first` keeps them too), `nuggets` are all itemsets worth keeping, the
    empty one with them. `time_limit` is in seconds (60 if not given): a larger one proves more. Ctrl-C ends the search
    with the best choice so far.
    """
    from confide.publish.transactions.suppression._optimal_kernels import BEST, BOUND, DONE, KEPT, search

    codes = np.unique(moles.items)
    first = set(first)
    if not len(codes):
        return Best((), 0, 0)
    problem = _problem(moles, codes, price, nuggets)
    state, room = _start(len(codes), len(problem.level))
    state.status[np.isin(codes, np.array(sorted(keep), dtype=np.int32))] = KEPT
    whole = _value_left(codes, set(), price, nuggets)
    if whole >= _LARGEST:
        raise CannotMeetError(
            "the frequent itemsets worth keeping are too many to compare", advice="use a larger nugget_support"
        )
    state.now[BEST] = _value_left(codes, first, price, nuggets)
    state.now[BOUND] = whole
    state.best_out[:] = np.isin(codes, np.array(sorted(first), dtype=np.int32))
    nodes = max(1, _STEP // (len(problem.items) + 3 * len(problem.level)))
    ends = time.monotonic() + (TIME_LIMIT if time_limit is None else time_limit)
    with stoppable() as stop, task("looking for the best choice", total=None) as tick:
        while not state.now[DONE] and time.monotonic() < ends and not stop.is_set():
            search(problem, state, room, nodes)
            tick(nodes)
    chosen = tuple(codes[state.best_out].tolist())
    return Best(chosen, whole - int(state.now[BEST]), whole - int(state.now[BOUND]))


def _problem(
    moles: Sets, codes: NDArray[np.int32], price: NDArray[np.int64] | None, nuggets: DecisionDiagram | None
) -> "Problem":
    from confide.publish.transactions.suppression._optimal_kernels import Problem

    priced = np.zeros(len(codes), dtype=np.int64) if price is None else price[codes].astype(np.int64)
    if nuggets is None:  # a diagram of nothing but the empty set
        nothing = np.zeros(2, dtype=np.int32)
        nuggets = DecisionDiagram(nothing, nothing, nothing, 1, np.zeros(1, dtype=np.int32))
    place = np.searchsorted(codes, nuggets.codes).clip(max=len(codes) - 1)
    item_of = np.where(codes[place] == nuggets.codes, place, -1).astype(np.int32)
    items = np.searchsorted(codes, moles.items).astype(np.int32)
    arrays = (nuggets.level, nuggets.lo, nuggets.hi)
    return Problem(moles.starts.astype(np.int64), items, priced, *arrays, np.int64(nuggets.root), item_of)


def _start(n: int, nodes: int) -> "tuple[State, SubsetRoom]":
    from confide.publish.transactions.suppression._optimal_kernels import State, SubsetRoom

    def wide(size: int) -> NDArray[np.int64]:
        return np.zeros(size, dtype=np.int64)

    def narrow(size: int) -> NDArray[np.int32]:
        return np.zeros(size, dtype=np.int32)

    def bytes_of(size: int) -> NDArray[np.int8]:
        return np.zeros(size, dtype=np.int8)

    state = State(bytes_of(n), narrow(n), narrow(n), wide(n), bytes_of(n), wide(n), wide(5), np.zeros(n, np.bool_))
    return state, SubsetRoom(wide(nodes), wide(nodes), wide(nodes), wide(n), wide(n), wide(n))


def _value_left(
    codes: NDArray[np.int32], gone: set[int], price: NDArray[np.int64] | None, nuggets: DecisionDiagram | None
) -> int:
    """What is kept without these items: the price of the others in some mole, and the nuggets without them."""
    kept = 1 if nuggets is None else nuggets.without(gone).counts(int(nuggets.codes.max(initial=-1)) + 1).total
    return kept + (0 if price is None else sum(int(price[v]) for v in codes.tolist() if v not in gone))
