"""Special uniques by trying every combination of columns in every row."""

from collections import Counter
from itertools import combinations
from math import prod


def special_uniques(rows, most):
    """{row: the sets of columns, each as small as can be, by which no other row looks like it}."""
    found = {number: [] for number in range(len(rows))}
    columns = range(len(rows[0]))
    for size in range(1, most + 1):
        for chosen in combinations(columns, size):
            values = [tuple(row[c] for c in chosen) for row in rows]
            times = Counter(values)
            for number, value in enumerate(values):
                if times[value] == 1 and not any(set(part) <= set(chosen) for part in found[number]):
                    found[number].append(chosen)
    return found


def score(found, columns, most):
    """The SUDA score of a row with these combinations."""
    return sum(prod(columns - i for i in range(len(part), min(most, columns - 1) + 1)) for part in found)
