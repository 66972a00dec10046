"""Random schemas of tables that join, and their graphs."""

import inspect
import random

import numpy as np
import pyarrow as pa

from confide.join import JoinGraph, JoinTree
from confide.mining import DecisionTree

TYPES = {"number": pa.float64(), "whole": pa.int64(), "text": pa.string(), "flag": pa.bool_()}


def random_schema(seed):
    """A random acyclic schema: composite keys, NULLs, duplicates, dangling records, two to four classes."""
    draw = random.Random(seed)
    names = [f"T{i}" for i in range(draw.choice((1, 2, 2, 3, 3, 4)))]
    if draw.random() < 0.2:
        names = [f"{name}.{name}" for name in names]
    draw.shuffle(names)
    sizes = {name: draw.randint(4, {1: 40, 2: 14, 3: 8, 4: 6}[len(names)]) for name in names}
    tables = {name: {} for name in names}
    types = {}

    def fill(table, column, kind, domain, missing=0.0):
        tables[table][column] = [None if draw.random() < missing else draw.choice(domain) for _ in range(sizes[table])]
        types[table, column] = kind

    joins = []
    for i, name in enumerate(names[1:], start=1):
        other = names[draw.randrange(i)]
        sides = ([], [])
        for part in range(draw.choice((1, 1, 2))):
            kind = draw.choice(("whole", "text", "flag") if part else ("whole", "text"))
            domain = {"whole": [7, 10, -3, 2], "text": ["a", "ab", "b", "10"], "flag": [True, False]}[kind]
            domain = domain[: draw.randint(1 if part else 2, len(domain))]
            for side, table in zip(sides, (other, name), strict=True):
                column = f"j{len(tables[table])}"
                fill(table, column, kind, domain + domain[:1], missing=draw.choice((0, 0, 0.2)))
                side.append(column)
        joins.append(((other, tuple(sides[0])), (name, tuple(sides[1]))))
    for name in names:
        for number in range(draw.randint(0 if tables[name] else 1, 3)):
            kind = draw.choice(("number", "whole", "text", "flag"))
            domain = {
                "number": [-0.0, 0.0, 0.1, 2.5, 1e300, -7.25],
                "whole": [1, 2, 3, 4, 5, 6],
                "text": ["x", "y", "z", "9"],
                "flag": [True, False],
            }[kind]
            share = 0.2 if kind in ("text", "flag") else draw.choice((0, 0.3))
            fill(name, f"{kind[0]}{number}", kind, domain, missing=share)
    target = draw.choice(names)
    labels = draw.choice((["no", "yes"], ["a", "b", "c"], [3, 1, 2, 10]))
    fill(target, "class", "whole" if labels[0] == 3 else "text", labels)
    order = list(tables[target])
    draw.shuffle(order)
    tables[target] = {column: tables[target][column] for column in order}
    categorical = [
        f"{t}.{c}"
        for (t, c), kind in types.items()
        if kind in ("whole", "number") and c != "class" and draw.random() < 0.2
    ]
    options = {
        "criterion": draw.choice(("information_gain", "gain_ratio", "gini")),
        "min_leaf": draw.choice((1, 1, 1, 3)),
        "min_branch": draw.choice((1, 1, 2, 5)),
        "max_depth": draw.choice((None, None, 1, 2, 3)),
        "confidence": draw.choice((None, None, 0.25, 0.5)),
        "categorical": categorical,
    }
    columns = [f"{t}.{c}" for t in tables for c in tables[t] if (t, c) != (target, "class")]
    exclude = [name for name in columns[1:] if draw.random() < 0.05]
    options["categorical"] = [name for name in categorical if name not in exclude]
    frames = {
        t: pa.table({c: pa.array(values, type=TYPES[types[t, c]]) for c, values in columns.items()})
        for t, columns in tables.items()
    }
    return tables, types, frames, joins, (target, "class"), options, exclude


def graph_of(frames, joins, target):
    pairs = [
        tuple([f"{t}.{c}" for c in columns] if len(columns) > 1 else f"{t}.{columns[0]}" for t, columns in join)
        for join in joins
    ]
    return JoinGraph(tables=frames, joins=pairs, target=".".join(target))


def tree_on_the_join(frame, classes, options):
    """The tree a learner of one table grows on the materialised join with the parameters of a `JoinTree`.

    A bound on every leaf that `DecisionTree` does not know is held against a `JoinTree` over the joined table alone.
    """
    if "min_branch" in inspect.signature(DecisionTree).parameters:
        return DecisionTree(**options).fit(frame, classes)
    if options["min_leaf"] == 1:
        known = {name: value for name, value in options.items() if name != "min_branch"}
        return DecisionTree(**{**known, "min_leaf": options["min_branch"]}).fit(frame, classes)
    name = "the join"
    graph = JoinGraph(tables={name: frame.append_column("the class", classes)}, joins=[], target=f"{name}.the class")
    labels = [f"{name}.{column}" for column in options["categorical"]]
    grown = JoinTree(**{**options, "categorical": labels}).fit(graph)
    same = DecisionTree.from_json(grown.tree_.to_json().replace(f'"{name}.', '"'))
    same.classes_ = grown.classes_
    return same


def by_child(summary):
    """A split summary as {(child, join value): class counts}."""
    owner = np.repeat(summary.children, np.diff(summary.start)).tolist()
    return dict(zip(zip(owner, summary.keys.tolist(), strict=True), summary.counts.tolist(), strict=True))
