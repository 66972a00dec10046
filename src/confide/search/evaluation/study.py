"""What came out of an evaluation: the best alpha for each length of query, and charts by alpha and by expRatio."""

from collections.abc import Sequence

from confide.core.figures import Column, Figure, Figures, Study, Table, Unit
from confide.core.figures.charts import Chart
from confide.search.evaluation.trials import WHOLE, Trial

__all__ = ["best_trials", "study_of"]

_COLUMNS: dict[str, Unit] = {
    "profile": "text",
    "terms": "text",
    "scoring": "text",
    "min_detail": "number",
    "exp_ratio": "share",
    "alpha": "number",
    "precision": "share",
    "spread": "share",
    "gain": "share",
    "error": "share",
    "queries": "count",
}


def length_name(terms: int) -> str:
    """A length in words: 1 term, 3 terms, whole queries."""
    return "whole queries" if terms == WHOLE else f"{terms} term" + "s" * (terms != 1)


def best_trials(trials: Sequence[Trial]) -> list[Trial]:
    """For each profile, length and scoring, the setting of the largest mean precision; of equals the smaller alpha."""
    best: dict[tuple[str, int, str], Trial] = {}
    for one in trials:
        key = (one.profile, one.terms, one.scoring)
        if key not in best or (one.precision, -one.alpha) > (best[key].precision, -best[key].alpha):
            best[key] = one
    return list(best.values())


def study_of(trials: Sequence[Trial], *, name: str) -> Study:
    """The page of an evaluation."""
    best = best_trials(trials)
    top = max(best, key=lambda one: one.gain)
    sure = top.gain > 2 * top.error and top.gain > 0
    lead = (
        f"A profile helped most with {length_name(top.terms)}: average precision rose by {100 * top.gain:.1f} points "
        f"to {top.precision:.1%}, with alpha {top.alpha:g} and {top.exp_ratio:.0%} of the profile exposed."
        if sure
        else "No profile and no setting raised average precision by more than chance would; leave alpha at 0."
    )
    return Study(
        title=f"When a profile helps: {name}",
        lead=lead,
        facts=Figures(
            Figure("queries, at most", max(one.queries for one in trials), "count"),
            Figure("profiles", len({one.profile for one in trials}), "count"),
            Figure("settings tried", len(trials), "count"),
        ),
        tables={"Best setting of each": _table(best), "All settings": _table(trials)},
        charts=(*_by_alpha(trials), *_by_exposure(trials)),
    )


def _table(trials: Sequence[Trial]) -> Table:
    columns = tuple(Column(name, unit) for name, unit in _COLUMNS.items())
    rows = tuple(
        tuple(length_name(one.terms) if c.name == "terms" else getattr(one, c.name) for c in columns) for one in trials
    )
    return Table(columns, rows)


def _by_alpha(trials: Sequence[Trial]) -> list[Chart]:
    """One chart for each profile and scoring at its least minDetail: a line for each length."""
    charts = []
    for profile, scoring in dict.fromkeys((one.profile, one.scoring) for one in trials):
        these = [one for one in trials if (one.profile, one.scoring) == (profile, scoring)]
        least = min(one.min_detail for one in these)
        these = [one for one in these if one.min_detail == least]
        alphas = tuple(dict.fromkeys(one.alpha for one in these))
        if len(alphas) < 2:
            continue
        at = {(one.terms, one.alpha): one for one in these}
        lengths = list(dict.fromkeys(one.terms for one in these))
        charts.append(
            Chart(
                title=f"Gain in average precision by alpha ({profile}, {scoring}, minDetail {least:g})",
                x=alphas,
                series={length_name(n): tuple(at[n, a].gain for a in alphas) for n in lengths},
                spread={length_name(n): tuple(at[n, a].error for a in alphas) for n in lengths},
                y_unit="share",
                kind="line",
                x_label="alpha (0: the engine decides, 1: the profile decides)",
                y_label="gain",
                note="Thin lines: standard error of the gain.",
            )
        )
    return charts


def _by_exposure(trials: Sequence[Trial]) -> list[Chart]:
    """One chart for each profile and scoring: the best gain at each expRatio, a line for each length."""
    charts = []
    for profile, scoring in dict.fromkeys((one.profile, one.scoring) for one in trials):
        these = [one for one in trials if (one.profile, one.scoring) == (profile, scoring)]
        ratios = tuple(sorted({one.exp_ratio for one in these}))
        if len(ratios) < 2:
            continue
        lengths = list(dict.fromkeys(one.terms for one in these))
        series = {}
        for n in lengths:
            alpha = max((one for one in these if one.terms == n), key=lambda one: (one.precision, -one.alpha)).alpha
            at = {one.exp_ratio: one.gain for one in these if one.terms == n and one.alpha == alpha}
            series[f"{length_name(n)}, alpha {alpha:g}"] = tuple(at[ratio] for ratio in ratios)
        charts.append(
            Chart(
                title=f"Gain in average precision by how much is exposed ({profile}, {scoring})",
                x=ratios,
                x_unit="share",
                series=series,
                y_unit="share",
                kind="line",
                x_label="expRatio",
                y_label="gain",
            )
        )
    return charts
