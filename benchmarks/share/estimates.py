"""How often the estimate from hit and miss (Definition 11) passes a leaf whose class counts fail (Definition 3).

A tree is pruned in mode "estimated", as somebody would who has hit and miss only; then its owner looks at the true
counts of its leaves. Trees by gain ratio and by information gain, pruned and unpruned, on all records.
"""

import pathlib
from collections.abc import Iterator
from itertools import product
from typing import Any

from benchmarks.share.datasets import load
from confide.core.errors import CannotMeetError
from confide.core.requirements import RecursiveDiversity, Requirement, SimpleDiversity
from confide.mining import DecisionTree
from confide.share import anonymize_tree

REQUIREMENTS: dict[str, list[Requirement]] = {
    "adult": [
        *(SimpleDiversity(l=size) for size in range(2, 8)),
        *(RecursiveDiversity(c=5, l=size) for size in (4, 6, 8)),
    ],
    "nursery": [SimpleDiversity(l=2), RecursiveDiversity(c=5, l=2), RecursiveDiversity(c=5, l=3)],
    "cmc": [SimpleDiversity(l=2), RecursiveDiversity(c=5, l=3)],
}


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield a record for each data set, kind of tree and requirement."""
    for name, requirements in REQUIREMENTS.items():
        dataset = load(data, name)
        for criterion, confidence in product(("gain_ratio", "information_gain"), (0.25, None)):
            learned = DecisionTree(criterion=criterion, confidence=confidence)
            learned.fit(dataset.X, dataset.y, attributes=dataset.attributes, classes=dataset.classes)
            for requirement in requirements:
                yield _line(name, learned, requirement)


def _line(name: str, learned: DecisionTree, requirement: Requirement) -> dict[str, Any]:
    kind = f"{learned.criterion}, {'unpruned' if learned.confidence is None else 'pruned'}"
    claim = f"{name}, {kind}, {requirement}: leaves that pass by estimate and fail in truth"
    try:
        release = anonymize_tree(learned, requirement, mode="estimated", verify=False)
    except CannotMeetError as error:
        return {"claim": claim, "ours": None, "settings": str(error)}
    leaves = sum(node.is_leaf for node in release.data.nodes)
    return {"claim": claim, "ours": release.owner.facts["leaves_failing_in_truth"], "settings": {"leaves": leaves}}
