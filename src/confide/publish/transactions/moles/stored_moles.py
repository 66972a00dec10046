"""Minimal moles of transactions that stay in their files: level by level, with counts from passes over them.

    1 item    supports are known; with h below 1, pairs of a public and a private item say who breaches it
    2 items   all pairs of the items that are left, in the same pass
    s items   candidates all of whose parts are free of moles, some millions a pass

A set breaches h if some private item is with it too often. Pairs are counted with every private item, where that fits;
of longer sets only those whose parts, counted before, do not clear them. The moles are those that `minimal` finds in
memory.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.errors import CannotMeetError, UsageError
from confide.core.requirements import Coherence
from confide.mining.stored.beside import PairsBeside, Ranked
from confide.mining.stored.occurring import count_occurring, few_enough
from confide.mining.stored.pairs import Triangle, count_pairs
from confide.mining.stored.sets import MOST_PASSES, candidate_blocks, count_sets
from confide.mining.stored.triples import triple_passes
from confide.publish.transactions.declaration import Declared, WholeRecords, check_some_public, codes_of, mask_of
from confide.publish.transactions.moles.collection import MinimalMoles, MoleLevel

if TYPE_CHECKING:
    from confide.publish.jobs.transactions import Wishes

__all__ = ["DeclaredFiles", "find_stored_moles"]

_MEMORY = "which needs all records in memory; use a smaller sample, or engine memory"

MOST_OPEN = 100_000_000  # sets of one size that are searched further
_SUSPECTS = 1 << 22  # sets with a private item that are counted at a time
MOST_BESIDE = 1 << 28  # (pair, private item) that are counted, and then known in a byte each


@dataclass(frozen=True)
class DeclaredFiles:
    """As `Declared`, of transactions that stay in their files."""

    transactions: StoredTransactions
    private: NDArray[np.int32]
    supports: NDArray[np.int64]

    @classmethod
    def of(cls, stored: StoredTransactions, private: Iterable[str]) -> "DeclaredFiles":
        """Check the labels of the private items: each must occur, and some item must be left that is public."""
        codes = codes_of(stored, private, role="private")
        check_some_public(codes, stored.n_items)
        return cls(stored, codes, stored.supports())

    @property
    def is_private(self) -> NDArray[np.bool_]:
        """A mask over all codes."""
        return mask_of(self.private, self.transactions.n_items)

    def refuse(self, wishes: "Wishes", requirement: Coherence) -> None:
        """Raise `UsageError` for what needs all records at once, with what would do."""
        method = wishes.method
        if method == "k-anonymizer":
            raise UsageError(
                f"method={method!r} splits all records into groups, {_MEMORY}, or method 'remove-all'",
                parameter="method",
                value=method,
            )
        if method in ("border", "walk"):
            raise UsageError(
                f"method={method!r} counts moles in all records, {_MEMORY}, or method 'zdd'",
                parameter="method",
                value=method,
            )
        counted = wishes.utility == "itemsets" and method not in ("records", "remove-all")
        whole = method == "auto" and self.knows_whole_records(requirement)
        if counted and requirement.p > 2 and not whole:
            raise UsageError(
                f"utility='itemsets' with p={requirement.p:g} counts every mole, {_MEMORY}, or p=2, or utility='items'",
                parameter="utility",
                value="itemsets",
            )

    def without(self, unwanted: NDArray[np.int32]) -> "tuple[DeclaredFiles, NDArray[np.int32]]":
        """The same as if no record held these items; codes are those of the files throughout."""
        supports = self.supports.copy()
        supports[unwanted] = 0
        private = np.setdiff1d(self.private, unwanted).astype(np.int32)
        return DeclaredFiles(self.transactions, private, supports), np.arange(len(supports), dtype=np.int32)

    def find_moles(self, requirement: Coherence) -> MinimalMoles:
        """Every minimal mole, by passes over the files."""
        return find_stored_moles(self, requirement)

    def knows_whole_records(self, requirement: Coherence) -> bool:
        """Whether p reaches the longest record, private items counted, and no private item is bounded."""
        unbounded = requirement.h == 1 or not len(self.private)
        return unbounded and requirement.p >= self.transactions.longest

    def whole_records(self, requirement: Coherence) -> WholeRecords:
        """The different records; items in fewer than k records cannot stay, and make none different."""
        from confide.mining.stored.distinct_records import distinct_records

        found = distinct_records(self.transactions, ~self.is_private & (self.supports >= requirement.k))
        declared = Declared(found.records, self.private, self.supports)
        return WholeRecords(declared, found.counts, int(self.supports.sum()))

    def prefers_records(self, requirement: Coherence, left: NDArray[np.bool_]) -> bool:
        """Where p is above 2: only pairs, which are all moles then, are counted in passes."""
        return requirement.p > 2

    def can_count_moles(self, requirement: Coherence, left: NDArray[np.bool_]) -> bool:
        """Always: what could not be counted, `refuse` has refused."""
        return True

    def count_nuggets(self, kept: NDArray[np.bool_], least: int, length: int | None) -> tuple[int, int]:
        """From a diagram of all of them, since what is kept stands in no files yet."""
        from confide.publish.transactions.families.moles_and_nuggets import nugget_diagram

        n_items = self.transactions.n_items
        nuggets = nugget_diagram(self.transactions, min_support=least, max_length=length)
        both = (nuggets, nuggets.without(np.flatnonzero(~kept).tolist()))
        total, left = (max(0, some.counts(n_items).total - 1) for some in both)
        return total, left


class _Allowed:
    """`requirement.most_private` of many supports at once, exactly: a table of all would be as long as the data."""

    def __init__(self, requirement: Coherence, most: int) -> None:
        self._h = Fraction(repr(requirement.h))
        self._small = self._h.numerator * most < 1 << 62

    def __getitem__(self, supports: Any) -> Any:
        if self._small:
            return np.asarray(supports, dtype=np.int64) * self._h.numerator // self._h.denominator
        whole = np.asarray(supports, dtype=object) * self._h.numerator // self._h.denominator
        return np.asarray(whole, dtype=np.int64)


@dataclass
class _Private:
    """How often each public item is with each private item that may matter; codes of both, ascending.

    `pairs` and `with_pairs` are the same of pairs that are in k records, once they are counted; counts end at 255.
    """

    public: NDArray[np.int32]
    private: NDArray[np.int32]
    together: NDArray[np.int32]  # [public, private]
    place: NDArray[np.int32]  # of each code among the public ones
    pairs: Ranked | None = None
    with_pairs: NDArray[np.uint8] | None = None  # [pair, private]


def find_stored_moles(declared: DeclaredFiles, requirement: Coherence) -> MinimalMoles:
    """Every minimal mole, as `find_moles` finds them in memory."""
    stored, supports, k = declared.transactions, declared.supports, requirement.k
    allowed = _Allowed(requirement, len(stored))
    public = ~declared.is_private & (supports > 0)
    rare = public & (supports < k)
    common = np.flatnonzero(public & ~rare).astype(np.int32)
    matter = declared.private[(supports[declared.private] > allowed[k]) & (requirement.h < 1)]
    longest = int(min(requirement.p, stored.dictionary.longest))
    items = np.union1d(common, matter).astype(np.int32)
    breached = np.zeros(stored.n_items, dtype=np.bool_)
    pairs: list[MoleLevel] = []
    open_pairs: list[NDArray[np.int32]] = []
    open_counts: list[NDArray[np.int32]] = []
    beside: _Private | None = None
    if (longest >= 2 or len(matter)) and len(items) >= 2:
        triangles = list(count_pairs(stored, items))
        if len(matter):
            beside = _beside(triangles, items, common, matter, stored.n_items)
            breached[common] = beside.together.max(axis=1) > allowed[supports[common]]
        if longest >= 2:
            left = np.zeros(stored.n_items, dtype=np.bool_)
            left[common] = ~breached[common]
            for triangle in triangles:
                found = triangle.rare(k)
                found = found[left[items[found[:, 0]]] & left[items[found[:, 1]]]]
                moles = _level(items[found[:, :2]], found[:, 2], breach=False)
                pairs.append(moles)
                kept = triangle.frequent(k)
                kept = kept[left[items[kept[:, 0]]] & left[items[kept[:, 1]]]]
                open_pairs.append(items[kept[:, :2]])
                open_counts.append(kept[:, 2])
        del triangles
    alone = np.flatnonzero(rare | breached).astype(np.int32)
    levels: dict[int, MoleLevel] = {}
    if len(alone):
        levels[1] = MoleLevel(alone[:, None], supports[alone].astype(np.int32), breached[alone])
    if open_pairs:
        sets, counts = np.concatenate(open_pairs), np.concatenate(open_counts)
        bad = _breaching(stored, sets, counts, allowed, beside)
        pairs.append(MoleLevel(sets[bad], counts[bad].astype(np.int32), np.ones(int(bad.sum()), dtype=np.bool_)))
        _note(levels, 2, pairs)
        same = counts == np.minimum(supports[sets[:, 0]], supports[sets[:, 1]])  # see `minimal`, "Free sets"
        _longer(declared, requirement, sets[~bad & ~same], longest, allowed, beside, levels)
    return MinimalMoles(levels, stored.labels, len(stored), requirement)


def _longer(
    declared: DeclaredFiles,
    requirement: Coherence,
    sets: NDArray[np.int32],
    longest: int,
    allowed: "_Allowed",
    beside: _Private | None,
    levels: dict[int, MoleLevel],
) -> None:
    """The moles of three items and more; `sets` are the pairs that are free of moles."""
    stored = declared.transactions
    for size in range(3, longest + 1):
        if len(sets) < size:
            return
        found: list[MoleLevel] = []
        grown: list[NDArray[np.int32]] = []
        for candidates, counts in _next_sets(stored, sets):
            few = (counts > 0) & (counts < requirement.k)
            found.append(_level(candidates[few], counts[few], breach=False))
            enough = counts >= requirement.k
            more, held = candidates[enough], counts[enough].astype(np.int32)
            bad = _breaching(stored, more, held, allowed, beside)
            found.append(MoleLevel(more[bad], held[bad], np.ones(int(bad.sum()), dtype=np.bool_)))
            grown.append(more[~bad])
            _check_room(requirement, size, sum(map(len, grown)))
        _note(levels, size, found)
        sets = np.concatenate(grown) if grown else sets[:0]


def _next_sets(
    stored: StoredTransactions, sets: NDArray[np.int32]
) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int64]]]:
    """The sets of one item more whose parts are all among `sets`, and their counts; some that do not occur may lack."""
    if sets.shape[1] == 2 and triple_passes(len(np.unique(sets))) > MOST_PASSES and few_enough(stored):
        yield from count_occurring(stored, sets)
        return
    for candidates in candidate_blocks(sets):
        yield candidates, count_sets(stored, candidates)


def _check_room(requirement: Coherence, size: int, grown: int) -> None:
    if grown > MOST_OPEN:
        raise CannotMeetError(
            f"p={requirement.p:g} is too large for this data: {grown:,} sets of {size} items are free of moles and "
            "would have to be searched further",
            parameter="p",
            value=requirement.p,
            cures=[{"p": size}],
            known="small enough to search",
        )


def _level(items: NDArray[np.int32], counts: NDArray[np.int32] | NDArray[np.int64], *, breach: bool) -> MoleLevel:
    return MoleLevel(
        np.ascontiguousarray(items, dtype=np.int32),
        counts.astype(np.int32),
        np.full(len(items), breach, dtype=np.bool_),
    )


def _note(levels: dict[int, MoleLevel], size: int, found: list[MoleLevel]) -> None:
    """All moles of one size, in lexicographic order."""
    if not any(len(level.items) for level in found):
        return
    items = np.concatenate([level.items for level in found])
    order = np.lexsort(items.T[::-1])
    supports = np.concatenate([level.supports for level in found])
    breach = np.concatenate([level.breach for level in found])
    levels[size] = MoleLevel(items[order], supports[order], breach[order])


# -- private items ----------------------------------------------------------------------------------------------------


def _beside(
    triangles: list[Triangle],
    items: NDArray[np.int32],
    public: NDArray[np.int32],
    private: NDArray[np.int32],
    n_items: int,
) -> _Private:
    together = np.zeros((len(public), len(private)), dtype=np.int32)
    at_public, at_private = np.searchsorted(items, public), np.searchsorted(items, private)
    low = np.minimum(at_public[:, None], at_private[None, :])
    high = np.maximum(at_public[:, None], at_private[None, :])
    for triangle in triangles:
        inside = (low >= triangle.first) & (low < triangle.last)
        together[inside] = triangle.of(low[inside], high[inside])
    place = np.full(n_items, -1, dtype=np.int32)
    place[public] = np.arange(len(public), dtype=np.int32)
    return _Private(public, private, together, place)


def _breaching(
    stored: StoredTransactions,
    sets: NDArray[np.int32],
    counts: NDArray[np.int32],
    allowed: "_Allowed",
    beside: _Private | None,
) -> NDArray[np.bool_]:
    """Which of these sets, each in `counts` records, hold a private item in more of them than is allowed."""
    bad = np.zeros(len(sets), dtype=np.bool_)
    if beside is None or not len(sets):
        return bad
    most = allowed[counts]
    if sets.shape[1] == 2 and len(sets) * len(beside.private) <= MOST_BESIDE:
        beside.pairs = Ranked.of(sets)
        beside.with_pairs = np.empty((len(sets), len(beside.private)), dtype=np.uint8)
        for found in PairsBeside.count(stored, beside.pairs, beside.private):
            bad[found.first : found.last] = (found.table > most[found.first : found.last, None]).any(axis=1)
            np.minimum(found.table, 255, out=beside.with_pairs[found.first : found.last], casting="unsafe")
        return bad
    for which, private in _suspects(sets, most, beside):
        with_private = np.sort(np.column_stack([sets[which], beside.private[private]]).astype(np.int32), axis=1)
        bad[which[count_sets(stored, with_private) > most[which]]] = True
    return bad


def _suspects(
    sets: NDArray[np.int32], most: NDArray[np.int64], beside: _Private
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """(set, private item) that the counts of pairs, or else those of single items, do not clear, some at a time."""
    if beside.pairs is not None and beside.with_pairs is not None:
        from confide.mining.stored.beside_kernels import may_exceed

        numbers = np.searchsorted(beside.pairs.items, sets).astype(np.int32)
        known = (beside.pairs.starts, beside.pairs.seconds, beside.with_pairs)
        start = 0
        while start < len(sets):
            which, private, start = may_exceed(numbers, most, start, _SUSPECTS, *known)
            if len(which):
                yield which, private
        return
    waiting: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    step = max(1, (1 << 22) // max(1, len(beside.private)))
    for start in range(0, len(sets), step):
        some = beside.place[sets[start : start + step]]
        bound = beside.together[some].min(axis=1)
        which, private = np.nonzero(bound > most[start : start + step, None])
        waiting.append((which + start, private))
        if start + step >= len(sets) or sum(len(some) for some, _ in waiting) >= _SUSPECTS:
            whole = np.concatenate([some for some, _ in waiting]), np.concatenate([some for _, some in waiting])
            waiting = []
            if len(whole[0]):
                yield whole
