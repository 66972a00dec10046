"""What a release under broader names gave up: figures for everybody, which show no count of a few people."""

import math

import numpy as np

from confide.core.figures import Figure, Figures
from confide.core.transactions.frames import to_sparse
from confide.publish.transactions.declaration import Declared
from confide.publish.transactions.generalisation.descents import Generalisation, measure

__all__ = ["find_median_group", "generalisation_losses", "headline"]

_PAIRS = 500  # drawn to see how well their counts can be guessed
_FREQUENT = 0.01  # of the records: pairs of items that are worth knowing exactly


def generalisation_losses(found: Generalisation, declared: Declared, k: int) -> Figures:
    """Shares of all entries of public items, and what a reader can still tell. Shares are rounded to a tenth of a
    percent, so that nobody can work out a count of a few records."""
    tree = found.tree
    supports = declared.supports[tree.code].astype(np.float64)
    total = supports.sum()
    at_top = (found.owner == 0) & ~found.exact & ~found.gone
    parts = {"gone": found.gone, "exact": found.exact, "top": at_top}
    parts["generalised"] = ~(found.gone | found.exact | at_top)
    share = {name: round(float(supports[mask].sum() / total), 3) for name, mask in parts.items()}
    cost = measure(found)
    nodes = np.unique(found.owner[~found.gone])
    pairs, both = _frequent_pairs(found, declared, k)
    return Figures(
        Figure("share_exact", share["exact"], "share", "of all entries are published as they are"),
        Figure("share_generalised", share["generalised"], "share", "of all entries stand under a broader name"),
        Figure("share_at_top", share["top"], "share", "of all entries stand under the topmost name"),
        Figure("share_gone", share["gone"], "share", "of all entries are not published"),
        Figure("ncp", _two_digits(cost["ncp"]), "number", "loss from 0 (all exact) to 1 (all gone): NCP"),
        Figure("bits", round(cost["bits"], 1), "number", "bits a reader lacks to name an entry's item"),
        Figure("items_exact", int(found.exact.sum()), "count", "items published as they are"),
        Figure("names", len(nodes), "count", "names in the release, items included"),
        Figure("names_with_true_support", _true_names(found), "count", "of them with the true number of records"),
        Figure(
            "median_group",
            find_median_group(found),
            "count",
            "items that the name of half of all entries stands for, at most",
        ),
        Figure("frequent_pairs", pairs, "count", "pairs of items in 1% of the records or more"),
        Figure("frequent_pairs_exact", both, "count", "of them with both items exact"),
        Figure("pair_error", _pair_error(found, declared), "number", "error of guessed counts of pairs, 0 to 1"),
    )


def headline(loss: Figures) -> str:
    """The loss in a sentence."""
    exact, gone = (math.floor(100 * loss[name] + 1e-9) for name in ("share_exact", "share_gone"))
    rest = 100 - exact - gone
    last = f", {gone}% are not published" if loss["share_gone"] else ""
    return f"{exact}% of all entries are published as they are, {rest}% under a broader name{last}."


def find_median_group(found: Generalisation) -> int:
    """The items that the name of half of all entries stands for, at most; what is gone may be any item."""
    tree = found.tree
    supports = found.supports[tree.code].astype(np.float64)
    sizes = np.where(found.gone, tree.leaves, np.bincount(found.owner, minlength=tree.size)[found.owner])
    order = np.argsort(sizes, kind="stable")
    return int(sizes[order][np.searchsorted(np.cumsum(supports[order]), supports.sum() / 2)])


def _true_names(found: Generalisation) -> int:
    """Names of which a reader gets the true number of records: no item below is published above them, or gone."""
    tree, n = found.tree, 0
    for v in np.unique(found.owner[~found.gone]).tolist():
        owners = found.owner[tree.first[v] : tree.last[v]]
        n += bool(((tree.first[owners] >= tree.first[v]) & (tree.last[owners] <= tree.last[v])).all())
    return n


def _frequent_pairs(found: Generalisation, declared: Declared, k: int) -> tuple[int, int]:
    tx = declared.transactions
    least = max(k, math.ceil(_FREQUENT * len(tx)))
    leaves = np.flatnonzero(declared.supports[found.tree.code] >= least)
    held = to_sparse(tx).astype(np.int64).tocsc()[:, found.tree.code[leaves]]
    together = np.triu((held.T @ held).toarray() >= least, 1)
    exact = found.exact[leaves]
    return int(together.sum()), int((together & exact[:, None] & exact[None, :]).sum())


def _pair_error(found: Generalisation, declared: Declared) -> float:
    """How far a reader's guess at the records of a pair is off: |guess - true| / the larger, on average.

    Pairs are drawn as two entries of a record, always the same ones. A reader divides the records with both names
    evenly among the pairs they may stand for. Nothing is promised about it.
    """
    tx = declared.transactions
    leaf = np.full(tx.n_items, -1, dtype=np.int64)
    leaf[found.tree.code] = np.arange(found.tree.leaves)
    held = to_sparse(tx).tocsr()[:, found.tree.code].tocsc()
    wide = np.flatnonzero(np.diff(held.tocsr().indptr) > 1)
    if not len(wide):
        return 0.0
    rng, by_row = np.random.default_rng(0), held.tocsr()
    sizes = np.bincount(found.owner, minlength=found.tree.size)
    tids = {}
    errors = []
    for row in rng.choice(wide, _PAIRS):
        x, y = rng.choice(by_row.indices[by_row.indptr[row] : by_row.indptr[row + 1]], 2, replace=False)
        names = found.owner[[x, y]]
        for v in (int(names[0]), int(names[1])):
            if v not in tids:
                tids[v] = np.unique(held[:, np.flatnonzero(found.owner == v)].indices)
        both = len(np.intersect1d(tids[int(names[0])], tids[int(names[1])], assume_unique=True))
        true = int(held[:, [x]].multiply(held[:, [y]]).count_nonzero())
        pairs = sizes[names[0]] * sizes[names[1]] if names[0] != names[1] else math.comb(int(sizes[names[0]]), 2)
        guess = 0.0 if found.gone[[x, y]].any() else both / pairs
        errors.append(abs(guess - true) / max(guess, true))
    return round(float(np.mean(errors)), 2)


def _two_digits(value: float) -> float:
    return float(f"{value:.2g}")
