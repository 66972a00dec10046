"""`confide collect plan`: parameters for a promise, or which scheme fits a file."""

from typing import TYPE_CHECKING, Any

import click

from confide.cli.collect.declared import parsed_bins, parsed_columns, parsed_values
from confide.cli.options import EXISTING, NEW, NUMBER, SHARE, note, print_json, text_options

if TYPE_CHECKING:
    from confide.core.figures import Study

__all__ = ["plan"]

SCHEMES = ("gamma-diagonal", "matrix", "mask", "cut-and-paste", "emask")
_PLANNING = (
    "scheme", "gamma", "rho1", "rho2", "epsilon", "fields", "max_length", "K", "avg_support", "records", "breach",
    "error", "slowdown", "visible", "worst_visible", "absent", "max_support", "hard", "sample",
)  # fmt: skip
_DESCRIBING = ("gamma", "rho1", "rho2", "epsilon", "records", "max_length", "support")


@click.command(
    epilog="""\b
Examples:
  confide collect plan --describe registry.csv --columns sex,income,diagnosis
  confide collect plan --scheme emask --avg-support 0.01 --records 1000000 --report plan.html
  confide collect plan --sample registry.csv --columns age,sex,diagnosis --bins age=35,55,75 -o planned.json
  confide collect plan --values sex=female,male --values smokes=no,yes --bins age=35,55 -o declared.json
  confide collect plan --rho1 5% --rho2 50%
"""
)
@click.option("--scheme", type=click.Choice(SCHEMES), help="Which scheme to plan [gamma-diagonal].")
@click.option("--rho1", type=SHARE, help="A property of at most this prior (5%) ...")
@click.option("--rho2", type=SHARE, help="... never gets a posterior above this (50%).")
@click.option("--gamma", type=NUMBER, help="The same bound as a ratio of likelihoods [19].")
@click.option("--epsilon", type=NUMBER, help="The same bound as ln(gamma), as in differential privacy.")
@click.option("--fields", type=click.IntRange(min=1), help="mask, cut-and-paste: number of fields.")
@click.option("--max-length", type=click.IntRange(min=1), help="Items of the longest true record.")
@click.option("-K", "--cut", "K", type=click.IntRange(min=1), help="cut-and-paste: K [the best for triples].")
@click.option("--avg-support", type=SHARE, help="emask: mean share of records that hold an item.")
@click.option("--records", type=click.IntRange(min=1), help="How many records will be collected.")
@click.option("--breach", type=SHARE, help="emask: goal for 1 - basic privacy [0.06].")
@click.option("--error", type=SHARE, help="emask: goal for relative support error [0.03].")
@click.option("--slowdown", type=NUMBER, help="emask: goal for sent / true items [5].")
@click.option("--visible", type=SHARE, help="emask: bound on Pr(true 1 | 1 sent), an average [0.2].")
@click.option("--worst-visible", type=SHARE, help="emask: the same bound for the commonest item [none].")
@click.option("--absent", type=NUMBER, help="emask: bound on the odds that an item not sent is not held either [100].")
@click.option("--max-support", type=SHARE, help="emask: share of records with the commonest item.")
@click.option("--hard", type=click.Choice(["breach", "error", "slowdown"]), multiple=True, help="A goal to keep.")
@click.option("--sample", type=EXISTING, help="File of sample records: supports, values and items are taken from it.")
@click.option("--describe", "described", type=EXISTING, help="Say which scheme fits this file.")
@click.option("--columns", metavar="NAME,...", help="Columns of a table to ask for [all].")
@click.option("--bins", multiple=True, metavar="NAME=EDGES", help="Cut a numeric column, such as age=35,55.")
@click.option("--values", multiple=True, metavar="NAME=VALUES", help="Declare a field's values: sex=female,male.")
@click.option("--kind", type=click.Choice(["table", "transactions"]), help="What the file is, where it does not say.")
@click.option("--support", type=SHARE, help="--describe: support of interest [0.02].")
@text_options
@click.option("-o", "--output", type=NEW, help="Write the scheme file here.")
@click.option("--report", type=NEW, help="Write a page about the plan here.")
@click.option("--replace", is_flag=True, help="Overwrite files that exist.")
@click.argument("files", nargs=-1, metavar="", type=click.Path())
def plan(**given: Any) -> None:
    """Choose a scheme and its parameters for a promise.

    Give the promise as --rho1 and --rho2, as --gamma or as --epsilon; emask takes goals instead. The plan goes to
    stdout as JSON, the scheme file to -o. It lists the values of fields, or items: declare them by --values and
    --bins, or take them from --sample, which makes them public. Exit status 1 when the promise, or a --hard goal,
    cannot be met, with the nearest setting that works. Goals that are not hard are wishes: a plan that misses some says
    so and ends with 0.
    """
    from confide.core.errors import UsageError
    from confide.core.file_groups import check_outputs

    if given["files"]:
        file = given["files"][0]
        raise UsageError(
            f"{file}: say what the file is for: --sample {file} to plan for records like these, or --describe {file} "
            "to compare schemes for them"
        )
    source = given["sample"] or given["described"]
    check_outputs([given["output"], given["report"]], inputs=[source], replace=given["replace"])
    read = {
        "columns": parsed_columns(given["columns"]),
        "kind": given["kind"],
        "bins": parsed_bins(given["bins"]),
        "values": parsed_values(given["values"]),
    }
    if given["described"] is not None:
        if given["output"] is not None or given["sample"] is not None:
            raise UsageError("--describe says which scheme fits; plan it with --sample and -o afterwards")
        _describe(given, read)
        return
    if given["support"] is not None:
        raise UsageError("--support goes with --describe; a plan does not use --support")
    _plan(given, read)


def _plan(given: dict[str, Any], read: dict[str, Any]) -> None:
    from confide.collect.tasks.plan import PlanRequest
    from confide.collect.tasks.plan import plan as run

    done = run(PlanRequest(**{name: given[name] for name in _PLANNING}, **read))
    for text in done.notes:
        note(text)
    if given["output"] is not None:
        scheme = done.bound_scheme()
        for text in done.published:
            note(text)
        scheme.write(given["output"], replace=given["replace"])
        note(f"scheme written to {given['output']} (sha256 {scheme.fingerprint[:16]}...)")
    if given["report"] is not None:
        _write(done.study(), given)
    print_json(done.answer)


def _describe(given: dict[str, Any], read: dict[str, Any]) -> None:
    from confide.collect.tasks.describe import DescribeRequest, describe_file
    from confide.core.errors import UsageError

    for option in click.get_current_context().command.params:
        name = option.name or ""
        if name in _PLANNING and name not in _DESCRIBING and given[name] not in (None, ()):
            raise UsageError(f"--describe does not use {option.opts[-1]}; leave it out")
    asked = {name: given[name] for name in _DESCRIBING if given[name] is not None}
    done = describe_file(DescribeRequest(data=given["described"], **asked, **read))
    for text in done.notes:
        note(text)
    if given["report"] is not None:
        _write(done.study(), given)
    print_json(done.description.to_dict())


def _write(study: "Study", given: dict[str, Any]) -> None:
    from confide import report

    report.write_study(given["report"], study.title, **study.shown(), replace=given["replace"])
