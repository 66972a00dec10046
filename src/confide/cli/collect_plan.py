"""`confide collect plan`: parameters for a promise, or which scheme fits a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from confide.cli.options import EXISTING, NEW, note, print_json

if TYPE_CHECKING:
    from confide.collect.scheme import Scheme

__all__ = ["plan"]

SCHEMES = ("gamma-diagonal", "mask", "cut-and-paste", "emask")


@click.command(
    epilog="""\b
Examples:
  confide collect plan --describe registry.csv --columns sex,income,diagnosis
  confide collect plan --scheme emask --avg-support 0.01 --records 1000000 --report plan.html
  confide collect plan --sample registry.csv --columns age,sex,diagnosis --bins age=35,55,75 -o planned.json
  confide collect plan --rho1 0.05 --rho2 0.5
"""
)
@click.option("--scheme", type=click.Choice(SCHEMES), help="Which scheme to plan [gamma-diagonal].")
@click.option("--rho1", type=float, help="A property of at most this prior ...")
@click.option("--rho2", type=float, help="... never gets a posterior above this.")
@click.option("--gamma", type=float, help="The same bound as a ratio of likelihoods [19].")
@click.option("--fields", "n_fields", type=click.IntRange(min=1), help="mask, cut-and-paste: number of fields.")
@click.option("--max-length", type=click.IntRange(min=1), help="Items of the longest true record.")
@click.option("-K", "--cut", "cut", type=click.IntRange(min=1), help="cut-and-paste: K [the best for triples].")
@click.option("--avg-support", type=float, help="emask: mean share of records that hold an item.")
@click.option("--records", type=click.IntRange(min=1), help="How many records will be collected.")
@click.option("--breach", type=float, default=0.06, show_default=True, help="emask: goal for 1 - basic privacy.")
@click.option("--error", type=float, default=0.03, show_default=True, help="emask: goal for relative support error.")
@click.option("--slowdown", type=float, default=5.0, show_default=True, help="emask: goal for sent / true items.")
@click.option("--visible", type=float, default=0.2, show_default=True, help="emask: bound on Pr(true 1 | 1 sent).")
@click.option("--hard", type=click.Choice(["breach", "error", "slowdown"]), multiple=True, help="A goal to keep.")
@click.option("--sample", type=EXISTING, help="File of sample records: supports, values and items are taken from it.")
@click.option("--describe", "described", type=EXISTING, help="Say which scheme fits this file.")
@click.option("--columns", metavar="NAME,...", help="Columns of a table to ask for [all].")
@click.option("--bins", multiple=True, metavar="NAME=EDGES", help="Cut a numeric column, such as age=35,55.")
@click.option("--kind", type=click.Choice(["table", "transactions"]), help="What the file is, where it does not say.")
@click.option("--support", type=float, default=0.02, show_default=True, help="--describe: support of interest.")
@click.option("-o", "--output", type=NEW, help="Write the scheme file here.")
@click.option("--report", type=NEW, help="Write a page with the trade-off here.")
@click.option("--replace", is_flag=True, help="Overwrite files that exist.")
def plan(**given: Any) -> None:
    """Choose a scheme and its parameters for a promise.

    Give the promise as --rho1 and --rho2 or as --gamma; emask takes goals instead. The plan goes to stdout as JSON,
    the scheme file to -o. Exit status 1 when the goals exclude each other, with the nearest that works.
    """
    from confide.core.errors import UsageError

    if given["described"] is not None:
        if given["output"] is not None or given["sample"] is not None:
            raise UsageError("--describe says which scheme fits; plan it with --sample and -o afterwards")
        _describe(given)
        return
    name = given["scheme"] or ("emask" if given["avg_support"] is not None else "gamma-diagonal")
    found, answer, charts = _emask(given) if name == "emask" else _strict(name, given)
    if given["output"] is not None:
        if found is None:
            raise UsageError("a scheme file needs the fields or items it is for; name a file with --sample")
        found.write(given["output"], replace=given["replace"])
        note(f"scheme written to {given['output']} (sha256 {found.fingerprint[:16]}...)")
    if given["report"] is not None:
        _study(given["report"], f"A plan: {name}", answer, charts, replace=given["replace"])
    print_json(answer)


def _gamma(given: dict[str, Any]) -> tuple[float, dict[str, Any]]:
    from confide.collect.plans import check_gamma, plan_gamma
    from confide.core.errors import UsageError

    rho = (given["rho1"], given["rho2"])
    if given["gamma"] is not None:
        if rho != (None, None):
            raise UsageError("give --gamma, or --rho1 and --rho2, not both")
        check_gamma(given["gamma"])
        return given["gamma"], {"gamma": given["gamma"]}
    if rho == (None, None):
        return 19.0, {"gamma": 19.0}
    if None in rho:
        raise UsageError("--rho1 and --rho2 go together, for example 0.05 and 0.5")
    found = plan_gamma(*rho)
    return found.gamma, found.to_dict()


def _strict(name: str, given: dict[str, Any]) -> tuple["Scheme | None", dict[str, Any], tuple[Any, ...]]:
    import math

    from confide.collect.plans import GammaPlan, plan_cut_and_paste, plan_mask
    from confide.core.errors import UsageError
    from confide.core.transactions import Transactions

    gamma, promise = _gamma(given)
    fields = items = None
    longest = given["max_length"]
    if given["sample"] is not None:
        data = _read(given["sample"], given)
        if isinstance(data, Transactions):
            items = data.labels
            longest = longest or max(1, int(data.lengths.max(initial=1)))
        else:
            fields = _fields(data, given)
    m = len(fields) if fields is not None else given["n_fields"]
    answer: dict[str, Any] = {"scheme": name, **promise, "epsilon": math.log(gamma)}
    note(f"no answer is more than {gamma:g} times likelier for one truth than for another")
    if name == "gamma-diagonal":
        plan = GammaPlan(gamma=gamma, rho1=given["rho1"] or 0.05, rho2=given["rho2"] or 0.5)
        if items is not None:
            raise UsageError("gamma-diagonal is for tables of fields; for records of items say --scheme mask or emask")
        if fields is None:
            return None, answer, ()
        if given["records"] is not None:
            errors = plan.standard_errors(fields, records=given["records"])
            answer["standard_error_by_length"] = {str(n): error for n, error in errors.items()}
        return plan.scheme(fields), answer | {"cells": fields.cells}, _promise(plan.scheme(fields), data, given)
    if m is None and longest is None:
        raise UsageError(f"{name} needs --fields (number of fields) or --max-length (items of the longest record)")
    lengths = {"fields": m} if m is not None else {"max_length": longest}
    if name == "mask":
        planned: Any = plan_mask(gamma, **lengths, universe=None if items is None else len(items))
    else:
        planned = plan_cut_and_paste(gamma, K=given["cut"], **lengths)
    if fields is None and items is None:
        return None, answer | planned.to_dict(), ()
    scheme = planned.scheme(items=items, fields=fields)
    return scheme, answer | planned.to_dict(), _promise(scheme, data, given)


def _promise(scheme: "Scheme", data: Any, given: dict[str, Any]) -> tuple[Any, ...]:
    from confide.collect.picturing import promise_charts

    return promise_charts(scheme, given["records"] or len(data))


def _emask(given: dict[str, Any]) -> tuple["Scheme | None", dict[str, Any], tuple[Any, ...]]:
    from confide.collect.planner import plan_emask
    from confide.core.errors import UsageError
    from confide.core.transactions import Transactions

    sample = None
    if given["sample"] is not None:
        sample = _read(given["sample"], given)
        if not isinstance(sample, Transactions):
            raise UsageError("emask is for records of items; for a table say --scheme gamma-diagonal or mask")
    found = plan_emask(
        avg_support=given["avg_support"],
        records=given["records"],
        sample=sample,
        goals={name: given[name] for name in ("breach", "error", "slowdown", "visible")},
        weights=dict.fromkeys(given["hard"], 0.0),
    )
    for name, ratio in found.missed.items():
        note(f"{name}: {found.attained[name]:.4g} where {found.goals[name]:g} was wished, {ratio:.2f} times as much")
    scheme = None if sample is None else found.scheme(items=sample.labels, max_length=given["max_length"])
    return scheme, {"scheme": "emask", **found.to_dict()}, found.charts()


def _describe(given: dict[str, Any]) -> None:
    from confide.collect.choosing import describe
    from confide.core.transactions import Transactions

    data = _read(given["described"], given)
    fields = None if isinstance(data, Transactions) else _usable_fields(data, given)
    found = describe(
        data,
        gamma=_gamma(given)[0],
        support=given["support"],
        records=given["records"],
        fields=fields,
        max_length=given["max_length"],
    )
    for reason in found.reasons:
        note(reason)
    answer = found.to_dict()
    if given["report"] is not None:
        _study(given["report"], "Which scheme fits", answer, _error_charts(found), replace=given["replace"])
    print_json(answer)


def _read(source: Path, given: dict[str, Any]) -> Any:
    from confide.cli.collect_files import read_records

    return read_records(source, columns=given["columns"], kind=given["kind"])


def _fields(table: Any, given: dict[str, Any]) -> Any:
    from confide.cli.collect_files import parsed_bins
    from confide.collect.choosing import fields_of

    return fields_of(table, bins=parsed_bins(given["bins"]))


def _usable_fields(table: Any, given: dict[str, Any]) -> Any:
    from confide.cli.collect_files import parsed_bins
    from confide.collect.choosing import MOST_VALUES, usable_columns

    if given["columns"] is None:
        usable = usable_columns(table, bins=parsed_bins(given["bins"]))
        left = [name for name in table.column_names if name not in usable]
        if left:
            note(f"left out, as they have one value or more than {MOST_VALUES} (see --bins): {', '.join(left)}")
        table = table.select(usable)
    return _fields(table, given)


def _error_charts(found: Any) -> tuple[Any, ...]:
    from confide.core.charts import Chart

    lengths = sorted({int(n) for option in found.options for n in option["standard_error"]})
    return (
        Chart(
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
        ),
    )


def _study(path: Path, title: str, answer: dict[str, Any], charts: tuple[Any, ...], *, replace: bool) -> None:
    from confide import report

    plain = tuple((key.replace("_", " "), value) for key, value in answer.items() if not isinstance(value, dict | list))
    tables: dict[str, tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]]] = {"The plan": (("", "value"), plain)}
    if "attained" in answer:
        rows = tuple((name, goal, answer["attained"][name]) for name, goal in answer["goals"].items())
        tables["Goals"] = (("goal", "wished", "attained"), rows)
    if "options" in answer:
        rows = tuple(
            (o["scheme"], ", ".join(f"{k} = {v:g}" for k, v in o["parameters"].items()), o["gamma"])
            for o in answer["options"]
        )
        tables["Schemes, best first"] = (("scheme", "parameters", "gamma"), rows)
    lead = " ".join(f"{reason[:1].upper()}{reason[1:]}." for reason in answer.get("reasons", ()))
    lead = lead or "Chosen before anything is collected."
    report.write_study(path, title, lead=lead, charts=charts, tables=tables, replace=replace)
