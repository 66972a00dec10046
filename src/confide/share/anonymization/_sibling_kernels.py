"""The siblings of a failed child, in the order in which rules 2 and 3 prefer them: treaps of passing and failing ones.

A treap is a search tree (by records, then by the child's number) whose shape follows from a hash of that number, so it
stays shallow. Every node also knows its subtree: the first sibling, the most records, the fewest and most of each
class, and the largest margin of each class (`most`, `least`). If a sibling that had the best of all would not do, none
of the subtree does.

A margin is what a requirement asks of one class as a sum over the records, so that margins of two leaves add up:

    simple l-diversity         n - l x >= 0                            for every class with x of n records
    recursive (c,l)-diversity  c (n - x - the l - 2 others) - x > 0    for every class and any l - 2 others

The fewest records of a class and the most records of all belong to different siblings; a margin takes both from the
same one, and tells what a part holds much more sharply.

Siblings that resemble each other are kept together, apart from others; that is what lets large parts be passed over.
The groups are kept in the order of their first siblings, so a search ends where no group begins before what it found.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.share.anonymization._leaf_kernels import ESTIMATED, RECURSIVE, SIMPLE, SIZE_ONLY, less, passes, top_sum

I64 = NDArray[np.int64]
MOST_GROUPS = 256
IN_A_GROUP = 32  # siblings, on average, below which one group does
_LARGE = 1 << 60
PER_RECORD, PER_HIT, PER_OTHER, AT_LEAST = 0, 1, 2, 3  # of the line of a requirement
OTHER, LAST_OTHER = 1, 2  # places of classes among the largest of a child


@kernel
def line_of(records: int, m: int, mode: int, kind: int, ell: int, p: int, q: int) -> Any:
    """The margin of a class: PER_RECORD n - PER_HIT x - PER_OTHER (l - 2 others), which must be AT_LEAST so much.

    All 0, which refuses nobody, where a requirement is no sum over records, or the numbers are too large.
    """
    line = np.zeros(4, dtype=np.int64)
    if kind == SIMPLE:
        scale = max(1, m - 1) if mode == ESTIMATED else 1
        if max(scale, ell) < _LARGE // max(1, records) // max(1, m):
            line[PER_RECORD], line[PER_HIT] = scale, ell
    elif kind == RECURSIVE and mode != ESTIMATED:
        room = _LARGE // max(1, records) // max(1, m)
        if p < room and q < room - p:
            line[PER_RECORD], line[PER_HIT], line[PER_OTHER], line[AT_LEAST] = p, p + q, p, 1
    return line


@kernel
def margins(a: int, total: I64, x: I64, line: I64, ell: int, need: I64, place: I64, spare: I64) -> None:
    """The margin of each class of child a, and which classes are the others: its l - 2 largest, the next in reserve."""
    m = x.shape[1]
    for c in range(m):
        spare[c], place[c] = x[a, c], 0
    others, last = 0, 0
    if line[PER_OTHER] > 0:
        for many in range(min(ell - 1, m)):
            best = 0
            for c in range(1, m):
                if spare[c] > spare[best]:
                    best = c
            spare[best] = -1
            place[best] = OTHER if many < ell - 2 else LAST_OTHER
            if many < ell - 2:
                others += x[a, best]
            else:
                last = x[a, best]
    for c in range(m):
        beside = others - x[a, c] + last if place[c] == OTHER else others
        need[c] = line[PER_RECORD] * total[a] - line[PER_HIT] * x[a, c] - line[PER_OTHER] * beside


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
def _sum_up(i: int, left: I64, right: I64, total: I64, x: I64, line: I64, most: I64, least: I64) -> None:
    """What node i knows of its subtree, from its children."""
    over = total[i]
    for c in range(x.shape[1]):
        least[i, 0, c], least[i, 1, c] = x[i, c], x[i, c]
        least[i, 2, c] = line[PER_RECORD] * total[i] - line[PER_HIT] * x[i, c]
        over -= x[i, c]
    most[i, 0], most[i, 1] = total[i], over
    most[i, 2] = i if left[i] < 0 else most[left[i], 2]
    for child in (left[i], right[i]):
        if child >= 0:
            most[i, 0], most[i, 1] = max(most[i, 0], most[child, 0]), max(most[i, 1], most[child, 1])
            for c in range(x.shape[1]):
                least[i, 0, c] = min(least[i, 0, c], least[child, 0, c])
                least[i, 1, c] = max(least[i, 1, c], least[child, 1, c])
                least[i, 2, c] = max(least[i, 2, c], least[child, 2, c])


@kernel
def insert(
    root: int, i: int, left: I64, right: I64, total: I64, x: I64, line: I64, most: I64, least: I64, path: I64
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
        _sum_up(path[d], left, right, total, x, line, most, least)
    _sum_up(i, left, right, total, x, line, most, least)
    if above == 0:
        return i
    if _before(total, i, path[above - 1]):
        left[path[above - 1]] = i
    else:
        right[path[above - 1]] = i
    for d in range(above - 1, -1, -1):
        _sum_up(path[d], left, right, total, x, line, most, least)
    return root


@kernel
def remove(
    root: int, i: int, left: I64, right: I64, total: I64, x: I64, line: I64, most: I64, least: I64, path: I64
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
        _sum_up(path[d], left, right, total, x, line, most, least)
    return root


@kernel
def reorder(order: I64, roots: I64, g: int, total: I64, most: I64) -> None:
    """Put group g back in its place after it changed: groups go by their first siblings, empty ones last."""
    j = 0
    while order[j] != g:
        j += 1
    while j > 0 and _earlier(roots, g, order[j - 1], total, most):
        order[j] = order[j - 1]
        j -= 1
    while j + 1 < len(order) and _earlier(roots, order[j + 1], g, total, most):
        order[j] = order[j + 1]
        j += 1
    order[j] = g


@kernel
def _earlier(roots: I64, g: int, h: int, total: I64, most: I64) -> bool:
    if roots[g] < 0 or roots[h] < 0:
        return roots[g] >= 0
    return _before(total, most[roots[g], 2], most[roots[h], 2])


@kernel
def smallest(order: I64, roots: I64, most: I64) -> int:
    """The first sibling of several treaps, or -1."""
    root = roots[order[0]]
    return most[root, 2] if root >= 0 else -1


@kernel
def _may(
    at: int, a: int, need: I64, place: I64, total: I64, x: I64, line: I64, most: I64, least: I64, sum_: I64, spare: I64,
    mode: int, kind: int, k: int, ell: int, p: int, q: int,
) -> Any:  # fmt: skip
    """Whether some sibling of the subtree could make a leaf with child a that passes."""
    m = x.shape[1]
    if total[a] + most[at, 0] < k:
        return False
    if kind == SIZE_ONLY:
        return True
    if line[PER_RECORD] > 0:
        others, last = 0, 0
        if line[PER_OTHER] > 0:
            for c in range(m):
                if place[c] == OTHER:
                    others += least[at, 0, c]
                elif place[c] == LAST_OTHER:
                    last = least[at, 0, c]
        for c in range(m):
            beside = others - least[at, 0, c] + last if place[c] == OTHER else others
            if need[c] + least[at, 2, c] - line[PER_OTHER] * beside < line[AT_LEAST]:
                return False
        if kind == SIMPLE:
            return True
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
    order: I64, roots: I64, a: int, n: int, i: int, best: int, left: I64, right: I64, total: I64, x: I64, line: I64,
    most: I64, least: I64, path: I64, need: I64, place: I64, sum_: I64, spare: I64,
    mode: int, kind: int, k: int, ell: int, p: int, q: int,
) -> Any:  # fmt: skip
    """The first sibling of several treaps that makes a leaf with child a which passes, or -1.

    Siblings before the i-th with n records are known not to do; `best`, if not -1, does, and is beaten by an earlier.
    """
    margins(a, total, x, line, ell, need, place, spare)
    for g in order:
        at, depth = roots[g], 0
        if at < 0 or (best >= 0 and not _before(total, most[at, 2], best)):
            break
        while at >= 0 or depth > 0:
            while at >= 0:
                if total[at] < n or (total[at] == n and at < i):
                    at = right[at]
                    continue
                if best >= 0 and not _before(total, most[at, 2], best):
                    break
                if not _may(
                    at, a, need, place, total, x, line, most, least, sum_, spare, mode, kind, k, ell, p, q
                ):  # fmt: skip
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
