"""Sets of one name or two, counted over some records; and the first look at a try of peeling.

Most tries are refused, and a set in too few records shows that before all sets are written down.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.jit import interpreted_as, kernel
from confide.publish.transactions.generalisation.tree import spread

I64 = NDArray[np.int64]
Flags = NDArray[np.bool_]


class RecordNames(NamedTuple):
    """The names of each record: `names[row_ptr[i]:]`, `lengths[i]` of them, and how many of its items each `held`
    stands for; `shown[name]` says whether the name is published."""

    row_ptr: I64
    lengths: I64
    names: I64
    held: I64
    shown: Flags


class Leaving(NamedTuple):
    """In record rows[i] the name at place out[i] is not counted; -1 where all are."""

    rows: I64
    out: I64


class TallyRoom(NamedTuple):
    """Zeros, one for each name, and room for as many names; twice."""

    counts: I64
    touched: I64
    others: I64
    beside: I64


def _find_leaving(records: RecordNames, rows: I64, own: I64, group: int) -> I64:
    widths = records.lengths[rows]
    places = spread(records.row_ptr[rows], widths)
    mine = places[records.names[places] == group]
    return mine if not len(own) else np.where(records.held[mine] == own, mine, -1)


@interpreted_as(_find_leaving)
def find_leaving(records: RecordNames, rows: I64, own: I64, group: int) -> I64:
    """Where the group stands in each record that leaves it: rows[i] loses own[i] of its items (empty: all)."""
    out = np.full(len(rows), -1, np.int64)
    for i in range(len(rows)):
        place = records.row_ptr[rows[i]]
        while records.names[place] != group:
            place += 1
        if len(own) == 0 or records.held[place] == own[i]:
            out[i] = place
    return out


@kernel
def _tally(records: RecordNames, leaving: Leaving, which: I64, counts: I64, touched: I64) -> int:
    """In how many of the records rows[which] each name is; the number of names touched."""
    names, shown, rows, out = records.names, records.shown, leaving.rows, leaving.out
    seen = 0
    for i in which:
        start = records.row_ptr[rows[i]]
        for place in range(start, start + records.lengths[rows[i]]):
            name = names[place]
            if shown[name] and place != out[i]:
                if counts[name] == 0:
                    touched[seen] = name
                    seen += 1
                counts[name] += 1
    return seen


@kernel
def _by_name(records: RecordNames, leaving: Leaving, seen: int, room: TallyRoom) -> tuple[I64, I64]:
    """The records of each name touched: `of[start[t]:start[t + 1]]`."""
    start = np.zeros(seen + 1, np.int64)
    for t in range(seen):
        start[t + 1] = start[t] + room.counts[room.touched[t]]
        room.others[room.touched[t]] = t
    of, next_ = np.empty(start[seen], np.int64), start[:-1].copy()
    for i in range(len(leaving.rows)):
        first = records.row_ptr[leaving.rows[i]]
        for place in range(first, first + records.lengths[leaving.rows[i]]):
            if records.shown[records.names[place]] and place != leaving.out[i]:
                t = room.others[records.names[place]]
                of[next_[t]] = i
                next_[t] += 1
    for t in range(seen):
        room.others[room.touched[t]] = 0
    return start, of


@kernel
def _tally_and_find(records: RecordNames, rows: I64, own: I64, group: int, out: I64, counts: I64, touched: I64) -> int:
    """`find_leaving`, into `out`, and `_tally` of all the records, in one walk."""
    names, shown, held = records.names, records.shown, records.held
    seen = 0
    for i in range(len(rows)):
        start = records.row_ptr[rows[i]]
        out[i] = -1
        for place in range(start, start + records.lengths[rows[i]]):
            name = names[place]
            if name == group and held[place] == own[i]:
                out[i] = place
            elif shown[name]:
                if counts[name] == 0:
                    touched[seen] = name
                    seen += 1
                counts[name] += 1
    return seen


@kernel
def sees_rare(
    records: RecordNames, rows: I64, own: I64, group: int, k: int, pairs: bool, room: TallyRoom, out: I64
) -> bool:
    """Whether a name (or, if asked, a pair of names) would be in some of these records, but in fewer than k.

    Record rows[i] loses own[i] items of the group. Fills `out`, as `find_leaving` does.
    """
    counts, touched, others, beside = room
    seen = _tally_and_find(records, rows, own, group, out, counts, touched)
    rare = False
    for t in range(seen):
        rare = rare or counts[touched[t]] < k
    if pairs and not rare:
        leaving = Leaving(rows, out)
        start, of = _by_name(records, leaving, seen, room)
        for t in range(seen):
            found = _tally(records, leaving, of[start[t] : start[t + 1]], others, beside)
            for u in range(found):
                rare = rare or others[beside[u]] < k
                others[beside[u]] = 0
            if rare:
                break
    for t in range(seen):
        counts[touched[t]] = 0
    return rare


@kernel
def count_names(records: RecordNames, leaving: Leaving, pairs: bool, base: int, room: TallyRoom) -> tuple[I64, I64]:
    """Keys and counts of the sets of no name, of one and, if asked, of two, in no order; a key is as in `peeling`."""
    counts, touched, others, beside = room
    seen = _tally(records, leaving, np.arange(len(leaving.rows)), counts, touched)
    keys, numbers = [np.int64(0)], [np.int64(len(leaving.rows))]
    for t in range(seen):
        keys.append(touched[t] + 1)
        numbers.append(counts[touched[t]])
    if pairs:
        start, of = _by_name(records, leaving, seen, room)
        for t in range(seen):
            found = _tally(records, leaving, of[start[t] : start[t + 1]], others, beside)
            for u in range(found):
                if beside[u] > touched[t]:
                    keys.append((touched[t] + 1) * base + beside[u] + 1)
                    numbers.append(others[beside[u]])
                others[beside[u]] = 0
    for t in range(seen):
        counts[touched[t]] = 0
    return np.array(keys), np.array(numbers)


def room_for(names: int) -> TallyRoom:
    """Room for so many names."""
    return TallyRoom(*(np.zeros(names, np.int64) for _ in range(4)))
