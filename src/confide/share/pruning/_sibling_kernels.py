"""The siblings of a failed child, kept so that those that cannot mend it are passed over many at a time.

Siblings that resemble each other are kept together. A part is a set of them: a leaf lists up to IN_A_LEAF, in the order
of the rules (by records, then by the child's number); any other is cut in two, at the median of the merit in which its
members differ most. Every part knows its first sibling, the largest of each merit (`_merit_kernels`), and the last
merge that put somebody there.

Children come and go, and cuts grow uneven. A part that took in three times as many as it was cut with is cut anew, so
its depth stays near the logarithm of its members; that costs each child some logarithms of time.

Parts 0 and 1 hold all siblings that pass, and all that fail.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import interpreted_as, kernel
from confide.share.pruning._merit_kernels import weight_of

I64 = NDArray[np.int64]
IN_A_LEAF = 16
_SAMPLE = 16  # members from which the widest merit is told
_NONE = -(1 << 62)

# A child: the next one and the leaf it is in; a number that equal children share; the merge that made it; its merits.
NEXT, LEAF, LIKE, MADE, MERITS = range(5)
# A part: its halves (LOW is -1 in a leaf) and what it is a half of; members when it was cut (in a leaf: now), and how
# many came since; the merit it is cut by, and at which child: its merit, LIKE and number; the first sibling, or -1;
# the last merge that put one there; the largest merits.
LOW, HIGH, ABOVE, MEMBERS, CAME, CUT, CUT_MERIT, CUT_LIKE, CUT_CHILD, FIRST, NEWEST, LARGEST = range(12)


class Siblings(NamedTuple):
    """The children of one node: a row of `note` for each child, one of `part` for each part, and the records of each.

    `free[0]` parts are not in use; their numbers follow it. `line` is the margin of a class (`_merit_kernels.line_of`).
    Room to work in: `todo` has rows of a part, and the begin and end of its members; `members` a place for each child.
    """

    part: I64
    note: I64
    total: I64
    free: I64
    line: I64
    classes: int
    todo: I64
    members: I64


@kernel
def parts_for(n: int) -> int:
    """Parts that n children never need more of.

    A leaf that is cut from a larger part has IN_A_LEAF / 2 members or more, and at most 2 n are ever put somewhere.
    """
    return 4 + 8 * n // IN_A_LEAF


@kernel
def before(total: I64, i: int, j: int) -> bool:
    """Whether rules 2 and 3 prefer sibling i to j."""
    return total[i] < total[j] or (total[i] == total[j] and i < j)


def _likeness(n: int, x: I64) -> int:
    word = (1 << 64) - 1
    number = int(n) * 0xBF58476D1CE4E5B9 & word
    for c in x.tolist():
        number = (number ^ (c & word)) * 0x9E3779B97F4A7C15 & word
        number ^= number >> 29
    return number >> 1


@interpreted_as(_likeness)
def likeness(n: int, x: I64) -> Any:
    """A number that equal children share, and others hardly ever."""
    number = np.uint64(n) * np.uint64(0xBF58476D1CE4E5B9)  # or n and x cancel out where all are of one class
    for c in range(len(x)):
        number = (number ^ np.uint64(x[c])) * np.uint64(0x9E3779B97F4A7C15)
        number ^= number >> np.uint64(29)
    return np.int64(number >> np.uint64(1))


@kernel
def _below(i: int, cut: int, merit: int, like: int, j: int, note: I64) -> bool:
    """Whether child i lies below a cut at child j, which had this merit then. Equal children stay together."""
    own = note[i, MERITS + cut]
    if own != merit:
        return own < merit
    if note[i, LIKE] != like:
        return note[i, LIKE] < like
    return i < j


@kernel
def _forget(row: I64) -> None:
    row[FIRST], row[NEWEST] = -1, -1
    for j in range(LARGEST, len(row)):
        row[j] = _NONE


@kernel
def _take_in(row: I64, i: int, note: I64, total: I64) -> None:
    """Let a part know child i."""
    if row[FIRST] < 0 or before(total, i, row[FIRST]):
        row[FIRST] = i
    row[NEWEST] = max(row[NEWEST], note[i, MADE])
    for j in range(len(row) - LARGEST):
        row[LARGEST + j] = max(row[LARGEST + j], note[i, MERITS + j])


@kernel
def _sum_up(row: I64, part: I64, total: I64) -> bool:
    """Recompute a part's summary from its two halves; return True if it changed."""
    low, high, first = part[row[LOW]], part[row[HIGH]], part[row[LOW], FIRST]
    if first < 0 or (high[FIRST] >= 0 and before(total, high[FIRST], first)):
        first = high[FIRST]
    changed = row[FIRST] != first
    row[FIRST] = first
    for j in range(NEWEST, len(row)):
        largest = max(low[j], high[j])
        changed |= row[j] != largest
        row[j] = largest
    return changed


@kernel
def _widest(members: I64, note: I64, line: I64, m: int) -> int:
    """The merit in which the members differ most, by the weighted variance of a sample."""
    step, widest, most = max(1, len(members) // _SAMPLE), 0, -1.0
    for j in range(note.shape[1] - MERITS):
        weight = weight_of(j, line, m)
        sum_, squares, many = 0.0, 0.0, 0
        for at in range(0, len(members), step):
            v = weight * (note[members[at], MERITS + j] - note[members[0], MERITS + j])
            sum_ += v
            squares += v * v
            many += 1
        if squares - sum_ * sum_ / many > most:
            widest, most = j, squares - sum_ * sum_ / many
    return widest


@kernel
def _halve(members: I64, half: int, cut: int, note: I64) -> int:
    """Put the `half` members with the lowest merits first; gives the lowest of the others."""
    low, high, turn = 0, len(members), np.uint64(len(members))
    while high - low > 1:
        turn = (turn ^ (turn >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9) + np.uint64(1)
        pivot = members[low + np.int64((turn >> np.uint64(33)) % np.uint64(high - low))]
        merit, like = note[pivot, MERITS + cut], note[pivot, LIKE]
        i, j = low, high - 1
        while i <= j:
            while _below(members[i], cut, merit, like, pivot, note):
                i += 1
            while members[j] != pivot and not _below(members[j], cut, merit, like, pivot, note):
                j -= 1
            if i <= j:
                members[i], members[j] = members[j], members[i]
                i += 1
                j -= 1
        if half <= j:
            high = j + 1
        elif half >= i:
            low = i
        else:
            break
    return members[half]


@kernel
def _list(at: int, members: I64, part: I64, note: I64, total: I64) -> None:
    """Make part `at` a leaf of these members."""
    for j in range(1, len(members)):
        i, to = members[j], j
        while to > 0 and before(total, i, members[to - 1]):
            members[to] = members[to - 1]
            to -= 1
        members[to] = i
    part[at, LOW] = -1
    for j in range(len(members)):
        i = members[j]
        note[i, LEAF], note[i, NEXT] = at, members[j + 1] if j + 1 < len(members) else -1
        _take_in(part[at], i, note, total)


@kernel
def cut_up(at: int, members: I64, siblings: Siblings) -> None:
    """Cut part `at`, which is to hold these members, into halves, and those again, down to leaves."""
    part, note, total, free, line, m, todo, _ = siblings
    made, done = 1, 0
    todo[0, 0], todo[0, 1], todo[0, 2] = at, 0, len(members)
    while done < made:
        at, begin, end = todo[done]
        done += 1
        _forget(part[at])
        part[at, MEMBERS], part[at, CAME] = end - begin, 0
        if end - begin <= IN_A_LEAF:
            _list(at, members[begin:end], part, note, total)
            continue
        half, cut = (end - begin) // 2, _widest(members[begin:end], note, line, m)
        child = _halve(members[begin:end], half, cut, note)
        part[at, CUT], part[at, CUT_MERIT] = cut, note[child, MERITS + cut]
        part[at, CUT_LIKE], part[at, CUT_CHILD] = note[child, LIKE], child
        for side in (LOW, HIGH):
            new = free[free[0]]
            free[0] -= 1
            part[at, side], part[new, ABOVE], todo[made, 0] = new, at, new
            todo[made, 1], todo[made, 2] = (begin, begin + half) if side == LOW else (begin + half, end)
            made += 1
    for j in range(made - 1, -1, -1):
        if part[todo[j, 0], LOW] >= 0:
            _sum_up(part[todo[j, 0]], part, total)


@kernel
def _gather(at: int, siblings: Siblings) -> Any:
    """The members of a part; the parts below it become free."""
    part, note, _, free, _, _, todo, members = siblings
    held, depth = 0, 1
    todo[0, 0] = at
    while depth > 0:
        depth -= 1
        here = todo[depth, 0]
        if here != at:
            free[0] += 1
            free[free[0]] = here
        if part[here, LOW] >= 0:
            todo[depth, 0], todo[depth + 1, 0] = part[here, LOW], part[here, HIGH]
            depth += 2
            continue
        i = part[here, FIRST]
        while i >= 0:
            members[held] = i
            held += 1
            i = note[i, NEXT]
    return members[:held]


@kernel
def insert(at: int, i: int, siblings: Siblings) -> None:
    """Put child i, whose note is written, into part `at`."""
    part, note, total = siblings.part, siblings.note, siblings.total
    uneven = -1
    while part[at, LOW] >= 0:
        _take_in(part[at], i, note, total)
        part[at, CAME] += 1
        if uneven < 0 and part[at, CAME] > 3 * part[at, MEMBERS]:
            uneven = at
        low = _below(i, part[at, CUT], part[at, CUT_MERIT], part[at, CUT_LIKE], part[at, CUT_CHILD], note)
        at = part[at, LOW] if low else part[at, HIGH]
    then, last = part[at, FIRST], -1
    while then >= 0 and before(total, then, i):
        then, last = note[then, NEXT], then
    note[i, LEAF], note[i, NEXT] = at, then
    if last >= 0:
        note[last, NEXT] = i
    _take_in(part[at], i, note, total)
    part[at, MEMBERS] += 1
    if uneven < 0 and part[at, MEMBERS] > IN_A_LEAF:
        uneven = at
    if uneven >= 0:
        cut_up(uneven, _gather(uneven, siblings), siblings)


@kernel
def remove(i: int, siblings: Siblings) -> None:
    """Take child i out of where it is."""
    part, note, total = siblings.part, siblings.note, siblings.total
    at = note[i, LEAF]
    first = part[at, FIRST]
    if first == i:
        first = note[i, NEXT]
    else:
        last = first
        while note[last, NEXT] != i:
            last = note[last, NEXT]
        note[last, NEXT] = note[i, NEXT]
    part[at, MEMBERS] -= 1
    _forget(part[at])
    while first >= 0:
        _take_in(part[at], first, note, total)
        first = note[first, NEXT]
    at = part[at, ABOVE]
    while at >= 0 and _sum_up(part[at], part, total):
        at = part[at, ABOVE]
