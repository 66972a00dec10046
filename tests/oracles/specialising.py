"""Top-down specialisation the slow way: every division of every value tried on the rows, at every step."""

import math
from collections import Counter, defaultdict
from fractions import Fraction

from tests.oracles.group_tests import group_passes


def specialise(table, requirement, classes, *, budget):
    """The final values of each column, as sets of leaves; None if the coarsest ones do not do."""
    n, quasi = len(table), table.quasi
    secrets = [
        (None if table.persons is None else int(table.persons[row]), *(int(c.codes[row]) for c in table.sensitive))
        for row in range(n)
    ]

    def groups_of(values):
        found = defaultdict(list)
        for row in range(n):
            leaves = [int(c.codes[row]) for c in quasi]
            found[
                tuple(next(v for v in column if leaf in v) for column, leaf in zip(values, leaves, strict=True))
            ].append(row)
        passing, lost = [], 0
        for rows in found.values():
            if group_passes(requirement, [secrets[row] for row in rows], secrets):
                passing.append(len(rows))
            else:
                lost += len(rows)
        return passing, lost

    values = [
        {frozenset(leaf for leaf in range(c.leaves) if c.maps[c.highest][leaf] == top) for top in c.maps[c.highest]}
        for c in quasi
    ]
    passing, lost = groups_of(values)
    if lost > budget or not passing:
        return None
    while True:
        best = None
        for j, column in enumerate(quasi):
            numeric = column.domain is not None and table.schema.columns[column.name].hierarchy is None
            for value in values[j]:
                rows = [row for row in range(n) if int(column.codes[row]) in value]
                if not rows or (classes is not None and len({int(classes[row]) for row in rows}) < 2):
                    continue
                choices = _halves(column, value, rows) if numeric else _children(column, value)
                rated = [(_gain(table, j, rows, parts, classes), -i, parts) for i, parts in enumerate(choices)]
                if not rated:
                    continue
                gain, _, parts = max(rated, key=lambda choice: (round(choice[0], 12), choice[1]))
                after = [set(other) for other in values]
                after[j] = (after[j] - {value}) | set(parts)
                would, gone = groups_of(after)
                if gone > budget or not would:
                    continue
                score = gain / max(1, min(passing) - min(would))
                rank = (round(score, 12), round(gain, 12), -j, -min(value))
                if best is None or rank > best[0]:
                    best = rank, after, would
        if best is None:
            return values
        _, values, passing = best


def _children(column, value):
    nodes = value
    for level in range(column.height, column.lowest - 1, -1):
        parts = defaultdict(set)
        for leaf in sorted(nodes):
            parts[int(column.maps[level][leaf])].add(leaf)
        if len(parts) > 1:
            return [[frozenset(part) for part in parts.values()]]
    return []


def _halves(column, value, rows):
    """Cuts with rows on both sides; of those that part the rows alike, the middle one."""
    leaves = sorted(value - {column.missing})
    finest = column.maps[column.lowest]
    places = [i for i in range(1, len(leaves)) if finest[leaves[i]] != finest[leaves[i - 1]]]
    alike = defaultdict(list)
    for i in places:
        left = sum(int(column.codes[row]) in leaves[:i] for row in rows)
        if 0 < left < len(rows):
            alike[left].append(i)
    chosen = [same[len(same) // 2] for same in alike.values()]
    return [[frozenset(leaves[:i]), frozenset(leaves[i:])] for i in chosen]


def _gain(table, j, rows, parts, classes):
    column = table.quasi[j]
    inside = [[row for row in rows if int(column.codes[row]) in part] for part in parts]
    if classes is None:
        leaves = sum(map(len, parts))
        saved = sum(len(group) * (leaves - len(part)) for group, part in zip(inside, parts, strict=True))
        return saved * float(table.weights[j]) / max(1, column.leaves - 1)
    rest = sum(len(group) * _entropy(classes, group) for group in inside if group) / len(rows)
    return max(0.0, _entropy(classes, rows) - rest)


def _entropy(classes, rows):
    counts = Counter(int(classes[row]) for row in rows)
    return -sum(float(Fraction(c, len(rows))) * math.log2(c / len(rows)) for c in counts.values())
