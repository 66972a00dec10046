"""Figures 4.1 to 4.4 of the paper, redone: errors and condition numbers by itemset length, four schemes under gamma 19.

`python -m benchmarks collect.figures`. One record for each scheme and dataset, the mean of ten seeds; pages with the
charts go to `build/figures/`. CENSUS is Adult binned as Table 4.1 (2,000 cells); HEALTH is the BRFSS 2015 survey with
seven attributes in as many bins as Table 4.2 has (7,500 cells), since the paper's NHIS file is not to be had.

    Figure 4.1, 4.2    sigma-, sigma+, rho, condition number against length: DET-GD, RAN-GD (alpha 0.5), MASK,
                       Cut-and-Paste (the K that misses least), min_support 2%; beside them a matrix a field, which
                       is ours and what `describe` offers for short itemsets
    Figure 4.3, 4.4    posterior range, rho, sigma-, sigma+ at length 4 against alpha, RAN-GD

All mining is level-wise, as in the paper; DET-GD stands there a second time with candidates within two standard errors
of the threshold kept, which finds more and reports more that is not there. sigma are percent of the true itemsets of
that length; rho is percent, over those found. The ratio is MASK's sigma- over DET-GD's, for each length.
"""

import csv
import gzip
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from confide import report
from confide.collect import (
    Bins,
    CutAndPaste,
    Fields,
    GammaDiagonal,
    plan_columns,
    plan_cut_and_paste,
    plan_mask,
    posterior_range,
)
from confide.core.figures import Chart, Unit
from confide.core.itemsets.container import Itemsets
from confide.core.randomness import Randomness
from confide.core.transactions.container import Transactions
from confide.mining import compare_itemsets, frequent_itemsets

__all__ = ["health", "run", "census"]

GAMMA = 19
SUPPORT = 0.02
SEEDS = range(10)
ALPHAS = tuple(i / 10 for i in range(11))
PAGES = Path("build") / "figures"

# The columns of Adult by their place in the file, those that Table 4.1 names.
ADULT = {"age": 0, "fnlwgt": 2, "hours-per-week": 12, "race": 8, "sex": 9, "native-country": 13}

CENSUS = Fields.of(
    {
        "age": Bins((35, 55, 75)),
        "fnlwgt": Bins((100_000, 200_000, 300_000, 400_000)),
        "hours-per-week": Bins((20, 40, 60, 80)),
        "race": ["White", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black"],
        "sex": ["Female", "Male"],
        "native-country": ["United-States", "Other"],
    }
)
HEALTH = Fields.of(
    {
        "Age": Bins((3, 6, 9, 11), ("18-34", "35-49", "50-64", "65-74", "75+")),
        "PhysHlth": Bins((6, 14, 21, 29), ("0-6 days", "7-14", "15-21", "22-29", "30")),
        "MentHlth": Bins((6, 14, 21, 29), ("0-6 days", "7-14", "15-21", "22-29", "30")),
        "BMI": Bins((30, 40)),
        "Stroke": ["0", "1"],
        "AnyHealthcare": ["0", "1"],
        "GenHlth": ["1", "2", "3", "4", "5"],
    }
)


def census(data: Path) -> list[dict[str, Any]]:
    """Adult, both files, as Table 4.1 has it."""
    found = []
    for name in ("adult.data.gz", "adult.test.gz"):
        with gzip.open(data / "adult" / name, "rt") as file:
            for row in csv.reader(file, skipinitialspace=True):
                if len(row) == 15:  # the test file has a line of another kind
                    person = {column: row[place] for column, place in ADULT.items()}
                    person["native-country"] = "United-States" if row[13] == "United-States" else "Other"
                    found.append(person)
    return found


def health(data: Path) -> list[dict[str, Any]]:
    """BRFSS 2015, seven columns; codes are written as 1.0."""
    with gzip.open(data / "health" / "diabetes_binary_health_indicators_BRFSS2015.csv.gz", "rt") as file:
        return [{name: str(int(float(row[name]))) for name in HEALTH.names} for row in csv.DictReader(file)]


def as_items(table: Any) -> Transactions:
    """The records as sets of "name=value"."""
    return Transactions.from_lists([[f"{name}={value}" for name, value in row.items()] for row in table.to_pylist()])


@dataclass(frozen=True)
class Errors:
    """Means over the seeds, by length; nan where nothing was found."""

    found: tuple[float, ...]
    sigma_minus: tuple[float, ...]
    sigma_plus: tuple[float, ...]
    rho: tuple[float, ...]
    spread: float  # of sigma- over all lengths

    def to_dict(self) -> dict[str, list[float | None]]:
        fields = ("found", "sigma_minus", "sigma_plus", "rho")
        return {name: [None if math.isnan(x) else round(x, 1) for x in getattr(self, name)] for name in fields}


def run(data: Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each scheme of a figure, and write its page."""
    for name, figures, fields, read in (
        ("CENSUS", ("4.1", "4.3"), CENSUS, census),
        ("HEALTH", ("4.2", "4.4"), HEALTH, health),
    ):
        codes = fields.encode(read(data))
        table = fields.to_table(codes)
        del codes
        true = frequent_itemsets(as_items(table), min_support=SUPPORT)
        levels = tuple(true.level_counts())
        settings = {
            "records": table.num_rows,
            "cells": fields.cells,
            "gamma": GAMMA,
            "min_support": SUPPORT,
            "seeds": len(SEEDS),
            "true itemsets by length": list(true.level_counts().values()),
        }
        errors, conditions = {}, {}
        for label, scheme, options in _schemes(fields, table, true):
            errors[label] = _errors(scheme, table, true, options)
            conditions[label] = tuple(float(scheme.condition_number(n)) for n in levels)
            yield _line(figures[0], name, label, errors, conditions[label], scheme, settings)
        sweep = {}
        for alpha in ALPHAS:
            scheme = GammaDiagonal(domains=fields, gamma=GAMMA, alpha=alpha)
            sweep[alpha] = _errors(scheme, table, true, {})
            yield _alpha_line(figures[1], name, alpha, sweep[alpha], fields, settings)
        _page(name, figures, levels, errors, conditions, sweep, fields)


def _schemes(fields: Fields, table: Any, true: Itemsets) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    m = len(fields)
    yield "MASK", plan_mask(GAMMA, fields=m).scheme(fields=fields), {}
    yield "DET-GD", GammaDiagonal(domains=fields, gamma=GAMMA), {}
    yield "RAN-GD", GammaDiagonal(domains=fields, gamma=GAMMA, alpha=0.5), {}
    yield "Cut-and-Paste", _best_cut(fields, table, true), {}
    yield "a matrix a field", plan_columns(GAMMA, fields).scheme(), {}
    yield "DET-GD, near kept", GammaDiagonal(domains=fields, gamma=GAMMA), {"keep_near": 2.0}


def _best_cut(fields: Fields, table: Any, true: Itemsets) -> CutAndPaste:
    """The K that misses least over all lengths, each with the rho that keeps gamma (three seeds each)."""
    tried = [
        plan_cut_and_paste(GAMMA, K=k, fields=len(fields)).scheme(fields=fields) for k in range(1, len(fields) + 1)
    ]
    missed = {}
    for scheme in tried:
        runs = [compare_itemsets(true, _mine(scheme, table, seed, {})).overall.sigma_minus for seed in range(3)]
        missed[scheme.K] = mean(runs)
    return min(tried, key=lambda scheme: missed[scheme.K])


def _mine(scheme: Any, table: Any, seed: int, options: dict[str, Any]) -> Itemsets:
    sent = scheme.perturb(table, randomness=Randomness.seeded(seed))
    found: Itemsets = scheme.mine(sent, min_support=SUPPORT, **options)
    return found


def _errors(scheme: Any, table: Any, true: Itemsets, options: dict[str, Any]) -> Errors:
    runs = [compare_itemsets(true, _mine(scheme, table, seed, options)) for seed in SEEDS]
    levels = tuple(true.level_counts())

    def over(name: str) -> tuple[float, ...]:
        found = []
        for level in levels:
            values = [float(getattr(run[level], name)) for run in runs]
            known = [value for value in values if not math.isnan(value)]
            found.append(mean(known) if known else math.nan)
        return tuple(found)

    missed = [run.overall.sigma_minus for run in runs]
    return Errors(over("found"), over("sigma_minus"), over("sigma_plus"), over("rho"), stdev(missed))


def _line(
    figure: str,
    name: str,
    label: str,
    errors: dict[str, Errors],
    conditions: tuple[float, ...],
    scheme: Any,
    settings: dict[str, Any],
) -> dict[str, Any]:
    ours, mask = errors[label], errors["MASK"]
    ratios = [round(m / o, 2) if o else None for m, o in zip(mask.sigma_minus, ours.sigma_minus, strict=True)]
    parameters = {k: v for k, v in scheme.parameters().items() if k not in ("fields", "items", "max_length")}
    return {
        "claim": f"Figure {figure}: {name}, {label}",
        "ours": {
            **ours.to_dict(),
            "condition_number": [float(f"{c:.4g}") if math.isfinite(c) else None for c in conditions],
        },
        "rival": {"name": "MASK", "sigma_minus": mask.to_dict()["sigma_minus"], "rho": mask.to_dict()["rho"]},
        "ratio": ratios,
        "spread": {"sigma_minus over all lengths, stdev": round(ours.spread, 1)},
        "settings": {**settings, **parameters, "attained gamma": round(scheme.amplification().gamma, 4)},
    }


def _alpha_line(
    figure: str, name: str, alpha: float, errors: Errors, fields: Fields, settings: dict[str, Any]
) -> dict[str, Any]:
    low, high = posterior_range(0.05, gamma=GAMMA, alpha=alpha, cells=fields.cells)
    shown = {key: values[3] for key, values in errors.to_dict().items()}
    return {
        "claim": f"Figure {figure}: {name}, RAN-GD at alpha = {alpha:g} gamma x, length 4",
        "ours": {**shown, "posterior_range": [round(low, 3), round(high, 3)]},
        "rival": {"name": "what the collector really learns, whatever alpha", "posterior": 0.5},
        "ratio": None,
        "spread": {"sigma_minus over all lengths, stdev": round(errors.spread, 1)},
        "settings": {**settings, "alpha": alpha},
    }


def _page(
    name: str,
    figures: tuple[str, str],
    levels: tuple[int, ...],
    errors: dict[str, Errors],
    conditions: dict[str, tuple[float, ...]],
    sweep: dict[float, Errors],
    fields: Fields,
) -> None:
    def by_length(title: str, label: str, part: str) -> Chart:
        series = {scheme: getattr(found, part) for scheme, found in errors.items()}
        return Chart(
            title=title,
            kind="line",
            x=levels,
            series=series,
            x_label="items in the itemset",
            y_label=label,
            x_unit="count",
            y_unit="percent",
        )

    def by_alpha(title: str, label: str, series: dict[str, tuple[float, ...]], unit: Unit = "percent") -> Chart:
        return Chart(
            title=title,
            kind="line",
            x=ALPHAS,
            series=series,
            x_label="alpha / (gamma x)",
            y_label=label,
            y_unit=unit,
        )

    errors = {label: found for label, found in errors.items() if "near" not in label}  # off any scale in (b)
    ranges = [posterior_range(0.05, gamma=GAMMA, alpha=alpha, cells=fields.cells) for alpha in ALPHAS]
    logs = {label: tuple(_log(c) for c in conditions[label]) for label in errors}
    rho = {label: tuple(_log(x) for x in found.rho) for label, found in errors.items()}
    at4 = {
        part: tuple(getattr(found, part)[3] for found in sweep.values())
        for part in ("rho", "sigma_minus", "sigma_plus")
    }
    PAGES.mkdir(parents=True, exist_ok=True)
    report.write_study(
        PAGES / f"collect_{name.lower()}.html",
        f"Figures {figures[0]} and {figures[1]}: {name}",
        lead=f"Itemsets of up to {levels[-1]} items, gamma {GAMMA}, support {SUPPORT:.0%}, mean of {len(SEEDS)} seeds.",
        charts=[
            by_length("(a) False negatives", "percent of true itemsets", "sigma_minus"),
            by_length("(b) False positives", "percent of true itemsets", "sigma_plus"),
            Chart(
                title="(c) Support error",
                kind="line",
                x=levels,
                series=rho,
                x_label="items in the itemset",
                y_label="log10 of percent, over those found",
                x_unit="count",
                y_unit="number",
            ),
            Chart(
                title="(d) Condition numbers",
                kind="line",
                x=levels,
                series=logs,
                x_label="items in the itemset",
                y_label="log10",
                x_unit="count",
                y_unit="number",
            ),
            by_alpha(
                "RAN-GD: posterior range of a prior of 5%",
                "posterior",
                {
                    "smallest r": tuple(low for low, _ in ranges),
                    "largest r": tuple(high for _, high in ranges),
                    "what the collector learns": (0.5,) * len(ALPHAS),
                },
                unit="share",
            ),
            by_alpha("RAN-GD: support error at length 4", "percent", {"rho": at4["rho"]}),
            by_alpha(
                "RAN-GD: identity errors at length 4",
                "percent of true itemsets",
                {"false negatives": at4["sigma_minus"], "false positives": at4["sigma_plus"]},
            ),
        ],
        replace=True,
    )


def _log(value: float) -> float:
    return math.log10(value) if 0 < value < math.inf else math.nan
