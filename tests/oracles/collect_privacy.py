"""Slow twins of privacy, planning and the auditing of perturbers: enumeration, grids, and Fractions."""

import itertools
import math
from fractions import Fraction

__all__ = [
    "cut_and_paste_law",
    "emask_attained",
    "flipping_law",
    "gamma_of",
    "records",
    "reinterrogation_privacy",
    "visible_ratio",
]


def records(items, longest):
    """Every set of at most `longest` of these items."""
    return [frozenset(c) for k in range(longest + 1) for c in itertools.combinations(items, k)]


def flipping_law(items, p, q):
    """P(v | u) when a 1 is kept with p and a 0 with q."""

    def law(u, v):
        chance = Fraction(1)
        for item in items:
            if item in u:
                chance *= p if item in v else 1 - p
            else:
                chance *= 1 - q if item in v else q
        return chance

    return law


def cut_and_paste_law(items, k, rho):
    """P(v | u), summed over every cut."""

    def law(u, v):
        chance = Fraction(0)
        for drawn in range(k + 1):
            kept = min(drawn, len(u))
            for cut in itertools.combinations(sorted(u), kept):
                if set(cut) <= v:
                    rest = rho ** (len(v) - kept) * (1 - rho) ** (len(items) - len(v))
                    chance += Fraction(1, k + 1) / math.comb(len(u), kept) * rest
        return chance

    return law


def gamma_of(law, truths, answers):
    """The largest ratio of chances of one answer under two truths (Eq. 4.2)."""
    return max(max(law(u, v) for u in truths) / min(law(u, v) for u in truths) for v in answers)


def reinterrogation_privacy(true, seen, frequent, basic, basic_of):
    """Section 2.2 word by word: `true` and `seen` are lists of sets, `frequent` a list of itemsets, `basic` the average
    basic privacy and `basic_of` that of each item."""
    breach = {}
    for itemset in frequent:
        around = [u for u, v in zip(true, seen, strict=True) if itemset <= v]
        for item in itemset:
            breach[itemset, item] = sum(item in u for u in around) / len(around) if around else 0.0
    columns = {item for itemset in frequent for item in itemset}
    total = ones = 0
    for u, v in zip(true, seen, strict=True):
        for item in u:
            ones += 1
            if item not in columns:
                total += basic_of[item]
            elif item in v:
                total += 1 - max(breach[x, item] for x in frequent if item in x and x <= v)
            else:
                total += basic
    return total / ones


def emask_attained(p, q, s, n):
    """Breach, error, slowdown, visible and absent of Emask, straight from Eq. 3.2, 3.7 (with its factor) and 3.8."""
    one = s * p + (1 - s) * (1 - q)
    return {
        "breach": s * p**2 / one + s * (1 - p) ** 2 / (1 - one),
        "error": math.sqrt((s * p * (1 - p) + (1 - s) * q * (1 - q)) / n) / (s * abs(p + q - 1)),
        "slowdown": p + (1 - s) / s * (1 - q),
        "visible": p * s / one,
        "absent": q / (1 - p),
    }


def visible_ratio(s, n, goals, visible, steps=400, absent=100):
    """The smallest largest-ratio-to-goal over a fine grid of (p, q) with visible and absent within their bounds."""
    best = math.inf
    for i in range(1, steps):
        p = i / steps
        for j in range(1, steps):
            q = 1 - s * 10 ** (3 * j / steps - 1.5)  # false items from 1/30 to 30 for each true one
            if not 1 - p < q < 1:
                continue
            now = emask_attained(p, q, s, n)
            if now["visible"] <= visible and now["absent"] <= absent:
                best = min(best, max(now[name] / goal for name, goal in goals.items()))
    return best
