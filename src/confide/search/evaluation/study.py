"""What came out of an evaluation: the best setting for each length of query; charts by weight and by expRatio.

The weight is the strength of evidence, or PPRank's alpha. Words that help are words that tell: beside expRatio
stands how many words leave, and how many of the compared profiles hold them all.
"""

from collections.abc import Sequence

from confide.core.figures import Chart, Column, Figure, Figures, Study, Table, Unit
from confide.search.evaluation.trials import WHOLE, Trial

__all__ = ["best_trials", "study_of"]

_COLUMNS: dict[str, Unit] = {
    "profile": "text",
    "terms": "text",
    "scoring": "text",
    "min_detail": "text",
    "exp_ratio": "share",
    "words": "count",
    "fits": "count",
    "weight": "number",
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
    """For each profile, length and scoring, the setting of the largest mean precision; of equals the smaller weight."""
    best: dict[tuple[str, int, str], Trial] = {}
    for trial in trials:
        key = (trial.profile, trial.terms, trial.scoring)
        if key not in best or (trial.precision, -trial.weight) > (best[key].precision, -best[key].weight):
            best[key] = trial
    return list(best.values())


def study_of(trials: Sequence[Trial], *, name: str) -> Study:
    """The page of an evaluation."""
    best = best_trials(trials)
    top = max(best, key=lambda trial: trial.gain)
    sure = top.gain > 2 * top.error and top.gain > 0
    lead = (
        f"A profile helped most with {length_name(top.terms)}: average precision rose by {100 * top.gain:.1f} points "
        f"to {top.precision:.1%}, with a weight of {top.weight:g} and {_said_to_leave(top)}."
        if sure
        else "No profile and no setting raised average precision by more than chance; leave the engine's order."
    )
    return Study(
        title=f"When a profile helps: {name}",
        lead=lead,
        facts=Figures(
            Figure("queries, at most", max(trial.queries for trial in trials), "count"),
            Figure("profiles", len({trial.profile for trial in trials}), "count"),
            Figure("settings tried", len(trials), "count"),
        ),
        tables={"Best setting of each": _table(best), "All settings": _table(trials)},
        charts=(*_by_weight(trials), *_by_exposure(trials)),
    )


def _table(trials: Sequence[Trial]) -> Table:
    columns = tuple(Column(name, unit) for name, unit in _COLUMNS.items())
    rows = tuple(tuple(_cell(trial, c.name) for c in columns) for trial in trials)
    return Table(columns, rows)


def _cell(trial: Trial, name: str) -> str | float:
    if name == "terms":
        return length_name(trial.terms)
    if name == "min_detail":
        return "nothing leaves" if trial.min_detail is None else f"{trial.min_detail:g}"
    value: str | float = getattr(trial, name)
    return value


def _said_to_leave(trial: Trial) -> str:
    """What leaves the machine for a trial, in words."""
    if trial.min_detail is None:
        return "nothing of the profile leaving the machine"
    fits = f"which fit {trial.fits} of the compared profiles"
    return f"{trial.exp_ratio:.0%} of the profile exposed ({trial.words} words, {fits})"


def _by_weight(trials: Sequence[Trial]) -> list[Chart]:
    """One chart for each profile and scoring at its least minDetail: a line for each length."""
    charts = []
    for profile, scoring in dict.fromkeys((trial.profile, trial.scoring) for trial in trials):
        these = [trial for trial in trials if (trial.profile, trial.scoring) == (profile, scoring)]
        least = min((trial.min_detail for trial in these if trial.min_detail is not None), default=None)
        these = [trial for trial in these if trial.min_detail == least]
        weights = tuple(dict.fromkeys(trial.weight for trial in these))
        if len(weights) < 2:
            continue
        at = {(trial.terms, trial.weight): trial for trial in these}
        lengths = list(dict.fromkeys(trial.terms for trial in these))
        charts.append(
            Chart(
                title=f"Gain in average precision by weight ({profile}, {scoring}{_at(least)})",
                x=weights,
                series={length_name(n): tuple(at[n, a].gain for a in weights) for n in lengths},
                spread={length_name(n): tuple(at[n, a].error for a in weights) for n in lengths},
                y_unit="share",
                kind="line",
                x_label="strength, or alpha (0: the engine decides, 1: the profile decides)",
                y_label="gain",
                note="Thin lines: standard error of the gain.",
            )
        )
    return charts


def _at(min_detail: float | None) -> str:
    return "" if min_detail is None else f", minDetail {min_detail:g}"


def _by_exposure(trials: Sequence[Trial]) -> list[Chart]:
    """One chart for each profile and scoring: the best gain at each expRatio, a line for each length."""
    charts = []
    for profile, scoring in dict.fromkeys((trial.profile, trial.scoring) for trial in trials):
        these = [trial for trial in trials if (trial.profile, trial.scoring) == (profile, scoring)]
        ratios = tuple(sorted({trial.exp_ratio for trial in these}))
        if len(ratios) < 2:
            continue
        lengths = list(dict.fromkeys(trial.terms for trial in these))
        series = {}
        for n in lengths:
            of_length = [trial for trial in these if trial.terms == n]
            weight = max(of_length, key=lambda trial: (trial.precision, -trial.weight)).weight
            at = {trial.exp_ratio: trial.gain for trial in of_length if trial.weight == weight}
            series[f"{length_name(n)}, weight {weight:g}"] = tuple(at[ratio] for ratio in ratios)
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
