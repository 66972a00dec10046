"""All groups of a table against the rules, one histogram after the other."""

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.publish.tables.group_tests.rule_kernels import group_ok
from confide.publish.tables.group_tests.rules import Rules

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
Flags = NDArray[np.bool_]


@kernel
def _sorted_by(order: I64, key: I32, n_keys: int) -> tuple[I64, I64]:
    """The items of `order` sorted by their key, ties in place: (where each key begins, the items)."""
    start = np.zeros(n_keys + 1, np.int64)
    for i in range(len(key)):
        start[key[i] + 1] += 1
    for k in range(n_keys):
        start[k + 1] += start[k]
    room = start[:-1].copy()
    out = np.empty(len(order), np.int64)
    for place in range(len(order)):
        i = order[place]
        out[room[key[i]]] = i
        room[key[i]] += 1
    return start, out


@kernel
def judged_groups(
    rules: Rules, group: I32, n_groups: int, values: I32, starts: I64, weight: I64, persons: I32, counted: I64
) -> Flags:
    """For each group, whether it keeps the rules.

    `values[i, c]` is the value of column c in item i, which counts `weight[i]` times (once, if that is empty); a
    column's values begin at `starts[c]` of a histogram. With `persons` (empty if none) a person counts once. What is
    `counted[group]` of the population stands in the histogram after all values; -1 where it is not known.
    """
    n = len(group)
    order = np.arange(n)
    if len(persons):
        order = _sorted_by(order, persons, np.max(persons) + 1)[1]
    start, order = _sorted_by(order, group, n_groups)
    width = starts[-1]
    hist = np.zeros(width + counted.shape[1], np.int64)
    seen = np.full(starts[-1], -1, np.int64)  # the last person, of all groups, in whom a value was seen
    ok = np.empty(n_groups, np.bool_)
    person = np.int64(-1)
    for g in range(n_groups):
        hist[:] = 0
        for c in range(counted.shape[1]):
            hist[width + c] = counted[g, c]
        size = np.int64(0)
        for place in range(start[g], start[g + 1]):
            i = order[place]
            amount = weight[i] if len(weight) else np.int64(1)
            if len(persons):
                amount = np.int64(1)
                if place == start[g] or persons[i] != persons[order[place - 1]]:
                    person += 1
                    size += 1
            else:
                size += amount
            if rules.histogram:
                for c in range(values.shape[1]):
                    slot = starts[c] + values[i, c]
                    if len(persons) == 0 or seen[slot] != person:
                        seen[slot] = person
                        hist[slot] += amount
        ok[g] = group_ok(rules, size, hist)
    return ok
