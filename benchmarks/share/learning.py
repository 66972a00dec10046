"""Figures 10a, 12 and 13: what is learned from the trees of 2, 5 and 10 owners, by PGEN, BASEGEN, BAGGING and ours.

`python -m benchmarks.share.learning --sets car,cmc --runs 10`. Trees that promise nothing are not pruned, as in section
7.2, with once, five and ten times as many pseudo-records as records. BAGGING makes no rows, so it is the same in all
three. BASIS is the tree of the pooled records.
"""

import pathlib
from collections.abc import Iterator
from typing import Any

from benchmarks.share.datasets import NAMES, Dataset, load
from benchmarks.share.experiment.runs import Experiment
from benchmarks.share.trials import Trials, lines, main

OWNERS = (2, 5, 10)
TIMES = (1.0, 5.0, 10.0)


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield a record for each number of owners, amount of rows and method."""
    for name in NAMES:
        yield from found(load(data, name), Trials.usual(name))


def found(dataset: Dataset, trials: Trials) -> Iterator[dict[str, Any]]:
    """The lines of one data set."""
    for times in TIMES:
        asked = Experiment(owners=OWNERS, runs=trials.runs, passes=trials.passes, rows=times, seed=trials.seed)
        yield from lines(dataset, asked, f"Figures 10, 12 and 13, {times:g} times the rows")


if __name__ == "__main__":
    main(found, __doc__)
