"""Minimal moles, exactly: the smallest public itemsets that give somebody away.

A *mole* is a set of at most p public items that occurs, and either in fewer than k records or with some private item in
more than a share h of them. It is minimal if no part of it is a mole. Breaking all minimal moles breaks all moles.

Two observations make the search fast; each holds for both kinds of mole.

- *Parts.* Every part of a minimal mole is free of moles. So only itemsets all of whose parts were found free need to be
  counted, size by size (thesis, Observation 4).
- *Free sets.* If X + v stands in the same records as X, it has the same supports and breaches, so a mole that
  contains X + v has a part, without v, that is as much of a mole. X + v can be forgotten at once.

Two kernels count: lists of records for sparse data, bits for dense data; `_mole_sparse_kernels` and
`_mole_dense_kernels` say how. Threads take the first (rarest) item of the itemsets; the result does not depend on them.
"""

import math
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError, UsageError
from confide.core.requirements import Coherence
from confide.core.runtime.progress import task
from confide.core.transactions.container import Transactions
from confide.publish.transactions.declaration import Declared, allowed_private, check_eligible

if TYPE_CHECKING:
    from confide.publish.transactions.moles._mole_kernels import Records

__all__ = ["MinimalMoles", "Mole", "find_moles", "minimal_moles", "ranked_records"]

Search = Literal["auto", "dense", "sparse"]

_DENSE = 0.08  # mean share of the items a record holds, from which on bits beat lists
_DENSE_ITEMS = 4096  # a node of the dense search has two rows of that many bits
_MOST_OPEN = {"dense": 4_000_000, "sparse": 100_000_000}  # itemsets of one size that are searched further
_PAIR_BYTES = 16 << 20  # counts of pairs made in one pass over the records
_PAIR_PASSES = 64
_WHOLE_SUBSETS = 16  # moles up to this size are checked against all their 2**16 subsets


@dataclass(frozen=True)
class Mole:
    """One minimal mole: its labels, how many records hold it, and whether it is too rare or breaches h."""

    items: tuple[str, ...]
    support: int
    why: Literal["support", "breach"]


@dataclass(frozen=True)
class _Level:
    """The moles of one size, a row each: item codes ascending, support, and whether it is a breach (else too rare)."""

    items: NDArray[np.int32]
    supports: NDArray[np.int32]
    breach: NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class MinimalMoles:
    """All minimal moles of a database under one requirement, by size; iteration gives `Mole` objects.

    `level(n)` gives the arrays of one size, for code that handles millions of them. `why` is "support" for a mole that
    is in fewer than k records, whatever its breach.
    """

    levels: dict[int, _Level]
    labels: tuple[str, ...]
    n_transactions: int
    requirement: Coherence

    def __len__(self) -> int:
        return sum(len(level.supports) for level in self.levels.values())

    def __iter__(self) -> Iterator[Mole]:
        for level in self.levels.values():
            for codes, support, breach in zip(level.items, level.supports, level.breach, strict=True):
                yield Mole(tuple(self.labels[c] for c in codes), int(support), "breach" if breach else "support")

    def __repr__(self) -> str:
        by_size = ", ".join(f"{size}: {count:,}" for size, count in self.counts().items())
        return f"<MinimalMoles {len(self):,} in {self.n_transactions:,} transactions; by size {by_size or 'none'}>"

    def counts(self) -> dict[int, int]:
        """How many there are of each size."""
        return {size: len(level.supports) for size, level in self.levels.items()}

    def breaches(self) -> int:
        """How many are common enough, but breach h."""
        return sum(int(level.breach.sum()) for level in self.levels.values())

    def level(self, size: int) -> NDArray[np.int32]:
        """The codes of the moles of this size, one row each, ascending; the order of the rows is deterministic."""
        found = self.levels.get(size)
        return np.empty((0, size), dtype=np.int32) if found is None else found.items

    def as_sets(self) -> set[frozenset[str]]:
        """The moles as sets of labels. Needs some 300 bytes each; meant for small results."""
        return {frozenset(mole.items) for mole in self}

    def holding(self, item: str) -> "MinimalMoles":
        """Those that contain one item."""
        if item not in self.labels:
            raise UsageError(f"no item {item!r} in these transactions")
        code = self.labels.index(item)
        kept = {}
        for size, level in self.levels.items():
            mask = (level.items == code).any(axis=1)
            if mask.any():
                kept[size] = _Level(level.items[mask], level.supports[mask], level.breach[mask])
        return MinimalMoles(kept, self.labels, self.n_transactions, self.requirement)


def minimal_moles(tx: Transactions, requirement: Coherence, *, private: Iterable[str] = ()) -> MinimalMoles:
    """Find every minimal mole: the smallest sets of public items that would give a person or a secret away.

    `requirement` is `Coherence(h=, k=, p=)`; a larger k or p, or a smaller h, makes more moles. `private` are labels of
    private items; all others are public. Exact, for every size up to p (which may be `math.inf`), h compared in
    whole numbers. Raises `CannotMeetError` when the empty itemset is a mole already, for then no other is minimal.

    Takes time and memory in proportion to the itemsets of up to p items that are free of moles: seconds for hundred
    thousand records and small p; on dense data each further item of p multiplies it. Thesis, section 4.3.1.

    >>> tx = Transactions.from_lists([["a", "b", "s1"], ["a", "b", "s2"], ["a", "c", "s1"], ["b", "c", "s3"]])
    >>> found = minimal_moles(tx, Coherence(h=0.8, k=2, p=2), private=["s1", "s2", "s3"])
    >>> sorted(mole.items for mole in found)
    [('a', 'c'), ('b', 'c')]
    """
    declared = Declared.of(tx, private)
    check_eligible(declared, requirement)
    return find_moles(declared, requirement)


def find_moles(declared: Declared, requirement: Coherence, *, search: Search = "auto") -> MinimalMoles:
    """As `minimal_moles`, for checked input; `search` names a kernel, for tests."""
    tx = declared.transactions
    base = _Prepared.of(declared, requirement, search)
    levels = dict(base.alone)
    most = int(min(requirement.p, base.longest))
    if most >= 2 and base.n_items >= 2:
        found = _dense(base, requirement, most) if base.dense else _sparse(base, requirement, most)
        for size, (items, supports, breach) in found.items():
            if len(supports):
                levels[size] = base.in_codes(items, supports, breach)
    return MinimalMoles(levels, tx.labels, len(tx), requirement)


@dataclass(frozen=True)
class _Prepared:
    """Records in ranks: public items that are no moles alone, rarest first; and the private items that matter."""

    dense: bool
    code_of: NDArray[np.int32]
    records: "Records"
    allowed: NDArray[np.int64]
    alone: dict[int, _Level]

    @property
    def n_items(self) -> int:
        return len(self.code_of)

    @property
    def longest(self) -> int:
        """The most items any record holds: no larger set occurs."""
        return int(np.diff(self.records.row_ptr).max(initial=0))

    @classmethod
    def of(cls, declared: Declared, requirement: Coherence, search: Search) -> "_Prepared":
        from confide.publish.transactions.moles._mole_kernels import commonest_private

        tx, supports, k = declared.transactions, declared.supports, requirement.k
        allowed = allowed_private(requirement, len(tx))
        public = ~declared.is_private & (supports > 0)
        # Private items that may matter: an itemset of at least k records must be able to hold too many of them.
        matter = declared.private[(supports[declared.private] > allowed[k]) & (requirement.h < 1)]
        rare = public & (supports < k)
        common = np.flatnonzero(public & ~rare)
        code_of = common[np.argsort(supports[common], kind="stable")].astype(np.int32)
        records = ranked_records(tx, code_of, matter)
        breached = np.zeros(tx.n_items, dtype=np.bool_)
        if len(matter):
            breached[code_of] = commonest_private(*records[2:]) > allowed[supports[code_of]]
        left = code_of[~breached[code_of]]
        cells = len(tx) * len(left)
        dense = search == "dense" or (
            search == "auto" and len(left) <= _DENSE_ITEMS and supports[left].sum() >= _DENSE * cells
        )
        # Records that share their private item stand together for the dense search, where that is a stretch of words.
        grouped = dense and 0 < len(records.privs) <= 2 * len(tx)
        if grouped or len(left) < len(code_of):
            code_of, records = left, ranked_records(tx, left, matter, by_private=grouped)
        alone = np.flatnonzero(rare | breached).astype(np.int32)
        levels = {1: _Level(alone[:, None], supports[alone].astype(np.int32), breached[alone])} if len(alone) else {}
        return cls(dense, code_of, records, allowed, levels)

    def in_codes(self, items: NDArray[np.int32], supports: NDArray[np.int32], breach: NDArray[np.bool_]) -> _Level:
        """A level in codes."""
        from confide.publish.transactions.moles._mole_kernels import to_codes

        return _Level(to_codes(items.ravel(), items.shape[1], self.code_of), supports, breach)


def ranked_records(
    tx: Transactions, code_of: NDArray[np.int32], private: NDArray[np.int32], *, by_private: bool = False
) -> "Records":
    """What the kernels read.

    `rows` are the records in ranks (positions in `code_of`), `tids` the records of each rank, `privs` each record's
    private items (positions in `private`). With `by_private` records that share their first private item stand
    together.
    """
    from confide.core.transactions._row_kernels import transpose
    from confide.publish.transactions.moles._mole_kernels import Records

    priv_ptr, privs = _ranked(tx, _ranks(private, tx.n_items))
    if by_private:
        first = np.full(len(tx), -1, dtype=np.int32)
        held = np.flatnonzero(np.diff(priv_ptr) > 0)
        first[held] = privs[priv_ptr[held]]
        tx = tx.take(np.argsort(first, kind="stable"))
        priv_ptr, privs = _ranked(tx, _ranks(private, tx.n_items))
    row_ptr, rows = _ranked(tx, _ranks(code_of, tx.n_items))
    tid_ptr, tids = transpose(row_ptr, rows, len(code_of))
    return Records(row_ptr, rows, tid_ptr, tids, priv_ptr, privs, len(private))


def _ranks(code_of: NDArray[Any], n_items: int) -> NDArray[np.int32]:
    rank = np.full(n_items, -1, dtype=np.int32)
    rank[code_of] = np.arange(len(code_of), dtype=np.int32)
    return rank


def _ranked(tx: Transactions, rank: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The rows in ranks, ascending, without the items that have none."""
    from confide.publish.transactions.moles._mole_kernels import ranked_lengths, ranked_rows

    row_ptr = np.zeros(len(tx) + 1, dtype=np.int64)
    pieces = [(lo, min(lo + (1 << 17), len(tx))) for lo in range(0, len(tx), 1 << 17)]
    with ThreadPoolExecutor(_threads(len(pieces))) as pool:
        list(pool.map(lambda piece: ranked_lengths(tx.indptr, tx.indices, rank, *piece, row_ptr), pieces))
        np.cumsum(row_ptr, out=row_ptr)
        rows = np.empty(int(row_ptr[-1]), dtype=np.int32)
        list(pool.map(lambda piece: ranked_rows(tx.indptr, tx.indices, rank, *piece, row_ptr, rows), pieces))
    return row_ptr, rows


def _threads(pieces: int) -> int:
    return max(1, min(os.cpu_count() or 1, pieces))


_Found = dict[int, tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_]]]


def _sparse(base: _Prepared, requirement: Coherence, most: int) -> _Found:
    from confide.publish.transactions.moles._sparse_kernels import expand, pair_counts

    n, rows = base.n_items, base.records[:2]
    # Nodes 0..n-1 are the single items; children of all nodes follow one another (see the kernel).
    first = np.full(1, n, dtype=np.int64)
    item_of = np.arange(n, dtype=np.int32)
    found: _Found = {}
    for size in range(2, most + 1):
        last = size == most
        # Roots differ in work by orders of magnitude, so pieces are small; the rarest come first.
        step = max(1, min(256, n // 16))
        # Pairs are counted by reading all records for each piece: few pieces, each with counts for a cache.
        count_pairs = size == 2 and 4 * n * n <= _PAIR_PASSES * _PAIR_BYTES
        if count_pairs:
            step = max(1, min(_PAIR_BYTES // (4 * n), -(-n // _threads(n))))
        pieces = [(lo, min(lo + step, n)) for lo in range(0, n, step)]

        def judge(piece: tuple[int, int]) -> Any:
            pairs = np.zeros((piece[1] - piece[0] if count_pairs else 0, n), dtype=np.int32)  # noqa: B023
            if count_pairs:  # noqa: B023
                pair_counts(*piece, *rows, pairs)
            return expand(
                *piece, size, last, requirement.k, base.allowed, base.records, first, item_of, pairs  # noqa: B023
            )  # fmt: skip

        parts = _in_threads(judge, pieces, label=f"moles of {size} items")
        found[size] = _together([part[2:] for part in parts], size)
        if last:
            break
        counts = np.concatenate([part[0] for part in parts])
        grown = np.concatenate([part[1] for part in parts])
        if not len(grown):
            break
        _check_room(requirement, size, len(grown), _MOST_OPEN["sparse"])
        first = np.concatenate([first, first[-1] + np.cumsum(counts, dtype=np.int64)])
        item_of = np.concatenate([item_of, grown])
    return found


def _dense(base: _Prepared, requirement: Coherence, most: int) -> _Found:
    from confide.publish.transactions.moles._dense_kernels import expand

    n, words = base.n_items, (base.n_items + 63) >> 6
    nodes = n
    keeps = np.zeros((n, words), dtype=np.uint64)
    opens = np.zeros((n, words), dtype=np.uint64)
    first = np.zeros(n, dtype=np.int64)
    found: _Found = {}
    level_start = 0
    for size in range(2, most + 1):
        arguments = (size, most, requirement.k, base.allowed, base.records, keeps, opens, first)
        roots = list(range(n))
        parts = _in_threads(lambda root: expand(root, *arguments), roots, label=f"moles of {size} items")  # noqa: B023
        found[size] = _together(parts, size)
        if size == most:
            break
        children = np.bitwise_count(opens[level_start:]).sum(axis=1, dtype=np.int64)
        first[level_start:] = nodes + np.cumsum(children) - children
        grown = int(children.sum())
        if not grown:
            break
        _check_room(requirement, size, grown, _MOST_OPEN["dense"])
        level_start = nodes
        nodes += grown
        if size + 1 < most:  # the nodes of the last level are walked, never looked up
            keeps = np.concatenate([keeps, np.zeros((grown, words), dtype=np.uint64)])
            opens = np.concatenate([opens, np.zeros((grown, words), dtype=np.uint64)])
            first = np.concatenate([first, np.zeros(grown, dtype=np.int64)])
    return _without_supersets(found, n)


def _check_room(requirement: Coherence, size: int, grown: int, most: int) -> None:
    """Refuse to go on when more itemsets free of moles are left to extend than can be held and searched."""
    if grown > most:
        raise CannotMeetError(
            f"p={requirement.p:g} is too large for this data: {grown:,} sets of {size} items are free of moles and "
            "would have to be searched further",
            nearest=f"p={size}",
        )


def _in_threads(work: Any, pieces: list[Any], *, label: str) -> list[Any]:
    with task(label, total=len(pieces)) as step, ThreadPoolExecutor(_threads(len(pieces))) as pool:
        parts = []
        for part in pool.map(work, pieces):
            parts.append(part)
            step(1)
    return parts


def _together(parts: list[Any], size: int) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_]]:
    items = np.concatenate([part[0] for part in parts]).reshape(-1, size)
    return items, np.concatenate([part[1] for part in parts]), np.concatenate([part[2] for part in parts])


def _without_supersets(found: _Found, n_items: int) -> _Found:
    """Drop moles that contain a smaller one, which the dense search may report."""
    from confide.publish.transactions.moles._mole_kernels import hash_table, subset_moles

    kept: _Found = {}
    keys = np.random.default_rng(1).integers(1, 1 << 63, size=n_items, dtype=np.uint64)  # a hash, no protection
    for size, (items, supports, breach) in sorted(found.items()):
        smaller = [level[0] for level in kept.values() if len(level[0])]
        if not smaller or not len(items):
            kept[size] = items, supports, breach
            continue
        known = np.concatenate([level.ravel() for level in smaller])
        sizes = np.concatenate([np.full(len(level), level.shape[1], dtype=np.int64) for level in smaller])
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
        if size <= _WHOLE_SUBSETS:
            slots = np.zeros(1 << math.ceil(math.log2(2 * len(sizes) + 2)), dtype=np.int64)
            hash_table(known, starts, sizes, keys, slots)
            superset = subset_moles(items, size, keys, slots, sizes, starts, known)
        else:
            superset = _contains_any(items, smaller, n_items)
        kept[size] = items[~superset], supports[~superset], breach[~superset]
    return kept


def _contains_any(items: NDArray[np.int32], smaller: list[NDArray[np.int32]], n_items: int) -> NDArray[np.bool_]:
    """The same for long moles, of which there are few: one smaller mole after the other."""
    held = np.zeros((len(items), n_items), dtype=np.bool_)
    held[np.arange(len(items))[:, None], items] = True
    superset = np.zeros(len(items), dtype=np.bool_)
    for level in smaller:
        for mole in level:
            superset |= held[:, mole].all(axis=1)
    return superset
