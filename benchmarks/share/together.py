"""What five owners' trees tell together about nursery applications, over ten draws of who has which records."""

import pathlib
from collections.abc import Iterator
from statistics import mean
from typing import Any

import numpy as np

from benchmarks.share.datasets import load
from confide.audit import SeveralTrees, follow_several
from confide.share import ShareTrain, train

OWNERS = 5
SEEDS = range(10)


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield the share of applications that the best tree alone and all trees together are right for."""
    found = [_attack(data, seed) for seed in SEEDS]
    for who, shares in (
        ("the best of five trees alone", [each.alone for each in found]),
        ("all five trees together", [each.voted for each in found]),
    ):
        yield {
            "claim": f"nursery, five owners with a fifth each, (10, 2)-diversity: {who} right for",
            "ours": round(mean(shares), 3),
            "unit": "of all applications",
            "spread": [round(min(shares), 3), round(max(shares), 3)],
            "settings": {"seeds": len(SEEDS)},
        }


def _attack(data: pathlib.Path, seed: int) -> SeveralTrees:
    """Deal the records to the owners, let each publish a tree, and follow everybody through all of them."""
    dataset = load(data, "nursery")
    order = np.random.default_rng(seed).permutation(dataset.table.num_rows)
    trees = []
    for owner in range(OWNERS):
        own = dataset.table.take(order[owner::OWNERS])
        trees.append(train(ShareTrain(table=own, domains=dataset.domains, l=2, c=10.0)).release.data)
    return follow_several(trees, dataset.X, dataset.y.tolist())
