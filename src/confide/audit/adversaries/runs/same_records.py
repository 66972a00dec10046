"""Sets of the same records, averaged: where an item never comes without another, two sets or more have one count.

Noise is drawn for each itemset, so whoever knows that a product never comes without its category reads its count twice;
with n such items, 2^n times.
"""

from collections.abc import Mapping

__all__ = ["average_same_records"]

Sets = Mapping[frozenset[str], float]


def average_same_records(values: Sets, known: Sets) -> dict[frozenset[str], float]:
    """The mean of the published `values` of all sets that the same records hold; `known` are the true supports of a
    window, mined deep enough to hold every published set."""
    parent = {items: items for items in known}

    def root(items: frozenset[str]) -> frozenset[str]:
        while parent[items] != items:
            parent[items] = items = parent[parent[items]]
        return items

    for items, count in known.items():
        for item in items:
            part = items - {item}
            if known.get(part) == count:  # the records of the larger set are all records of the smaller one
                parent[root(part)] = root(items)
    readings: dict[frozenset[str], list[float]] = {}
    for items, value in values.items():
        readings.setdefault(root(items), []).append(value)
    return {items: sum(found := readings[root(items)]) / len(found) for items in values}
