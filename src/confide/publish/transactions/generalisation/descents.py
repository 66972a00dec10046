"""How many items to publish exactly before the rest is peeled, decided by what it costs."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from confide.core.requirements import Coherence
from confide.publish.jobs.loss_names import NameCost
from confide.publish.transactions.declaration import Declared, list_allowed_private
from confide.publish.transactions.generalisation.peeling import LeafRecords, Peeling
from confide.publish.transactions.generalisation.tree import Tree

__all__ = ["Generalisation", "choose_names", "measure", "share_exact", "share_gone"]

I64 = NDArray[np.int64]

_SHARES = (0.0, 1 / 8, 1 / 4, 1 / 2)  # of the items that fit exactly
_FEW = 2_000  # entries, up to which more ways are tried
_NEAR = 9 / 8  # of the least cost: what is given for more exact entries


@dataclass(frozen=True, eq=False, kw_only=True)
class Generalisation:
    """The node under which each leaf of the tree is published; `top` says whether the top is published at all."""

    tree: Tree
    owner: I64
    top: bool
    supports: I64

    @property
    def gone(self) -> NDArray[np.bool_]:
        """Which leaves are not published."""
        return (self.owner == 0) & (not self.top)

    @property
    def exact(self) -> NDArray[np.bool_]:
        """Which leaves are published as themselves."""
        return (np.bincount(self.owner, minlength=self.tree.size)[self.owner] == 1) & ~self.gone


def measure(found: Generalisation) -> dict[NameCost, float]:
    """What it costs, on average over all entries of public items.

    NCP: for an item in a group of n of N items n/N, 0 where it is exact, 1 where it is gone. Bits: how many more a
    reader would need to tell which item of the group it was, log2(entries of the group / entries of the item); of one
    that is gone, which item of all.
    """
    supports = found.supports[found.tree.code].astype(np.float64)
    total = supports.sum()
    sizes = np.bincount(found.owner, minlength=found.tree.size)[found.owner]
    entries = np.bincount(found.owner, weights=supports, minlength=found.tree.size)[found.owner]
    ncp = np.where(found.gone, 1.0, np.where(sizes == 1, 0.0, sizes / len(supports)))
    bits = np.log2(np.where(found.gone, total, entries) / supports)
    return {"ncp": float(supports @ ncp / total), "bits": float(supports @ bits / total)}


def share_exact(found: Generalisation) -> float:
    """The share of all entries of public items that are published as they are."""
    return _share(found, found.exact)


def share_gone(found: Generalisation) -> float:
    """The share of all entries of public items that are not published."""
    return _share(found, found.gone)


def _share(found: Generalisation, leaves: NDArray[np.bool_]) -> float:
    supports = found.supports[found.tree.code]
    return float(supports[leaves].sum() / supports.sum())


def choose_names(
    declared: Declared, tree: Tree, requirement: Coherence, *, cost: NameCost, keep: I64
) -> Generalisation:
    """The cheapest of several ways down: with none, an eighth, a quarter, half or all of the commonest items that fit
    published exactly first; of few records also the rarest items first, and with no top published. A way that costs
    up to an eighth more is taken where it leaves more entries exact, but not of few records.

    Items of `keep` come before all others; those that did not come out are missing then.
    """
    baskets = _as_leaves(declared, tree)
    allowed = list_allowed_private(requirement, baskets.size)
    by_support = tree.node[np.argsort(-declared.supports[tree.code], kind="stable")].tolist()
    kept = tree.node[np.isin(tree.code, keep)].tolist()
    named = tree.names[0] is not None or not any(tree.names)  # several tops have none in common
    top = named and _top_holds(declared, requirement)
    few = len(declared.transactions.indices) <= _FEW
    found: list[Generalisation] = []
    for shown in {top, top and not few}:
        start = partial(Peeling, tree, baskets, requirement, top=shown, allowed=allowed)
        ways = _Ways(declared, tree, start)
        for order in (by_support, by_support[::-1])[: 1 + few]:
            found += ways.walk(kept, [v for v in order if v not in set(kept)])
    return _cheapest(found, cost, within=1.0 if few else _NEAR)


def _cheapest(found: list[Generalisation], cost: NameCost, *, within: float) -> Generalisation:
    """Of those that cost at most `within` times the least, the one that leaves most entries as they are."""
    costs = [measure(each)[cost] for each in found]
    near = [each for each, price in zip(found, costs, strict=True) if price <= within * min(costs)]
    return max(near, key=share_exact)


@dataclass(frozen=True, eq=False)
class _Ways:
    """Walks down a tree that begin with nothing but its top; `start` begins one."""

    declared: Declared
    tree: Tree
    start: Callable[[], Peeling]

    def walk(self, kept: list[int], order: list[int]) -> Iterator[Generalisation]:
        """One walk with all items exact that fit, in this order, and one for each smaller share of those."""
        full = self.start()
        first, fits = full.release_exactly(kept), full.release_exactly(order)
        yield self._finish(full)
        exact: set[int] | None = None
        for share in _SHARES:
            some = fits[: math.floor(share * len(fits))]
            if exact is not None and exact.issuperset(some):
                continue  # they came out by themselves
            peeling = self.start()
            peeling.release_exactly([*first, *some], asked=bool(len(self.declared.private)))
            found = self._finish(peeling)
            exact = set(self.tree.node[found.exact].tolist())
            yield found

    def _finish(self, peeling: Peeling) -> Generalisation:
        peeling.descend()
        shown = bool(peeling.shown[0])
        return Generalisation(tree=self.tree, owner=peeling.owner, top=shown, supports=self.declared.supports)


def _top_holds(declared: Declared, requirement: Coherence) -> bool:
    """Whether "some public item" may be published of everybody who has one."""
    tx = declared.transactions
    held = np.repeat(np.arange(len(tx)), tx.lengths)
    some = np.zeros(len(tx), dtype=np.bool_)
    some[held[~declared.is_private[tx.indices]]] = True
    if not declared.private.size:
        return int(some.sum()) >= requirement.k
    inside = declared.is_private[tx.indices] & some[held]
    most = int(np.bincount(tx.indices[inside], minlength=tx.n_items).max(initial=0))
    return int(some.sum()) >= requirement.k and most <= requirement.most_private(int(some.sum()))


def _as_leaves(declared: Declared, tree: Tree) -> LeafRecords:
    tx = declared.transactions
    leaf = np.full(tx.n_items, -1, dtype=np.int64)
    leaf[tree.code] = np.arange(tree.leaves)
    rows, at = np.repeat(np.arange(len(tx)), tx.lengths), leaf[tx.indices]
    public = at >= 0
    secret = declared.is_private[tx.indices]
    order = np.argsort(at[public], kind="stable")
    rank = np.cumsum(declared.is_private) - 1
    return LeafRecords(
        row_ptr=_pointers(rows[public], len(tx)),
        tid_ptr=_pointers(at[public], tree.leaves),
        tids=rows[public][order],
        priv_ptr=_pointers(rows[secret], len(tx)),
        privs=rank[tx.indices[secret]],
        n_private=len(declared.private),
    )


def _pointers(of: I64, n: int) -> I64:
    return np.concatenate([[0], np.cumsum(np.bincount(of, minlength=n))]).astype(np.int64)
