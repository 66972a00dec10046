"""The inter-window adversary: what the itemsets of a window leave open, the window before may settle.

Two windows of a stream, `lag` records apart, share all but `lag` records on either side. For an itemset J, the records
with exactly each subset of it are unknown whole numbers: in the window before, among those that left, among those that
arrived. Every published support is a sum of them. The least and the most that the support of J can be are two integer
programmes, solved by HiGHS. Paper: Wang and Liu 2011, section 3.3 (its rules R1 to R4 are among these constraints).
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.audit.adversaries.windows.intra_window import WindowInference, infer_patterns
from confide.core.errors import InputError, RequirementError
from confide.core.figures import ShownFields
from confide.core.itemsets.container import Itemsets

__all__ = ["SupportRange", "bound_between_windows", "infer_between_windows"]

LONGEST = 10


@dataclass(frozen=True, kw_only=True)
class SupportRange(ShownFields):
    """The least and the most records that can hold an itemset; `proved` unless the solver ran out of time."""

    least: int
    most: int
    proved: bool

    @property
    def exact(self) -> bool:
        """Whether only one number is left."""
        return self.proved and self.least == self.most


def bound_between_windows(
    before: Itemsets,
    now: Itemsets,
    wanted: Iterable[str],
    *,
    lag: int,
    min_support: int | None = None,
    seconds: float = 10.0,
) -> SupportRange:
    """Bound the support of `wanted` in the window `now`, from what both windows published.

    `lag` is how many records came in between. `wanted` has at most 10 items. `min_support`: what is not published is
    known to be rarer; only right where every frequent itemset was published. `seconds` limits each of the two
    programmes.

    >>> old = Itemsets.from_pairs([("c", 8), ("ac", 6), ("bc", 6), ("abc", 4)], n_transactions=8)
    >>> new = Itemsets.from_pairs([("c", 8), ("ac", 5), ("bc", 5)], n_transactions=8)
    >>> bound_between_windows(old, new, "abc", lag=1)
    SupportRange(least=3, most=3, proved=True)
    """
    items = sorted(set(wanted))
    if not 1 <= len(items) <= LONGEST:
        raise RequirementError(f"{len(items)} items are wanted; use 1 to {LONGEST}")
    if isinstance(lag, bool) or not isinstance(lag, int) or not 1 <= lag <= max(before.n_transactions, 1):
        raise RequirementError(
            f"lag={lag} is no number of records between two windows; use 1 to the window's size",
            parameter="lag",
            value=lag,
        )
    rows, sums = _constraints(before, now, items, lag, min_support)
    cells = 1 << len(items)
    # what holds all of the items now: before, less what left, more what arrived
    objective = np.zeros(3 * cells)
    objective[[cells - 1, 2 * cells - 1, 3 * cells - 1]] = 1, -1, 1
    least, proved = _solve(objective, rows, sums, seconds)
    most, also = _solve(-objective, rows, sums, seconds)
    return SupportRange(least=least, most=-most, proved=proved and also)


def infer_between_windows(
    before: Itemsets,
    now: Itemsets,
    *,
    lag: int,
    vulnerable: int,
    min_support: int | None = None,
    seconds: float = 10.0,
) -> WindowInference:
    """Every rare pattern of the window `now` that follows from both windows, but not from `now` alone.

    Itemsets that vanished are bounded one by one; those of which only one number is left count as published. Sets of
    more than 10 items are left out and counted as not covered, and so are those the solver had no time for.
    """
    there = now.as_dict()
    gone = [itemset for itemset in before.as_dict() if itemset not in there]
    settled, not_covered = [], 0
    for itemset in gone:
        if len(itemset) > LONGEST:
            not_covered += 1
            continue
        found = bound_between_windows(before, now, itemset, lag=lag, min_support=min_support, seconds=seconds)
        not_covered += not found.proved
        if found.exact:
            settled.append((tuple(itemset), found.least))
    more = Itemsets.from_pairs([*now, *settled], n_transactions=now.n_transactions)
    alone = infer_patterns(now, vulnerable=vulnerable, max_length=LONGEST)
    both = infer_patterns(more, vulnerable=vulnerable, max_length=LONGEST)
    known = set(alone.patterns)
    return WindowInference(
        patterns=tuple(pattern for pattern in both.patterns if pattern not in known),
        not_covered=not_covered + alone.not_covered,
    )


def _constraints(
    before: Itemsets, now: Itemsets, items: list[str], lag: int, min_support: int | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(rows, [least, most] of each) over (before, left, arrived) by exact subset."""
    cells = np.arange(1 << len(items))
    nothing = np.zeros(len(cells))
    rows, sums = [], []

    def state(row: list[NDArray[np.float64]], least: float, most: float) -> None:
        rows.append(np.concatenate(row))
        sums.append((least, most))

    every = np.ones(len(cells))
    state([every, nothing, nothing], before.n_transactions, before.n_transactions)
    arrived = lag
    left = before.n_transactions + lag - now.n_transactions  # a window that is still filling loses fewer
    if left < 0:
        raise InputError("the windows differ by more records than arrived; give the lag between them")
    state([nothing, every, nothing], left, left)
    state([nothing, nothing, every], arrived, arrived)
    for cell in cells:
        one = (cells == cell).astype(np.float64)
        state([one, -one, nothing], 0, np.inf)  # only what was there can leave
    for window, signs in ((before, (1, 0, 0)), (now, (1, -1, 1))):
        published = _inside(window, items)
        for mask, support in published.items():
            holds = ((cells & mask) == mask).astype(np.float64)
            state([sign * holds for sign in signs], support, support)
        whole = (cells == cells[-1]).astype(np.float64)
        if min_support is not None and int(cells[-1]) not in published:
            state([sign * whole for sign in signs], 0, min_support - 1)
    return np.array(rows), np.array(sums)


def _inside(window: Itemsets, items: list[str]) -> dict[int, int]:
    """The published sets made of these items only, as masks."""
    bit = {label: 1 << i for i, label in enumerate(items)}
    worth = np.array([bit.get(label, 0) for label in window.labels], dtype=np.int64)
    offsets, codes = window.coded()
    usable = np.append(worth[codes] > 0, True) if len(codes) else np.ones(1, dtype=np.bool_)
    found = {}
    for i in np.flatnonzero(window.lengths <= len(items)).tolist():
        start, stop = offsets[i], offsets[i + 1]
        if stop > start and usable[start:stop].all():
            found[int(worth[codes[start:stop]].sum())] = int(window.supports[i])
    return found


def _solve(
    objective: NDArray[np.float64], rows: NDArray[np.float64], sums: NDArray[np.float64], seconds: float
) -> tuple[int, bool]:
    from scipy.optimize import LinearConstraint, milp

    answer = milp(
        objective,
        constraints=LinearConstraint(rows, sums[:, 0], sums[:, 1]),
        integrality=np.ones(len(objective)),
        options={"time_limit": seconds},
    )
    if answer.status == 2:
        raise InputError("no records fit both windows; were the supports sanitised, or is the lag another?")
    bound = answer.mip_dual_bound if answer.mip_dual_bound is not None else -np.inf
    if answer.status == 0:
        return round(answer.fun), True
    # Out of time: what is proved so far still bounds.
    return int(np.ceil(bound - 1e-6)) if np.isfinite(bound) else -(1 << 53), False
