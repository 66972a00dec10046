"""Slow twins of the sliding window: plain Python, straight from the definitions."""

from collections.abc import Iterable, Sequence
from itertools import combinations

Record = frozenset[str]


def closed_itemsets(records: Sequence[Record], min_count: int) -> dict[Record, int]:
    """The non-empty closed sets in at least `min_count` of these records, with their supports.

    A set is closed when it is the intersection of all the records that hold it, so the closed sets are all
    the intersections of records.
    """
    closed: set[Record] = set()
    for record in set(records):
        closed |= {record & other for other in closed} | {record}
    supports = {x: sum(x <= record for record in records) for x in closed if x}
    return {x: support for x, support in supports.items() if support >= min_count}


def frequent_itemsets(records: Sequence[Record], min_count: int) -> dict[Record, int]:
    """The non-empty sets in at least `min_count` of these records, with their supports: every subset is tried."""
    supports = {
        frozenset(x): sum(record.issuperset(x) for record in records)
        for record in set(records)
        for n in range(1, len(record) + 1)
        for x in combinations(sorted(record), n)
    }
    return {x: support for x, support in supports.items() if support >= min_count}


def as_records(rows: Iterable[Iterable[object]]) -> list[Record]:
    """Rows as sets of labels."""
    return [frozenset(str(item) for item in row) for row in rows]
