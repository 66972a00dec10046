"""The dynamic programme that sets estimators apart.

Classes come in ascending order of support. An estimator may stand at any whole number from low[j] to high[j]; each
stands strictly above the one before. Two of them d apart cost (size_i + size_j) costs[d], nothing from D on.

    o . . o o . . . E        D = 8: what matters to the next class is where the last few stand below E,
    7     4 3                a set of distances under D: {3, 4, 7}, with depth 3 only the two nearest, {3, 4}

A state is such a set, numbered as in `near` (distances ascending, 0 for none). `after[state, g]` is the state once the
next class stands g above; a class that stands D or more above starts from the empty set, state 0, wherever the one
before stood: so only a running minimum is kept of those.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

__all__ = ["Classes", "FixedValues", "OrderRoom", "place", "pull_of_kept"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Classes(NamedTuple):
    """New classes in ascending order of support: the places each may stand at, and how many itemsets it has."""

    low: Ints
    high: Ints
    supports: Ints
    sizes: Floats


class FixedValues(NamedTuple):
    """Classes whose values were published before: supports, values, and how many itemsets each has."""

    supports: Ints
    values: Ints
    sizes: Floats


class OrderRoom(NamedTuple):
    """`pulls[starts[j] + e - low[j]]` is what it costs class j alone to stand at e."""

    pulls: Floats
    starts: Ints


@kernel
def place(classes: Classes, costs: Floats, near: Ints, after: Ints, room: OrderRoom) -> Ints:
    """The estimators of least cost, as an array."""
    low, high, _, sizes = classes
    pulls, starts = room
    n = len(low)
    reach = len(costs) - 1
    n_states, kept = near.shape
    base = np.zeros(n + 1, np.int64)
    for j in range(n):
        base[j + 1] = base[j] + (high[j] - low[j] + 1) * n_states
    back = np.empty(base[n], np.int32)  # the cell of the class before, counted from its own base
    old = np.full((1, n_states), np.inf)
    step = np.empty((n_states, reach))
    best, origin = np.empty(reach), np.zeros(reach, np.int64)
    for j in range(n):
        width = high[j] - low[j] + 1
        new = np.full((width, n_states), np.inf)
        links = back[base[j] : base[j + 1]]
        if j == 0:
            for k in range(width):
                new[k, 0] = pulls[starts[0] + k]
            old = new
            continue
        for state in range(n_states):  # what a gap g costs against all that are remembered
            for g in range(1, reach):
                cost = (sizes[j - 1] + sizes[j]) * costs[g]
                for k in range(kept):
                    d = near[state, k]
                    if d == 0 or d + g >= reach:
                        break
                    cost += (sizes[j - 2 - k] + sizes[j]) * costs[d + g]
                step[state, g] = cost
        before = len(old)
        least, cell = np.inf, 0
        for p in range(before):  # far above: the best of all that stand at least `reach` below
            for state in range(n_states):
                if old[p, state] < least:
                    least, cell = old[p, state], p * n_states + state
            start = max(low[j - 1] + p + reach - low[j], 0)
            stop = width if p == before - 1 else min(low[j - 1] + p + reach - low[j] + 1, width)
            for k in range(start, stop):
                new[k, 0] = least
                links[k * n_states] = cell
        for p in range(before):
            place_below = low[j - 1] + p
            from_gap, to_gap = max(1, low[j] - place_below), min(reach, high[j] - place_below + 1)
            if kept == 1:  # depth 1 or 2: the state before makes no difference to the state after, so the best will do
                best[:] = np.inf
                for state in range(n_states):
                    value = old[p, state]
                    if value == np.inf:
                        continue
                    for g in range(from_gap, to_gap):
                        found = value + step[state, g]
                        closer = found < best[g]
                        best[g] = found if closer else best[g]
                        origin[g] = state if closer else origin[g]
                for g in range(from_gap, to_gap):
                    k, to = place_below + g - low[j], after[0, g]
                    if best[g] < new[k, to]:
                        new[k, to] = best[g]
                        links[k * n_states + to] = p * n_states + origin[g]
                continue
            for state in range(n_states):
                value = old[p, state]
                if value == np.inf:
                    continue
                for g in range(from_gap, to_gap):
                    k, to = place_below + g - low[j], after[state, g]
                    found = value + step[state, g]
                    if found < new[k, to]:
                        new[k, to] = found
                        links[k * n_states + to] = p * n_states + state
        for k in range(width):
            pull = pulls[starts[j] + k]
            for state in range(n_states):
                new[k, state] += pull
        old = new
    out = np.empty(n, np.int64)
    cell, least = 0, np.inf
    for k in range(len(old)):
        for state in range(n_states):
            if old[k, state] < least:
                least, cell = old[k, state], k * n_states + state
    for j in range(n - 1, -1, -1):
        out[j] = low[j] + cell // n_states
        cell = back[base[j] + cell] if j else 0
    return out


@kernel
def pull_of_kept(classes: Classes, kept: FixedValues, first: int, tails: Floats, room: OrderRoom) -> None:
    """Add to `room.pulls` what each place costs against values that were published before.

    `tails[i]` is the weight of noise of first + i or more, for i = 0..n; its last is 0. An inversion of a kept value v
    below: v >= e + x; above: e + x >= v. Costs that are the same wherever the class stands are left out.
    """
    low, high, supports, sizes = classes
    pulls, starts = room
    n = len(tails) - 1
    total = tails[0]
    for j in range(len(low)):
        for i in range(len(kept.values)):
            v = kept.values[i]
            weight = sizes[j] + kept.sizes[i]
            if low[j] > v - first or high[j] < v - first - n + 1:
                continue  # certainly on one side of it, wherever the class stands
            below = kept.supports[i] < supports[j]
            for e in range(low[j], high[j] + 1):
                at = v - e - first  # x = first + at is where both are equal
                # x <= v - e, or x >= v - e
                beaten = total - tails[min(max(at + 1, 0), n)] if below else tails[min(max(at, 0), n)]
                pulls[starts[j] + e - low[j]] += weight * beaten
