"""Figures 20, 22 and 24 to 26 of the thesis as tables: loss of items and run time against k, p, delta and h.

    python -m benchmarks publish.figures_items                    everything; hours of processor time, most for connect
    python -m benchmarks.publish.figures_items --data DIR --of connect --sweep h --values 0.7 0.9 --selections 2

One record a point: the mean over five random selections of public items (the first of them, if fewer are asked for),
with remove-all and k-anonymizer as rivals, all through `suppress` with its defaults (explained, verified, needless
items put back); beside ours, the thesis' own order (`put_back=False`). A method that would leave no public item is
refused: it loses all of them. The defaults are those of the thesis, but h: at its 40% nothing can be published (see
docs/publish-transactions.md), so h is 0.6, and swept from 0.5 to 1. Loss is the share of *all* occurrences, items that
are neither public nor private included, as in the thesis.

    Figure 20, 22    loss of items on connect, retail       Figure 24, 25, 26    run time against delta, k, p
"""

import argparse
import json
import pathlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import mean
from typing import Any, Literal

from benchmarks.publish.experiment_items import copy_private_items
from confide.core.errors import CannotMeetError
from confide.core.randomness import Randomness
from confide.core.requirements import Coherence
from confide.core.transactions.container import Transactions
from confide.publish import minimal_moles, suppress

SELECTIONS = 5


@dataclass(frozen=True)
class Point:
    """One setting of a figure."""

    k: int
    p: int
    delta: float
    h: float = 0.6


DEFAULTS = {"connect": Point(k=100, p=5, delta=0.4), "retail": Point(k=20, p=4, delta=0.2)}
SWEEPS: dict[str, dict[str, tuple[Any, ...]]] = {
    "connect": {
        "k": (50, 100, 200, 300, 400),
        "p": (2, 3, 4, 5, 6),
        "delta": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 1.0),
        "h": (0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    },
    "retail": {
        "k": (5, 10, 20, 30, 40),
        "p": (1, 2, 3, 4, 5),
        "delta": (0.1, 0.2, 0.3, 0.4, 1.0),
        "h": (0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    },
}
FIGURES = {"connect": "20", "retail": "22"}
TIMES = {"delta": "24", "k": "25", "p": "26", "h": "run time vs h"}


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each point."""
    for name, default in DEFAULTS.items():
        tx = Transactions.read(data / name / f"{name}.dat.gz")
        _loss(tx, default, 0, "tree")  # compiles, or loads, the kernels
        for parameter, values in SWEEPS[name].items():
            for value in values:
                yield measured(name, tx, replace(default, **{parameter: value}), parameter)


def measured(
    name: str, tx: Transactions, point: Point, parameter: str, *, selections: int = SELECTIONS
) -> dict[str, Any]:
    """One point: the losses of all methods, and the seconds of ours."""
    seeds = range(selections if point.delta < 1 else 1)
    ours = [_loss(tx, point, seed, "tree") for seed in seeds]
    plain = [_loss(tx, point, seed, "tree", put_back=False) for seed in seeds]
    removed = [_loss(tx, point, seed, "remove-all") for seed in seeds]
    grouped = [_loss(tx, point, seed, "k-anonymizer") for seed in seeds]
    losses = [loss for loss, _ in ours]
    rival = mean(loss for loss, _ in removed)
    return {
        "claim": f"Figure {FIGURES[name]}, {TIMES[parameter]}: {name}, {parameter} = {getattr(point, parameter)}",
        "ours": {
            "share_of_items_lost": round(mean(losses), 4),
            "in the thesis' order": round(mean(loss for loss, _ in plain), 4),
            "seconds_finding_moles": round(_moles_seconds(tx, point), 3),
            "seconds_in_all": round(mean(s for _, s in ours), 3),
        },
        "rival": {
            "name": "remove-all",
            "share_of_items_lost": round(rival, 4),
            "k-anonymizer": round(mean(loss for loss, _ in grouped), 4),
        },
        "ratio": round(rival / mean(losses), 3) if mean(losses) else None,
        "spread": [round(min(losses), 4), round(max(losses), 4)],
        "settings": {**vars(point), "selections": len(seeds)},
    }


def _moles_seconds(tx: Transactions, point: Point) -> float:
    """Seconds for the minimal moles alone, for the first selection."""
    made = copy_private_items(tx, public_share=point.delta, randomness=Randomness.seeded(0))
    began = time.perf_counter()
    minimal_moles(made.transactions, Coherence(h=point.h, k=point.k, p=point.p), private=made.private)
    return time.perf_counter() - began


def _loss(
    tx: Transactions,
    point: Point,
    seed: int,
    method: Literal["tree", "remove-all", "k-anonymizer"],
    *,
    put_back: bool = True,
) -> tuple[float, float]:
    """Share of all occurrences lost; seconds for the whole release."""
    made = copy_private_items(tx, public_share=point.delta, randomness=Randomness.seeded(seed))
    requirement = Coherence(h=point.h, k=point.k, p=point.p)
    tx, occurrences = made.transactions, len(made.transactions.indices)
    began = time.perf_counter()
    try:
        release = suppress(tx, requirement, private=made.private, method=method, put_back=put_back)
        left = len(release.data.indices)
    except CannotMeetError as refusal:
        if "no public item" not in str(refusal):
            raise
        left = int(tx.supports()[[tx.codes[label] for label in made.private]].sum())
    return (occurrences - left) / (occurrences + made.left_out), time.perf_counter() - began


def main() -> None:
    """Some of the points."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.publish.figures_items")
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--of", choices=DEFAULTS, required=True)
    parser.add_argument("--sweep", choices=TIMES, required=True)
    parser.add_argument("--values", type=float, nargs="*", help="default: all of the figure")
    parser.add_argument("--selections", type=int, default=SELECTIONS)
    given = parser.parse_args()
    tx = Transactions.read(given.data / given.of / f"{given.of}.dat.gz")
    for value in SWEEPS[given.of][given.sweep]:
        if not given.values or value in given.values:
            point = replace(DEFAULTS[given.of], **{given.sweep: value})
            print(json.dumps(measured(given.of, tx, point, given.sweep, selections=given.selections)), flush=True)


if __name__ == "__main__":
    main()
