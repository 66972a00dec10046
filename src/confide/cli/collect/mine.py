"""`confide collect mine`: itemsets and rules of the true records, from perturbed ones."""

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from confide.cli.options import (
    ADDRESS,
    EXISTING,
    SHARE,
    SUPPORT,
    engine_options,
    form_options,
    note,
    output_options,
    print_rows,
    text_options,
)

if TYPE_CHECKING:
    from confide.collect.estimating.rule_errors import EstimatedRules
    from confide.core.itemsets.container import Itemsets

__all__ = ["mine"]


@click.command(
    epilog="""\b
Examples:
  confide collect mine received.csv --scheme answers.scheme.json --min-support 20% --table
  confide collect mine received.csv --scheme answers.scheme.json -s 5% --rules 0.4 --consistent -o rules.csv
"""
)
@click.argument("perturbed", metavar="PERTURBED", type=ADDRESS)
@click.option(
    "--scheme", "scheme_file", type=EXISTING, help="The scheme they were perturbed by; a store knows its own."
)
@click.option(
    "-s", "--min-support", type=SUPPORT, required=True, help="A count (5), a share (0.01) or a percentage (1%)."
)
@click.option("--max-length", type=click.IntRange(min=1), help="Only sets of at most this many items.")
@click.option(
    "--keep-near",
    type=click.FloatRange(min=0),
    default=0.0,
    metavar="Z",
    help="Keep sets Z standard errors below, too.",
)
@click.option("--consistent", is_flag=True, help="Let no set's estimate exceed that of a part of it.")
@click.option("--confidence", type=SHARE, default="95%", show_default=True, help="Of the intervals low to high.")
@click.option("--rules", "min_confidence", type=SHARE, help="Give rules of at least this confidence.")
@click.option(
    "--top", type=click.IntRange(min=1), help="Only the surest: the largest selected_low (of rules confidence_...)."
)
@click.option(
    "--record-length", type=click.IntRange(min=1), help="Items in each true record (Cut-and-Paste without fields)."
)
@click.option(
    "--format",
    "file_format",
    type=click.Choice(["dat", "basket", "long", "jsonl", "parquet"]),
    help="Format of a file of transactions, where its name does not say it.",
)
@text_options
@engine_options
@output_options
@form_options
def mine(
    perturbed: str,
    scheme_file: Path | None,
    min_support: int | float,
    max_length: int | None,
    keep_near: float,
    consistent: bool,
    confidence: float,
    min_confidence: float | None,
    top: int | None,
    record_length: int | None,
    file_format: str | None,
    output: Path | None,
    replace: bool,
    form: str,
) -> None:
    """Find the itemsets, or rules, that hold in enough of the *true* records behind PERTURBED.

    PERTURBED is a file of perturbed records (baskets for a scheme over items, a table for one over fields) or a
    collector's store (FILE.duckdb, postgresql://...). Supports are estimates; each has its standard error and two
    intervals: low to high holds for a set named beforehand, selected_low to selected_high for what is shown because it
    was found. Of rules, the confidence has them. -o writes .parquet, .jsonl or .csv.
    """
    from confide.collect.tasks.mine import MineRequest
    from confide.collect.tasks.mine import mine as run
    from confide.core.runtime.progress import on_terminal

    request = MineRequest(
        perturbed=perturbed,
        scheme=scheme_file,
        min_support=min_support,
        max_length=max_length,
        keep_near=keep_near,
        consistent=consistent,
        confidence=confidence,
        min_confidence=min_confidence,
        top=top,
        record_length=record_length,
        format=file_format,
    )
    with on_terminal():
        done = run(request)
    for text in done.notes:
        note(text)
    if done.rules is not None:
        _hand_out_rules(done.rules, output, replace=replace, form=form)
    else:
        _hand_out(done.itemsets, output, replace=replace, form=form)


def _hand_out(found: "Itemsets", output: Path | None, *, replace: bool, form: str) -> None:
    if output is not None:
        from confide.core.itemsets.files import write_itemsets

        write_itemsets(found, output, replace=replace)
        note(f"{len(found):,} itemsets written to {output}")
        return
    columns = {name: values.tolist() for name, values in found.columns.items()}
    rows = [
        {"items": list(labels), "support": support, **{name: round(v[i], 3) for name, v in columns.items()}}
        for i, (labels, support) in enumerate(found)
    ]
    if form == "table":
        note("in the table, from and to are selected_low and selected_high; the surest come first")
        rows.sort(key=lambda row: (-row["selected_low"], -row["estimate"]))
        rows = [_for_reading(row, found.n_transactions) for row in rows]
    print_rows(rows, form=form, title=f"{len(found):,} itemsets of {found.n_transactions:,} records, estimated")


_SHORT = {"support": "records", "std_error": "+/-", "selected_low": "from", "selected_high": "to"}


def _for_reading(row: dict[str, Any], records: int) -> dict[str, Any]:
    """A row under short headings: support is the estimate, rounded; the interval is the one for what was selected."""
    shown: dict[str, Any] = {}
    for name, value in row.items():
        if name not in ("estimate", "low", "high"):
            shown[_SHORT.get(name, name)] = value if name == "items" else round(value)
        if name == "support":
            shown["% of all"] = round(100 * value / records, 1) if records else 0.0
    return shown


def _hand_out_rules(implied: "EstimatedRules", output: Path | None, *, replace: bool, form: str) -> None:
    from confide.cli.derived.delivery import lists_as_cells
    from confide.core.tables.frames import write_table

    table = implied.to_arrow()
    if output is not None:
        write_table(lists_as_cells(table) if ".csv" in output.suffixes else table, output, replace=replace)
        note(f"{len(implied):,} rules written to {output}")
        return
    if form == "table":  # what is shown was selected
        table = table.drop_columns(["confidence_low", "confidence_high"])
    rows = (
        {name: None if isinstance(value, float) and not isfinite(value) else value for name, value in row.items()}
        for row in table.to_pylist()  # JSON knows no infinity, which a conviction may be
    )
    print_rows(rows, form=form, title=f"{len(implied):,} rules of the true records, estimated")
