"""What came out of an experiment: means with their spread, as rows, and as a page with charts."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import mean, stdev
from typing import Any

from benchmarks.share.experiment.runs import BASIS, Experiment, Outcome
from confide.core.figures import Chart, Column, Figure, Figures, Study, Table, Unit
from confide.core.requirements import KAnonymity, RecursiveDiversity, Requirement

__all__ = ["notes_of", "short", "study_of", "summary"]

_MEASURES = ("accuracy", "class_match", "path_match", "metric")
_UNITS: dict[str, Unit] = {
    "requirement": "text",
    "owners": "count",
    "method": "text",
    "accuracy": "share",
    "spread": "share",
    "folds": "count",
    "class_match": "share",
    "path_match": "share",
    "metric": "share",
    "refused": "count",
    "stayed_out": "number",
}
_TITLES = {
    "accuracy": "Accuracy",
    "class_match": "Class match with the base model",
    "path_match": "Path match with the base tree",
    "metric": "Classification metric of what was published (less is better)",
}


def short(requirement: Requirement | None) -> str:
    """A requirement in a few letters: none, k=5, l=3, (3,2)."""
    if requirement is None:
        return "none"
    if isinstance(requirement, KAnonymity):
        return f"k={requirement.k}"
    if isinstance(requirement, RecursiveDiversity):
        return f"({requirement.c:g},{requirement.l})"
    return f"l={requirement.to_dict().get('l')}"


def summary(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """A row for each requirement, number of owners and method: means over folds and passes.

    `spread` is the standard deviation of the accuracy between folds, the passes of a fold averaged first. `refused`
    counts folds in which nobody could keep the requirement; `stayed_out` is the mean number of owners who could not.
    """
    cells: dict[tuple[str, int, str], list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        cells[short(outcome.requirement), outcome.owners, outcome.method].append(outcome)
    return [
        {"requirement": requirement, "owners": owners or None, "method": method, **_means(found)}
        for (requirement, owners, method), found in cells.items()
    ]


def notes_of(rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """What to say beside the rows of a `summary`."""
    refused = sum(row["refused"] for row in rows)
    if not refused:
        return ()
    return (f"warning: nobody could keep the promise in {refused} of the trials; they are left out of the means",)


def _means(found: Sequence[Outcome]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for measure in _MEASURES:
        by_fold: dict[int, list[float]] = defaultdict(list)
        for outcome in found:
            value = getattr(outcome, measure)
            if value is not None:
                by_fold[outcome.fold].append(value)
        folds = [mean(values) for values in by_fold.values()]
        row[measure] = round(mean(folds), 4) if folds else None
        if measure == "accuracy":
            row["spread"] = round(stdev(folds), 4) if len(folds) > 1 else None
            row["folds"] = len(folds)
    row["refused"] = len({outcome.fold for outcome in found if outcome.accuracy is None})
    row["stayed_out"] = round(mean(outcome.stayed_out for outcome in found), 2)
    return row


def study_of(experiment: Experiment, outcomes: Sequence[Outcome], *, name: str, records: int) -> Study:
    """The page of an experiment: charts by owners or by requirement, whichever there are more of, and all numbers."""
    rows = summary(outcomes)
    base = next(row for row in rows if row["method"] == BASIS)
    columns = tuple(Column(measure.replace("_", " "), unit) for measure, unit in _UNITS.items())
    table = Table(columns, tuple(tuple(row[measure] for measure in _UNITS) for row in rows))
    return Study(
        title=f"Sharing trees of {name}",
        lead=(
            f"The model of the pooled records is right for {base['accuracy']:.1%} of those it has not seen. How near "
            "do models come that are learned from published trees alone?"
        ),
        facts=Figures(
            Figure("records", records, "count"),
            Figure("accuracy of the pooled records", base["accuracy"], "share"),
            Figure("folds", experiment.folds, "count"),
            Figure("folds that were the test", base["folds"], "count"),
            Figure("passes", experiment.passes, "count"),
            Figure("model", experiment.model, "text"),
        ),
        tables={"Means over folds and passes": table},
        charts=tuple(_charts(experiment, rows)),
    )


def _charts(experiment: Experiment, rows: Sequence[Mapping[str, Any]]) -> list[Chart]:
    """For each measure, lines over owners (one chart a requirement) or over requirements (one chart a number)."""
    over_owners = len(experiment.owners) >= len(experiment.requirements)
    across, along = ("requirement", "owners") if over_owners else ("owners", "requirement")
    shown = [row for row in rows if row["method"] != BASIS]
    base = next(row for row in rows if row["method"] == BASIS)
    charts = []
    for value in dict.fromkeys(row[across] for row in shown):
        these = [row for row in shown if row[across] == value]
        for measure in _MEASURES:
            chart = _chart(measure, these, along, f"{across}: {value}", base)
            if chart is not None:
                charts.append(chart)
    return charts


def _chart(
    measure: str, rows: Sequence[Mapping[str, Any]], along: str, where: str, base: Mapping[str, Any]
) -> Chart | None:
    x = tuple(dict.fromkeys(row[along] for row in rows))
    found = {(row["method"], row[along]): row[measure] for row in rows if row[measure] is not None}
    methods = list(dict.fromkeys(method for method, _ in found))
    series = {method: tuple(found.get((method, place), float("nan")) for place in x) for method in methods}
    if not series:
        return None
    if measure == "accuracy":
        series = {BASIS: (base["accuracy"],) * len(x), **series}
    far = {(row["method"], row[along]): row["spread"] for row in rows if row["spread"] is not None}
    spread = {method: tuple(far.get((method, place), float("nan")) for place in x) for method in methods}
    return Chart(
        title=f"{_TITLES[measure]} ({where})",
        x=x,
        series=series,
        y_unit="share",
        x_unit="count" if along == "owners" else "number",
        kind="line" if along == "owners" and len(x) > 1 else "bar",
        x_label=along,
        y_label=measure.replace("_", " "),
        note="Thin lines: standard deviation between folds." if measure == "accuracy" and far else "",
        spread=spread if measure == "accuracy" and far else {},
    )
