"""Slow, plain twins of what `confide.stream` and the window adversaries do."""

from fractions import Fraction
from itertools import combinations, product


def probabilities(law):
    """{value: probability} of a noise law."""
    total = sum(law.weights)
    return {law.first + i: Fraction(w, total) for i, w in enumerate(law.weights) if w}


def moments(law):
    """(mean, variance), value by value."""
    chances = probabilities(law)
    mean = sum(x * p for x, p in chances.items())
    return mean, sum((x - mean) ** 2 * p for x, p in chances.items())


def inversion(law, d):
    """Pr[x >= y + d], draw by draw."""
    chances = probabilities(law)
    return sum(p * q for (x, p), (y, q) in product(chances.items(), repeat=2) if x >= y + d)


def shifts(law, epsilon, support):
    """All shifts within the bound on precision, tried one by one."""
    mean, variance = moments(law)
    most = 2 * support + 2
    return [s for s in range(-most, most + 1) if variance + (s + mean) ** 2 <= epsilon * support**2]


def order_cost(law, supports, sizes, places, kept=(), depth=None):
    """Expected itemsets in inverted pairs; `kept` are (support, value, size) already said."""
    cost = Fraction(0)
    for i, j in combinations(range(len(places)), 2):
        if depth is None or j - i <= depth:
            cost += (sizes[i] + sizes[j]) * inversion(law, places[j] - places[i])
    chances = probabilities(law)
    for support, value, size in kept:
        for t, s, e in zip(supports, sizes, places, strict=True):
            wrong = sum(p for x, p in chances.items() if (value >= e + x if support < t else e + x >= value))
            cost += (size + s) * wrong
    return cost


def order_shifts(law, epsilon, supports, sizes, kept=(), depth=None):
    """The least cost over all strictly ascending estimators, by trying every one within the bound on precision."""
    table = [inversion(law, d) for d in range(law.reach + 1)]
    alone = [
        {t + s: order_cost(law, [t], [size], [t + s], kept) for s in shifts(law, epsilon, t)}
        for t, size in zip(supports, sizes, strict=True)
    ]
    best = None

    def extend(places, cost):
        nonlocal best
        if best is not None and cost >= best:
            return
        j = len(places)
        if j == len(supports):
            best = cost
            return
        for e, pull in alone[j].items():
            if places and e <= places[-1]:
                continue
            more = pull
            for i, other in enumerate(places):
                if depth is None or j - i <= depth:
                    more += (sizes[i] + sizes[j]) * table[min(e - other, law.reach)]
            extend([*places, e], cost + more)

    extend([], Fraction(0))
    return best


def order_preserved(pairs):
    """ropp, pair by pair; `pairs` are (true, published) supports."""
    good = [
        (t1 == t2 and v1 == v2) or (t1 < t2 and v1 <= v2) or (t1 > t2 and v1 >= v2)
        for (t1, v1), (t2, v2) in combinations(pairs, 2)
    ]
    return sum(good) / len(good)


def ratio_preserved(pairs, k):
    """rrpp, pair by pair."""
    k = Fraction(repr(k))
    good = []
    for (t1, v1), (t2, v2) in combinations(pairs, 2):
        ratio, true = Fraction(v1, v2), Fraction(t1, t2)
        good.append(k * true <= ratio <= true / k)
    return sum(good) / len(good)


def support(records, itemset):
    """Records that hold all of a set."""
    return sum(set(itemset) <= set(record) for record in records)


def pattern_support(records, items, without):
    """Records that hold all of `items` and none of `without`."""
    return sum(set(items) <= set(record) and not set(without) & set(record) for record in records)


def frequent(records, min_support):
    """{itemset: support} of all frequent itemsets, by trying every set of items."""
    items = sorted({item for record in records for item in record})
    sets = (frozenset(s) for n in range(1, len(items) + 1) for s in combinations(items, n))
    counted = {s: support(records, s) for s in sets}
    return {s: n for s, n in counted.items() if n >= min_support}


def vulnerable_patterns(known, vulnerable, n_records):
    """{(items, without): count} that inclusion and exclusion gives from `known` supports, with 1 <= count <= K."""
    known = {frozenset(): n_records, **known}
    found = {}
    for top in known:
        for n in range(len(top)):
            for base in map(frozenset, combinations(sorted(top), n)):
                rest = sorted(top - base)
                between = [base | set(more) for k in range(len(rest) + 1) for more in combinations(rest, k)]
                if all(x in known for x in between):
                    count = sum((-1) ** len(x - base) * known[x] for x in between)
                    if 1 <= count <= vulnerable:
                        found[base, top - base] = count
    return found
