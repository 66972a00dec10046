"""Small random tables with random hierarchies, for the tests of every algorithm."""

import numpy as np
import pyarrow as pa

from confide.core.tables.hierarchy import Hierarchy
from confide.core.tables.schema import Column, Schema


def random_table(seed, *, rows=None, columns=None, sensitive=1, persons=False, classes=0):
    """A table and its schema: some columns skewed, some leaves that no row has, weights and limits on levels."""
    draw = np.random.default_rng(seed)
    n = rows or int(draw.integers(6, 31))
    data, described = {}, {}
    for j in range(columns or int(draw.integers(1, 4))):
        leaves = int(draw.integers(2, 7))
        hierarchy = _hierarchy(draw, leaves)
        share = draw.dirichlet(np.full(leaves, 0.8))
        data[f"q{j}"] = [f"v{v}" for v in draw.choice(leaves, n, p=share)]
        low = int(draw.integers(0, 2)) if hierarchy.height > 1 and draw.random() < 0.2 else 0
        described[f"q{j}"] = Column(
            role="quasi-identifier",
            hierarchy=hierarchy,
            levels=(low, hierarchy.height),
            weight=int(draw.integers(1, 4)) if draw.random() < 0.3 else 1,
        )
    for j in range(sensitive):
        values = int(draw.integers(2, 5))
        data[f"s{j}"] = [f"s{v}" for v in draw.choice(values, n, p=draw.dirichlet(np.full(values, 2.0)))]
        described[f"s{j}"] = Column(role="sensitive")
    if classes:
        data["class"] = [f"c{v}" for v in draw.integers(0, classes, n)]
        described["class"] = Column(role="class")
    if persons:
        data["person"] = [f"p{v}" for v in draw.integers(0, max(2, 2 * n // 3), n)]
        described["person"] = Column(role="person")
    return pa.table(data), Schema(described)


def _hierarchy(draw, leaves):
    """Neighbours joined at random, level by level, up to one group."""
    groups = list(range(leaves))
    rows = [[f"v{v}"] for v in range(leaves)]
    level = 0
    while len(set(groups)) > 1 and level < 2:
        level += 1
        joined = 2 + int(draw.random() < 0.3)
        groups = [g // joined for g in groups]
        if len(set(groups)) > 1:
            for row, group in zip(rows, groups, strict=True):
                row.append(f"level {level} group {group}")
    return Hierarchy.from_rows([(*row, "*") for row in rows])
