"""One design for all lengths, beside the best scheme for each length alone, at gamma 19 on CENSUS and HEALTH.

`python -m benchmarks collect.designs`. Errors are means of |estimate - truth| in points over all truly frequent
itemsets (2%) of a length, and over 20 seeds (3 for whole records). `ours` is the design of `plan_collection` for length
1 to 4; `rival` has the least error of any single-purpose scheme measured in the same run (subsets of one size, whole
records); the ratio is ours over that, by length. `forecast` is the plan's standard error at the mean support of those
itemsets, and `measured over forecast` the root mean square of the errors over it. The other rows are the single-purpose
schemes.
"""

import math
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.collect.figures import CENSUS, GAMMA, HEALTH, SUPPORT, census, health
from confide import Randomness
from confide.collect import Fields, SampledDesign, SubsetSelection, plan_collection

__all__ = ["run"]

SEEDS = range(20)
LENGTHS = (1, 2, 3, 4)


def run(data: Path) -> Iterator[dict[str, Any]]:
    """Yield a record for each dataset and scheme; the planned design last."""
    for name, fields, read in (("CENSUS", CENSUS, census), ("HEALTH", HEALTH, health)):
        codes = fields.encode(read(data))
        true = {n: list(_frequent(fields, codes, n)) for n in LENGTHS}
        planned = plan_collection(fields, gamma=GAMMA, people=len(codes), lengths=LENGTHS).scheme()
        alone = {f"subsets of {n}": SampledDesign(domains=fields, gamma=GAMMA, size=n) for n in LENGTHS}
        alone["whole records"] = SubsetSelection(domains=fields, gamma=GAMMA)
        seeds = {scheme: SEEDS if scheme != "whole records" else SEEDS[:3] for scheme in alone}
        measured = {scheme: _measure(one, codes, true, seeds[scheme]) for scheme, one in alone.items()}
        best = {n: min(found.mean[n] for found in measured.values() if n in found.mean) for n in LENGTHS}
        for scheme, found in measured.items():
            yield _row(f"{name}: {scheme}", found, best, _forecast(alone[scheme], codes, true), len(seeds[scheme]))
        found = _measure(planned, codes, true, SEEDS)
        yield _row(f"{name}: the planned design", found, best, _forecast(planned, codes, true), len(SEEDS))


def _frequent(fields: Fields, codes: Any, length: int) -> Iterator[tuple[tuple[int, ...], Any, Any]]:
    for chosen in combinations(range(len(fields)), length):
        part = Fields(tuple(fields.fields[i] for i in chosen))
        counts = np.bincount(part.join(codes[:, list(chosen)]), minlength=part.cells)
        held = np.flatnonzero(counts >= SUPPORT * len(codes))
        if len(held):
            yield chosen, part.split(held), counts[held]


class _Errors(NamedTuple):
    """By length: the mean and the root mean square of |estimate - truth|, in points."""

    mean: dict[int, float]
    square: dict[int, float]


def _measure(scheme: Any, codes: Any, true: dict[int, Any], seeds: range) -> _Errors:
    errors: dict[int, list[float]] = {}
    for seed in seeds:
        estimator = scheme.estimator(scheme.perturb(codes, randomness=Randomness.seeded(seed)))
        for n, sets in true.items():
            for chosen, values, counts in sets:
                if scheme.covers(chosen):
                    estimates, _ = estimator(chosen, values)
                    errors.setdefault(n, []).extend(100 * np.abs(estimates - counts) / len(codes))
    squares = {n: float(np.sqrt(np.mean(np.square(found)))) for n, found in errors.items()}
    return _Errors({n: float(np.mean(found)) for n, found in errors.items()}, squares)


def _forecast(scheme: Any, codes: Any, true: dict[int, Any]) -> dict[int, float]:
    found = {}
    for n, sets in true.items():
        counts = np.concatenate([counts for _, _, counts in sets])
        supports, many = np.unique(np.round(counts / len(codes), 3), return_counts=True)
        errors = [scheme.standard_error(length=n, support=float(p), records=len(codes)) for p in supports]
        error = float(np.sqrt(np.average(np.square(errors), weights=many)))
        if math.isfinite(error):
            found[n] = 100 * error
    return found


def _row(claim: str, errors: _Errors, best: dict[int, float], forecast: dict[int, float], seeds: int) -> dict[str, Any]:
    found = errors.mean
    return {
        "claim": f"{claim}: mean error in points, lengths 1 to 4",
        "ours": {str(n): round(x, 3) for n, x in found.items()},
        "rival": {"name": "best for the length alone", **{str(n): round(x, 3) for n, x in best.items()}},
        "ratio": [round(found[n] / best[n], 2) for n in found],
        "spread": None,
        "settings": {
            "gamma": GAMMA,
            "min_support": SUPPORT,
            "seeds": seeds,
            "forecast": {str(n): round(x, 3) for n, x in forecast.items()},
            "measured over forecast": [round(errors.square[n] / forecast[n], 2) for n in found],
        },
    }
