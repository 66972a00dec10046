"""Slow twins of the global recodings of tables: every generalisation looked at, rows in plain lists."""

from collections import defaultdict
from itertools import product

from tests.oracles.group_tests import group_passes


def kept_rows(requirement, labels, secrets, *, suppress):
    """Which rows are released when groups that fail go, until none does; `labels[row]` are the released values."""
    groups = defaultdict(list)
    for row, label in enumerate(labels):
        groups[label].append(row)
    released = set(range(len(labels)))
    while True:
        whole = [secrets[row] for row in sorted(released)]
        fail = [g for g in groups.values() if not group_passes(requirement, [secrets[row] for row in g], whole)]
        if not fail:
            return released
        groups = {label: g for label, g in groups.items() if g not in fail}
        released -= {row for g in fail for row in g}
        if not released or not suppress:
            return released


def all_generalisations(table, requirement, *, budget):
    """{levels: (rows suppressed, loss)} of all that meet the requirement; the loss is the NCP, weighted by column."""
    quasi = table.quasi
    n = len(table)
    secrets = [
        (None if table.persons is None else int(table.persons[row]), *(int(c.codes[row]) for c in table.sensitive))
        for row in range(n)
    ]
    found = {}
    for levels in product(*(range(c.lowest, c.highest + 1) for c in quasi)):
        nodes = [
            tuple(int(c.maps[level][c.codes[row]]) for c, level in zip(quasi, levels, strict=True)) for row in range(n)
        ]
        kept = kept_rows(requirement, nodes, secrets, suppress=budget > 0)
        if not kept or n - len(kept) > budget:
            continue
        total = n - len(kept)
        for row in kept:
            for c, level, node, weight in zip(quasi, levels, nodes[row], table.weights, strict=True):
                leaves = sum(1 for other in c.maps[level] if other == node)
                total += weight * (leaves - 1) / max(1, len(c.maps[0]) - 1)
        found[levels] = (n - len(kept), total / n)
    return found


def best_generalisation(found):
    """The levels of least loss; ties by the sum of levels, then by levels."""
    return min(found, key=lambda levels: (round(found[levels][1], 10), sum(levels), levels), default=None)


def minimal_generalisations(found):
    return sorted(
        levels
        for levels in found
        if not any(o != levels and all(a <= b for a, b in zip(o, levels, strict=True)) for o in found)
    )
