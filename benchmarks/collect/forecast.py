"""Figures 3.2 and 3.3 of paper 003: basic privacy over p and q; what EMASK's planner estimates, and what mining shows.

`python -m benchmarks collect.forecast`. Figure 3.2 is a grid at a support of 1%. Figure 3.3 is T10I4D1M (ours) at 0.5%,
p = 0.5 and q from 0.9 to 0.999; one record a point, and the three charts as a page in `build/figures/`. Estimated are
basic privacy at the mean support, the error of a single item of mean support (Eq. 3.7 as corrected) and the ratio of
densities (Eq. 3.8); observed are reinterrogation privacy, 100 - support error averaged over all levels, and the time of
mining the distorted data over that of the original, by the same code. Ours counts columns of bits, for which density is
nearly free, so the observed ratio stays far below the estimated one.
"""

import time
from collections.abc import Iterator
from math import isfinite, sqrt
from pathlib import Path
from statistics import mean, median
from typing import Any

from benchmarks.collect.databases import DATABASES
from benchmarks.collect.slowdown import PLAIN
from confide import report
from confide.collect import Emask, basic_privacy, reinterrogation_privacy
from confide.core.figures import Chart, Unit
from confide.core.randomness import Randomness
from confide.core.transactions.container import Transactions
from confide.mining import compare_itemsets, frequent_itemsets

P = 0.5
KEPT = (0.9, 0.92, 0.94, 0.95, 0.96, 0.97, 0.98, 0.99, 0.995, 0.999)
SUPPORT = 0.005
SHADED = 0.01
ROWS = (0.11, 0.31, 0.51, 0.71, 0.91, 0.98)
COLUMNS = (0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99)  # no p + q is 1, which erases the data
PAGES = Path("build") / "figures"


def run(data: Path) -> Iterator[dict[str, Any]]:
    """Yield one record a point, then write the page."""
    tx = DATABASES[0].read(data)
    truth = frequent_itemsets(tx, min_support=SUPPORT)
    yield _figure_3_2()
    points = []
    for q in KEPT:
        estimated, observed = _estimated(tx, q), _observed(tx, truth, q)
        points.append((q, estimated, observed))
        yield {
            "claim": f"Figure 3.3 at p = {P}, q = {q}",
            "ours": {name: round(value, 2) for name, value in observed.items()},
            "rival": {"name": "estimated", **{name: round(value, 2) for name, value in estimated.items()}},
            "ratio": round(observed["accuracy"] / estimated["accuracy"], 3),
            "spread": None,
            "settings": {"database": DATABASES[0].name, "min_support": SUPPORT, "seed": 1, "ratio": "accuracy"},
        }
    _page(points)


def _figure_3_2() -> dict[str, Any]:
    """Basic privacy at a support of 1%, in percent: one row a p, one column a q."""
    grid = {str(p): [round(100 * float(basic_privacy(Emask(p=p, q=q), SHADED)), 1) for q in COLUMNS] for p in ROWS}
    return {
        "claim": "Figure 3.2: basic privacy over p and q; above 80% for all p while q is 0.1 to 0.9",
        "ours": grid,
        "rival": {"name": "printed, in words", "80% and more": "q from 0.1 to 0.9 at any p; beyond it only at low p"},
        "ratio": None,
        "spread": None,
        "settings": {"support": SHADED, "q": list(COLUMNS)},
    }


def _estimated(tx: Transactions, q: float) -> dict[str, float]:
    """What Eq. 3.2, 3.7 and 3.8 say, from the mean support and the number of records alone."""
    s, n = float(tx.lengths.mean()) / tx.n_items, len(tx)
    error = sqrt((s * P * (1 - P) + (1 - s) * q * (1 - q)) / n) / (s * (P + q - 1))
    return {
        "privacy": 100 * float(basic_privacy(Emask(p=P, q=q), s)),
        "accuracy": 100 * (1 - error),
        "slowdown": P + (1 - s) / s * (1 - q),
    }


def _observed(tx: Transactions, truth: Any, q: float) -> dict[str, float]:
    scheme = Emask(p=P, q=q)
    distorted = scheme.perturb(tx, randomness=Randomness.seeded(1))
    ratios = []
    for turn in range(4):
        first = time.perf_counter()
        found = scheme.mine(distorted, min_support=SUPPORT)
        second = time.perf_counter()
        PLAIN.mine(tx, min_support=SUPPORT)
        if turn:
            ratios.append((second - first) / (time.perf_counter() - second))
    errors = [level.rho for level in compare_itemsets(truth, found) if isfinite(level.rho)]
    again = reinterrogation_privacy(scheme, tx, min_support=SUPPORT, perturbed=distorted)
    return {"privacy": 100 * again.privacy, "accuracy": 100 - mean(errors), "slowdown": median(ratios)}


def _page(points: list[tuple[float, dict[str, float], dict[str, float]]]) -> None:
    def chart(name: str, title: str, label: str, note: str, unit: Unit = "percent") -> Chart:
        return Chart(
            title=title,
            kind="line",
            x=tuple(q for q, _, _ in points),
            series={
                "estimated": tuple(estimated[name] for _, estimated, _ in points),
                "observed": tuple(observed[name] for _, _, observed in points),
            },
            x_label="q",
            y_label=label,
            y_unit=unit,
            note=note,
        )

    PAGES.mkdir(parents=True, exist_ok=True)
    report.write_study(
        PAGES / "collect_figure_3_3.html",
        "Figure 3.3: estimates against observation",
        lead=f"T10I4D1M (ours) at {SUPPORT:.1%}, EMASK with p = {P}.",
        charts=[
            chart("privacy", "(a) Privacy", "percent", "Estimated: basic privacy. Observed: reinterrogation privacy."),
            chart("accuracy", "(b) Accuracy", "percent", "100 - support error; observed over all levels."),
            chart("slowdown", "(c) Run time", "distorted / original", "Estimated: the ratio of densities.", "number"),
        ],
        replace=True,
    )
