"""Slow twins of confide.publish: plain Python over lists of labels, straight from the definitions."""

import math
from fractions import Fraction
from itertools import combinations


def support(rows, itemset):
    return sum(itemset <= row for row in rows)


def moles(rows, h, k, p, private):
    """Every mole: a set of at most p public items that occurs, too rarely or with too common a private item."""
    rows = [frozenset(row) for row in rows]
    private = frozenset(private)
    h = Fraction(repr(h))
    found = set()
    for itemset in _occurring(rows, p, private):
        cohort = [row for row in rows if itemset <= row]
        breach = max((Fraction(sum(s in row for row in cohort), len(cohort)) for s in private), default=0)
        if len(cohort) < k or breach > h or any(itemset - {v} in found for v in itemset):
            found.add(itemset)
    return found


def minimal_moles(rows, h, k, p, private):
    """The moles that have no part that is one; the empty itemset alone when it is one."""
    every = moles(rows, h, k, p, private)
    return {mole for mole in every if not any(mole - {v} in every for v in mole)}


def _occurring(rows, p, private):
    """Public itemsets of at most p items that occur, smaller ones first, the empty one included."""
    longest = max((len(row - private) for row in rows), default=0)
    seen = set()
    for size in range(int(min(p, longest)) + 1 if p != math.inf else longest + 1):
        for row in rows:
            for itemset in map(frozenset, combinations(sorted(row - private), size)):
                if itemset not in seen:
                    seen.add(itemset)
                    yield itemset


def greedy_items(rows, minimal, cost, keep=()):
    """Suppressed items in order, with (|MM(v)|, IL(v)): moles of one item first, by label; then the largest score,
    the larger |MM(v)|, the earlier label."""
    left = set(minimal)
    order = []
    for (v,) in sorted((tuple(m) for m in left if len(m) == 1), key=lambda m: m[0]):
        order.append((v, 0, 0))
        left = {m for m in left if v not in m}
    while left:
        gains = {}
        for mole in left:
            for v in mole:
                if v not in keep:
                    gains[v] = gains.get(v, 0) + 1
        best = min(gains, key=lambda v: (-Fraction(gains[v]) / Fraction(cost[v]), -gains[v], v))
        order.append((best, gains[best], cost[best]))
        left = {m for m in left if best not in m}
    return order


def k_anonymizer(rows, h, k, private, code):
    """Public items admitted by top-down specialisation, in order: the best Sup(v) / (1 + A - A(v)) that keeps every
    group of records (alike on all admitted items) at k or more, and private items at a share h in each."""
    rows = [frozenset(row) for row in rows]
    admitted = []
    left = sorted({v for row in rows for v in row} - set(private), key=code)
    while True:
        best = None
        smallest = min(_groups(rows, admitted).values(), key=len)
        for v in left:
            groups = _groups(rows, [*admitted, v]).values()
            if any(len(g) < k for g in groups) or any(
                Fraction(sum(s in row for row in g), len(g)) > Fraction(repr(h)) for g in groups for s in private
            ):
                continue
            sup = support(rows, {v})
            score = Fraction(sup, 1 + len(smallest) - min(map(len, groups)))
            if best is None or (score, sup) > best[0]:
                best = ((score, sup), v)
        if best is None:
            return admitted
        admitted.append(best[1])
        left.remove(best[1])


def _groups(rows, items):
    groups = {}
    for row in rows:
        groups.setdefault(row & frozenset(items), []).append(row)
    return groups


def worst_case(rows, p, private):
    """The least support, and the largest share of a private item, over the itemsets of at most p items that occur."""
    rows = [frozenset(row) for row in rows]
    occurring = list(_occurring(rows, p, frozenset(private)))
    shares = [Fraction(sum(s in row for row in rows if x <= row), support(rows, x)) for x in occurring for s in private]
    return min(support(rows, x) for x in occurring), max(shares, default=Fraction(0))


def copied_private_item(rows):
    """The private item of section 4.5.1 for each record: the commonest item below half, or "*"; ties by label."""
    counts = {}
    for row in rows:
        for v in set(row):
            counts[v] = counts.get(v, 0) + 1
    chosen = []
    for row in rows:
        below = [v for v in set(row) if 2 * counts[v] < len(rows)]
        chosen.append(min(below, key=lambda v: (-counts[v], v)) if below else "*")
    return chosen
