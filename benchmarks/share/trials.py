"""What the benchmarks of accuracy share: how many folds, and a line of means for each cell."""

import argparse
import json
import pathlib
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.share.datasets import NAMES, Dataset, load
from confide.share.experiment.runs import Experiment, run_experiment
from confide.share.experiment.study import summary

__all__ = ["DATA", "FEW", "SEED", "lines", "main"]

DATA = pathlib.Path(__file__).parents[3] / "shared" / "data"
FEW = {"adult": 1, "nursery": 2}  # folds by default; the small sets are tested on all ten
SEED = 1
"""Of the folds. Defaults of ours (rows, labels, marginals, pruning) were chosen on the folds of seed 0."""


def lines(dataset: Dataset, experiment: Experiment, title: str) -> Iterator[dict[str, Any]]:
    """Run an experiment; one line for each requirement, number of owners and method."""
    for row in summary(run_experiment(dataset.table, dataset.domains, experiment)):
        owners = f", owners {row['owners']}" if row["owners"] else ""
        yield {
            "claim": f"{title}: {dataset.name}, {row['requirement']}{owners}: {row['method']}",
            "ours": row["accuracy"],
            "spread": row["spread"],
            "settings": {name: row[name] for name in row if name not in ("accuracy", "spread")},
        }


def main(found: Callable[[Dataset, int], Iterator[dict[str, Any]]], about: str | None) -> None:
    """`python -m benchmarks.share.NAME --sets car,cmc --runs 10`."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--data", type=pathlib.Path, default=DATA, help="real datasets")
    parser.add_argument("--sets", default=",".join(NAMES), help="which, with commas between them")
    parser.add_argument("--runs", type=int, help="folds that serve as the test; 10 for all")
    given = parser.parse_args()
    for name in given.sets.split(","):
        for line in found(load(given.data, name), given.runs or FEW.get(name, 10)):
            print(json.dumps(line), flush=True)
