"""Mondial (thesis section 3.4.1): is the join of twelve tables a better training space than the target table alone?

The task is the thesis': tell whether a religion practised in a country is of Christian origin. Its twelve tables, as
Mondial now has them, join to some 430 million records, which nobody makes here: `JoinTree` grows the tree from the
tables, and a test record is classed by the vote of its joined records.

What is measured, and how:

- Folds over countries: a country's records are all in training or all in test. This asks whether anything was learned
  that holds for a country not seen before.
- Folds over joined records: a uniform sample of the join (`JoinGraph.sample`, without joining), folds over its records.
  The same country, even the same record of the target table, is then in training and in test under many guises.

Columns: numbers without gaps are numbers; numbers with gaps are put into four equal bins, with missing as a category of
its own; dates become decades. With identifiers, names and codes are split on, as the thesis seems to have done;
without, they only join (a tree that splits on a country's name has nothing to say about the next country).
"""

import csv
import gzip
import pathlib
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.timing import peak_memory
from confide.core.randomness import Randomness
from confide.core.samples._draws import Draws
from confide.join import JoinGraph, JoinTree
from confide.mining import DecisionTree

FOLDS = 10
SAMPLE = 40_000
CHRISTIAN = (
    "Christian", "Catholic", "Orthodox", "Protestant", "Anglican", "Lutheran", "Baptist", "Methodist", "Presbyterian",
    "Pentecostal", "Mormon", "Adventist", "Jehovas Witnesses", "Jehovah", "Church", "Evangelical", "Calvinist",
    "Reformed", "Moravian", "Kimbanguist", "Brethren", "Apostolic",
)  # fmt: skip
TABLES = {
    "religion": ("Country", "Percentage"),
    "country": ("Code", "Name", "Capital", "Province", "Area", "Population"),
    "city": ("Country", "Name", "Province", "Population", "Latitude", "Longitude", "Elevation"),
    "politics": ("Country", "Independence", "WasDependent", "Dependent", "Government"),
    "ethnicgroup": ("Country", "Name", "Percentage"),
    "language": ("Country", "Name", "Percentage"),
    "population": ("Country", "Population_Growth", "Infant_Mortality"),
    "economy": ("Country", "GDP", "Agriculture", "Service", "Industry", "Inflation", "Unemployment"),
    "encompasses": ("Country", "Continent", "Percentage"),
    "ismember": ("Country", "Organization", "Type"),
    "continent": ("Name", "Area"),
    "organization": ("Abbreviation", "Name", "City", "Country", "Province", "Established"),
}
JOINS = [
    ("religion.Country", "country.Code"),
    *(("country.Code", f"{name}.Country") for name in list(TABLES)[2:10]),
    ("encompasses.Continent", "continent.Name"),
    ("ismember.Organization", "organization.Abbreviation"),
]  # fmt: skip
IDENTIFIERS = {
    "religion": {"Country"},
    "country": {"Code", "Name", "Capital", "Province"},
    "city": {"Country", "Name", "Province"},
    "organization": {"Abbreviation", "Name", "City", "Country", "Province"},
}


def read(data: pathlib.Path, name: str) -> dict[str, list[str | None]]:
    """One table of Mondial as columns of text, None where a field is empty."""
    with gzip.open(data / "mondial" / f"{name}.csv.gz", "rt", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return {column: [row[i] or None for row in rows] for i, column in enumerate(header)}


def column(values: list[str | None], name: str) -> pa.Array:
    """Numbers without gaps as numbers, with gaps in four bins; dates as decades; text as text."""
    if name in ("Independence", "Established"):
        return pa.array([None if value is None else value[:3] + "0s" for value in values])
    try:
        numbers = np.array([np.nan if value is None else float(value) for value in values])
    except ValueError:
        return pa.array(values)
    if not np.isnan(numbers).any():
        return pa.array(numbers)
    cuts = np.nanquantile(numbers, [0.25, 0.5, 0.75])
    bins = np.searchsorted(cuts, numbers)
    return pa.array([None if np.isnan(x) else f"bin {b}" for x, b in zip(numbers, bins.tolist(), strict=True)])


def mondial(data: pathlib.Path) -> dict[str, pa.Table]:
    """The twelve tables; `religion.class` is christian or other."""
    tables = {}
    for name, chosen in TABLES.items():
        found = read(data, name)
        columns = {c: column(found[c], c) for c in chosen}
        if name == "religion":
            columns["class"] = pa.array(
                [
                    "christian" if any(word in (faith or "") for word in CHRISTIAN) else "other"
                    for faith in found["Name"]
                ]
            )
        tables[name] = pa.table(columns)
    return tables


def graph_of(tables: dict[str, pa.Table], chosen: NDArray[np.bool_], *, alone: bool = False) -> JoinGraph:
    """The join with only some records of the target table; everything else of other countries then dangles."""
    target = tables["religion"].filter(pa.array(chosen))
    if alone:
        return JoinGraph(tables={"religion": target}, joins=[], target="religion.class")
    return JoinGraph(tables={**tables, "religion": target}, joins=JOINS, target="religion.class")


def by_countries(tables: dict[str, pa.Table], *, alone: bool, exclude: list[str], **options: Any) -> dict[str, Any]:
    """Accuracy on the target records of countries not trained on; by joined record too, where there is a join."""
    countries = np.asarray(tables["religion"]["Country"].to_pylist())
    truth = np.asarray(tables["religion"]["class"].to_pylist())
    known = np.unique(countries)
    fold_of = dict(
        zip(
            known[np.argsort(Draws(1, "folds").uniforms(len(known)))].tolist(),
            np.arange(len(known)) % FOLDS,
            strict=True,
        )
    )
    fold = np.array([fold_of[country] for country in countries.tolist()])
    right = counted = 0
    weighted = total = 0.0
    nodes, seconds = [], 0.0
    for f in range(FOLDS):
        began = time.perf_counter()
        tree = JoinTree(exclude=exclude, **options).fit(graph_of(tables, fold != f, alone=alone))
        seconds += time.perf_counter() - began
        nodes.append(len(tree.tree_.nodes))
        votes = tree.votes(graph_of(tables, fold == f, alone=alone))
        joined = votes.any(axis=1)  # countries of which a table says nothing are in no joined record
        place = np.array([list(tree.classes_).index(label) for label in truth[fold == f]])
        right += int((np.argmax(votes, axis=1) == place)[joined].sum())
        counted += int(joined.sum())
        weighted += float(votes[np.arange(len(place)), place].sum())
        total += float(votes.sum())
    return {
        "accuracy": round(right / counted, 4),
        "by_joined_record": round(weighted / total, 4),
        "target_records": counted,
        "nodes": int(np.median(nodes)),
        "seconds_a_fold": round(seconds / FOLDS, 3),
    }


def by_records(frame: pa.Table, *, exclude: list[str], **options: Any) -> dict[str, Any]:
    """Accuracy by folds over the records of one table, as the thesis probably counted."""
    truth = np.asarray(frame["religion.class"].to_pylist())
    X = frame.drop_columns(["religion.class", *[name for name in exclude if name in frame.column_names]])
    fold = Draws(2, "folds").below(FOLDS, len(truth))
    right = 0
    for f in range(FOLDS):
        tree = DecisionTree(**options).fit(X.filter(pa.array(fold != f)), truth[fold != f])
        right += int((tree.predict(X.filter(pa.array(fold == f))) == truth[fold == f]).sum())
    return {"accuracy": round(right / len(truth), 4), "records": len(truth)}


def on_training(learner: JoinTree, graph: JoinGraph) -> dict[str, Any]:
    """Accuracy on the target records a tree was grown from, of those that are in a joined record."""
    truth = np.asarray(graph.tables["religion"]["class"].to_pylist())
    joins = learner.votes(graph).any(axis=1)
    right = (learner.predict(graph) == truth)[joins]
    return {"accuracy": round(float(right.mean()), 4), "target_records": int(joins.sum())}


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """One row for each way of counting."""
    tables = mondial(data)
    everything = graph_of(tables, np.ones(len(tables["religion"]), dtype=np.bool_))
    found = everything.check()
    JoinTree(max_depth=2).fit(everything)  # compiles
    identifiers = [f"{name}.{column}" for name, columns in IDENTIFIERS.items() for column in columns]
    identifiers += [f"{name}.Country" for name in TABLES if "Country" in TABLES[name] and name not in IDENTIFIERS]
    for label, left_out in (("with identifiers", []), ("without identifiers", identifiers)):
        began = time.perf_counter()
        learner, peak = peak_memory(lambda left_out=left_out: JoinTree(exclude=left_out).fit(everything))
        tree = learner.tree_
        seconds = time.perf_counter() - began
        leaves = [node for node in tree.nodes if node.attribute is None]
        yield {
            "claim": "the tree of the whole join, on the joined records it was grown from",
            "ours": round(seconds, 3),
            "accuracy": round(sum(node.hit for node in leaves) / found.joined_rows, 4),
            "settings": {
                "columns": label,
                "joined_rows": found.joined_rows,
                "source_rows": found.source_rows,
                "dangling": {t.table: t.dangling_rows for t in found.tables},
                "class_counts": found.class_counts,
                "nodes": len(tree.nodes),
            },
        }
        yield {
            "claim": "the same, per target record that joins, by the vote of its joined records",
            **on_training(learner, everything),
            "peak_memory": peak,
            "settings": {"columns": label},
        }
    alone = graph_of(tables, np.ones(len(tables["religion"]), dtype=np.bool_), alone=True)
    yield {"claim": "the target table alone, on its own records", **on_training(JoinTree().fit(alone), alone)}
    truth = np.asarray(tables["religion"]["class"].to_pylist())
    majority = max(float(np.mean(truth == "christian")), float(np.mean(truth == "other")))
    yield {"claim": "always the majority of the target table", "accuracy": round(majority, 4)}
    own = [name for name in identifiers if name.startswith("religion.")]
    sample = everything.sample(SAMPLE, randomness=Randomness.seeded(3))
    target = tables["religion"].rename_columns([f"religion.{name}" for name in tables["religion"].column_names])
    for label, left_out, alone_out in (("with identifiers", [], []), ("without identifiers", identifiers, own)):
        for options in ({"criterion": "information_gain"}, {"criterion": "gain_ratio"}):
            settings = {"columns": label, **options}
            yield {
                "claim": "target alone, folds over its records",
                **by_records(target, exclude=alone_out, **options),
                "settings": settings,
            }
            yield {
                "claim": "target alone, folds over countries",
                **by_countries(tables, alone=True, exclude=alone_out, **options),
                "settings": settings,
            }
            yield {
                "claim": "join, folds over joined records (a sample)",
                **by_records(sample, exclude=left_out, **options),
                "settings": settings,
            }
            for prune_on in ("rows", "targets"):
                yield {
                    "claim": "join, folds over countries",
                    **by_countries(tables, alone=False, exclude=left_out, prune_on=prune_on, **options),
                    "settings": {**settings, "prune_on": prune_on},
                }
