"""A page about a plan: its lead, tables and charts, fit for `confide.report.write_study`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from confide.collect.planning.scheme_choice import Description
from confide.collect.schemes.promise import posterior
from confide.core.charts import Chart

__all__ = ["Study", "error_chart", "rise_chart", "study_of"]

Table = tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]]

_PRIORS = tuple(x / 100 for x in (0, 1, 2, 5, 10, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100))


@dataclass(frozen=True, kw_only=True)
class Study:
    """What a page shows; `private` when true records were looked at for it."""

    title: str
    lead: str
    tables: Mapping[str, Table]
    charts: tuple[Chart, ...]
    private: bool


def study_of(title: str, answer: Mapping[str, Any], charts: tuple[Chart, ...], *, private: bool) -> Study:
    """The answer of a plan or a description as tables."""
    plain = tuple((key.replace("_", " "), value) for key, value in answer.items() if not isinstance(value, dict | list))
    tables: dict[str, Table] = {"The plan": (("", "value"), plain)}
    if "attained" in answer:
        rows = tuple((name, goal, answer["attained"][name]) for name, goal in answer["goals"].items())
        tables["Goals"] = (("goal", "wished", "attained"), rows)
    if "standard_error_by_length" in answer:
        rows = tuple(answer["standard_error_by_length"].items())
        tables["Standard error of a support of 2%"] = (("items in the itemset", "share of records"), rows)
    if "options" in answer:
        rows = tuple(
            (o["scheme"], ", ".join(f"{k} = {v:g}" for k, v in o["parameters"].items()), o["gamma"])
            for o in answer["options"]
        )
        tables["Schemes"] = (("scheme", "parameters", "gamma"), rows)
    lead = " ".join(f"{reason[:1].upper()}{reason[1:]}." for reason in answer.get("reasons", ()))
    lead = lead or "Chosen before anything is collected."
    return Study(title=title, lead=lead, tables=tables, charts=charts, private=private)


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
        y_label="largest chance afterwards (share)",
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
            option["scheme"]: tuple(option["standard_error"].get(str(n), float("nan")) for n in lengths)
            for option in found.options
        },
        x_label="items in the itemset",
        y_label="standard error of a support (share of records)",
        note=f"An itemset of interest has a support of {found.support:g}; errors above it drown it.",
    )
