"""Zero-suppressed decision diagrams on flat arrays: making them.

A node (level, lo, hi) stands for the family  lo  +  {X with level : X in hi}; node 0 is the empty family, node 1 the
family of the empty set alone. Levels grow downwards, a node whose hi is 0 is left out, and equal nodes are one node,
so equal families have equal numbers. Children are made before their parents and have smaller numbers: a loop in the
order of numbers is a bottom-up pass.

All state is in a `DiagramStore`. A full one stops the operation and sets `used[FULL]`; the answer then means nothing.
Recursion is an explicit stack of pairs (f, g): a pair stays on it until its parts have answers, and no answer is
ever forgotten, so each pair is worked out once.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel

# Everything handed to a kernel is an int64: numba compiles a kernel again for an int32, and for a plain constant.
Int = int | np.integer[Any]
UNION, DIFFERENCE, NON_SUPERSETS = np.int64(0), np.int64(1), np.int64(2)
NODES, ANSWERS, FULL = 0, 1, 2  # entries of `used`
_EMPTY, _UNIT = np.int64(0), np.int64(1)
_MIX_A, _MIX_B = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


class DiagramStore(NamedTuple):
    """Nodes, the hash table of their numbers, and the answers of operations by their arguments, hashed as well."""

    level: NDArray[np.int32]
    lo: NDArray[np.int32]
    hi: NDArray[np.int32]
    table: NDArray[np.int32]
    key_f: NDArray[np.int32]
    key_g: NDArray[np.int32]
    answer: NDArray[np.int32]
    used: NDArray[np.int64]
    stack: NDArray[np.int64]


@kernel
def _slot(f: Int, g: Int, mask: Int) -> Int:
    mixed = np.uint64(f) * _MIX_A ^ (np.uint64(g) + np.uint64(1)) * _MIX_B
    mixed ^= mixed >> np.uint64(29)
    return np.int64((mixed * _MIX_A) >> np.uint64(20)) & mask


@kernel
def _node(store: DiagramStore, level: Int, lo: Int, hi: Int) -> Int:
    """The number of this node, made if it is new; 0 when the store is full."""
    if hi == _EMPTY:
        return lo
    mask = len(store.table) - 1
    slot = _slot(lo * 31 + level, hi, mask)
    while store.table[slot] != 0:
        i = np.int64(store.table[slot])
        if store.lo[i] == lo and store.hi[i] == hi and store.level[i] == level:
            return i
        slot = (slot + 1) & mask
    i = np.int64(store.used[NODES])
    if i >= len(store.lo):
        store.used[FULL] = 1
        return _EMPTY
    store.used[NODES] = i + 1
    store.level[i], store.lo[i], store.hi[i] = level, lo, hi
    store.table[slot] = i
    return i


@kernel
def _known(store: DiagramStore, operation: Int, f: Int, g: Int) -> Int:
    """The answer of `operation` on f and g if it is plain or was found before, else -1."""
    if f == _EMPTY:
        return g if operation == UNION else _EMPTY
    if g == _EMPTY:
        return f
    if f == g:
        return f if operation == UNION else _EMPTY
    if operation == NON_SUPERSETS and g == _UNIT:
        return _EMPTY
    if operation == NON_SUPERSETS and f == _UNIT:
        return _UNIT  # g is an antichain: it holds the empty set only if that is all it holds
    if operation == UNION and f < g:
        f, g = g, f
    mask, key = len(store.key_f) - 1, 3 * g + operation
    slot = _slot(f, key, mask)
    while store.key_f[slot] != 0:
        if store.key_f[slot] == f and store.key_g[slot] == key:
            return np.int64(store.answer[slot])
        slot = (slot + 1) & mask
    return -1


@kernel
def _remember(store: DiagramStore, operation: Int, f: Int, g: Int, answer: Int) -> None:
    if operation == UNION and f < g:
        f, g = g, f
    mask, key = len(store.key_f) - 1, 3 * g + operation
    if 2 * store.used[ANSWERS] > mask:
        store.used[FULL] = 1
        return
    slot = _slot(f, key, mask)
    while store.key_f[slot] != 0:
        slot = (slot + 1) & mask
    store.key_f[slot], store.key_g[slot], store.answer[slot] = f, key, answer
    store.used[ANSWERS] += 1


@kernel
def combine(store: DiagramStore, operation: Int, f: Int, g: Int) -> Int:
    """The sets in f or in g (UNION); in f, not in g (DIFFERENCE); in f, holding no set of g (NON_SUPERSETS; g an
    antichain)."""
    stack = store.stack
    stack[0], stack[1] = f, g
    top = 1
    while top > 0 and not store.used[FULL]:
        f, g = stack[2 * top - 2], stack[2 * top - 1]
        if _known(store, operation, f, g) >= 0:
            top -= 1
            continue
        level = min(store.level[f], store.level[g])
        f0, f1, g0, g1 = f, _EMPTY, g, _EMPTY
        if store.level[f] == level:
            f0, f1 = np.int64(store.lo[f]), np.int64(store.hi[f])
        if store.level[g] == level:
            g0, g1 = np.int64(store.lo[g]), np.int64(store.hi[g])
        before = top
        lo = _known(store, operation, f0, g0)
        if lo < 0:
            stack[2 * top], stack[2 * top + 1] = f0, g0
            top += 1
        if operation == NON_SUPERSETS:  # a set with this level must avoid the sets of g without it, too
            avoiding = _known(store, operation, f1, g0)
            if avoiding < 0:
                stack[2 * top], stack[2 * top + 1] = f1, g0
                top += 1
                continue
            f1 = np.int64(avoiding)
        hi = _known(store, operation, f1, g1)
        if hi < 0:
            stack[2 * top], stack[2 * top + 1] = f1, g1
            top += 1
        if top == before:
            _remember(store, operation, f, g, _node(store, level, lo, hi))
            top -= 1
    return _known(store, operation, stack[0], stack[1])


@kernel
def family(store: DiagramStore, starts: NDArray[np.int64], levels: NDArray[np.int32], order: NDArray[np.int64]) -> Int:
    """The family of the sets levels[starts[i]:starts[i + 1]], each ascending, for i in `order`, which must be
    lexicographic but with a set after all those it begins. Made from right to left along the current path."""
    longest = 0
    for i in order:
        longest = max(longest, starts[i + 1] - starts[i])
    # right[d]: the family, as far as it is known, of what follows the first d levels of the path.
    right = np.zeros(longest + 1, dtype=np.int64)
    path = np.zeros(longest, dtype=np.int32)
    depth = 0
    for at in range(len(order) - 1, -2, -1):
        start, length, shared = 0, 0, 0
        if at >= 0:
            start, length = starts[order[at]], starts[order[at] + 1] - starts[order[at]]
            while shared < min(depth, length) and path[shared] == levels[start + shared]:
                shared += 1
        while depth > shared:
            depth -= 1
            right[depth] = _node(store, path[depth], right[depth], right[depth + 1])
            right[depth + 1] = _EMPTY
        if store.used[FULL]:
            return _EMPTY
        while depth < length:
            path[depth] = levels[start + depth]
            depth += 1
        if at >= 0:
            right[depth] = _UNIT
    return np.int64(right[0])


@kernel
def _below(store: DiagramStore, f: Int) -> NDArray[np.bool_]:
    """Which nodes f is made of."""
    found = np.zeros(f + 1, dtype=np.bool_)
    found[f] = True
    for i in range(f, _UNIT, -1):
        if found[i]:
            found[store.lo[i]] = True
            found[store.hi[i]] = True
    return found


@kernel
def down_closure(store: DiagramStore, f: Int, longest: Int) -> Int:
    """All subsets, of at most `longest` levels (0: of any size), of the sets of f."""
    if f <= _UNIT:
        return f
    below = _below(store, f)
    # closed[i, j]: the subsets of at most j levels of the sets of node i (one column when there is no limit).
    closed = np.zeros((f + 1, longest + 1), dtype=np.int32)
    closed[_UNIT] = _UNIT
    shift = 1 if longest else 0
    for i in range(_UNIT + 1, f + 1):
        if not below[i]:
            continue
        lo, hi = store.lo[i], store.hi[i]
        closed[i, 0] = _UNIT
        for j in range(shift, longest + 1):
            skip = combine(store, UNION, np.int64(closed[lo, j]), np.int64(closed[hi, j]))
            closed[i, j] = _node(store, store.level[i], skip, np.int64(closed[hi, j - shift]))
        if store.used[FULL]:
            return _EMPTY
    return np.int64(closed[f, longest])


@kernel
def minimal(store: DiagramStore, f: Int) -> Int:
    """The sets of f that hold no other set of f."""
    if f <= _UNIT:
        return f
    below = _below(store, f)
    least = np.zeros(f + 1, dtype=np.int32)
    least[_UNIT] = _UNIT
    for i in range(_UNIT + 1, f + 1):
        if below[i]:
            lo = np.int64(least[store.lo[i]])
            hi = combine(store, NON_SUPERSETS, np.int64(least[store.hi[i]]), lo)
            least[i] = _node(store, store.level[i], lo, hi)
            if store.used[FULL]:
                return _EMPTY
    return np.int64(least[f])
