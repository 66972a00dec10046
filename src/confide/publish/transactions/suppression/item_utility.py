"""Greedy suppression for item utility (Tree-Cohesion, thesis section 4.3.2).

Items that are moles alone go first, in code order. Then, until no mole is left, the item of the largest score

    |MM(v)| / IL(v)        minimal moles that hold v, for each unit of information its loss costs

IL(v) is 1, the support of v (the default), or a weight the owner gives. Ties go to the larger |MM(v)|, then to the
smaller code; scores are compared as fractions, never as floats. Suppressing an item breaks the moles that hold it
and neither makes nor changes another one (Observation 1), so the minimal moles are found once. The thesis keeps them
in a MOLE-tree; a list of moles for each item makes the same choices.

The rule looks one step ahead, and on sparse data with a few very long records it can lose far more than needed. So
a release that leaves the method to us searches on from there (`search_for_items`), for a work that is counted and not
timed.
"""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import SupportsInt

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError, RequirementError, UsageError
from confide.core.runtime.threads import stoppable
from confide.publish.jobs.transactions import Cost
from confide.publish.transactions.declaration import Labelled
from confide.publish.transactions.families.diagrams import Sets
from confide.publish.transactions.moles.collection import MinimalMoles
from confide.publish.transactions.suppression.decision import Step, Suppression

__all__ = ["MoleList", "best_for_items", "scale_costs", "search_for_items", "suppress_for_items"]

_WORK = 50_000_000  # entries of moles that the search of a release reads at most: some tenths of a second
_PASSES = 30  # ... and at most so many times those there are: about as long as the greedy rule takes
_MORE = 500_000_000  # the same where the best choice is asked for: some seconds
_STEP = 20_000_000  # entries read between two looks at the clock
_PATIENCE = 5  # forced exchanges for each item, without a gain, until the search gives up
_LARGEST = 1 << 62


@dataclass(frozen=True)
class MoleList:
    """Minimal moles one after the other, smallest first, and for each item the numbers of those that hold it."""

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    item_ptr: NDArray[np.int64]
    item_moles: NDArray[np.int32]

    @classmethod
    def of(cls, moles: MinimalMoles, *, least: int = 1) -> "MoleList":
        """The moles of at least `least` items."""
        from confide.core.transactions.row_kernels import transpose

        levels = [level.items for size, level in sorted(moles.levels.items()) if size >= least]
        items = np.concatenate([level.ravel() for level in levels]) if levels else np.empty(0, dtype=np.int32)
        sizes = np.concatenate([np.full(len(x), x.shape[1], dtype=np.int64) for x in levels] or [np.empty(0, np.int64)])
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return cls(offsets, items, *transpose(offsets, items, len(moles.labels)))

    def mole(self, number: int) -> tuple[int, ...]:
        """The codes of one mole."""
        return tuple(self.items[self.offsets[number] : self.offsets[number + 1]].tolist())


@dataclass(frozen=True)
class _Task:
    """Items that are moles alone and go; the other minimal moles; what each item costs, in 1/unit; which may go."""

    alone: NDArray[np.int32]
    listed: MoleList
    price: NDArray[np.int64]
    unit: int
    may_go: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        tx: Labelled,
        moles: MinimalMoles,
        supports: NDArray[np.int64],
        cost: Cost,
        keep: NDArray[np.int32] | None,
    ) -> "_Task":
        """Raises `CannotMeetError` when an item that must stay is a mole alone."""
        may_go = np.ones(tx.n_items, dtype=np.bool_)
        if keep is not None:
            may_go[keep] = False
        alone = moles.level(1).ravel()
        forbidden = alone[~may_go[alone]]
        if len(forbidden):
            raise _impossible(tx, (int(forbidden[0]),))
        listed = MoleList.of(moles, least=2)
        price, unit = scale_costs(tx, supports, cost, int(np.diff(listed.item_ptr).max(initial=0)))
        return cls(alone, listed, price, unit, may_go)

    def greedy(
        self, tx: Labelled, price: NDArray[np.int64], may_go: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Items of `may_go` in the order of the greedy rule at these prices, and the moles each one breaks."""
        from confide.publish.transactions.suppression.greedy_kernels import greedy

        listed = self.listed
        order, gains, broken = greedy(listed.offsets, listed.items, listed.item_ptr, listed.item_moles, price, may_go)
        if not broken.all():
            raise _impossible(tx, listed.mole(int(np.flatnonzero(~broken)[0])))
        return order, gains

    def steps(self, order: NDArray[np.int32], gains: NDArray[np.int64]) -> tuple[Step, ...]:
        """Why each item goes: those that are moles alone first."""
        steps = [Step(item=int(v), reason="alone") for v in self.alone]
        for v, gain in zip(order.tolist(), gains.tolist(), strict=True):
            steps.append(Step(item=v, reason="greedy", gain=gain, cost=_paid(self.price[v], self.unit)))
        return tuple(steps)


def suppress_for_items(
    tx: Labelled,
    moles: MinimalMoles,
    supports: NDArray[np.int64],
    *,
    cost: Cost = "support",
    keep: NDArray[np.int32] | None = None,
    put_back: bool = False,
) -> Suppression:
    """Choose the items to suppress; `keep` holds codes that must stay (CannotMeetError when a mole forbids it).

    With `put_back`, items whose moles are all broken by others too are put back afterwards, the dearest first; the
    thesis does not.
    """
    task = _Task.of(tx, moles, supports, cost, keep)
    order, gains = task.greedy(tx, task.price, task.may_go)
    if put_back:
        stays = ~np.isin(order, _needless(task.listed, order, task.price))
        order, gains = order[stays], gains[stays]
    return Suppression(steps=task.steps(order, gains), method="tree", totals={"minimal_moles": len(moles)}, moles=moles)


def search_for_items(
    tx: Labelled,
    moles: MinimalMoles,
    supports: NDArray[np.int64],
    *,
    cost: Cost | None = None,
    keep: NDArray[np.int32] | None = None,
    work: int | None = None,
    stop: Callable[[], bool] | None = None,
) -> Suppression:
    """As `suppress_for_items`, and search on: exchange suppressed items against kept ones while that loses less.

    Without a `cost`, the loss is of occurrences, and the search begins with what the greedy rule chooses by support
    and by number, whichever exchanges bring further. It reads about `work` entries of moles (by default 30 times those
    there are, at most 50 million), or until `stop` says so: without it, the same input gives the same choice
    everywhere. Never loses more than
    `suppress_for_items` with the same cost. The steps are in the order in which the greedy rule would have taken them.
    """
    from confide.publish.transactions.suppression._exchange_kernels import READ, Moles, begin_search, go_on

    task = _Task.of(tx, moles, supports, "support" if cost is None else cost, keep)
    listed, price = task.listed, task.price
    if sum(price.tolist()) >= _LARGEST:  # sums could pass 63 bits
        return suppress_for_items(
            tx, moles, supports, cost="support" if cost is None else cost, keep=keep, put_back=True
        )
    codes = np.unique(listed.items)
    order = codes[np.lexsort((codes, -price[codes]))]
    held = Moles(listed.offsets, listed.items, listed.item_ptr, listed.item_moles, price, task.may_go)
    searches = []
    for rule in (price,) if cost is not None else (price, np.ones_like(price)):
        out = np.zeros(tx.n_items, dtype=np.bool_)
        out[task.greedy(tx, rule, task.may_go)[0]] = True
        searches.append(begin_search(held, out, order))
    best = min(searches, key=lambda search: int(price[search.best.out].sum()))
    patience = _PATIENCE * len(order)
    work = min(_WORK, _PASSES * len(listed.items)) if work is None else work
    while best.now[READ] < work and not (stop is not None and stop()):
        if not len(order) or not go_on(held, best, order, min(work, int(best.now[READ]) + _STEP), patience):
            break
    return Suppression(
        steps=task.steps(*task.greedy(tx, price, best.best.out)),
        method="exchange",
        totals={"minimal_moles": len(moles)},
        moles=moles,
    )


def best_for_items(
    tx: Labelled,
    moles: MinimalMoles,
    supports: NDArray[np.int64],
    *,
    cost: Cost | None = None,
    keep: NDArray[np.int32] | None = None,
    time_limit: float | None = None,
) -> Suppression:
    """As `search_for_items`, then the smallest loss that branch and bound finds in `time_limit` seconds in all.

    Totals: "above_least", how much less another choice might lose at most (0: proved optimal), in the same units as
    "priced", the price of all items that are in the data.
    """
    from confide.publish.transactions.suppression.optimal import TIME_LIMIT, best_choice

    began = time.monotonic()
    limit = TIME_LIMIT if time_limit is None else time_limit
    with stoppable() as stopped:
        stop = lambda: stopped.is_set() or time.monotonic() > began + limit / 2  # noqa: E731 - used once
        first = search_for_items(tx, moles, supports, cost=cost, keep=keep, work=_MORE, stop=stop)
    limit = 0.0 if stopped.is_set() else limit
    listed = MoleList.of(moles, least=2)
    most = int(np.diff(listed.item_ptr).max(initial=0))
    scaled, unit = scale_costs(tx, supports, "support" if cost is None else cost, most)
    picked = [step.item for step in first.steps if step.reason == "greedy"]
    kept = () if keep is None else keep.tolist()
    sets = Sets(listed.offsets, listed.items)
    left = max(0.0, began + limit - time.monotonic())
    best = best_choice(sets, first=picked, keep=kept, price=scaled, time_limit=left)
    chosen = np.array(best.items, dtype=np.int32)
    back = _needless(listed, chosen, scaled)
    chosen = chosen[~np.isin(chosen, back)]
    steps = [step for step in first.steps if step.reason == "alone"]
    steps += [Step(item=v, reason="optimal", cost=_paid(scaled[v], unit)) for v in chosen.tolist()]
    totals = {
        "minimal_moles": len(moles),
        "above_least": best.loss - int(scaled[back].sum()) - best.least,
        "priced": sum(scaled[supports > 0].tolist()),
    }
    return Suppression(steps=tuple(steps), method="optimal", totals=totals, moles=moles)


def _needless(listed: MoleList, chosen: NDArray[np.int32], price: NDArray[np.int64]) -> NDArray[np.int32]:
    """The chosen items that can be put back, tried the dearest first."""
    from confide.publish.transactions.suppression.greedy_kernels import needless

    gone = np.zeros(len(price), dtype=np.bool_)
    gone[chosen] = True
    dearest = chosen[np.lexsort((chosen, -price[chosen]))]
    return dearest[needless(listed.offsets, listed.items, listed.item_ptr, listed.item_moles, gone, dearest)]


def _paid(price: SupportsInt, unit: int) -> int | Fraction:
    exact = Fraction(int(price), unit)
    return exact.numerator if exact.denominator == 1 else exact


def scale_costs(
    tx: Labelled, supports: NDArray[np.int64], cost: Cost, most_moles: int = 1
) -> tuple[NDArray[np.int64], int]:
    """The costs as whole multiples of 1/unit, exactly; and the unit."""
    if cost == "support":
        return supports, 1
    if cost == "one":
        return np.ones(tx.n_items, dtype=np.int64), 1
    if not isinstance(cost, Mapping):
        raise UsageError(
            f"cost={cost!r} is neither 'support' nor 'one' nor weights by label", parameter="cost", value=cost
        )
    weights = [Fraction(1)] * tx.n_items
    for label, value in cost.items():
        if label not in tx.codes:
            raise UsageError(f"item {label!r} has a weight but never occurs in the data")
        weight = value if isinstance(value, Fraction) else _fraction(label, value)
        if weight < 0:
            raise RequirementError(f"the weight of item {label!r} is {value}; use 0 or more")
        weights[tx.codes[label]] = weight
    unit = math.lcm(*(weight.denominator for weight in weights))
    whole = [int(weight * unit) for weight in weights]
    if max(whole, default=0) * max(most_moles, 1) >= _LARGEST:
        raise RequirementError("the weights have too many digits to be compared exactly; round them to six or so")
    return np.array(whole, dtype=np.int64), unit


def _fraction(label: str, value: float) -> Fraction:
    try:
        return Fraction(repr(value + 0))  # the decimal as written
    except (TypeError, ValueError):
        raise RequirementError(f"the weight of item {label!r} is {value!r}; use a number of 0 or more") from None


def _impossible(tx: Labelled, mole: tuple[int, ...]) -> CannotMeetError:
    names = ", ".join(repr(tx.labels[code]) for code in mole)
    what = f"{names} is a mole on its own" if len(mole) == 1 else f"{names} together are a mole"
    return CannotMeetError(f"items marked to be kept cannot all be kept: {what}", parameter="keep")
