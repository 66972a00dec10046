"""Kernels that better a choice of items to suppress by exchange: some item comes back, those go that it needs gone.

Every mole stays broken throughout. `breaks[m]` counts the suppressed items of mole m, and `alone[v]` the moles that the
suppressed item v breaks alone: with none of them it can come back for nothing. An item comes back in exchange when the
items that must go instead cost less. Where no exchange is left, the search forces one item back at whatever price,
exchanges again, and returns to the best choice it knows if that lost more. The item is drawn by a fixed generator and
work is counted in entries of moles read, so the same input gives the same choice on every machine.
"""

from typing import NamedTuple

import numpy as np

from confide.core.runtime.array_kernels import copy_into
from confide.core.runtime.jit import kernel
from confide.publish.transactions.moles.mole_kernels import I32, I64, Flags


class Moles(NamedTuple):
    """Moles one after the other, smallest first; for each item the moles that hold it; its price; whether it may go."""

    offsets: I64
    items: I32
    item_ptr: I64
    item_moles: I32
    price: I64
    may_go: Flags


class Choice(NamedTuple):
    """Which items are out; for each mole how many of its items are; for each item how many moles it breaks alone."""

    out: Flags
    breaks: I32
    alone: I64


class ExchangeRoom(NamedTuple):
    """Scratch: items of the exchange at hand, and the number of the exchange that last listed each item."""

    going: I32
    listed: I64
    counter: I64  # one entry: exchanges looked at


class Search(NamedTuple):
    """Where the search stands: the choice at hand, the best one, scratch, and numbers in `now`."""

    choice: Choice
    best: Choice
    room: ExchangeRoom
    now: I64


READ, WORSE, IDLE, DRAWN = 0, 1, 2, 3
"""Entries of `now`: entries read; by how much the choice at hand loses more than the best; forced exchanges since
something was gained; the state of the generator."""

_TRIES = 50  # items drawn for a forced exchange, until one is suppressed and may come back
_NO_BOUND = np.int64(1) << 62


@kernel
def begin(moles: Moles, out: Flags) -> Choice:
    """Count for this choice, which breaks every mole."""
    breaks = np.zeros(len(moles.offsets) - 1, np.int32)
    alone = np.zeros(len(out), np.int64)
    for mole in range(len(breaks)):
        last = -1
        for e in range(moles.offsets[mole], moles.offsets[mole + 1]):
            if out[moles.items[e]]:
                breaks[mole] += 1
                last = moles.items[e]
        if breaks[mole] == 1:
            alone[last] += 1
    return Choice(out, breaks, alone)


@kernel
def _other_out(moles: Moles, choice: Choice, mole: int, v: int) -> int:
    """The suppressed item of the mole that is not v."""
    for e in range(moles.offsets[mole], moles.offsets[mole + 1]):
        u = moles.items[e]
        if u != v and choice.out[u]:
            return u
    return -1


@kernel
def _take_out(moles: Moles, choice: Choice, v: int) -> int:
    """Suppress v; returns the entries read."""
    for e in range(moles.item_ptr[v], moles.item_ptr[v + 1]):
        mole = moles.item_moles[e]
        choice.breaks[mole] += 1
        if choice.breaks[mole] == 1:
            choice.alone[v] += 1
        elif choice.breaks[mole] == 2:
            choice.alone[_other_out(moles, choice, mole, v)] -= 1
    choice.out[v] = True
    return moles.item_ptr[v + 1] - moles.item_ptr[v]


@kernel
def _put_back(moles: Moles, choice: Choice, v: int) -> int:
    """Let v, which breaks no mole alone, come back; returns the entries read."""
    choice.out[v] = False
    for e in range(moles.item_ptr[v], moles.item_ptr[v + 1]):
        mole = moles.item_moles[e]
        choice.breaks[mole] -= 1
        if choice.breaks[mole] == 1:
            choice.alone[_other_out(moles, choice, mole, v)] += 1
    return moles.item_ptr[v + 1] - moles.item_ptr[v]


@kernel
def _list_going(moles: Moles, choice: Choice, room: ExchangeRoom, v: int, below: int) -> tuple[int, np.int64, int]:
    """List in `going` what must go if v comes back: of each mole that v breaks alone the cheapest other item, moles of
    two first. Returns (how many, their price, entries read); -1 for how many if one may not go or the price reaches
    `below`.
    """
    room.counter[0] += 1
    stamp = room.counter[0]
    n, cost, read = 0, np.int64(0), 0
    missing = choice.alone[v]
    for e in range(moles.item_ptr[v], moles.item_ptr[v + 1]):
        if missing == 0:
            break
        read += 1
        mole = moles.item_moles[e]
        if choice.breaks[mole] != 1:
            continue
        missing -= 1
        best = -1
        for f in range(moles.offsets[mole], moles.offsets[mole + 1]):
            u = moles.items[f]
            if u == v:
                continue
            if room.listed[u] == stamp:
                best = -2
                break
            if moles.may_go[u] and (best < 0 or moles.price[u] < moles.price[best]):
                best = u
        if best == -2:
            continue
        if best == -1:
            return -1, cost, read
        room.listed[best] = stamp
        room.going[n] = best
        n += 1
        cost += moles.price[best]
        if cost >= below:
            return -1, cost, read
    return n, cost, read


@kernel
def _swap(moles: Moles, choice: Choice, room: ExchangeRoom, v: int, n: int, order: I32) -> tuple[int, int]:
    """Carry the listed exchange out, then let come back what need not be out, first in `order` first.

    Returns (by how much more is lost, entries read)."""
    lost, read = -moles.price[v], 0
    for i in range(n):
        read += _take_out(moles, choice, room.going[i])
        lost += moles.price[room.going[i]]
    read += _put_back(moles, choice, v)
    for u in order:
        if choice.out[u] and choice.alone[u] == 0:
            read += _put_back(moles, choice, u)
            lost -= moles.price[u]
    return lost, read


@kernel
def _exchange(moles: Moles, choice: Choice, room: ExchangeRoom, order: I32) -> tuple[np.int64, int]:
    """Exchange while that loses less; returns (by how much more is lost: 0 or less, entries read)."""
    lost, read = np.int64(0), 0
    for u in order:
        if choice.out[u] and choice.alone[u] == 0:
            read += _put_back(moles, choice, u)
            lost -= moles.price[u]
    changed = True
    while changed:
        changed = False
        for v in order:
            if not choice.out[v]:
                continue
            n, _, some = _list_going(moles, choice, room, v, moles.price[v])
            read += some
            if n >= 0:
                more, some = _swap(moles, choice, room, v, n, order)
                lost += more
                read += some
                changed = True
    return lost, read


@kernel
def begin_search(moles: Moles, out: Flags, order: I32) -> Search:
    """Begin with a choice that breaks every mole, and exchange while that gains; `order` are the items in some mole,
    dearest first."""
    room = ExchangeRoom(np.empty(len(out), np.int32), np.zeros(len(out), np.int64), np.zeros(1, np.int64))
    choice = begin(moles, out.copy())
    now = np.zeros(4, np.int64)
    _, now[READ] = _exchange(moles, choice, room, order)
    return Search(choice, Choice(choice.out.copy(), choice.breaks.copy(), choice.alone.copy()), room, now)


@kernel
def _draw(now: I64, n: int) -> int:
    """A number below n: the high bits of a linear congruential generator (Knuth's MMIX)."""
    now[DRAWN] = now[DRAWN] * np.int64(6364136223846793005) + np.int64(1442695040888963407)
    return ((now[DRAWN] >> 33) & 0x3FFFFFFF) % n


@kernel
def _copy(source: Choice, target: Choice) -> None:
    copy_into(target.out, source.out)
    copy_into(target.breaks, source.breaks)
    copy_into(target.alone, source.alone)


@kernel
def go_on(moles: Moles, search: Search, order: I32, entries: int, patience: int) -> bool:
    """Force exchanges until `entries` have been read in all; False when `patience` of them in a row gained nothing."""
    choice, room, now = search.choice, search.room, search.now
    while now[READ] < entries:
        n, v = -1, -1
        for _ in range(_TRIES):
            v = int(order[_draw(now, len(order))])
            if choice.out[v]:
                n, _, read = _list_going(moles, choice, room, v, _NO_BOUND)
                now[READ] += read
                if n >= 0:
                    break
        if n < 0 or now[IDLE] >= patience:
            return False
        lost, read = _swap(moles, choice, room, v, n, order)
        more, further = _exchange(moles, choice, room, order)
        now[READ] += read + further
        now[WORSE] += lost + more
        now[IDLE] = 0 if now[WORSE] < 0 else now[IDLE] + 1
        if now[WORSE] < 0:
            _copy(choice, search.best)
        elif now[WORSE] > 0:
            _copy(search.best, choice)
            now[READ] += len(choice.breaks)
        now[WORSE] = 0
    return True
