"""Slow twins of itemset utility: every mole and every nugget listed, from the definitions, over lists of labels."""

from fractions import Fraction
from itertools import combinations
from math import inf


def moles(rows, h, k, p, private):
    """Every mole: at most p public items that occur, in fewer than k records or with BPr above h. BPr is the largest
    share of a private item among the records of any subset, the empty one included (Definition 5)."""
    rows = [frozenset(row) for row in rows]
    private = frozenset(private)
    breach = {}
    found = set()
    for itemset in _subsets((row - private for row in rows), p):
        cohort = [row for row in rows if itemset <= row]
        own = max((Fraction(sum(s in row for row in cohort), len(cohort)) for s in private), default=Fraction(0))
        breach[itemset] = max([own, *(breach[itemset - {v}] for v in itemset)])
        if len(cohort) < k or breach[itemset] > Fraction(repr(h)):
            found.add(itemset)
    return found


def nuggets(rows, least, longest):
    """Every itemset, not empty, of at most `longest` items of any kind in at least `least` records (Definition 7)."""
    rows = [frozenset(row) for row in rows]
    return {x for x in _subsets(rows, longest) if x and sum(x <= row for row in rows) >= least}


def greedy_itemsets(rows, h, k, p, private, least, longest=inf, keep=()):
    """Suppressed items in order with (|M(v)|, |N(v)|). Moles of one item go first, in the order of their labels; then
    the largest score, the larger |M(v)|, the earlier label."""
    bad, good = moles(rows, h, k, p, private), nuggets(rows, least, longest)
    order = [(min(x), 0, 0) for x in sorted(bad, key=sorted) if len(x) == 1]
    for v, _, _ in order:
        bad, good = {x for x in bad if v not in x}, {x for x in good if v not in x}
    while bad:
        scored = []
        for v in sorted({v for x in bad for v in x} - set(keep)):
            gain, cost = sum(v in x for x in bad), sum(v in x for x in good)
            scored.append((cost > 0, -Fraction(gain, cost or 1), -gain, v, cost))
        _, _, gain, v, cost = min(scored)
        order.append((v, -gain, cost))
        bad, good = {x for x in bad if v not in x}, {x for x in good if v not in x}
    return order, good


def put_back(rows, steps, h, k, p, private, least, longest=inf):
    """The steps that stay when needless ones, moles of one item aside, are put back: first items in some nugget, the
    one that brings most nuggets back each time; then the others; ties to the commoner, then the earlier label."""
    support = {v: sum(v in row for row in rows) for row in rows for v in row}
    bad, good = moles(rows, h, k, p, private), nuggets(rows, least, longest)
    gone = [v for v, _, _ in steps]
    alone = [v for v in gone if frozenset([v]) in bad]

    def free(v):
        return v not in alone and all(x & (set(gone) - {v}) for x in bad)

    def brings(v):
        return sum(not x & (set(gone) - {v}) for x in good)

    for worth in (True, False):
        while found := [v for v in gone if free(v) and (support[v] >= least) is worth]:
            gone.remove(min(found, key=lambda v: (-brings(v), -support[v], v)))
    return [step for step in steps if step[0] in gone]


def best_loss(rows, h, k, p, private, lost, keep=()):
    """The smallest `lost(gone)` over all sets of public items that break every mole, by trying them all."""
    bad = moles(rows, h, k, p, private)
    public = sorted({v for row in rows for v in row} - set(private) - set(keep))
    choices = (set(gone) for size in range(len(public) + 1) for gone in combinations(public, size))
    return min(lost(gone) for gone in choices if all(x & gone for x in bad))


def _subsets(rows, longest):
    """The sets of at most `longest` items that occur, the empty one included, smaller ones first."""
    rows = set(rows)
    for size in range(int(min(longest, max(map(len, rows), default=0))) + 1):
        yield from {frozenset(c) for row in rows for c in combinations(sorted(row), size)}
