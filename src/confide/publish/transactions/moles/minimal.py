"""Minimal moles, exactly: the smallest public itemsets that give somebody away.

A *mole* is a set of at most p public items that occurs, and either in fewer than k records or with some private item in
more than a share h of them. It is minimal if no part of it is a mole. Breaking all minimal moles breaks all moles.

Two observations make the search fast; each holds for both kinds of mole.

- *Parts.* Every part of a minimal mole is free of moles. So only itemsets all of whose parts were found free need to be
  counted, size by size (thesis, Observation 4).
- *Free sets.* If X + v stands in the same records as X, it has the same supports and breaches, so a mole that
  contains X + v has a part, without v, that is as much of a mole. X + v can be forgotten at once.

Two kernels count: lists of records for sparse data, bits for dense data; `_sparse_kernels` and
`_dense_kernels` say how. Threads take the first (rarest) item of the itemsets; the result does not depend on them.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from confide.core.datasets.intake import as_records
from confide.core.errors import CannotMeetError
from confide.core.requirements import Coherence
from confide.core.runtime.progress import task
from confide.core.runtime.threads import answers_ctrl_c, cores, in_threads
from confide.core.transactions.container import Transactions
from confide.publish.transactions.declaration import Declared, check_eligible, declare, list_allowed_private
from confide.publish.transactions.moles.collection import MinimalMoles, MoleLevel
from confide.publish.transactions.moles.supersets import Found, without_supersets

if TYPE_CHECKING:
    from confide.publish.transactions.moles.mole_kernels import RankedRecords

__all__ = ["find_moles", "minimal_moles", "rank_records"]

Search = Literal["auto", "dense", "sparse"]

_DENSE = 0.08  # mean share of the items a record holds, from which on bits beat lists
_DENSE_ITEMS = 4096  # a node of the dense search has two rows of that many bits
_MOST_OPEN = {"dense": 4_000_000, "sparse": 100_000_000}  # itemsets of one size that are searched further
# With p without bound each size makes more of them for many sizes, so what cannot be done shows early.
_MOST_OPEN_UNBOUNDED = 150_000
_MOST_WORDS_UNBOUNDED = 20_000_000  # and in dense data, where each of them is a row of bits
_SURE_OPEN = 4_000_000  # and so many, with p bounded, take a minute at most
_PAIR_BYTES = 16 << 20  # counts of pairs made in one pass over the records
_PAIR_PASSES = 64


@answers_ctrl_c
def minimal_moles(tx: Any, requirement: Coherence, *, private: Iterable[str] = ()) -> MinimalMoles:
    """Find every minimal mole: the smallest sets of public items that would give a person or a secret away.

    `tx` is whatever holds the records (`Transactions`, lists, a path, a frame, a sparse matrix, a folder of Parquet
    files).
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
    declared = declare(as_records(tx), private)
    check_eligible(declared, requirement)
    return declared.find_moles(requirement)


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
    """Records in ranks: public items that are not moles alone, rarest first; and the private items that matter."""

    dense: bool
    code_of: NDArray[np.int32]
    records: "RankedRecords"
    allowed: NDArray[np.int64]
    alone: dict[int, MoleLevel]

    @property
    def n_items(self) -> int:
        return len(self.code_of)

    @property
    def longest(self) -> int:
        """The most items any record holds: no larger set occurs."""
        return int(np.diff(self.records.row_ptr).max(initial=0))

    @classmethod
    def of(cls, declared: Declared, requirement: Coherence, search: Search) -> "_Prepared":
        from confide.publish.transactions.moles.mole_kernels import commonest_private

        tx, supports, k = declared.transactions, declared.supports, requirement.k
        allowed = list_allowed_private(requirement, len(tx))
        public = ~declared.is_private & (supports > 0)
        # Private items that may matter: an itemset of at least k records must be able to hold too many of them.
        matter = declared.private[(supports[declared.private] > allowed[k]) & (requirement.h < 1)]
        rare = public & (supports < k)
        common = np.flatnonzero(public & ~rare)
        code_of = common[np.argsort(supports[common], kind="stable")].astype(np.int32)
        records = rank_records(tx, code_of, matter)
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
            code_of, records = left, rank_records(tx, left, matter, by_private=grouped)
        alone = np.flatnonzero(rare | breached).astype(np.int32)
        levels = {1: MoleLevel(alone[:, None], supports[alone].astype(np.int32), breached[alone])} if len(alone) else {}
        return cls(dense, code_of, records, allowed, levels)

    def in_codes(self, items: NDArray[np.int32], supports: NDArray[np.int32], breach: NDArray[np.bool_]) -> MoleLevel:
        """A level in codes."""
        from confide.publish.transactions.moles.mole_kernels import to_codes

        return MoleLevel(to_codes(items.ravel(), items.shape[1], self.code_of), supports, breach)


def rank_records(
    tx: Transactions, code_of: NDArray[np.int32], private: NDArray[np.int32], *, by_private: bool = False
) -> "RankedRecords":
    """What the kernels read.

    `rows` are the records in ranks (positions in `code_of`), `tids` the records of each rank, `privs` each record's
    private items (positions in `private`). With `by_private` records that share their first private item stand
    together.
    """
    from confide.core.transactions.row_kernels import transpose
    from confide.publish.transactions.moles.mole_kernels import RankedRecords

    priv_ptr, privs = _ranked(tx, _ranks(private, tx.n_items))
    if by_private:
        first = np.full(len(tx), -1, dtype=np.int32)
        held = np.flatnonzero(np.diff(priv_ptr) > 0)
        first[held] = privs[priv_ptr[held]]
        tx = tx.take(np.argsort(first, kind="stable"))
        priv_ptr, privs = _ranked(tx, _ranks(private, tx.n_items))
    row_ptr, rows = _ranked(tx, _ranks(code_of, tx.n_items))
    tid_ptr, tids = transpose(row_ptr, rows, len(code_of))
    return RankedRecords(row_ptr, rows, tid_ptr, tids, priv_ptr, privs, len(private))


def _ranks(code_of: NDArray[Any], n_items: int) -> NDArray[np.int32]:
    rank = np.full(n_items, -1, dtype=np.int32)
    rank[code_of] = np.arange(len(code_of), dtype=np.int32)
    return rank


def _ranked(tx: Transactions, rank: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The rows in ranks, ascending, without the items that have none."""
    from confide.publish.transactions.moles.mole_kernels import ranked_lengths, ranked_rows

    row_ptr = np.zeros(len(tx) + 1, dtype=np.int64)
    pieces = [(lo, min(lo + (1 << 17), len(tx))) for lo in range(0, len(tx), 1 << 17)]
    in_threads(lambda piece: ranked_lengths(tx.indptr, tx.indices, rank, *piece, row_ptr), pieces)
    np.cumsum(row_ptr, out=row_ptr)
    rows = np.empty(int(row_ptr[-1]), dtype=np.int32)
    in_threads(lambda piece: ranked_rows(tx.indptr, tx.indices, rank, *piece, row_ptr, rows), pieces)
    return row_ptr, rows


def _sparse(base: _Prepared, requirement: Coherence, most: int) -> Found:
    from confide.publish.transactions.moles._row_count_kernels import pair_counts
    from confide.publish.transactions.moles._sparse_kernels import SearchNodes, expand
    from confide.publish.transactions.moles.mole_kernels import MoleBounds

    n, rows, limits = base.n_items, base.records[:2], MoleBounds(requirement.k, base.allowed)
    # Nodes 0..n-1 are the single items; children of all nodes follow one another (see the kernel).
    first = np.full(1, n, dtype=np.int64)
    item_of = np.arange(n, dtype=np.int32)
    found: Found = {}
    for size in range(2, most + 1):
        last = size == most
        # Roots differ in work by orders of magnitude, so pieces are small; the rarest come first.
        step = max(1, min(256, n // 16))
        # Pairs are counted by reading all records for each piece: few pieces, each with counts for a cache.
        count_pairs = size == 2 and 4 * n * n <= _PAIR_PASSES * _PAIR_BYTES
        if count_pairs:
            step = max(1, min(_PAIR_BYTES // (4 * n), -(-n // cores(most=n))))
        pieces = [(lo, min(lo + step, n)) for lo in range(0, n, step)]

        def judge(piece: tuple[int, int]) -> Any:
            pairs = np.zeros((piece[1] - piece[0] if count_pairs else 0, n), dtype=np.int32)  # noqa: B023
            if count_pairs:  # noqa: B023
                pair_counts(*piece, *rows, pairs)
            nodes = SearchNodes(first, item_of)  # noqa: B023
            return expand(*piece, size, last, limits, base.records, nodes, pairs)  # noqa: B023

        parts = _in_threads(judge, pieces, label=f"moles of {size} items")
        found[size] = _together([part[2:] for part in parts], size)
        if last:
            break
        counts = np.concatenate([part[0] for part in parts])
        grown = np.concatenate([part[1] for part in parts])
        if not len(grown):
            break
        _check_room(base, requirement, size, len(grown))
        first = np.concatenate([first, first[-1] + np.cumsum(counts, dtype=np.int64)])
        item_of = np.concatenate([item_of, grown])
    return found


def _dense(base: _Prepared, requirement: Coherence, most: int) -> Found:
    from confide.publish.transactions.moles._dense_kernels import expand
    from confide.publish.transactions.moles.mole_kernels import MoleBounds

    n, words = base.n_items, (base.n_items + 63) >> 6
    nodes = n
    keeps = np.zeros((n, words), dtype=np.uint64)
    opens = np.zeros((n, words), dtype=np.uint64)
    first = np.zeros(n, dtype=np.int64)
    found: Found = {}
    level_start = 0
    for size in range(2, most + 1):
        arguments = (size, most, MoleBounds(requirement.k, base.allowed), base.records, keeps, opens, first)
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
        _check_room(base, requirement, size, grown)
        level_start = nodes
        nodes += grown
        if size + 1 < most:  # the nodes of the last level are walked, never looked up
            keeps = np.concatenate([keeps, np.zeros((grown, words), dtype=np.uint64)])
            opens = np.concatenate([opens, np.zeros((grown, words), dtype=np.uint64)])
            first = np.concatenate([first, np.zeros(grown, dtype=np.int64)])
    return without_supersets(found, n)


def _check_room(base: _Prepared, requirement: Coherence, size: int, grown: int) -> None:
    """Refuse to go on when more itemsets free of moles are left to extend than can be held and searched."""
    most = _MOST_OPEN["dense" if base.dense else "sparse"]
    if requirement.p == math.inf:
        words = 1 + (len(base.records.row_ptr) >> 6) if base.dense else 1
        most = min(most, _MOST_OPEN_UNBOUNDED, _MOST_WORDS_UNBOUNDED // words)
    if grown > most:
        raise CannotMeetError(
            f"p={requirement.p:g} is too large for this data: {grown:,} sets of {size} items are free of moles and "
            "would have to be searched further",
            parameter="p",
            value=requirement.p,
            cures=[{"p": _surely(base.n_items, size, grown)}],
            known="small enough to search",
        )


def _surely(n_items: int, size: int, grown: int) -> int:
    """The largest p that can be searched for certain, in a minute or so, when so many sets of `size` items are left.

    Sets of p items are judged, but not extended. A set of one item more has `size` + 1 parts that are among them.
    """
    while grown <= _SURE_OPEN and size < n_items:
        grown = grown * (n_items - size) // (size + 1)
        size += 1
    return size


def _in_threads(work: Any, pieces: list[Any], *, label: str) -> list[Any]:
    with task(label, total=len(pieces)) as step:
        return in_threads(work, pieces, step=step)


def _together(parts: list[Any], size: int) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_]]:
    items = np.concatenate([part[0] for part in parts]).reshape(-1, size)
    return items, np.concatenate([part[1] for part in parts]), np.concatenate([part[2] for part in parts])
