"""How many items to publish exactly before the rest is peeled, decided by what it costs."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from confide.core.requirements import Coherence
from confide.publish.transactions.declaration import Declared, list_allowed_private
from confide.publish.transactions.generalisation.peeling import Baskets, Peeling
from confide.publish.transactions.generalisation.tree import Tree

__all__ = ["Generalisation", "choose_names", "measure"]

I64 = NDArray[np.int64]
Cost = Literal["ncp", "bits"]


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


def measure(found: Generalisation) -> dict[Cost, float]:
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


def choose_names(declared: Declared, tree: Tree, requirement: Coherence, *, cost: Cost, keep: I64) -> Generalisation:
    """The cheapest of several ways down: with none, an eighth, a quarter, half or all of the commonest items that fit
    published exactly first. Items of `keep` come before all others; those that did not come out are missing then."""
    baskets = _as_leaves(declared, tree)
    allowed = list_allowed_private(requirement, baskets.size)
    public = declared.supports[tree.code]
    by_support = tree.node[np.argsort(-public, kind="stable")].tolist()
    kept = tree.node[np.isin(tree.code, keep)].tolist()
    named = tree.names[0] is not None or not any(tree.names)  # several tops have none in common
    top = named and _top_holds(declared, requirement)

    def start() -> Peeling:
        return Peeling(tree, baskets, requirement, top=top, allowed=allowed)

    def finish(peeling: Peeling) -> Generalisation:
        peeling.descend()
        return Generalisation(tree=tree, owner=peeling.owner, top=top, supports=declared.supports)

    full = start()
    first = full.release_exactly(kept)
    fits = full.release_exactly([v for v in by_support if v not in set(kept)])
    found = [finish(full)]
    exact: set[int] | None = None
    for share in (0.0, 1 / 8, 1 / 4, 1 / 2):
        some = fits[: math.floor(share * len(fits))]
        if exact is not None and exact.issuperset(some):
            continue  # they came out by themselves
        peeling = start()
        peeling.release_exactly([*first, *some], asked=bool(len(declared.private)))
        found.append(finish(peeling))
        exact = set(tree.node[found[-1].exact].tolist())
    return min(found, key=lambda each: measure(each)[cost])


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


def _as_leaves(declared: Declared, tree: Tree) -> Baskets:
    tx = declared.transactions
    leaf = np.full(tx.n_items, -1, dtype=np.int64)
    leaf[tree.code] = np.arange(tree.leaves)
    rows, at = np.repeat(np.arange(len(tx)), tx.lengths), leaf[tx.indices]
    public = at >= 0
    secret = declared.is_private[tx.indices]
    order = np.argsort(at[public], kind="stable")
    rank = np.cumsum(declared.is_private) - 1
    return Baskets(
        row_ptr=_pointers(rows[public], len(tx)),
        tid_ptr=_pointers(at[public], tree.leaves),
        tids=rows[public][order],
        priv_ptr=_pointers(rows[secret], len(tx)),
        privs=rank[tx.indices[secret]],
        n_private=len(declared.private),
    )


def _pointers(of: I64, n: int) -> I64:
    return np.concatenate([[0], np.cumsum(np.bincount(of, minlength=n))]).astype(np.int64)
