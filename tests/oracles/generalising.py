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


def best_cuts(table, requirement, classes, *, budget, discern):
    """The least cost of any set of cuts, with the requirement kept by suppressing at most `budget` rows; or None.

    Columns are cut between neighbouring nodes of their lowest levels, and always between those of different nodes at
    the highest level.
    """
    n = len(table)
    secrets = [(None, *(int(c.codes[row]) for c in table.sensitive)) for row in range(n)]
    orders = []
    for c in table.quasi:
        nodes = list(dict.fromkeys(c.maps[c.lowest].tolist()))
        tops = dict(zip(c.maps[c.lowest].tolist(), c.maps[c.highest].tolist(), strict=True))
        orders.append([(node, tops[node]) for node in nodes])
    per_column = [
        [
            cuts
            for cuts in product((False, True), repeat=len(order) - 1)
            if all(cut or order[i][1] == order[i + 1][1] for i, cut in enumerate(cuts))
        ]
        for order in orders
    ]
    best = None
    for chosen in product(*per_column):
        place = []
        for order, cuts in zip(orders, chosen, strict=True):
            segment, where = 0, {order[0][0]: 0}
            for (node, _), cut in zip(order[1:], cuts, strict=True):
                segment += cut
                where[node] = segment
            place.append(where)
        labels = [
            tuple(where[int(c.maps[c.lowest][c.codes[row]])] for c, where in zip(table.quasi, place, strict=True))
            for row in range(n)
        ]
        kept = kept_rows(requirement, labels, secrets, suppress=budget > 0)
        if not kept or n - len(kept) > budget:
            continue
        groups = defaultdict(list)
        for row in kept:
            groups[labels[row]].append(int(classes[row]))
        if discern:
            cost = (n - len(kept)) * n + sum(len(group) ** 2 for group in groups.values())
        else:
            cost = n - sum(max(map(group.count, group)) for group in groups.values())
        best = cost if best is None else min(best, cost)
    return best
