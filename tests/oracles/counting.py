"""Slow twins of candidate counting: plain Python on sets."""

from collections.abc import Iterable, Sequence
from itertools import combinations


def itemset_supports(rows: Sequence[Iterable[str]], itemsets: Iterable[Iterable[str]]) -> list[int]:
    """For each itemset, how many rows hold all its items."""
    sets = [set(row) for row in rows]
    return [sum(set(itemset) <= row for row in sets) for itemset in itemsets]


def subsets(itemsets: Iterable[Iterable[str]]) -> set[frozenset[str]]:
    """Every subset of every itemset, the empty one included."""
    return {
        frozenset(part)
        for itemset in map(sorted, map(set, itemsets))
        for n in range(len(itemset) + 1)
        for part in combinations(itemset, n)
    }


def frequent(rows: Sequence[Iterable[str]], min_count: int) -> dict[frozenset[str], int]:
    """All non-empty itemsets that at least `min_count` rows hold, by asking every subset of every row."""
    counts: dict[frozenset[str], int] = {}
    for row in rows:
        for part in subsets([row]):
            counts[part] = counts.get(part, 0) + 1
    return {part: count for part, count in counts.items() if part and count >= min_count}


def closed(found: dict[frozenset[str], int]) -> dict[frozenset[str], int]:
    """Those with no superset of the same support."""
    return {x: n for x, n in found.items() if not any(x < y and n == m for y, m in found.items())}
