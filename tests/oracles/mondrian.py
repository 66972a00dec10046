"""Mondrian on lists: every row by itself, every cut tried, every test asked anew."""

from dataclasses import dataclass
from itertools import pairwise

from tests.oracles.group_tests import group_passes


@dataclass(frozen=True)
class Tree:
    """A column by its hierarchy: `paths[value]` is the value at each level."""

    paths: dict
    weight: float = 1.0


@dataclass(frozen=True)
class Range:
    """A column of whole numbers from low to high."""

    low: int
    high: int
    weight: float = 1.0


def mondrian(rows, columns, requirement, *, sensitive):
    """Cut rows (tuples of values) into groups; returns a list of (row numbers, region).

    `sensitive[i]` is the row (None, values...) that the requirement is asked of.
    """
    total = sum(column.weight for column in columns)

    def passes(group):
        return not group or group_passes(requirement, [sensitive[i] for i in group], sensitive)

    def leaves(column, part):
        if isinstance(column, Range):
            return part[1] - part[0] + 1
        level, label = part
        return sum(1 for path in column.paths.values() if path[level] == label)

    def loss(column, part):
        everything = column.high - column.low + 1 if isinstance(column, Range) else len(column.paths)
        return (leaves(column, part) - 1) / (everything - 1) * column.weight / total

    def children(column, part):
        """The labels a node divides into, at the next level where they are several."""
        level, label = part
        inside = [path for path in column.paths.values() if path[level] == label]
        for lower in range(level - 1, -1, -1):
            names = {path[lower] for path in inside}
            if len(names) > 1:
                return lower
        return None

    def narrowed(group, region):
        region = list(region)
        for j, column in enumerate(columns):
            while True:
                if isinstance(column, Range):
                    break  # ranges tile what was declared
                lower = children(column, region[j])
                names = {column.paths[rows[i][j]][lower] for i in group} if lower is not None else ()
                if len(names) != 1:
                    break
                region[j] = (lower, names.pop())
        return tuple(region)

    def cuts(group, region, j):
        """(loss saved, [(rows, part)...]) for column j: the best allowed."""
        column, part = columns[j], region[j]
        if isinstance(column, Range):
            best = (0.0, None)
            low, high = part
            values = sorted({rows[i][j] for i in group})
            for here, following in pairwise(values):
                cut = (here + following - 1) // 2
                left, right = [i for i in group if rows[i][j] <= cut], [i for i in group if rows[i][j] > cut]
                parts = [(left, (low, cut)), (right, (cut + 1, high))]
                saved = sum(len(g) * (loss(column, part) - loss(column, p)) for g, p in parts)
                if saved > best[0] + 1e-12 and passes(left) and passes(right):
                    best = (saved, parts)
            return best
        lower = children(column, part)
        if lower is None:
            return (0.0, None)
        by_child = {}
        for i in group:
            by_child.setdefault(column.paths[rows[i][j]][lower], []).append(i)
        apart = {name for name, inside in by_child.items() if passes(inside)}
        order = list(by_child)
        while apart:
            rest = [i for i in group if column.paths[rows[i][j]][lower] not in apart]
            if passes(rest):
                break
            apart.discard(min(apart, key=lambda name: (len(by_child[name]), order.index(name))))
        if not apart:
            return (0.0, None)
        parts = [(by_child[name], (lower, name)) for name in order if name in apart]
        saved = sum(len(g) * (loss(column, part) - loss(column, p)) for g, p in parts)
        return (saved, [*parts, (rest, part)] if rest else parts)

    top = tuple(
        (c.low, c.high) if isinstance(c, Range) else (len(next(iter(c.paths.values()))) - 1, "*") for c in columns
    )
    waiting, done = [(list(range(len(rows))), top)], []
    while waiting:
        group, region = waiting.pop()
        region = narrowed(group, region)
        best, chosen, where = 0.0, None, -1
        for j in range(len(columns)):
            saved, parts = cuts(group, region, j)
            if parts and saved > best + 1e-12:
                best, chosen, where = saved, parts, j
        if chosen is None:
            done.append((sorted(group), region))
        for inside, part in chosen or ():
            waiting.append((inside, (*region[:where], part, *region[where + 1 :])))
    return done
