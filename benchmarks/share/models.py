"""Figures 10b, 11 and 16: naive Bayes and conjunctive rules as global models; ten owners under a promise, tables too.

`python -m benchmarks.share.models --sets car,cmc --runs 10`. Figure 11 compares the kinds of model on PGEN's rows, as
many as records. Figure 16: ten owners publish trees under a requirement (with `--tables also` or `only`, tables: OPTI,
LDD); a tree (16a) or naive Bayes (16b) is learned from what they publish; lines hold the classification metric (16c).
"""

import pathlib
from collections.abc import Iterator
from typing import Any

from benchmarks.share.datasets import NAMES, Dataset, load
from benchmarks.share.experiment.runs import Experiment
from benchmarks.share.trials import Trials, lines, main
from confide.core.requirements import RecursiveDiversity

OWNERS = (2, 5, 10)
PROTECTED = {"adult": (5, 6), "nursery": (10, 2), "car": (10, 2), "cmc": (10, 2)}  # (c, l)


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield a record for each model, number of owners and method."""
    for name in NAMES:
        yield from found(load(data, name), Trials.usual(name))


def found(dataset: Dataset, trials: Trials) -> Iterator[dict[str, Any]]:
    """The lines of one data set."""
    for model in () if trials.tables == "only" else ("naive-bayes", "conjunctive-rule"):
        asked = Experiment(
            owners=OWNERS, runs=trials.runs, passes=trials.passes, rows=1.0, model=model, seed=trials.seed
        )
        yield from lines(dataset, asked, f"Figures 10b and 11, {model}")
    if dataset.name not in PROTECTED:
        return
    tables = trials.table_methods(dataset.domains)
    c, l = PROTECTED[dataset.name]  # noqa: E741 - the paper's letter
    for model in ("tree", "naive-bayes"):
        asked = Experiment(
            requirements=(RecursiveDiversity(c=c, l=l),),
            owners=(10,),
            runs=trials.runs,
            passes=trials.passes,
            model=model,
            methods=() if trials.tables == "only" else None,
            tables=tables,
            seed=trials.seed,
        )
        yield from lines(dataset, asked, f"Figure 16, {model}")


if __name__ == "__main__":
    main(found, __doc__)
