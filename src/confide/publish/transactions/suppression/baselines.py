"""What the thesis compares with (section 4.5.1): two simple ways to reach coherence that lose far more.

- *remove-all* suppresses every public item of a minimal mole. (The thesis says "of any mole". With one mole left,
  every item that meets it is in a larger mole, so that would suppress nearly everything; this is the stronger rival.)
- *k-anonymizer* makes records alike on all public items at once, by global recoding: an item is either kept
  everywhere or suppressed everywhere. Top-down specialisation begins with everything suppressed and one group of
  records, and admits one item after another; each splits every group into records with and without it. An item that
  would leave a group of fewer than k, or one in which a private item passes the share h, is never admitted: later
  groups are only smaller.
  The next item is the one of the largest

      Sup(v) / (1 + A - A(v))         occurrences won for each record of anonymity lost

  A and A(v) being the smallest group before and after; ties go to the larger support, then the smaller code. An
  itemset's records are a union of such groups, so the release is coherent for every p.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from confide.core.requirements import Coherence
from confide.publish.transactions.declaration import Declared, DeclaredItems, list_allowed_private
from confide.publish.transactions.families.moles_and_nuggets import items_of_minimal_moles, mole_source
from confide.publish.transactions.suppression.decision import Reason, Step, Suppression

__all__ = ["k_anonymizer", "remove_all"]


def remove_all(declared: DeclaredItems, requirement: Coherence, *, deleted: NDArray[np.bool_]) -> Suppression:
    """Suppress every item of every minimal mole, in code order; the `deleted` items first, so that they make none."""
    tx, private = declared.transactions, declared.is_private
    left = ~deleted & (declared.supports > 0)
    alone = mole_source(tx, requirement, private, left.copy()).alone()
    left[alone] = False
    source = mole_source(tx, requirement, private, left)
    items, total = items_of_minimal_moles(source)
    gone: dict[int, Reason] = dict.fromkeys(np.flatnonzero(deleted).tolist(), "option")
    gone |= dict.fromkeys(items.tolist(), "all")
    gone |= dict.fromkeys(alone.tolist(), "alone")
    steps = tuple(Step(item=v, reason=why) for v, why in sorted(gone.items()))
    totals = {"minimal_moles": total + len(alone)}
    return Suppression(steps=steps, method="remove-all", totals=totals, moles=source.known(alone))


def k_anonymizer(declared: Declared, requirement: Coherence) -> Suppression:
    """Keep the items that top-down specialisation admits; suppress all other public ones, in code order."""
    from confide.publish.transactions.suppression.greedy_kernels import breaches, split_by, splits

    tx, supports, k = declared.transactions, declared.supports, requirement.k
    private = declared.is_private
    secrets = tx.keep_items(private)
    allowed = list_allowed_private(requirement, len(tx))
    group = np.zeros(len(tx), dtype=np.int64)
    sizes = np.array([len(tx)], dtype=np.int64)
    candidates = np.flatnonzero(~private & (supports > 0))
    kept: set[int] = set()
    while len(candidates):
        column = np.full(tx.n_items, -1, dtype=np.int64)
        column[candidates] = np.arange(len(candidates))
        least = splits(group, sizes, tx.indptr, tx.indices, column, k, tx.n_items)
        candidates, least = candidates[least > 0], least[least > 0]
        anonymity = int(sizes.min())
        after = np.minimum(least, anonymity)
        ranked = sorted(
            range(len(candidates)),
            key=lambda i: (
                -Fraction(int(supports[candidates[i]]), 1 + anonymity - int(after[i])),
                -int(supports[candidates[i]]),
                int(candidates[i]),
            ),
        )
        admitted = None
        for item in [int(candidates[i]) for i in ranked]:
            split, n_groups = split_by(group, tx.indptr, tx.indices, item, len(sizes))
            split_sizes = np.bincount(split, minlength=n_groups)
            refused = requirement.h < 1 and breaches(
                split, n_groups, split_sizes, secrets.indptr, secrets.indices, secrets.n_items, allowed
            )
            candidates = candidates[candidates != item]
            if not refused:
                admitted, group, sizes = item, split, split_sizes
                break
        if admitted is None:
            break
        kept.add(admitted)
    public = np.flatnonzero(~private & (supports > 0)).tolist()
    steps = tuple(Step(item=v, reason="all") for v in public if v not in kept)
    return Suppression(steps=steps, method="k-anonymizer")
