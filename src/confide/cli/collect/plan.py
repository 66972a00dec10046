"""`confide collect plan`: parameters for a promise, or which scheme fits a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from confide.cli.collect.domains import domain, read, usable_fields, warn_of_rare
from confide.cli.options import EXISTING, NEW, note, print_json

if TYPE_CHECKING:
    from confide.collect.schemes.scheme import Scheme

__all__ = ["plan"]

SCHEMES = ("gamma-diagonal", "mask", "cut-and-paste", "emask")

# Which options count for what; the others are refused.
_FILES = {"sample", "columns", "kind", "output", "report", "replace", "scheme"}
_STRICT = _FILES | {"gamma", "rho1", "rho2", "records", "bins", "values"}
_USED_BY = {
    "gamma-diagonal": frozenset(_STRICT),
    "mask": frozenset(_STRICT | {"n_fields", "max_length"}),
    "cut-and-paste": frozenset(_STRICT | {"n_fields", "max_length", "cut"}),
    "emask": frozenset(
        _FILES | {"avg_support", "records", "max_length", "breach", "error", "slowdown", "visible", "hard"}
    ),
}
_DESCRIBING = frozenset(
    (_STRICT | {"described", "support", "max_length"}) - {"sample", "scheme", "output"},
)


@click.command(
    epilog="""\b
Examples:
  confide collect plan --describe registry.csv --columns sex,income,diagnosis
  confide collect plan --scheme emask --avg-support 0.01 --records 1000000 --report plan.html
  confide collect plan --sample registry.csv --columns age,sex,diagnosis --bins age=35,55,75 -o planned.json
  confide collect plan --values sex=female,male --values smokes=no,yes --bins age=35,55 -o declared.json
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
@click.option("--values", multiple=True, metavar="NAME=VALUES", help="Declare a field's values: sex=female,male.")
@click.option("--kind", type=click.Choice(["table", "transactions"]), help="What the file is, where it does not say.")
@click.option("--support", type=float, default=0.02, show_default=True, help="--describe: support of interest.")
@click.option("-o", "--output", type=NEW, help="Write the scheme file here.")
@click.option("--report", type=NEW, help="Write a page about the plan here.")
@click.option("--replace", is_flag=True, help="Overwrite files that exist.")
def plan(**given: Any) -> None:
    """Choose a scheme and its parameters for a promise.

    Give the promise as --rho1 and --rho2 or as --gamma; emask takes goals instead. The plan goes to stdout as JSON,
    the scheme file to -o; it lists the values of fields, or items: declare them by --values and --bins, or have them
    taken from --sample, which makes them public. Exit status 1 when the promise, or a --hard goal, cannot be had, with
    the nearest that works. Goals that are not hard are wishes: a plan that misses some says so and ends with 0.
    """
    from confide.cli.release_files import check_free
    from confide.core.errors import UsageError

    source = given["sample"] or given["described"]
    check_free(source or Path(), [None, given["output"], given["report"]], replace=given["replace"])
    if given["described"] is not None:
        if given["output"] is not None or given["sample"] is not None:
            raise UsageError("--describe says which scheme fits; plan it with --sample and -o afterwards")
        _refuse_idle(given, "--describe", _DESCRIBING)
        _describe(given)
        return
    name = given["scheme"] or ("emask" if given["avg_support"] is not None else "gamma-diagonal")
    _refuse_idle(given, f"a plan of {name}", _USED_BY[name])
    found, answer, charts = _emask(given) if name == "emask" else _strict(name, given)
    if given["output"] is not None:
        if found is None:
            raise UsageError(
                "a scheme file needs the fields or items it is for; declare fields with --values and --bins, or name a "
                "file with --sample"
            )
        found.write(given["output"], replace=given["replace"])
        note(f"scheme written to {given['output']} (sha256 {found.fingerprint[:16]}...)")
    if given["report"] is not None:
        from confide.cli.collect.studies import write_plan

        private = source is not None
        write_plan(given["report"], f"A plan: {name}", answer, charts, private=private, replace=given["replace"])
    print_json(answer)


def _refuse_idle(given: dict[str, Any], what: str, used: frozenset[str]) -> None:
    """Refuse options that would change nothing: who gives one expects it to count."""
    from confide.core.errors import UsageError

    context = click.get_current_context()
    for option in context.command.params:
        name = option.name or ""
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE and name not in used:
            raise UsageError(f"{what} does not use {option.opts[-1]}; leave it out")
    if given["sample"] is None and given["described"] is None:
        for name in ("columns", "kind"):
            if given[name] is not None:
                raise UsageError(f"--{name} says how to read a file; name one with --sample or --describe")


def _gamma(given: dict[str, Any]) -> tuple[float, dict[str, Any]]:
    from confide.collect.planning.strict_plans import plan_gamma
    from confide.collect.schemes.strict_parameters import check_gamma
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

    from confide.collect.planning.strict_plans import GammaPlan, plan_cut_and_paste, plan_mask
    from confide.core.bounds import at_most
    from confide.core.errors import UsageError

    gamma, promise = _gamma(given)
    data, fields, items = domain(given)
    longest = given["max_length"]
    if items is not None:
        longest = longest or max(1, int(data.lengths.max(initial=1)))
    elif fields is not None and (given["n_fields"] is not None or longest is not None):
        raise UsageError("the fields say how many there are; leave out --fields and --max-length")
    m = len(fields) if fields is not None else given["n_fields"]
    answer: dict[str, Any] = {"scheme": name, **promise, "epsilon": math.log(gamma)}
    if name == "gamma-diagonal":
        if items is not None:
            raise UsageError("gamma-diagonal is for tables of fields; for records of items say --scheme mask or emask")
        if fields is None and given["records"] is not None:
            raise UsageError("--records tells errors once the fields are known; declare them, or name a --sample")
        planned: Any = GammaPlan(gamma=gamma, rho1=given["rho1"] or 0.05, rho2=given["rho2"] or 0.5)
        scheme = None if fields is None else planned.scheme(fields)
        answer |= {} if fields is None else {"cells": fields.cells}
    else:
        if m is None and longest is None:
            raise UsageError(f"{name} needs --fields (number of fields) or --max-length (items of the longest record)")
        lengths = {"fields": m} if m is not None else {"max_length": longest}
        if name == "mask":
            planned = plan_mask(gamma, **lengths, universe=None if items is None else len(items))
        else:
            planned = plan_cut_and_paste(gamma, K=given["cut"], **lengths)
        bound = fields is not None or items is not None
        scheme = planned.scheme(items=items, fields=fields) if bound else None
        answer |= planned.to_dict()
    note(f"no answer is more than {at_most(gamma)} times likelier for one truth than for another")
    if name == "cut-and-paste" and m is None:
        from confide.cli.collect.files import warn_of_lengths

        warn_of_lengths(planned.scheme(), data)
    if given["records"] is not None:
        answer["standard_error_by_length"] = _errors(planned, fields, m or longest, given["records"])
    return scheme, answer, _promise(scheme, gamma, data, given)


def _errors(planned: Any, fields: Any, longest: int, records: int) -> dict[str, float]:
    """Standard error of a support of 2% for itemsets of 1, 2, ... items."""
    from confide.collect.estimating.forecasts import cut_error, flip_error
    from confide.collect.planning.scheme_choice import LONGEST

    support = 0.02
    if hasattr(planned, "K"):
        lengths = range(1, min(planned.K, longest, LONGEST) + 1)
        return {
            str(n): cut_error(planned.K, planned.rho, record_length=longest, length=n, support=support, records=records)
            for n in lengths
        }
    if hasattr(planned, "p"):
        lengths = range(1, min(longest, LONGEST) + 1)
        return {str(n): flip_error(planned.p, planned.p, length=n, support=support, records=records) for n in lengths}
    return {str(n): error for n, error in planned.standard_errors(fields, records=records, support=support).items()}


def _promise(scheme: "Scheme | None", gamma: float, data: Any, given: dict[str, Any]) -> tuple[Any, ...]:
    if given["report"] is None:
        return ()
    if scheme is None or (data is None and given["records"] is None):
        from confide.cli.collect.studies import rise_chart

        return (rise_chart(gamma),)
    from confide.collect.planning.charts import promise_charts

    return promise_charts(scheme, given["records"] or len(data))


def _emask(given: dict[str, Any]) -> tuple["Scheme | None", dict[str, Any], tuple[Any, ...]]:
    from confide.collect.planning.emask_plan import plan_emask
    from confide.collect.planning.sample_fields import RARE
    from confide.core.errors import UsageError
    from confide.core.transactions.container import Transactions

    sample = None
    if given["sample"] is not None:
        sample = read(given["sample"], given)
        if not isinstance(sample, Transactions):
            raise UsageError("emask is for records of items; for a table say --scheme gamma-diagonal or mask")
        warn_of_rare({"items": int((sample.supports() < RARE).sum())}, given)
    found = plan_emask(
        avg_support=given["avg_support"],
        records=given["records"],
        sample=sample,
        goals={name: given[name] for name in ("breach", "error", "slowdown", "visible")},
        weights=dict.fromkeys(given["hard"], 0.0),
    )
    for name, ratio in found.missed.items():
        note(f"{name}: {found.attained[name]:.4g} where {found.goals[name]:g} was wished, {ratio:.2f} times as much")
    if found.missed:
        note(
            f"the goals exclude each other: no plan comes nearer to all of them, and this one misses "
            f"{' and '.join(found.missed)}; say --hard GOAL for a goal to be kept or refused"
        )
    scheme = None
    if sample is not None:
        longest = given["max_length"] or max(1, int(sample.lengths.max(initial=1)))
        if given["max_length"] is None:
            note(f"longer records than the sample's longest, {longest} items, will be refused; see --max-length")
        scheme = found.scheme(items=sample.labels, max_length=longest)
    return scheme, {"scheme": "emask", **found.to_dict()}, found.charts()


def _describe(given: dict[str, Any]) -> None:
    from confide.collect.planning.scheme_choice import describe
    from confide.core.errors import UsageError
    from confide.core.transactions.container import Transactions

    data = read(given["described"], given)
    if isinstance(data, Transactions) and (given["bins"] or given["values"]):
        raise UsageError("--bins and --values are for tables; the file holds records of items")
    fields = None if isinstance(data, Transactions) else usable_fields(data, given)
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
        from confide.cli.collect.studies import error_chart, write_plan

        charts = (error_chart(found),)
        write_plan(given["report"], "Which scheme fits", answer, charts, private=True, replace=given["replace"])
    print_json(answer)
