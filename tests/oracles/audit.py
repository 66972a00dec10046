"""Slow twins of the auditors: plain Python on sets and counters, straight from the definitions."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations

from confide.core.requirements import Coherence


def occurring(rows: Sequence[Iterable[str]], p: float, private: Iterable[str]) -> dict[frozenset[str], tuple[int, int]]:
    """Every itemset of at most p public items that occurs, with its support and the count of its commonest private
    item: asks each subset of each record."""
    hidden = set(private)
    records = [set(row) for row in rows]
    itemsets = set()
    for record in records:
        public = sorted(record - hidden)
        for size in range(min(p, len(public)) + 1):
            itemsets.update(map(frozenset, combinations(public, size)))
    found = {}
    for itemset in itemsets:
        holding = [record for record in records if itemset <= record]
        commonest = max(Counter(item for record in holding for item in record & hidden).values(), default=0)
        found[itemset] = (len(holding), commonest)
    return found


def moles(
    rows: Sequence[Iterable[str]], requirement: Coherence, private: Iterable[str]
) -> dict[frozenset[str], tuple[int, int]]:
    """Every mole with its support and the count of its commonest private item."""
    return {
        itemset: (support, commonest)
        for itemset, (support, commonest) in occurring(rows, requirement.p, private).items()
        if support < requirement.k or commonest > Fraction(repr(requirement.h)) * support
    }


def groups(columns: dict[str, Sequence[Hashable]], names: Sequence[str]) -> dict[tuple[Hashable, ...], list[int]]:
    """Row numbers by the combination of values in these columns."""
    found = defaultdict(list)
    for row, values in enumerate(zip(*(columns[name] for name in names), strict=True)):
        found[values].append(row)
    return dict(found)


def is_k_anonymous(columns: dict[str, Sequence[Hashable]], quasi: Sequence[str], k: int) -> bool:
    """Whether each combination of quasi-identifier values is shared by at least k rows."""
    return all(len(rows) >= k for rows in groups(columns, quasi).values())


def sensitive_counts(columns: dict[str, Sequence[Hashable]], quasi: Sequence[str], sensitive: str) -> list[list[int]]:
    """For each group, how often each sensitive value stands in it, commonest first."""
    return [
        sorted(Counter(columns[sensitive][row] for row in rows).values(), reverse=True)
        for rows in groups(columns, quasi).values()
    ]


def is_simply_diverse(columns: dict[str, Sequence[Hashable]], quasi: Sequence[str], sensitive: str, l: int) -> bool:  # noqa: E741
    """Whether no sensitive value holds more than 1/l of a group."""
    return all(Fraction(f[0], sum(f)) <= Fraction(1, l) for f in sensitive_counts(columns, quasi, sensitive))


def is_recursively_diverse(
    columns: dict[str, Sequence[Hashable]],
    quasi: Sequence[str],
    sensitive: str,
    c: float,
    l: int,  # noqa: E741
) -> bool:
    """Whether f1 < c (fl + fl+1 + ...) in each group."""
    return all(f[0] < Fraction(repr(c)) * sum(f[l - 1 :]) for f in sensitive_counts(columns, quasi, sensitive))


def matches(rows: Sequence[Iterable[str]], known: Iterable[str]) -> list[int]:
    """The numbers of the records that hold all known items."""
    wanted = set(known)
    return [number for number, row in enumerate(rows) if wanted <= set(row)]
