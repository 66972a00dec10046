"""How long publishing and using trees takes: pruning 100,000 leaves, 10 million pseudo-records, learning on Adult.

Pruning and pseudo-data have a bound in seconds instead of a rival: nothing public does either.
"""

import pathlib
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from benchmarks.share.datasets import load
from benchmarks.timing import compare
from confide.core.requirements import KAnonymity, RecursiveDiversity, Requirement
from confide.core.trees.nodes import Attribute, Edge, Node
from confide.core.trees.published import PublishedTree
from confide.mining import DecisionTree
from confide.share import DiverseTree, anonymize_tree, generate

LEAVES = 100_000
ROWS = 10_000_000
ROUNDS = 3


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield a record for each claim."""
    tree = wide_tree(LEAVES)
    for requirement in (KAnonymity(k=5), RecursiveDiversity(c=3, l=2)):
        yield _bounded(
            f"prune a tree of {LEAVES:,} leaves under {requirement}, from published tree to published tree",
            lambda requirement=requirement: anonymize_tree(tree, requirement, verify=False),  # type: ignore[misc]
            bound=1.0,
        )
    adult = load(data, "adult")
    declared: dict[str, Any] = {"attributes": adult.attributes, "classes": adult.classes}
    published = DecisionTree().fit(adult.X, adult.y, **declared).tree_
    yield _bounded(
        f"{ROWS:,} pseudo-records of {len(adult.attributes)} attributes of Adult, to Arrow",
        lambda: generate(published, rows=ROWS),
        bound=3.0,
    )
    text = [attribute.name for attribute in adult.attributes if attribute.kind == "categorical"]
    one_hot = adult.X.to_dummies(text).to_numpy().astype("float32")
    yield compare(
        "fit on Adult, occupation as class, information gain, domains declared",
        lambda: DecisionTree(criterion="information_gain", confidence=None).fit(adult.X, adult.y, **declared),
        lambda: DecisionTreeClassifier(criterion="entropy", random_state=0).fit(one_hot, adult.y),
        rival_name="DecisionTreeClassifier(entropy) on one-hot columns",
        repeats=ROUNDS,
    )
    yield compare(
        "fit on Adult, occupation as class, information gain, domains not declared",
        lambda: DecisionTree(criterion="information_gain", confidence=None).fit(adult.X, adult.y),
        lambda: DecisionTreeClassifier(criterion="entropy", random_state=0).fit(one_hot, adult.y),
        rival_name="DecisionTreeClassifier(entropy) on one-hot columns",
        repeats=ROUNDS,
    )
    requirement: Requirement = RecursiveDiversity(c=5, l=6)
    yield _bounded(
        f"grow a tree of Adult under {requirement}, merging",
        lambda: DiverseTree(requirement=requirement, merge=True).fit(adult.X, adult.y, **declared),
        bound=None,
    )


def wide_tree(leaves: int, *, seed: int = 0) -> PublishedTree:
    """A random tree of ten children a node, four classes, 1 to 40 records a leaf."""
    rng = np.random.default_rng(seed)
    depth = int(np.ceil(np.log10(leaves)))
    names = [f"a{level}" for level in range(depth)]
    values = tuple("0123456789")
    shape: list[tuple[str | None, list[int]]] = [(None, [])]
    level = [0]
    for name in names:
        below = []
        for at in level:
            children = list(range(len(shape), len(shape) + 10))
            shape.extend((None, []) for _ in children)
            shape[at] = (name, children)
            below.extend(children)
        level = below
    counts = np.zeros((len(shape), 4), dtype=np.int64)
    counts[level] = rng.multinomial(rng.integers(1, 41, len(level)), [0.4, 0.3, 0.2, 0.1])
    for at in reversed(range(len(shape))):
        if shape[at][1]:
            counts[at] = counts[shape[at][1]].sum(axis=0)
    classes = ("w", "x", "y", "z")
    nodes = []
    for (name, children), own in zip(shape, counts.tolist(), strict=True):
        hit = max(own)
        edges = tuple(Edge(to=to, values=(value,)) for to, value in zip(children, values, strict=False))
        label = classes[own.index(hit)]
        nodes.append(Node(label=label, hit=hit, miss=sum(own) - hit, counts=tuple(own), attribute=name, edges=edges))
    attributes = tuple(Attribute(name=name, kind="categorical", values=values) for name in names)
    return PublishedTree(classes=classes, attributes=attributes, nodes=tuple(nodes), declared=True)


def _bounded(claim: str, call: Callable[[], Any], *, bound: float | None) -> dict[str, Any]:
    call()  # compiles
    times, used = [], []
    for _ in range(ROUNDS):
        began, spent = time.perf_counter(), time.process_time()
        call()
        times.append(time.perf_counter() - began)
        used.append(time.process_time() - spent)
    own = statistics.median(times)
    return {
        "claim": claim,
        "ours": round(own, 3),
        "rival": None if bound is None else {"name": "the bound", "seconds": bound},
        "ratio": None if bound is None else round(bound / own, 2),
        "spread": [round(min(times), 3), round(max(times), 3)],
        "settings": {"repeats": ROUNDS, "processor_seconds": round(statistics.median(used), 3)},
    }
