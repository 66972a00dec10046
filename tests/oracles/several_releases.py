"""Several releases about the same people, by enumerating every world: what each attacker may still hold possible."""

from itertools import product

__all__ = ["linked_rows", "neighbour_values", "worlds", "worlds_values"]


def _counts(groups, values):
    """How often each value stands in each group of each release."""
    counted = {}
    for release, row in enumerate(groups):
        for group, value in zip(row, values, strict=True):
            if group >= 0:
                key = release, group, value
                counted[key] = counted.get(key, 0) + 1
    return counted


def worlds(groups, values):
    """Every way to give each person a value such that each group of each release counts what it does."""
    published = _counts(groups, values)
    different = sorted(set(values))
    return [world for world in product(different, repeat=len(values)) if _counts(groups, world) == published]


def worlds_values(groups, values):
    """For each person the values that some world gives them."""
    return [set(column) for column in zip(*worlds(groups, values), strict=True)]


def neighbour_values(groups, values):
    """For each person the values that all their groups have."""
    counted = _counts(groups, values)
    found = []
    for person in range(len(values)):
        held = [(release, row[person]) for release, row in enumerate(groups) if row[person] >= 0]
        found.append({v for v in set(values) if all((release, group, v) in counted for release, group in held)})
    return found


def linked_rows(groups, values):
    """For each person the values of all people with the same groups in every release."""
    ways = list(zip(*groups, strict=True))
    return [[v for way, v in zip(ways, values, strict=True) if way == own] for own in ways]
