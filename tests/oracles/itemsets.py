"""Slow twins of the itemset search: written down from the definitions."""

from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from math import inf


def subset_counts(rows: Iterable[Iterable[str]]) -> Counter[frozenset[str]]:
    """{itemset: support} of every subset of every record but the empty one."""
    counts: Counter[frozenset[str]] = Counter()
    for row in rows:
        items = sorted(set(row))
        for length in range(1, len(items) + 1):
            counts.update(frozenset(chosen) for chosen in combinations(items, length))
    return counts


def frequent_itemsets(
    rows: Iterable[Iterable[str]], *, min_support: int, kind: str = "all", max_length: int | None = None
) -> dict[frozenset[str], int]:
    """{itemset: support} by counting every subset of every record."""
    return frequent_among(subset_counts(rows), min_support=min_support, kind=kind, max_length=max_length)


def frequent_among(
    counts: Counter[frozenset[str]], *, min_support: int, kind: str = "all", max_length: int | None = None
) -> dict[frozenset[str], int]:
    """The same from subsets that are counted already: several questions about the same records."""
    limit = inf if max_length is None else max_length
    frequent = {itemset: support for itemset, support in counts.items() if support >= min_support}
    # Those of one item more. One of the same support is as frequent, so the frequent ones are enough to ask.
    larger: dict[frozenset[str], list[frozenset[str]]] = {}
    for itemset in frequent if kind != "all" else ():
        for item in itemset:
            larger.setdefault(itemset - {item}, []).append(itemset)

    def wanted(itemset: frozenset[str]) -> bool:
        if kind == "closed":
            return all(counts[other] < counts[itemset] for other in larger.get(itemset, ()))
        if kind == "maximal":
            return all(len(other) > limit for other in larger.get(itemset, ()))
        return True

    return {itemset: n for itemset, n in frequent.items() if len(itemset) <= limit and wanted(itemset)}
