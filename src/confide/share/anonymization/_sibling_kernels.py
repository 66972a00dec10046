"""The siblings of a failed child, in the order in which rules 2 and 3 prefer them: treaps of passing and failing ones.

A treap is a search tree (by records, then by the child's number) whose shape follows from a hash of that number, so it
stays shallow. Every node also knows, of its subtree, the most records of one sibling and the fewest and most of each
class (`most`, `least`): if a sibling that had the best of all would not do, none of the subtree does. Siblings that
resemble each other are kept together, apart from others; that is what lets large parts be passed over. Searches are in
the order of the tree, so the first that does is the one the rules name.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.share.anonymization._leaf_kernels import ESTIMATED, RECURSIVE, less, passes, top_sum

I64 = NDArray[np.int64]
MOST_GROUPS = 256
IN_A_GROUP = 32  # siblings, on average, below which one group does


@kernel
def group_of(x: I64, n: int, groups: int) -> int:
    """A group of siblings that resemble each other: the two commonest classes, and the first one's share in eighths."""
    first, second = 0, -1
    for c in range(1, len(x)):
        if x[c] > x[first]:
            first, second = c, first
        elif second < 0 or x[c] > x[second]:
            second = c
    eighth = 8 * min(x[first], n) // n if 0 < n < 1 << 59 else 0
    return ((first * 31 + second + 1) * 9 + eighth) % groups


@kernel
def _weight(i: int) -> Any:
    """A number that looks drawn, different for different i."""
    z = np.uint64(i + 1) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(1))


@kernel
def _before(total: I64, i: int, j: int) -> bool:
    return total[i] < total[j] or (total[i] == total[j] and i < j)


@kernel
def _sum_up(i: int, left: I64, right: I64, total: I64, x: I64, most: I64, least: I64) -> None:
    """What node i knows of its subtree, from its children."""
    over = total[i]
    for c in range(x.shape[1]):
        least[i, 0, c], least[i, 1, c] = x[i, c], x[i, c]
        over -= x[i, c]
    most[i, 0], most[i, 1] = total[i], over
    for child in (left[i], right[i]):
        if child >= 0:
            most[i, 0], most[i, 1] = max(most[i, 0], most[child, 0]), max(most[i, 1], most[child, 1])
            for c in range(x.shape[1]):
                least[i, 0, c] = min(least[i, 0, c], least[child, 0, c])
                least[i, 1, c] = max(least[i, 1, c], least[child, 1, c])


@kernel
def insert(
    root: int, i: int, left: I64, right: I64, total: I64, x: I64, most: I64, least: I64, path: I64
) -> int:  # fmt: skip
    """Put child i into the treap; gives its root."""
    depth, at, w = 0, root, _weight(i)
    while at >= 0 and _weight(at) > w:
        path[depth] = at
        depth += 1
        at = left[at] if _before(total, i, at) else right[at]
    above = depth
    # Part the subtree at `at` into what comes before i and what comes after it.
    left[i], right[i] = -1, -1
    low, high = i, i  # where the next part before, or after, hangs: right of `low`, left of `high`
    while at >= 0:
        path[depth] = at
        depth += 1
        if _before(total, at, i):
            if low == i:
                left[i] = at
            else:
                right[low] = at
            low, at = at, right[at]
        else:
            if high == i:
                right[i] = at
            else:
                left[high] = at
            high, at = at, left[at]
    if low != i:
        right[low] = -1
    if high != i:
        left[high] = -1
    for d in range(depth - 1, above - 1, -1):
        _sum_up(path[d], left, right, total, x, most, least)
    _sum_up(i, left, right, total, x, most, least)
    if above == 0:
        return i
    if _before(total, i, path[above - 1]):
        left[path[above - 1]] = i
    else:
        right[path[above - 1]] = i
    for d in range(above - 1, -1, -1):
        _sum_up(path[d], left, right, total, x, most, least)
    return root


@kernel
def remove(
    root: int, i: int, left: I64, right: I64, total: I64, x: I64, most: I64, least: I64, path: I64
) -> int:  # fmt: skip
    """Take child i, which is there, out of the treap; gives its root."""
    depth, at = 0, root
    while at != i:
        path[depth] = at
        depth += 1
        at = left[at] if _before(total, i, at) else right[at]
    parent = path[depth - 1] if depth > 0 else -1
    on_left = parent >= 0 and left[parent] == i
    a, b = left[i], right[i]
    while a >= 0 or b >= 0:  # merge the two subtrees of i into its place
        take_a = b < 0 or (a >= 0 and _weight(a) > _weight(b))
        node = a if take_a else b
        if parent < 0:
            root = node
        elif on_left:
            left[parent] = node
        else:
            right[parent] = node
        path[depth] = node
        depth += 1
        parent = node
        if take_a:
            a, on_left = right[a], False
        else:
            b, on_left = left[b], True
    if parent < 0:
        return -1
    if on_left:
        left[parent] = -1
    else:
        right[parent] = -1
    for d in range(depth - 1, -1, -1):
        _sum_up(path[d], left, right, total, x, most, least)
    return root


@kernel
def smallest(roots: I64, left: I64, total: I64) -> int:
    """The first sibling of several treaps, or -1."""
    best = -1
    for g in range(len(roots)):
        at = roots[g]
        while at >= 0 and left[at] >= 0:
            at = left[at]
        if at >= 0 and (best < 0 or _before(total, at, best)):
            best = at
    return best


@kernel
def _may(
    at: int, a: int, total: I64, x: I64, most: I64, least: I64, sum_: I64, spare: I64,
    mode: int, kind: int, k: int, ell: int, p: int, q: int,
) -> Any:  # fmt: skip
    """Whether some sibling of the subtree could make a leaf with child a that passes."""
    m = x.shape[1]
    for c in range(m):
        sum_[c] = x[a, c] + least[at, 0, c]
    if not passes(total[a] + most[at, 0], sum_, spare, mode, kind, k, ell, p, q):
        return False
    if kind != RECURSIVE or mode == ESTIMATED:
        return True
    # The tail is also what is over plus the smallest classes, of which there are never more than this.
    top, tail = 0, most[at, 1] + total[a]
    for c in range(m):
        top = max(top, sum_[c])
    for c in range(m):
        sum_[c] = x[a, c] + least[at, 1, c]
        tail += sum_[c] - x[a, c]
    tail -= top_sum(sum_, ell - 1, spare)
    return tail > 0 and less(top, tail, p, q)


@kernel
def first_that_does(
    roots: I64, a: int, n: int, i: int, best: int, left: I64, right: I64, total: I64, x: I64, most: I64, least: I64,
    path: I64, sum_: I64, spare: I64, mode: int, kind: int, k: int, ell: int, p: int, q: int,
) -> Any:  # fmt: skip
    """The first sibling of several treaps that makes a leaf with child a which passes, or -1.

    Siblings before the i-th with n records are known not to do; `best`, if not -1, does, and is beaten by an earlier.
    """
    for g in range(len(roots)):
        at, depth = roots[g], 0
        while at >= 0 or depth > 0:
            while at >= 0:
                if total[at] < n or (total[at] == n and at < i):
                    at = right[at]
                    continue
                if not _may(at, a, total, x, most, least, sum_, spare, mode, kind, k, ell, p, q):
                    break
                path[depth] = at
                depth += 1
                at = left[at]
            if depth == 0:
                break
            depth -= 1
            at = path[depth]
            if best >= 0 and not _before(total, at, best):
                break
            for c in range(x.shape[1]):
                sum_[c] = x[a, c] + x[at, c]
            if passes(total[a] + total[at], sum_, spare, mode, kind, k, ell, p, q):
                best = at
                break
            at = right[at]
    return best
