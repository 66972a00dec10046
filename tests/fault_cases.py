"""Small releases of `publish` and `share` that together run through their kernels; each says whether it is right."""

from functools import cache
from unittest.mock import patch

import numpy as np
import pyarrow as pa

from confide.core.requirements import (
    Coherence,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    RecursiveDiversity,
    SimpleDiversity,
    TCloseness,
)
from confide.core.transactions.container import Transactions
from confide.core.trees.published import Attribute
from confide.mining.trees.learner import DecisionTree
from confide.publish import (
    Incognito,
    KOptimize,
    Microaggregation,
    Mondrian,
    OneDimensional,
    TopDownSpecialization,
    generalise,
    suppress,
)
from confide.publish.tables.regrouping.best_regrouping import Regrouped
from confide.publish.transactions.moles import minimal
from confide.share import DiverseTree, anonymize_tree
from tests.ledger.histories import Series
from tests.oracles.faithful import baskets_right, means_right, next_right, places_right, table_right, tree_right

TOWNS = {"a1": ("a",), "a2": ("a",), "b1": ("b",), "b2": ("b",), "b3": ("b",)}


@cache
def table(rows=30, persons=False, missing=False):
    draw = np.random.default_rng(rows + 2 * persons + missing)
    towns = np.array(list(TOWNS))
    columns = {
        "age": pa.array(draw.integers(20, 40, rows), mask=(draw.random(rows) < 0.15) if missing else None),
        "sex": pa.array(draw.choice(["f", "m"], rows)),
        "town": pa.array(draw.choice(towns, rows), mask=(draw.random(rows) < 0.1) if missing else None),
        "diagnosis": pa.array(draw.choice(["x", "y", "z"], rows)),
        "row": pa.array(np.arange(rows)),
        "income": pa.array(draw.choice(["high", "low"], rows)),
    }
    if persons:
        columns["person"] = pa.array(draw.integers(0, rows // 2, rows))
    return pa.table(columns)


def schema(persons=False, **age):
    rows = "\n".join(f"{town};{above};*" for town, (above,) in TOWNS.items())
    from confide.core.tables.hierarchy import Hierarchy

    towns = Hierarchy.from_rows([line.split(";") for line in rows.split("\n")])
    found = {
        "age": {"role": "quasi-identifier", "range": [20, 39], **age},
        "sex": {"role": "quasi-identifier"},
        "town": {"role": "quasi-identifier", "hierarchy": towns},
        "diagnosis": {"role": "sensitive"},
        "row": {"role": "insensitive"},
        "income": {"role": "class"},
    }
    return {**found, **({"person": {"role": "person"}} if persons else {})}


def published(method, *, k=3, l=1, persons=False, missing=False, rows=30, **age):  # noqa: E741 - the paper's letter
    def case():
        given = table(rows, persons=persons, missing=missing)
        released = method.publish(given, schema(persons, **age), explain=False).data
        return table_right(given, released, above={"town": TOWNS}, k=k, l=l)

    return case


def averaged():
    """Two columns of numbers as means of groups: each number is the mean over the rows that share it."""
    draw = np.random.default_rng(1)
    given = pa.table({"x": draw.normal(50, 10, 40).round(1), "y": draw.normal(9, 3, 40).round(1), "row": np.arange(40)})
    numbers = {"role": "quasi-identifier", "release": "mean", "range": [-99, 199]}
    roles = {"x": numbers, "y": numbers, "row": {"role": "insensitive"}}
    released = Microaggregation(requirement=K).publish(given, roles, explain=False).data
    return means_right(given, released, columns=("x", "y"), k=3)


def continued(k):
    """The second release about some people, for a k of its own, built on the first: some left, came or moved."""
    draw = np.random.default_rng(9)

    def somebody(number):
        return number, int(draw.integers(16)), str(draw.choice(["f", "m"])), str(draw.choice(["flu", "gout", "mumps"]))

    first = [somebody(number) for number in range(30)]
    second = [(i, (age + 5 * (i % 4 == 0)) % 16, sex, ill) for i, age, sex, ill in first if i % 5]
    second += [somebody(number) for number in range(30, 40)]
    series = Series()
    series.release(first, k=3, l=2)
    release, recoding = series.publish(second, k=k, l=2)
    placed = series.placed()
    return next_right(first, second, release.data, recoding.rows.tolist(), k=k, l=2) and places_right(
        placed.history.groups.tolist(), placed.places.tolist(), placed.cell.tolist(), placed.history.values.tolist()
    )


@cache
def baskets(items=8, density=0.4, records=24):
    draw = np.random.default_rng(items)
    return [[str(i) for i in np.flatnonzero(row)] for row in draw.random((records, items)) < density]


def suppressed(requirement, *, private=(), size=(8, 0.4, 24), sparse=False, **how):
    def case():
        given = baskets(*size)
        with patch.object(minimal, "_DENSE", 2.0 if sparse else minimal._DENSE):  # lists of records, not bits
            released = suppress(Transactions.from_lists(given), requirement, private=private, **how).data
        p = min(requirement.p, size[0])
        return baskets_right(given, released, k=requirement.k, h=requirement.h, p=p, private=private)

    return case


def named(requirement, *, private=(), size=(14, 0.3, 30)):
    def case():
        given = baskets(*size)
        release = generalise(Transactions.from_lists(given), requirement, private=private)
        name_of = {item: name for name, items in release.passport.context["names"].items() for item in items}
        name_of |= {label: label for label in release.data.labels if label not in name_of.values()}
        renamed = [sorted({name_of[item] for item in record if item in name_of}) for record in given]
        return baskets_right(renamed, release.data, k=requirement.k, h=requirement.h, p=requirement.p, private=private)

    return case


@cache
def records(values=6):
    draw = np.random.default_rng(5)
    X = [[str(draw.integers(values)), float(draw.integers(9)), str(draw.integers(3))] for _ in range(90)]
    y = [str((int(a) + int(b > 4) + int(draw.integers(3) == 0)) % 3) for a, b, _ in X]
    attributes = [
        Attribute(name="x0", kind="categorical", values=tuple(map(str, range(values)))),
        Attribute(name="x1", kind="numeric", bins=(-1, 2, 4, 6, 9)),
        Attribute(name="x2", kind="categorical", values=tuple("012")),
    ]
    return X, y, {"attributes": attributes, "classes": ["0", "1", "2"]}


@cache
def plain_tree(values=6):
    X, y, domains = records(values)
    return DecisionTree(confidence=None, min_branch=1).fit(np.array(X, dtype=object), y, **domains)


def pruned(requirement, *, l=1, values=6, **how):  # noqa: E741 - the paper's letter
    def case():
        X, y, _ = records(values)
        tree = anonymize_tree(plain_tree(values), requirement, **how).data
        counted = how.get("mode", "exact") == "exact"
        return tree_right(tree, X, y, k=getattr(requirement, "k", 1), l=l if counted else 1, counted=counted)

    return case


def pruned_with_records(requirement, *, l=1, **how):  # noqa: E741 - the paper's letter
    def case():
        X, y, _ = records()
        given = (np.array(X, dtype=object), y)
        tree = anonymize_tree(plain_tree(), requirement, data=given, **how).data
        return tree_right(tree, X, y, k=getattr(requirement, "k", 1), l=l)

    return case


def grown(requirement, *, l=1, **how):  # noqa: E741 - the paper's letter
    def case():
        X, y, domains = records()
        learner = DiverseTree(requirement=requirement, **how).fit(np.array(X, dtype=object), y, **domains)
        return tree_right(learner.release().data, X, y, k=getattr(requirement, "k", 1), l=l)

    return case


K, L = KAnonymity(k=3), KAnonymity(k=3) & DistinctDiversity(l=2)
CASES = {
    "mondrian": published(Mondrian(requirement=K)),
    "mondrian, diverse": published(Mondrian(requirement=L), l=2),
    "mondrian, persons": published(Mondrian(requirement=L), l=2, persons=True),
    "mondrian, missing": published(Mondrian(requirement=K, missing="category"), missing=True),
    "mondrian, close": published(Mondrian(requirement=K & TCloseness(t=0.4))),
    "mondrian, relaxed": published(Mondrian(requirement=K, relaxed=True)),
    "one-dimensional": published(OneDimensional(requirement=K)),
    "one-dimensional, diverse": published(OneDimensional(requirement=L), l=2),
    "one-dimensional, simple": published(OneDimensional(requirement=SimpleDiversity(l=2)), k=2, l=2),
    "one-dimensional, idistance": published(OneDimensional(requirement=K, curve="idistance")),
    "incognito": published(Incognito(requirement=K), step=5),
    "incognito, diverse": published(Incognito(requirement=L, suppress=0.2), l=2, step=5),
    "incognito, local": published(Incognito(requirement=L, local=True, suppress=0.1), l=2, step=5),
    "incognito, classes": published(Incognito(requirement=K, loss="classification", suppress=0.1), step=5),
    "incognito, persons": published(Incognito(requirement=K, suppress=0.2), persons=True, step=5),
    "k-optimize": published(KOptimize(requirement=K, time_limit=0.3), step=5),
    "k-optimize, diverse": published(KOptimize(requirement=L, suppress=0.2, time_limit=0.3), l=2, step=5),
    "top-down": published(TopDownSpecialization(requirement=K), step=5),
    "top-down, entropy": published(
        TopDownSpecialization(requirement=K & EntropyDiversity(l=1.5), suppress=0.2), l=2, step=5
    ),
    "averaged": averaged,
    "regrouped": published(Regrouped(requirement=K, rounds=3), rows=18),
    "regrouped, persons": published(Regrouped(requirement=L, rounds=3), l=2, persons=True, rows=20),
    "regrouped, longer": published(Regrouped(requirement=K, rounds=8)),
    "continued": lambda: continued(3),
    "continued, joined": lambda: continued(6),
    "items": suppressed(Coherence(h=0.8, k=3, p=2), private=["1"]),
    "items, sparse": suppressed(Coherence(h=0.8, k=3, p=3), private=["1"], size=(14, 0.25, 30), sparse=True),
    "items, whole records": suppressed(Coherence(h=1.0, k=2, p=float("inf"))),
    "broader names": named(Coherence(h=1.0, k=2, p=3)),
    "border": suppressed(
        Coherence(h=0.8, k=3, p=2), private=["1"], utility="itemsets", nugget_support=0.2, method="border"
    ),
    "zdd": suppressed(Coherence(h=0.8, k=3, p=2), private=["1"], utility="itemsets", nugget_support=0.2, method="zdd"),
    "walk": suppressed(
        Coherence(h=0.8, k=3, p=2), private=["1"], utility="itemsets", nugget_support=0.2, method="walk"
    ),
    "optimal": suppressed(Coherence(h=1.0, k=3, p=2), method="optimal", time_limit=2),
    "k-anonymizer": suppressed(Coherence(h=0.9, k=3, p=2), private=["1"], method="k-anonymizer"),
    "remove-all": suppressed(Coherence(h=0.9, k=3, p=2), private=["1"], method="remove-all"),
    "pruned": pruned(KAnonymity(k=8)),
    "pruned, diverse": pruned(SimpleDiversity(l=2), l=2),
    "pruned, many values": pruned(RecursiveDiversity(c=2, l=2), values=60),
    "pruned, estimated": pruned(SimpleDiversity(l=2), mode="estimated"),
    "pruned, sound": pruned(SimpleDiversity(l=2), mode="sound"),
    "pruned with records": pruned_with_records(KAnonymity(k=8), regrow=True),
    "grown": grown(KAnonymity(k=8), merge=True),
    "grown, diverse": grown(SimpleDiversity(l=2), l=2, merge=True),
    "grown, validated": grown(KAnonymity(k=8), merge="validated", confidence="validated"),
}
