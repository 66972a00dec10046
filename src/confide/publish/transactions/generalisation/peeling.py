"""Peeling: subtrees of a taxonomy are taken out of their group, top-down, while nothing breaks.

Items are leaves in the order of the tree, so node v is above the leaves first[v] .. last[v] - 1. At first every item is
published as the top. A *group* is what goes by one name: the items below that node which have no name further down.
To try node v of group g,

    records with v's items in g    hold v from now on; they leave g unless they hold another item of g
    sets with v                    are counted over these records
    sets with g                    are their counts so far, less those of the records that leave

All must be in k records or in none, and no private item in too many of them. A refused node is opened: its children are
tried. With h = 1 a finer publication breaks whatever a coarser one breaks, so nothing needs a second try; with a
bound on private items the walk is repeated until nothing moves.

Cost: about (depth of the tree) x (sum over the records of |t|^p), in numpy.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError
from confide.core.requirements import Coherence
from confide.core.runtime.jit import INTERPRETED
from confide.publish.transactions.generalisation._peeling_kernels import (
    Leaving,
    RecordNames,
    count_names,
    find_leaving,
    room_for,
    sees_rare,
)
from confide.publish.transactions.generalisation.tree import Tree, spread

__all__ = ["LeafRecords", "Peeling"]

I64 = NDArray[np.int64]
_NONE = np.empty(0, dtype=np.int64)
_MOST_SETS = 100_000_000  # sets of names that one try may count


@dataclass(frozen=True, eq=False, kw_only=True)
class LeafRecords:
    """Records as leaves of a tree, both ways, and the private items of each."""

    row_ptr: I64
    tid_ptr: I64
    tids: I64
    priv_ptr: I64
    privs: I64
    n_private: int

    @property
    def size(self) -> int:
        """Number of records."""
        return len(self.row_ptr) - 1


class NameSets(NamedTuple):
    """Sets of names as ascending keys, with the records of each; private items in them as places in `keys`."""

    keys: I64
    counts: I64
    at: I64
    who: I64
    numbers: I64


class Peeling:
    """What is published at the moment: the name of each leaf, and the names of each record."""

    def __init__(self, tree: Tree, baskets: LeafRecords, requirement: Coherence, *, top: bool, allowed: I64) -> None:
        self.tree, self.baskets, self.k, self.allowed = tree, baskets, requirement.k, allowed
        lengths = np.diff(baskets.row_ptr)
        self.p = int(min(requirement.p, max(int(lengths.max(initial=1)), 1)))
        self.base = tree.size + 1
        if (self.p - 1) * self.base.bit_length() > 62:
            raise CannotMeetError(
                f"p={requirement.p:g} is too large for sets of {tree.size:,} names to be counted",
                parameter="p",
                value=requirement.p,
                cures=[{"p": 2}],
            )
        self.owner = np.zeros(tree.leaves, dtype=np.int64)
        self.shown = np.zeros(tree.size, dtype=np.bool_)
        self.shown[0] = top
        self.names = np.zeros(int(baskets.row_ptr[-1]), dtype=np.int64)
        self.held = np.zeros(len(self.names), dtype=np.int64)
        self.held[baskets.row_ptr[:-1][lengths > 0]] = lengths[lengths > 0]
        self.lengths = (lengths > 0).astype(np.int64)
        self.items = np.bincount(self.owner, minlength=tree.size)
        self._room = room_for(tree.size)
        self._records = RecordNames(baskets.row_ptr, self.lengths, self.names, self.held, self.shown)

    # -- the walk -------------------------------------------------------------------------------------------------

    def release_exactly(self, leaves: Iterable[int], *, asked: bool = True) -> list[int]:
        """Take these leaves out of the top, in this order, where nothing breaks; returns those that came out."""
        if not asked:
            for v in (chosen := list(leaves)):
                rows, own = self._records_of(v, 0)
                self._move(v, 0, rows, own)
            return chosen
        left: list[int] = list(leaves)
        out: list[int] = []
        held, moved = self._count_group(0), True
        while moved:  # with private items a leaf may fit once others are out
            refused: list[int] = []
            moved = False
            for v in left:
                held, taken = self._take(v, 0, held)
                (out if taken else refused).append(v)
                moved = moved or (taken and self.baskets.n_private > 0)
            left = refused
        return out

    def descend(self) -> None:
        """Take out whatever else can be, group by group, from the top."""
        moved = True
        while moved:
            moved = False
            queue = [int(v) for v in np.flatnonzero(self.items)]
            for g in queue:  # grows while it is walked
                if self.items[g] and len(self.tree.children(g)):
                    found = self._peel_group(g)
                    queue += found
                    moved = moved or (bool(found) and self.baskets.n_private > 0)

    def _peel_group(self, g: int) -> list[int]:
        held, taken = self._count_group(g), []
        stack = list(self.tree.children(g))
        refused: dict[int, int] = {}
        while stack:
            v = int(stack.pop())
            items = self._items_of(v, g)
            if not items:
                continue
            if items == self.items[g] and self.shown[g]:
                self._rename(v, g)
                g = v
                stack += list(self.tree.children(v))
                continue
            if not self._is_other_half(v, g, refused):
                held, out = self._take(v, g, held)
                if out:
                    taken.append(v)
                    continue
                refused[v] = g
            if self.tree.weight[v] >= self.k:  # what is below is in no more records
                stack += list(self.tree.children(v))
        return taken

    def _is_other_half(self, v: int, g: int, refused: dict[int, int]) -> bool:
        """Whether g lies below two siblings, v and one that could not leave: v alone would leave the same halves."""
        if self.baskets.n_private or not self.shown[g]:
            return False
        above = int(self.tree.parent[v])
        others = [int(c) for c in self.tree.children(above) if c != v]
        return len(others) == 1 and refused.get(others[0]) == g and self._items_of(above, g) == self.items[g]

    # -- one try --------------------------------------------------------------------------------------------------

    def _take(self, v: int, g: int, held: NameSets) -> tuple[NameSets, bool]:
        """Publish v's items in group g as v unless something breaks; returns the sets with g then."""
        if self.tree.weight[v] < self.k:
            return held, False
        rows, own = self._records_of(v, g)
        if len(rows) < self.k:
            return held, False
        if INTERPRETED:
            leaving = Leaving(rows, find_leaving(self._records, rows, own, g))
        else:
            leaving = Leaving(rows, np.empty(len(rows), dtype=np.int64))
            pairs = self.p > 2
            if sees_rare(self._records, rows, own, g, self.k, pairs, self._room, leaving.out) and self.p > 1:
                return held, False
        node = self._count(leaving)
        if self._breaks(node):
            return held, False
        if self.shown[g]:
            gone = leaving.out >= 0
            lost = self._count(Leaving(rows[gone], leaving.out[gone]))
            held = _subtract(held, lost)
            if self._breaks(held):
                return _add(held, lost), False
            held = self._with_new(held, node, v, g)
        self._move(v, g, rows, own)
        return held, True

    def _breaks(self, sets: NameSets) -> bool:
        counts = sets.counts
        if ((counts > 0) & (counts < self.k)).any():
            return True
        return bool((sets.numbers > self.allowed[counts[sets.at]]).any())

    def _count_group(self, g: int) -> NameSets:
        """Every set with the name g, without g itself."""
        if not self.shown[g]:
            return NameSets(_NONE, _NONE, _NONE, _NONE, _NONE)
        rows, _ = self._records_of(g, g)
        return self._count(Leaving(rows, find_leaving(self._records, rows, _NONE, g)))

    def _count(self, leaving: Leaving) -> NameSets:
        """Count the sets of up to p - 1 names in the records, without the names that leave them."""
        if 1 < self.p <= 3 and not self.baskets.n_private and not INTERPRETED:
            keys, counts = count_names(self._records, leaving, self.p > 2, self.base, self._room)
            order = np.argsort(keys)
            return NameSets(keys[order], counts[order], _NONE, _NONE, _NONE)
        rows = leaving.rows
        places, widths = self._places(rows)
        names = self.names[places]
        keep = self.shown[names] & ~np.isin(places, leaving.out)
        at = np.repeat(np.arange(len(rows)), widths)[keep]
        codes = names[keep] + 1
        keys, owners = [np.zeros(len(rows), dtype=np.int64)], [np.arange(len(rows))]
        if self.p > 1:
            keys.append(codes)
            owners.append(at)
        if self.p > 2:
            for more, of in self._larger(codes, at, len(rows)):
                keys.append(more)
                owners.append(of)
        every = np.concatenate(keys)
        if not self.baskets.n_private:
            return _counted(every, self.base if self.p <= 2 else 0)
        found, which, counts = np.unique(every, return_inverse=True, return_counts=True)
        of = rows[np.concatenate(owners)]
        start, number = self.baskets.priv_ptr[of], np.diff(self.baskets.priv_ptr)[of]
        entry = spread(start, number)
        pair = np.repeat(which, number) * self.baskets.n_private + self.baskets.privs[entry]
        pairs, numbers = np.unique(pair, return_counts=True)
        return NameSets(found, counts, pairs // self.baskets.n_private, pairs % self.baskets.n_private, numbers)

    def _larger(self, codes: I64, at: I64, n: int) -> Iterable[tuple[I64, I64]]:
        """The keys of sets of 2 to p - 1 names, and the record of each; records of one width at a time."""
        widths = np.bincount(at, minlength=n)
        starts = np.cumsum(widths) - widths
        total = sum(float(np.float64(widths) ** size @ np.ones(n)) for size in range(2, self.p))
        if total > _MOST_SETS * self.p:
            raise CannotMeetError(
                f"p={self.p} asks for more sets of names than can be counted in memory", parameter="p", value=self.p
            )
        for width in np.unique(widths):
            of = np.flatnonzero(widths == width)
            rows = np.sort(codes[starts[of][:, None] + np.arange(width)], axis=1)
            for size in range(2, min(self.p, width + 1)):
                chosen = np.array(list(combinations(range(width), size)), dtype=np.int64)
                key = np.zeros((len(of), len(chosen)), dtype=np.int64)
                for column in chosen.T:
                    key = key * self.base + rows[:, column]
                yield key.ravel(), np.repeat(of, len(chosen))

    def _with_new(self, held: NameSets, node: NameSets, v: int, g: int) -> NameSets:
        """The sets with g, once the sets of the node v that hold g are sets of g that hold v."""
        digits = np.stack([node.keys // self.base**i % self.base for i in range(max(self.p - 1, 1))])
        inside = (digits == g + 1).any(axis=0)
        changed = np.sort(np.where(digits == g + 1, v + 1, digits)[:, inside], axis=0)
        keys = np.zeros(changed.shape[1], dtype=np.int64)
        for row in changed:  # zeros sort first, so a key keeps its ascending digits
            keys = keys * self.base + row
        place = np.cumsum(inside) - 1
        mine = inside[node.at]
        return _add(
            held,
            _in_order(NameSets(keys, node.counts[inside], place[node.at[mine]], node.who[mine], node.numbers[mine])),
        )

    # -- records --------------------------------------------------------------------------------------------------

    def _items_of(self, v: int, g: int) -> int:
        return int((self.owner[self.tree.first[v] : self.tree.last[v]] == g).sum())

    def _records_of(self, v: int, g: int) -> tuple[I64, I64]:
        """The records of v's items in group g, and how many of these items each holds."""
        first, last = int(self.tree.first[v]), int(self.tree.last[v])
        ptr, tids = self.baskets.tid_ptr, self.baskets.tids
        mine = self.owner[first:last] == g
        if mine.all():
            held = tids[ptr[first] : ptr[last]]
        else:
            leaves = first + np.flatnonzero(mine)
            held = tids[spread(ptr[leaves], ptr[leaves + 1] - ptr[leaves])]
        if mine.sum() == 1:
            return held, np.ones(len(held), dtype=np.int64)
        if 8 * len(held) < self.baskets.size:
            return np.unique(held, return_counts=True)
        own = np.bincount(held, minlength=self.baskets.size)
        rows = np.flatnonzero(own)
        return rows, own[rows]

    def _places(self, rows: I64) -> tuple[I64, I64]:
        """Where the names of these records are, and how many each has."""
        widths = self.lengths[rows]
        return spread(self.baskets.row_ptr[rows], widths), widths

    def _move(self, v: int, g: int, rows: I64, own: I64) -> None:
        places, _ = self._places(rows)
        at = places[self.names[places] == g]
        self.held[at] -= own
        leaves = self.held[at] == 0
        self.names[at[leaves]], self.held[at[leaves]] = v, own[leaves]
        stay = rows[~leaves]
        new = self.baskets.row_ptr[stay] + self.lengths[stay]
        self.names[new], self.held[new] = v, own[~leaves]
        self.lengths[stay] += 1
        part = self.owner[self.tree.first[v] : self.tree.last[v]]
        moved = part == g
        part[moved] = v
        self.items[v] += moved.sum()
        self.items[g] -= moved.sum()
        self.shown[v] = True

    def _rename(self, v: int, g: int) -> None:
        """Publish the whole of group g as v, which is above all of it."""
        places, _ = self._places(self._records_of(v, g)[0])
        self.names[places[self.names[places] == g]] = v
        part = self.owner[self.tree.first[v] : self.tree.last[v]]
        part[part == g] = v
        self.items[v], self.items[g] = self.items[g], 0
        self.shown[v] = True


def _counted(keys: I64, most: int) -> NameSets:
    """Sets and their counts; keys below `most`, if that is given, are counted without sorting where they are many."""
    if most and 8 * len(keys) > most:
        counts = np.bincount(keys, minlength=most)
        found = np.flatnonzero(counts)
        return NameSets(found, counts[found], _NONE, _NONE, _NONE)
    found, counts = np.unique(keys, return_counts=True)
    return NameSets(found, counts, _NONE, _NONE, _NONE)


def _subtract(held: NameSets, lost: NameSets) -> NameSets:
    """The sets with these records less; a set or private item that is in none is kept as 0."""
    counts, numbers = held.counts.copy(), held.numbers
    place = np.searchsorted(held.keys, lost.keys)
    counts[place] -= lost.counts
    if len(lost.at):
        numbers = numbers.copy()
        width = int(held.who.max()) + 1
        numbers[np.searchsorted(held.at * width + held.who, place[lost.at] * width + lost.who)] -= lost.numbers
    return NameSets(held.keys, counts, held.at, held.who, numbers)


def _add(held: NameSets, more: NameSets) -> NameSets:
    """Both together."""
    if not len(more.keys):
        return held
    keys, inverse = np.unique(np.concatenate([held.keys, more.keys]), return_inverse=True)
    counts = np.zeros(len(keys), dtype=np.int64)
    np.add.at(counts, inverse, np.concatenate([held.counts, more.counts]))
    if not len(held.at) and not len(more.at):
        return NameSets(keys, counts, _NONE, _NONE, _NONE)
    at = np.concatenate([inverse[: len(held.keys)][held.at], inverse[len(held.keys) :][more.at]])
    who = np.concatenate([held.who, more.who])
    width = int(who.max()) + 1
    pairs, which = np.unique(at * width + who, return_inverse=True)
    numbers = np.zeros(len(pairs), dtype=np.int64)
    np.add.at(numbers, which, np.concatenate([held.numbers, more.numbers]))
    return NameSets(keys, counts, pairs // width, pairs % width, numbers)


def _in_order(sets: NameSets) -> NameSets:
    """The same sets, ascending."""
    order = np.argsort(sets.keys)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    at = rank[sets.at]
    by = np.lexsort((sets.who, at))
    return NameSets(sets.keys[order], sets.counts[order], at[by], sets.who[by], sets.numbers[by])
