"""What a neighbour could tell for certain from the summaries of a join, worked out the slow way.

Two twins. One reads it off the joined records themselves. The other knows nothing but what a neighbour saw: it tries
every database of the others, and keeps what is the same in all that would have given the same messages.
"""

import itertools
from collections import Counter

from tests.oracles.joining import materialise

__all__ = ["certain_classes", "certain_everywhere", "certain_sides"]


def certain_classes(tables, joins, target):
    """{(sender, receiver): ({join value: own records behind it}, join values whose class is certain)}.

    What a sender knows when it sends is the join of the tables that class summaries have reached so far, without
    records that find no partner in a table beside theirs.
    """
    near = {name: [] for name in tables}
    on = {}
    for (left, left_columns), (right, right_columns) in joins:
        near[left].append(right)
        near[right].append(left)
        on[left, right], on[right, left] = left_columns, right_columns

    def value(table, row, other):
        found = tuple(tables[table][column][row] for column in on[table, other])
        return None if None in found else found

    rows = {name: range(len(next(iter(columns.values())))) for name, columns in tables.items()}
    values = {way: {value(way[0], row, way[1]) for row in rows[way[0]]} - {None} for way in on}
    linked = {
        name: [row for row in rows[name] if all(value(name, row, o) in values[o, name] for o in near[name])]
        for name in tables
    }
    found, first_from = {}, {target[0]: None}
    for sender, receiver, known in _sends(near, target[0]):
        part = {name: {c: [v[r] for r in linked[name]] for c, v in tables[name].items()} for name in known}
        between = [join for join in joins if {join[0][0], join[1][0]} <= set(known)]
        _, _, classes, chosen = materialise(part, between, target)
        behind, seen = {}, {}
        for label, places in zip(classes, chosen, strict=True):
            row = linked[sender][places[sender]]
            behind.setdefault(value(sender, row, receiver), set()).add(row)
            seen.setdefault(value(sender, row, receiver), set()).add(label)
        first_from.setdefault(receiver, sender)
        before, certain = found.get((sender, receiver), ({}, set()))
        counts = {key: max(len(own), before.get(key, 0)) for key, own in behind.items()}
        if first_from[sender] != receiver:
            certain = certain | {key for key, labels in seen.items() if len(labels) == 1}
        found[sender, receiver] = {**before, **counts}, certain
    return found


def _sends(near, target):
    """(sender, receiver, tables that the sender knows of): depth first from the target, then outward from the last."""
    reached = [target]
    steps = []

    def visit(here):
        for other in near[here]:
            if other not in reached:
                steps.append((here, other, list(reached)))
                reached.append(other)
                visit(other)
                if len(reached) < len(near):
                    steps.append((other, here, list(reached)))

    visit(target)
    waiting = [(reached[-1], None)]
    while waiting:
        here, origin = waiting.pop(0)
        for other in near[here]:
            if other != origin:
                steps.append((here, other, list(near)))
                waiting.append((other, here))
    return steps


def certain_sides(joined, splits):
    """Join values all of whose own records were at one split node together and fall on one side of it.

    `joined`: (own record, join value, {node: child} of its way) of each joined record; `splits`: {node: {child: side}}.
    """
    own = {}
    for row, key, _ in joined:
        own.setdefault(key, set()).add(row)
    found = set()
    for node, side_of in splits.items():
        here = [(row, key, side_of[way[node]]) for row, key, way in joined if node in way]
        for key, rows in own.items():
            at = [(row, side) for row, other, side in here if other == key]
            if {row for row, _ in at} == rows and len({side for _, side in at}) == 1:
                found.add(key)
    return found


def certain_everywhere(summaries, fan_out, split=None, *, most_fan_out=2):
    """Join values whose class, and whose side of the target's first split, are the same in every possible database.

    The observer joins the target, which joins a table beyond on a column of two values. It saw class summaries
    {(join value, class): count}, the first and, rescaled, the last one; it has `fan_out` records of each join value
    itself; and it saw the split summary {(child, join value, class): count} of the open children of `split`, a pair
    (counts, children). Tried: every multiset of target records (join value, class, value beyond, child) and every
    number of records, up to `most_fan_out`, that a value beyond stands for.
    """
    first, last = summaries
    total = sum(first.values())
    counts, children = split if split is not None else ({}, (None,))
    kinds = [(key, c, far, child) for (key, c), n in first.items() if n for far in (0, 1) for child in children]
    classes, sides = {}, {}
    for records in itertools.combinations_with_replacement(kinds, total):
        if Counter((key, c) for key, c, _, _ in records) != Counter({way: n for way, n in first.items() if n}):
            continue
        for beyond in itertools.product(range(most_fan_out + 1), repeat=2):
            weights = Counter()
            shown = Counter()
            for key, c, far, child in records:
                weights[key, c] += fan_out[key] * beyond[far]
                shown[child, key, c] += fan_out[key] * beyond[far]
            if any(weights[way] != last.get(way, 0) for way in first):
                continue
            if split is not None and any(shown[way] != n for way, n in counts.items()):
                continue
            for key in {key for key, _, _, _ in records}:
                of_all = {c for other, c, _, _ in records if other == key}
                joined = {c for other, c, far, _ in records if other == key and beyond[far]}
                one = of_all if len(of_all) == 1 else joined
                classes.setdefault(key, set()).add(next(iter(one)) if len(one) == 1 else None)
                where = {child for other, _, far, child in records if other == key and beyond[far]}
                sides.setdefault(key, set()).add(next(iter(where)) if len(where) == 1 else None)
    same = [{key for key, found in each.items() if len(found) == 1 and None not in found} for each in (classes, sides)]
    return same[0], same[1] if split is not None else set()
