"""The worst that a release still leaves to the attacker it was made for: measured, not promised."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from threading import Event, Lock

import numpy as np

from confide.core.requirements import Coherence
from confide.core.runtime.threads import cores, interruptible
from confide.publish.transactions.declaration import Declared
from confide.publish.transactions.moles.minimal import rank_records

__all__ = ["Worst", "worst_case"]


@dataclass(frozen=True)
class Worst:
    """`k`: the fewest records that any known itemset matches; `h`: the largest share of them with one private item.

    When `exact` is false there were too many itemsets to look at all of them; k is then the least and h the largest
    met, and what the requirement promises holds beyond that.
    """

    k: int
    h: Fraction
    exact: bool


_WORDS = 6_000_000_000  # to be read at most: a few seconds


def worst_case(declared: Declared, requirement: Coherence) -> Worst:
    """Measure a coherent release: k and h as an attacker who knows up to p items meets them at worst.

    By branch and bound; the data must be coherent already, since nothing below `requirement.k` is looked for. Exact,
    unless that takes more than some seconds: dense data with a large p.
    """
    from confide.publish.transactions.moles._worst_kernels import worst_below

    tx, supports = declared.transactions, declared.supports
    n = len(tx)
    commonest = int(supports[declared.private].max(initial=0))
    public = np.flatnonzero(~declared.is_private & (supports > 0))
    code_of = public[np.argsort(supports[public], kind="stable")].astype(np.int32)
    # With h = 1 nobody asked about private items, but the figure is worth having: count them all the same.
    records = rank_records(tx, code_of, declared.private)
    longest = int(np.diff(records.row_ptr).max(initial=0))
    most = int(min(requirement.p, max(longest, 1)))
    best = np.array([n, commonest, n, _WORDS], dtype=np.int64)
    roots, lock, stopped = count(), Lock(), Event()

    def work(_: int) -> None:
        for root in roots:  # drawing from a shared count is atomic in CPython
            if root >= len(code_of) or stopped.is_set():
                return
            with lock:
                mine = best.copy()
            left = int(mine[3])
            worst_below(root, most, requirement.k, records, mine)
            with lock:
                best[0] = min(best[0], mine[0])
                if mine[1] * best[2] > best[1] * mine[2]:
                    best[1:3] = mine[1:3]
                best[3] -= left - mine[3]

    interruptible(work, threads=cores(most=len(code_of)), stop=stopped.set)
    return Worst(int(best[0]), Fraction(int(best[1]), max(int(best[2]), 1)), bool(best[3] >= 0))
