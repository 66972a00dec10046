"""A page about a plan: its lead, figures, tables and charts, fit for `confide.report.write_study`."""

import math
from collections.abc import Mapping
from typing import Any

from confide.collect.planning.scheme_choice import Description
from confide.collect.schemes.promise import gamma_words, is_weak, posterior
from confide.core.bounds import at_most
from confide.core.figures import Chart, Column, Figure, Figures, Study, Table, Unit
from confide.core.requirements import Amplification

__all__ = ["error_chart", "rise_chart", "study_of"]

_UNITS: dict[str, Unit] = {
    "avg_support": "share",
    "cells": "count",
    "differ_in": "count",
    "fields": "count",
    "max_length": "count",
    "records": "count",
    "rho1": "share",
    "rho2": "share",
    "support": "share",
}
_HEADINGS = {
    "avg_support": "average support of an item",
    "cells": "combinations of values",
    "epsilon": "epsilon = ln gamma",
    "gamma_per_swapped_item": "gamma for one item swapped",
    "largest_ratio_to_goal": "largest ratio to a goal",
    "rho1": "a suspicion of at most (rho1)",
    "rho2": "rises to at most (rho2)",
}
_GOALS = {  # how each is called on a page, and shown
    "breach": ("breach: 1 - basic privacy", "{:.1%}"),
    "error": ("error of a support, of the support", "{:.1%}"),
    "slowdown": ("items sent for each true one", "{:.3g}"),
    "visible": ("a 1 that is sent is true, on average", "{:.1%}"),
    "worst_visible": ("the same, for the commonest item", "{:.1%}"),
    "absent": ("an item not sent lowers the odds of having it by", "{:.3g} times"),
}
_PRIORS = tuple(x / 100 for x in (0, 1, 2, 5, 10, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100))


def study_of(title: str, answer: Mapping[str, Any], charts: tuple[Chart, ...], *, private: bool) -> Study:
    """The answer of a plan or a description as figures and tables."""
    shown = {key: value for key, value in answer.items() if key != "weak" and not isinstance(value, dict | list)}
    plain = {key: _bounded(key, value) for key, value in shown.items()}
    facts = Figures(*(Figure(key, value, _unit(key, value), _HEADINGS.get(key, "")) for key, value in plain.items()))
    tables = _tables(answer)
    lead, warning = _outcome(answer), _warning(answer)
    return Study(title=title, lead=lead, facts=facts, tables=tables, charts=charts, private=private, warning=warning)


def _tables(answer: Mapping[str, Any]) -> dict[str, Table]:
    tables: dict[str, Table] = {}
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    if "attained" in answer:
        rows = tuple(_goal(name, goal, answer["attained"][name]) for name, goal in answer["goals"].items())
        tables["Goals"] = Table(tuple(Column(name, "text") for name in ("goal", "at most", "attained")), rows)
    if "standard_error_by_length" in answer:
        rows = tuple(answer["standard_error_by_length"].items())
        columns = (Column("items in the itemset", "text"), Column("of the records", "share"))
        tables["Standard error of a support of 2%"] = Table(columns, rows)
    if "options" in answer:
        rows = tuple(
            (o["scheme"], ", ".join(f"{k} = {v:g}" for k, v in o["parameters"].items()), _gamma(o["gamma"]))
            for o in answer["options"]
        )
        columns = (Column("scheme", "text"), Column("parameters", "text"), Column("gamma, at most", "text"))
        tables["Schemes"] = Table(columns, rows)
    if answer.get("reasons"):
        tables["Why"] = Table((Column("in words", "text"),), tuple((_sentence(text),) for text in answer["reasons"]))
    return tables


def _goal(name: str, wanted: float | None, attained: float) -> tuple[str, str, str]:
    words, shown = _GOALS[name]
    return words, "no bound" if wanted is None else shown.format(wanted), shown.format(attained)


def _gamma(gamma: float) -> str:
    return gamma_words(math.log(gamma)) if math.isfinite(gamma) else "none"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _warning(answer: Mapping[str, Any]) -> str:
    """In words, that a promise bounds next to nothing."""
    if "weak" in answer:
        return f"Next to no protection for whole records: {answer['weak']}. Whoever knows someone's basket can tell it."
    options = answer.get("options")
    if options and is_weak(math.log(options[0]["gamma"])):
        return f"For whole records {options[0]['scheme']}, the first choice, is next to no protection here; see why."
    return ""


def _outcome(answer: Mapping[str, Any]) -> str:
    if answer.get("missed"):
        missed = " and ".join(f"{name} {ratio:.2g} times" for name, ratio in answer["missed"].items())
        return f"The goals cannot all be met together. This plan comes closest: {missed} what was wanted."
    if "options" in answer:
        names = [option["scheme"] for option in answer["options"]]
        if not names:
            return "No scheme fits; the reasons are below."
        return f"First choice: {names[0]}{'; then ' if names[1:] else ''}{', '.join(names[1:])}."
    if "gamma" in answer:
        return Amplification(gamma=answer.get("attained_gamma", answer["gamma"])).promise()
    return "This plan meets all its goals."


def _bounded(key: str, value: Any) -> Any:
    """A bound as text, rounded to the safe side."""
    return at_most(value) if key in ("gamma", "attained_gamma", "epsilon") and isinstance(value, float) else value


def _unit(key: str, value: Any) -> Unit:
    """The unit of an entry of the answer; one that is not listed is shown as it is."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "text"
    return _UNITS.get(key, "number")


def rise_chart(gamma: float) -> Chart:
    """How far a suspicion can rise under a gamma for whole records."""
    return Chart(
        title="How far a suspicion can rise",
        kind="line",
        x=_PRIORS,
        series={
            "after the answer": tuple(posterior(prior, gamma=gamma) for prior in _PRIORS),
            "nothing learned": _PRIORS,
        },
        x_label="chance before the answer was seen",
        y_label="largest chance afterwards",
        x_unit="share",
        y_unit="share",
        note=f"For one answer about a whole record under gamma {gamma:g}.",
    )


def error_chart(found: Description) -> Chart:
    """The errors of every scheme that was described, by length of itemset."""
    lengths = sorted({int(n) for option in found.options for n in option["standard_error"]})
    return Chart(
        title="How far off a support would be",
        kind="line",
        x=tuple(map(str, lengths)),
        series={
            option["scheme"]: tuple(_cap_error(option["standard_error"].get(str(n), math.nan)) for n in lengths)
            for option in found.options
        },
        x_label=f"{'items' if found.kind == 'transactions' else 'fields'} in the itemset",
        y_label="standard error of a support",
        y_unit="share",
        note=f"An itemset of interest has a support of {100 * found.support:.3g}%. A larger error hides it. Errors "
        "above 100% are not drawn.",
    )


def _cap_error(error: float) -> float:
    """An error so large that nothing is left to see would flatten all others in the chart."""
    return error if error <= 1 else math.nan
