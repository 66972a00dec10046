"""Figures 14 and 15: accuracy and classification metric of one owner's tree under ATP, LDM and ours, by requirement.

`python -m benchmarks.share.publishing --sets adult --runs 10` for all ten folds of Adult. One owner publishes; the tree
itself is tested, so no pseudo-data is made. ATP and LDM decide on exact class counts. The trees that ATP prunes are
learned with our defaults (gain ratio, pessimistic pruning); LDM takes the information gain and does not prune, as the
paper; a pruned LDM stands beside it, since ours prunes. A requirement that the training records cannot keep as a whole
is refused; `refused` counts such folds. `--tables also` (or `only`) tries OPTI and LDD, which publish tables.
"""

import pathlib
from collections.abc import Iterator
from typing import Any

from benchmarks.share.datasets import NAMES, Dataset, load
from benchmarks.share.experiment.runs import Experiment
from benchmarks.share.trials import Trials, lines, main
from confide.core.requirements import RecursiveDiversity, Requirement, SimpleDiversity

TOGETHER = 3  # requirements that start from the same trees
METHODS = ("ATP-PGEN", "LDM-PGEN", "LDM-PGEN, pruned", "ours")  # with one owner, the tree itself


def _pairs(cs: tuple[int, ...], ls: range) -> list[Requirement]:
    return [RecursiveDiversity(c=c, l=size) for c in cs for size in ls]


REQUIREMENTS: dict[str, list[Requirement]] = {
    "adult": [*(SimpleDiversity(l=size) for size in range(2, 8)), *_pairs((5, 10, 20), range(10, 1, -1))],
    "nursery": [*_pairs((5, 10, 15, 20), range(2, 4)), SimpleDiversity(l=2), SimpleDiversity(l=3)],
    "car": _pairs((5, 10, 15, 20), range(2, 4)),
    "cmc": [*_pairs((5, 10, 15, 20), range(2, 4)), SimpleDiversity(l=2)],
    "mushroom": [RecursiveDiversity(c=5, l=2)],
}


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield a record for each requirement and method."""
    for name in NAMES:
        yield from found(load(data, name), Trials.usual(name))


def found(dataset: Dataset, trials: Trials) -> Iterator[dict[str, Any]]:
    """The lines of one data set, a few requirements at a time, so that lines appear while the others are tried."""
    every = REQUIREMENTS[dataset.name]
    for first in range(0, len(every), TOGETHER):
        few = tuple(every[first : first + TOGETHER])
        asked = Experiment(
            requirements=few,
            owners=(1,),
            methods=() if trials.tables == "only" else METHODS,
            runs=trials.runs,
            passes=1,
            tables=trials.table_methods(dataset.domains),
            seed=trials.seed,
        )
        yield from lines(dataset, asked, "Figures 14 and 15")


if __name__ == "__main__":
    main(found, __doc__)
