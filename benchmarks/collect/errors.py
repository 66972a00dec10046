"""Which scheme errs least at which length, measured, beside what `describe` forecast.

`python -m benchmarks collect.errors`. One record for each scheme that `describe` offers for CENSUS and HEALTH (see
`collect.figures`) under gamma 19. Measured is the root mean square of (estimate - truth)/records over all truly
frequent itemsets of a length (2%), and over ten seeds; nothing is selected by its estimate. The ratio is measured over
forecast, for each length; the forecast is for an itemset of the mean support of those measured.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.collect.figures import CENSUS, GAMMA, HEALTH, SEEDS, SUPPORT, as_items, census, health
from confide import Randomness
from confide.collect import (
    Fields,
    GammaDiagonal,
    Scheme,
    describe,
    plan_columns,
    plan_cut_and_paste,
    plan_mask,
)
from confide.mining import frequent_itemsets

__all__ = ["run"]

EVERY = 1000.0  # standard errors below the threshold: all sets are kept


def run(data: Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each scheme and dataset."""
    for name, fields, read in (("CENSUS", CENSUS, census), ("HEALTH", HEALTH, health)):
        table = fields.to_table(fields.encode(read(data)))
        true = {frozenset(x): support for x, support in frequent_itemsets(as_items(table), min_support=SUPPORT)}
        described = describe(table, gamma=GAMMA, support=_mean(true, table.num_rows), fields=fields)
        for option in described.options:
            measured = _measured(_scheme(option, fields), table, true)
            forecast = {int(n): error for n, error in option["standard_error"].items()}
            lengths = sorted(set(measured) & set(forecast))
            yield {
                "claim": f"{name}: standard error by length, {option['scheme']}",
                "ours": {str(n): float(f"{measured[n]:.3g}") for n in lengths},
                "rival": {"name": "forecast", **{str(n): float(f"{forecast[n]:.3g}") for n in lengths}},
                "ratio": [round(measured[n] / forecast[n], 2) for n in lengths],
                "spread": None,
                "settings": {"records": table.num_rows, "gamma": GAMMA, "min_support": SUPPORT, "seeds": len(SEEDS)},
            }


def _mean(true: dict[frozenset[str], int], records: int) -> float:
    return float(np.mean(list(true.values())) / records)


def _scheme(option: Any, fields: Fields) -> Scheme:
    """The scheme that was offered, as the planners give it."""
    kind, m = option["scheme"], len(fields)
    if kind == "gamma-diagonal":
        return GammaDiagonal(domains=fields, gamma=GAMMA)
    if kind == "matrix":
        return plan_columns(GAMMA, fields).scheme()
    if kind == "mask":
        return plan_mask(GAMMA, fields=m).scheme(fields=fields)
    return plan_cut_and_paste(GAMMA, K=option["parameters"]["K"], fields=m).scheme(fields=fields)


def _measured(scheme: Scheme, table: Any, true: dict[frozenset[str], int]) -> dict[int, float]:
    squares: dict[int, list[float]] = {}
    for seed in SEEDS:
        sent = scheme.perturb(table, randomness=Randomness.seeded(seed))
        found = scheme.mine(sent, min_support=1, keep_near=EVERY)
        for (items, _), estimate in zip(found, found.columns["estimate"], strict=True):
            support = true.get(frozenset(items))
            if support is not None:
                squares.setdefault(len(items), []).append(((estimate - support) / len(table)) ** 2)
    return {n: float(np.sqrt(np.mean(values))) for n, values in squares.items()}
