"""The search for the sibling that the rules name: the first, by records and number, that mends a failed child.

Parts that may hold one are opened in the order of their first siblings, so none is opened that begins after the answer.

Where a node has thousands of children, many are equal. A table remembers, for each kind of failed child, which sibling
did last time, or that none did. Those that were there then, and come before it in the order of the rules, do not; nor
does a part where nobody came since.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import kernel
from confide.share.pruning._merit_kernels import AT_LEAST, PER_RECORD, RECORDS, SCORE, may_do
from confide.share.pruning._sibling_kernels import (
    FIRST,
    HIGH,
    LARGEST,
    LOW,
    MADE,
    MERITS,
    NEWEST,
    NEXT,
    Siblings,
    before,
)
from confide.share.pruning.leaf_kernels import passes
from confide.share.pruning.leaf_tests import LeafTest

I64 = NDArray[np.int64]

MANY = 32  # children below which nothing is remembered
UNKNOWN = -1
NOBODY = 1 << 62  # more records than any sibling has
UP_TO, DID_RECORDS, DID = 0, 1, 2  # what is remembered: the last merge then, and who did


class SearchRoom(NamedTuple):
    """Room to search in: a heap of parts, `sum_` and `spare` for the classes of two children together.

    `looks` counts the siblings and parts that were judged.
    """

    queue: I64
    sum_: I64
    spare: I64
    looks: I64


@kernel
def slot_of(n: int, x: I64, like: int, kinds: I64) -> Any:
    """The place of such children in the table: theirs, or a free one that is now; rows are records, then classes."""
    size = kinds.shape[0]
    at = like & (size - 1)
    while kinds[at, 0] != UNKNOWN:
        same = kinds[at, 0] == n
        for c in range(len(x)):
            same = same and kinds[at, 1 + c] == x[c]
        if same:
            return at
        at = (at + 1) & (size - 1)
    kinds[at, 0] = n
    for c in range(len(x)):
        kinds[at, 1 + c] = x[c]
    return at


@kernel
def _push(queue: I64, size: int, at: int, part: I64, total: I64) -> int:
    """Put a part into the heap, by its first sibling."""
    to = size
    while to > 0 and before(total, part[at, FIRST], part[queue[(to - 1) // 2], FIRST]):
        queue[to] = queue[(to - 1) // 2]
        to = (to - 1) // 2
    queue[to] = at
    return size + 1


@kernel
def _pop(queue: I64, size: int, part: I64, total: I64) -> int:
    """Drop the first of the heap."""
    size -= 1
    at, to = queue[size], 0
    while 2 * to + 1 < size:
        down = 2 * to + 1
        if down + 1 < size and before(total, part[queue[down + 1], FIRST], part[queue[down], FIRST]):
            down += 1
        if not before(total, part[queue[down], FIRST], part[at, FIRST]):
            break
        queue[to] = queue[down]
        to = down
    queue[to] = at
    return size


@kernel
def _first_of_leaf(
    b: int, a: int, best: int, x: I64, known: I64, siblings: Siblings, room: SearchRoom, test: LeafTest
) -> Any:  # fmt: skip
    """The first sibling of the list that begins with b which does, or `best` if none before it does."""
    note, total, line = siblings.note, siblings.total, siblings.line
    scored, least = note.shape[1] > MERITS + SCORE, line[AT_LEAST] - line[PER_RECORD] * total[a]
    while b >= 0 and (best < 0 or before(total, b, best)):
        tried = note[b, MADE] <= known[UP_TO] and (
            total[b] < known[DID_RECORDS] or (total[b] == known[DID_RECORDS] and b < known[DID])
        )
        if not tried and not (scored and line[PER_RECORD] > 0 and note[b, MERITS + SCORE] < least):
            room.looks[0] += 1
            for c in range(x.shape[1]):
                room.sum_[c] = x[a, c] + x[b, c]
            if passes(total[a] + total[b], room.sum_, room.spare, test):
                return b
        b = note[b, NEXT]
    return best


@kernel
def first_that_does(
    root: int, a: int, x: I64, known: I64, siblings: Siblings, room: SearchRoom, test: LeafTest
) -> Any:  # fmt: skip
    """The first sibling of part `root` that makes a leaf with child a which passes, or -1.

    `x` has the numbers of the classes of each child, `known` is what is remembered of children like a.
    """
    part, note, total, queue = siblings.part, siblings.note, siblings.total, room.queue
    if part[root, FIRST] < 0:
        return -1
    best, size = -1, _push(queue, 0, root, part, total)
    while size > 0:
        at = queue[0]
        if best >= 0 and not before(total, part[at, FIRST], best):
            break
        size = _pop(queue, size, part, total)
        if part[at, LOW] < 0:
            best = _first_of_leaf(part[at, FIRST], a, best, x, known, siblings, room, test)
            continue
        for half in (part[at, LOW], part[at, HIGH]):
            if part[half, FIRST] < 0 or (best >= 0 and not before(total, part[half, FIRST], best)):
                continue
            if part[half, NEWEST] <= known[UP_TO] and part[half, LARGEST + RECORDS] < known[DID_RECORDS]:
                continue
            room.looks[0] += 1
            own, most = note[a, MERITS:], part[half, LARGEST:]
            if may_do(total[a], x[a], own, most, siblings.line, room.sum_, room.spare, test):
                size = _push(queue, size, half, part, total)
    return best
