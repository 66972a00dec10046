"""Slow twins of the requirements of tables: fractions and dictionaries, straight from the definitions."""

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from typing import Any

Columns = dict[str, Sequence[Hashable]]
Group = tuple[int, dict[Hashable, int]]


def members(columns: Columns, quasi: Sequence[str], sensitive: str, person: str | None = None) -> list[Group]:
    """For each group: how many members it has, and how many of them have each sensitive value."""
    found: dict[Any, dict[Hashable, set[Hashable]]] = defaultdict(lambda: defaultdict(set))
    rows = len(columns[sensitive])
    for row in range(rows):
        key = tuple(columns[name][row] for name in quasi)
        found[key][columns[sensitive][row]].add(row if person is None else columns[person][row])
    return [
        (len(set().union(*holders.values())), {value: len(who) for value, who in holders.items()})
        for holders in found.values()
    ]


def picks(columns: Columns, quasi: Sequence[str], sensitive: str, person: str) -> list[list[list[int]]]:
    """For each group, the counts for every way to pick one value of each person (few persons only)."""
    found: dict[Any, dict[Hashable, set[Hashable]]] = defaultdict(lambda: defaultdict(set))
    for row in range(len(columns[sensitive])):
        key = tuple(columns[name][row] for name in quasi)
        found[key][columns[person][row]].add(columns[sensitive][row])
    return [
        [sorted(Counter(pick).values(), reverse=True) for pick in product(*people.values())]
        for people in found.values()
    ]


def filled(n: int, counts: dict[Hashable, int]) -> list[int]:
    """Values filled with persons, commonest first, until none is left."""
    left, kept = n, []
    for f in sorted(counts.values(), reverse=True):
        kept.append(min(f, left))
        left -= kept[-1]
    return kept


def exact(number: float) -> Fraction:
    return Fraction(repr(number))


def entropy_at_least(counts: Sequence[int], l: float) -> bool:  # noqa: E741
    n = sum(counts)
    return n**n >= exact(l) ** n * math.prod(c**c for c in counts if c)


def reference(groups: Sequence[Group]) -> tuple[int, Counter[Hashable]]:
    """Members of all groups together, and how many have each value."""
    total: Counter[Hashable] = Counter()
    for _, counts in groups:
        total.update(counts)
    return sum(n for n, _ in groups), total


def equal_distance(q: dict[Hashable, Fraction], p: dict[Hashable, Fraction]) -> Fraction:
    return sum((abs(q.get(v, Fraction(0)) - p[v]) for v in p), Fraction(0)) / 2


def ordered_distance(q: dict[Any, Fraction], p: dict[Any, Fraction]) -> Fraction:
    """Moves earth from left to right, shovel by shovel, and adds up how far each went."""
    values = sorted(p)
    if len(values) == 1:
        return Fraction(0)
    have = [[place, q.get(value, Fraction(0))] for place, value in enumerate(values)]
    want = [[place, p[value]] for place, value in enumerate(values)]
    work = Fraction(0)
    while have and want:
        amount = min(have[0][1], want[0][1])
        work += amount * abs(have[0][0] - want[0][0])
        for side in (have, want):
            side[0][1] -= amount
            if side[0][1] == 0:
                side.pop(0)
    return work / (len(values) - 1)


def distances(groups: Sequence[Group], *, ordered: bool) -> list[Fraction]:
    """The distance of each group from the whole, over pairs of member and value."""
    _, total = reference(groups)
    whole = sum(total.values())
    p = {value: Fraction(f, whole) for value, f in total.items()}
    found = []
    for _, counts in groups:
        q = {value: Fraction(f, sum(counts.values())) for value, f in counts.items()}
        found.append((ordered_distance if ordered else equal_distance)(q, p))
    return found


def gains(groups: Sequence[Group]) -> list[tuple[Fraction, Fraction]]:
    """(q / p, p) of each value in each group that holds it."""
    whole, total = reference(groups)
    return [
        (Fraction(f, n) / Fraction(total[value], whole), Fraction(total[value], whole))
        for n, counts in groups
        for value, f in counts.items()
    ]


def logarithm(value: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return Decimal(value.numerator).ln() - Decimal(value.denominator).ln()


def holds(groups: Sequence[Group], kind: str, **numbers: Any) -> bool:
    """Whether a requirement of this kind holds of all groups."""
    l, c, k = (numbers.get(name) for name in "lck")  # noqa: E741
    if kind == "k-anonymity":
        return all(n >= k for n, _ in groups)
    if kind == "alpha-k-anonymity":
        top = exact(numbers["alpha"])
        return all(n >= k and all(Fraction(f, n) <= top for f in counts.values()) for n, counts in groups)
    if kind == "simple-diversity":
        return all(Fraction(f, n) <= Fraction(1, l) for n, counts in groups for f in counts.values())
    if kind == "distinct-diversity":
        return all(sum(h > 0 for h in filled(n, counts)) >= l for n, counts in groups)
    if kind == "entropy-diversity":
        return all(entropy_at_least(filled(n, counts), l) for n, counts in groups)
    if kind == "recursive-diversity":
        lists = [filled(n, counts) for n, counts in groups]
        return all(h[0] < exact(c) * sum(h[l - 1 :]) for h in lists)
    if kind == "t-closeness":
        return all(d <= exact(numbers["t"]) for d in distances(groups, ordered=numbers["ordered"]))
    if kind == "beta-likeness":
        ok = all(ratio - 1 <= exact(numbers["beta"]) for ratio, _ in gains(groups))
        enhanced = all(ratio <= 1 or Decimal(float(ratio - 1)) <= -logarithm(p) for ratio, p in gains(groups))
        return ok and (not numbers["enhanced"] or enhanced)
    if kind == "delta-disclosure":
        return all(abs(logarithm(ratio)) < Decimal(repr(numbers["delta"])) for ratio, _ in gains(groups))
    raise ValueError(kind)
