"""Whether a release is right, by the plainest look at it: for tests that put faults into kernels.

Tables have a column `row` that is released as it is, and says which row of the original a row is.
"""

from collections import Counter
from itertools import combinations

__all__ = ["baskets_right", "means_right", "next_right", "places_right", "table_right", "tree_right"]


def table_right(original, released, *, above, k, l=1):  # noqa: E741 - the paper's letter
    """Whether each cell covers its row's, other columns are equal, and groups have k rows and l diagnoses each.

    `above` gives for each column without numbers what a value may become, beside itself and "*".
    """
    rows = {row["row"]: row for row in original.to_pylist()}
    found = released.to_pylist()
    if len({row["row"] for row in found}) < len(found):
        return False
    quasi = [name for name in ("age", "sex", "town") if name in released.column_names]
    for row in found:
        was = rows[row["row"]]
        if any(row[name] != was[name] for name in row if name not in (*quasi, "person")):
            return False
        if not all(_covers(row[name], was[name], above.get(name)) for name in quasi):
            return False
    groups = {}
    for row in found:
        groups.setdefault(tuple(str(row[name]) for name in quasi), []).append(row)
    for group in groups.values():
        owners = [rows[row["row"]].get("person", row["row"]) for row in group]
        numbers = [row.get("person", row["row"]) for row in group]
        pairs = set(zip(owners, numbers, strict=True))
        if len(set(owners)) < k or not len(pairs) == len(set(owners)) == len(set(numbers)):
            return False
        if len({row["diagnosis"] for row in group}) < l:
            return False
    return True


def means_right(original, released, *, columns, k):
    """Whether every row is there, and k rows or more share numbers that are the means of their own."""
    rows = {row["row"]: row for row in original.to_pylist()}
    found = released.to_pylist()
    if sorted(row["row"] for row in found) != sorted(rows):
        return False
    groups = {}
    for row in found:
        groups.setdefault(tuple(row[name] for name in columns), []).append(rows[row["row"]])
    return all(
        len(group) >= k and abs(sum(row[name] for row in group) / len(group) - mean) < 1e-9
        for means, group in groups.items()
        for name, mean in zip(columns, means, strict=True)
    )


def next_right(first, second, released, rows, *, k, l):  # noqa: E741 - the paper's letter
    """Whether each row of a second release is that of `second` it came from, or one of `first`, carried on; and each
    group has k rows and l values. Rows are (id, age, sex, ill); `rows` numbers those of `second`, and behind them what
    was carried on."""
    left = list(first)
    found = released.to_pylist()
    groups = {}
    if len(set(rows)) < len(rows) or len(rows) != len(found):
        return False
    for at, row in zip(rows, found, strict=True):
        possible = [second[at]] if at < len(second) else left
        same = [one for one in possible if one[3] == row["ill"]]
        same = [one for one in same if _covers(row["age"], one[1], None) and _covers(row["sex"], one[2], None)]
        if not same:
            return False
        if at >= len(second):
            left.remove(same[0])
        groups.setdefault((row["age"], row["sex"]), []).append(row["ill"])
    return all(len(values) >= k and len(set(values)) >= l for values in groups.values())


def places_right(groups, places, cell, values):
    """Whether every release shows whole cells, each in one group, and each place has one value and one holder."""
    of_place = {}
    for shown, held in zip(groups, places, strict=True):
        there = [(place, entry) for entry, place in enumerate(held) if place >= 0]
        if len({place for place, _ in there}) < len(there):
            return False
        if any(of_place.setdefault(place, values[entry]) != values[entry] for place, entry in there):
            return False
        cells = {cell[place] for place, _ in there}
        if {place for place in range(len(cell)) if cell[place] in cells and place in of_place} != {p for p, _ in there}:
            return False
        if len({(cell[place], shown[entry]) for place, entry in there}) != len(cells):
            return False
    return True


def _covers(label, value, above):
    label, value = ("" if cell is None else str(cell) for cell in (label, value))
    if label in ("*", value):
        return True
    if any(part in (value, *(above or {}).get(value, ())) for part in label.split(" | ")):
        return True
    if not value.isdigit():
        return False
    low, _, high = label.partition("-")
    return low.isdigit() and int(low) <= int(value) <= int(high or low)


def baskets_right(original, released, *, k, h, p, private):
    """Whether each record is its own without items that went everywhere, and no mole is left."""
    items = {item for record in released for item in record}
    own = Counter(tuple(sorted(set(record) & items)) for record in original)
    if own != Counter(tuple(sorted(record)) for record in released):
        return False
    public = sorted(items - set(private))
    records = [set(record) for record in released]
    for size in range(min(p, len(public)) + 1):
        for itemset in combinations(public, size):
            held = [record for record in records if record.issuperset(itemset)]
            if held and len(held) < k:
                return False
            if held and any(sum(item in record for record in held) > h * len(held) for item in private):
                return False
    return True


def tree_right(tree, X, y, *, k, l=1, counted=True):  # noqa: E741 - the paper's letter
    """Whether each node has the records that reach it, leaf by leaf, and each leaf keeps k records and l classes."""
    names = [attribute.name for attribute in tree.attributes]
    reached = [Counter() for _ in tree.nodes]
    for record, label in zip(X, y, strict=True):
        at = tree.locate(dict(zip(names, record, strict=True)))
        if not tree.nodes[at].is_leaf:
            return False
        while at >= 0:
            reached[at][str(label)] += 1
            at = tree.parents[at]
    for node, counts in zip(tree.nodes, reached, strict=True):
        if node.total != counts.total() or (counted and list(node.counts) != [counts[c] for c in tree.classes]):
            return False
        if counted and counts[node.label] != node.hit:
            return False
        if node.is_leaf and (counts.total() < k or (l > 1 and max(counts.values()) * l > counts.total())):
            return False
    return True
