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


def world_with(groups, values, person, value, same=()):
    """A way to give everybody a value, this person `value`, such that every group counts what it does; None if none.
    Of each pair of `same` the first is known to have the value of the second."""
    left = dict(_counts(groups, values))
    different = sorted(set(values))
    held = [[(r, row[i]) for r, row in enumerate(groups) if row[i] >= 0] for i in range(len(values))]
    stands_for = {i: i for i in range(len(values))}
    for one, other in same:
        root = stands_for[other]
        held[root] = held[root] + held[stands_for[one]]
        was = stands_for[one]
        stands_for = {i: root if r == was else r for i, r in stands_for.items()}
    person = stands_for[person]
    order = [person, *(i for i in range(len(values)) if i != person and stands_for[i] == i)]
    world = [None] * len(values)

    def give(at):
        if at == len(order):
            return True
        i = order[at]
        for v in [value] if at == 0 else [values[i], *(v for v in different if v != values[i])]:
            keys = [(r, g, v) for r, g in held[i]]
            if all(left.get(key, 0) >= keys.count(key) for key in keys):
                for key in keys:
                    left[key] -= 1
                world[i] = v
                if give(at + 1):
                    return True
                for key in keys:
                    left[key] += 1
        return False

    return [world[stands_for[i]] for i in range(len(values))] if give(0) else None


def possible_values(groups, values, same=()):
    """As `worlds_values`, by looking for one world for each person and value."""
    found = [set() for _ in values]
    for person in range(len(values)):
        for value in sorted(set(values)):
            if value not in found[person]:
                for i, v in enumerate(world_with(groups, values, person, value, same) or ()):
                    found[i].add(v)
    return found


def claimed_values(places, cell, values):
    """What building on earlier releases claims to stay possible for each person: the values of the unlinked places of
    their cell; for who held several places, those that all of their cells have in enough unlinked places."""
    people = range(len(values))
    held = [{row[i] for row in places if row[i] >= 0} for i in people]
    group = {place: {place} for own in held for place in own}
    for own in held:
        joined = set().union(*(group[place] for place in own))
        for place in joined:
            group[place] = joined
    value = {place: values[i] for i in people for place in held[i]}
    free = {}
    for place, together in group.items():
        if len(together) == 1:
            free.setdefault(cell[place], []).append(value[place])
    found = []
    for i in people:
        together = group[next(iter(held[i]))]
        cells = [cell[place] for place in together]
        if len(together) == 1:
            found.append(set(free[cells[0]]))
            continue
        fit = [{v for v in free.get(c, []) if free[c].count(v) >= cells.count(c)} for c in cells]
        found.append(set.intersection(*fit) | {values[i]})
    return found
