"""Suppression that keeps frequent itemsets: break all moles, lose as few nuggets as can be (Border-Cohesion).

The greedy rule of the thesis (Figure 12): suppress the item v with the largest |M(v)| / |N(v)|, moles broken for each
nugget lost, until no mole is left. M(v) are *all* moles that hold v, N(v) all nuggets (itemsets of at most p' items,
private ones included, in at least k' records) that hold v. Both are exponentially many and are counted, not listed, by
exact methods that suppress the same items in the same order: "border", faithful to the paper and slow (`borders`);
"zdd", decision diagrams (`zdd`); and "walk" for sparse data and small p, where the moles are visited (`walk`).

The rule is exact and has no ties left to chance. Among the items that are in some mole: the largest score, compared by
cross-multiplication in whole numbers (no nugget lost is an infinite score); then the larger |M(v)|; then the
smaller code. An item that is in no mole is never suppressed: 0/0 is not infinity.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.errors import CannotMeetError, RequirementError, UsageError
from confide.core.requirements import Coherence
from confide.core.runtime.progress import task
from confide.core.transactions.container import Transactions
from confide.core.transactions.support import support_count
from confide.publish.transactions.declaration import Labelled
from confide.publish.transactions.families.counters import BorderCounter, DiagramCounter, FamilyCounter
from confide.publish.transactions.families.diagrams import DecisionDiagram
from confide.publish.transactions.families.moles_and_nuggets import (
    MoleSource,
    list_minimal_moles,
    mole_border,
    mole_diagram,
    mole_source,
    mole_walk,
    nugget_border,
    nugget_diagram,
)
from confide.publish.transactions.suppression.decision import Reason, Step, Suppression
from confide.publish.transactions.suppression.optimal import best_choice
from confide.publish.transactions.suppression.put_back import needless

__all__ = ["Method", "NuggetCounts", "nugget_counts", "suppress_for_itemsets"]

Method = Literal["auto", "border", "zdd", "walk", "optimal"]

_NEAR = 1 - 1e-9  # scores this close to the best, in floating point, are compared exactly


@dataclass(frozen=True)
class NuggetCounts:
    """How many frequent itemsets there are, and how many hold each item (int64, or Python integers past 62 bits)."""

    total: int
    per_item: NDArray[np.int64] | NDArray[np.object_]


def nugget_counts(
    tx: Transactions | StoredTransactions,
    *,
    min_support: int | float,
    max_length: int | None = None,
    left_out: Iterable[int] = (),
) -> NuggetCounts:
    """Count all distinct frequent itemsets, and those that hold each item, without listing them.

    `min_support` is a count or a fraction of the records; `max_length` bounds their size; sets with an item of
    `left_out` do not count. Each itemset counts once (the thesis' 52,218,553,280 nuggets of connect at 40% count one
    once per border edge; there are 339,915,255). Takes the time of mining the maximal ones, and some more for the
    diagram of their subsets.

    >>> tx = Transactions.from_lists([["beer", "nuts"], ["beer", "nuts", "milk"], ["milk"], ["beer"]])
    >>> nugget_counts(tx, min_support=2)
    NuggetCounts(total=4, per_item=array([2, 1, 2]))
    """
    _check_length("max_length", max_length)
    least = support_count(min_support, len(tx))
    nuggets = nugget_diagram(tx, min_support=least, max_length=max_length)
    counts = nuggets.without(left_out).counts(tx.n_items)
    return NuggetCounts(max(0, counts.total - 1), counts.per_item)


def suppress_for_itemsets(
    tx: Transactions | StoredTransactions,
    requirement: Coherence,
    private_codes: Iterable[int],
    *,
    nugget_support: int | float,
    nugget_length: int | None = None,
    method: Method = "auto",
    icdm_deletion: bool = False,
    keep_codes: Iterable[int] = (),
    put_back: bool = False,
    time_limit: float | None = None,
    left_out: Iterable[int] = (),
) -> Suppression:
    """Choose public items to suppress until no mole is left, at the smallest loss of nuggets (greedily).

    `nugget_support` (k', a count or a fraction; a larger one means fewer nuggets, further from the moles) and
    `nugget_length` (p', None for any) say which itemsets are worth keeping. `keep_codes` are never suppressed, which is
    refused if they hold a mole. Items that are moles alone go first, then, with
    `icdm_deletion`, the public items in fewer than k' records, which are in no nugget (as the ICDM paper has it: same
    nuggets kept, more items lost, but much faster), then the greedy rule decides. With `put_back` the items it need not
    have taken come back (`put_back.py`); the thesis does not do this. Method "optimal" chooses by branch and bound
    instead, within `time_limit` seconds, among the items in some nugget; then those in none go that must.
    `left_out` are items that nothing counts with, as if they stood in no record.

    Transactions in files do with methods "auto", "zdd" and "optimal", and p of 2 at most.

    Counts in the steps are |M(v)| and |N(v)| at that moment. Totals: "nuggets" of the data and "nuggets_kept";
    "moles_to_break", those left when the greedy rule starts; "above_least", how many nuggets fewer another choice might
    lose at most, with "optimal". Refused with `CannotMeetError`: what can never be met,
    and p so large that the moles cannot be counted. Thesis, sections 4.2 and 4.4.
    """
    if method not in get_args(Method):
        raise UsageError(f"no method {method!r} for itemset utility; methods are: {', '.join(get_args(Method))}")
    _check_length("nugget_length", nugget_length)
    private, keep, absent = (np.array(sorted(set(c)), dtype=np.int32) for c in (private_codes, keep_codes, left_out))
    least = support_count(nugget_support, len(tx))

    left = np.ones(tx.n_items, dtype=np.bool_)
    left[absent] = False
    supports = np.where(left, tx.supports(), 0)
    is_private = np.zeros(tx.n_items, dtype=np.bool_)
    is_private[private] = True

    def source_of(kept: NDArray[np.bool_]) -> MoleSource:
        return mole_source(tx, requirement, is_private, kept)

    alone = source_of(left.copy()).alone()
    forbidden = np.intersect1d(alone, keep)
    if len(forbidden):
        raise _impossible(tx, forbidden[:1])
    steps = _without_score(left, alone, "alone")
    if icdm_deletion:
        rare = left & ~is_private & (supports < least) & (supports > 0)
        rare[keep] = False
        steps += _without_score(left, np.flatnonzero(rare), "option")

    if len(keep):
        of_keep = is_private & left
        of_keep[keep] = True
        wish = source_of(of_keep).minimal
        if len(wish.starts) > 1:
            raise _impossible(tx, wish.items[: wish.starts[1]])

    may_go = ~is_private
    may_go[keep] = False
    nuggets = nugget_diagram(tx, min_support=least, max_length=nugget_length)
    if len(absent):
        nuggets = nuggets.without(absent.tolist())
    totals = {"nuggets": _count(nuggets, ())}
    if method == "optimal":
        worth = left & (is_private | ~may_go | (supports >= least))
        best, gap = _best(source_of(worth), nuggets.without(_items(steps)), may_go, time_limit)
        steps += _without_score(left, best, "optimal")
        totals |= {"above_least": gap, "priced": totals["nuggets"]}
        may_go &= ~worth
    source = source_of(left.copy())
    chosen: list[Step] = []
    if method != "optimal" or not icdm_deletion:
        moles, costs, named = _counters(source, method, nuggets, least=least, longest=nugget_length)
        totals["moles_to_break"] = moles.counts().total
        costs.drop(_items(steps))
        chosen = _greedy(moles, costs, may_go)
        if put_back or method == "optimal":
            back = needless(moles, nuggets, _items(chosen), _items([*steps, *chosen]), tx.supports())
            chosen = [step for step in chosen if step.item not in back]
        method = method if method == "optimal" else named
    steps += chosen
    totals["nuggets_kept"] = _count(nuggets, _items(steps))
    return Suppression(steps=tuple(steps), method=method, totals=totals, moles=source.known(alone))


def _best(
    source: MoleSource, nuggets: DecisionDiagram, may_go: NDArray[np.bool_], time_limit: float | None
) -> tuple[NDArray[np.int32], int]:
    """The best choice among the items in some nugget: all others can go at no loss. And what it may lose too much."""
    tx = source.transactions
    moles, costs, _ = _counters(source, "auto", nuggets)
    chosen = _items(_greedy(moles, costs, may_go))
    chosen = [v for v in chosen if v not in needless(moles, nuggets, chosen, chosen, tx.supports())]
    keep = np.flatnonzero(~may_go & ~source.is_private).tolist()
    best = best_choice(list_minimal_moles(source), first=chosen, keep=keep, nuggets=nuggets, time_limit=time_limit)
    back = needless(moles, nuggets, best.items, best.items, tx.supports())
    left = sorted(set(best.items) - back)
    return np.array(left, dtype=np.int32), _count(nuggets, ()) - _count(nuggets, left) - best.least


def _counters(
    source: MoleSource, method: Method, nuggets: DecisionDiagram, *, least: int = 1, longest: int | None = None
) -> tuple[FamilyCounter, FamilyCounter, Method]:
    """What counts moles and nuggets by this method, and which one "auto" (or "optimal") took."""
    tx = source.transactions
    if method == "border":
        found = nugget_border(tx, min_support=least, max_length=longest)
        return BorderCounter(mole_border(source), tx.n_items), BorderCounter(found, tx.n_items), method
    if method != "zdd":
        method = "walk" if method == "walk" or source.can_walk() else "zdd"
    moles = mole_walk(source) if method == "walk" else DiagramCounter(mole_diagram(source), tx.n_items)
    return moles, DiagramCounter(nuggets, tx.n_items, extra=1), method


def _count(nuggets: DecisionDiagram, gone: Iterable[int]) -> int:
    """The nuggets without these items; the empty itemset is none."""
    return max(0, nuggets.without(gone).counts(int(nuggets.codes.max(initial=-1)) + 1).total - 1)


def _items(steps: Iterable[Step]) -> list[int]:
    return [step.item for step in steps]


def _greedy(moles: FamilyCounter, nuggets: FamilyCounter, may_go: NDArray[np.bool_]) -> list[Step]:
    steps: list[Step] = []
    left, cost = moles.counts(), nuggets.counts().per_item
    with task("suppressing items", total=None) as tick:
        while left.total:
            v = _next(left.per_item, cost, may_go)
            steps.append(Step(item=v, reason="greedy", gain=int(left.per_item[v]), cost=int(cost[v])))
            moles.drop([v])
            left = moles.counts()
            if cost[v]:
                nuggets.drop([v])
                cost = nuggets.counts().per_item
            tick(1)
    return steps


def _next(
    gain: NDArray[np.int64] | NDArray[np.object_],
    cost: NDArray[np.int64] | NDArray[np.object_],
    may_go: NDArray[np.bool_],
) -> int:
    """The item to suppress next, by the rule in the module's docstring."""
    candidates = np.flatnonzero(may_go & (gain > 0))
    free = candidates[cost[candidates] == 0]
    if len(free):
        return int(free[np.argmax(gain[free])])  # the first of equals: the smallest code
    if gain.dtype == cost.dtype == np.int64:
        scores = gain[candidates] / cost[candidates]
        candidates = candidates[scores >= scores.max() * _NEAR]
    best = candidates[0]
    for v in candidates[1:]:
        mine, other = int(gain[v]) * int(cost[best]), int(gain[best]) * int(cost[v])
        if mine > other or (mine == other and gain[v] > gain[best]):
            best = v
    return int(best)


def _without_score(left: NDArray[np.bool_], items: NDArray[np.integer[Any]], reason: Reason) -> list[Step]:
    """Take these items out of `left`; the steps say why."""
    left[items] = False
    return [Step(item=int(v), reason=reason) for v in items]


def _impossible(tx: Labelled, mole: Iterable[int]) -> CannotMeetError:
    names = ", ".join(repr(tx.labels[v]) for v in mole)
    return CannotMeetError(
        f"the items to be kept cannot all be published: {names} together give somebody away",
        parameter="keep",
    )


def _check_length(name: str, value: int | None) -> None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise RequirementError(
            f"{name}={value} leaves no itemset; use a whole number of 1 or more, or None for any",
            parameter=name,
            value=value,
        )
