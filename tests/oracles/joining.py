"""The join itself, record by record in plain Python: what a join tree must agree with."""

import itertools


def materialise(tables, joins, target):
    """Every joined record, by trying every combination table by table.

    `tables`: {name: {column: list}}; `joins`: ((table, columns), (table, columns)); `target`: (table, column).
    Returns the column names "table.column" (tables and columns in order, class left out), the joined records, and their
    classes. A value of None equals nothing.
    """
    names = list(tables)
    partial = [{}]
    for i, name in enumerate(names):
        rows = range(len(next(iter(tables[name].values()))))
        near = [join for join in joins if {join[0][0], join[1][0]} <= set(names[: i + 1]) and name in _ends(join)]
        partial = [
            {**chosen, name: row}
            for chosen, row in itertools.product(partial, rows)
            if all(_equal(tables, join, {**chosen, name: row}) for join in near)
        ]
    columns = [(t, c) for t in names for c in tables[t] if (t, c) != target]
    records = [[tables[t][c][chosen[t]] for t, c in columns] for chosen in partial]
    classes = [tables[target[0]][target[1]][chosen[target[0]]] for chosen in partial]
    return [f"{t}.{c}" for t, c in columns], records, classes, list(partial)


def _ends(join):
    return join[0][0], join[1][0]


def _equal(tables, join, chosen):
    (left, left_columns), (right, right_columns) = join
    a = [tables[left][column][chosen[left]] for column in left_columns]
    b = [tables[right][column][chosen[right]] for column in right_columns]
    return None not in a and None not in b and a == b
