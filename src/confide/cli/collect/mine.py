"""`confide collect mine`: itemsets and rules of the true records, from perturbed ones."""

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from confide.cli.options import (
    EXISTING,
    SUPPORT,
    form_options,
    note,
    output_options,
    print_rows,
    read_transactions,
)

if TYPE_CHECKING:
    from confide.collect.estimating.rule_errors import EstimatedRules
    from confide.collect.schemes.scheme import Scheme
    from confide.core.itemsets.container import Itemsets

__all__ = ["mine"]


@click.command(
    epilog="""\b
Examples:
  confide collect mine received.csv --scheme answers.scheme.json --min-support 20% --table
  confide collect mine received.csv --scheme answers.scheme.json -s 5% --rules 0.4 --consistent -o rules.csv
"""
)
@click.argument("perturbed", metavar="PERTURBED")
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
@click.option(
    "--confidence", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True,
    help="Of the intervals low to high.",
)  # fmt: skip
@click.option("--rules", "min_confidence", type=click.FloatRange(0, 1), help="Give rules of at least this confidence.")
@click.option(
    "--top", type=click.IntRange(min=1), help="Only the surest: largest lower limit (low; of rules confidence_low)."
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
    collector's store (FILE.duckdb, postgresql://...). Supports are estimates; each has its standard error and the
    interval that holds the truth with the given confidence; of rules, the confidence has them. -o writes .parquet,
    .jsonl or .csv.
    """
    from confide.collect.estimating.reconstruction import mine as reconstruct
    from confide.core.runtime.progress import on_terminal

    scheme, records = _read(perturbed, scheme_file, file_format)
    with on_terminal():
        found = reconstruct(
            scheme, records, min_support=min_support, max_length=max_length, keep_near=keep_near,
            consistent=consistent, confidence=confidence, record_length=record_length,
        )  # fmt: skip
    _tell(scheme, found, keep_near=keep_near, consistent=consistent, rules=min_confidence is not None)
    if min_confidence is not None:
        from confide.collect.estimating.reconstruction import reconstructed_rules

        implied = reconstructed_rules(
            found, min_confidence=min_confidence, scheme=scheme, confidence=confidence, record_length=record_length
        )
        _hand_out_rules(implied if top is None else implied.surest(top), output, replace=replace, form=form)
        return
    if top is not None:
        found = _surest(found, top)
    if output is not None:
        from confide.core.itemsets.files import write_itemsets

        write_itemsets(found, output, replace=replace)
        note(f"{len(found):,} itemsets written to {output}")
        return
    columns = {name: values.tolist() for name, values in found.columns.items()}
    if form == "table":
        columns.pop("estimate")  # support is the same, rounded
    rows = (
        {"items": list(labels), "support": support, **{name: round(v[i], 3) for name, v in columns.items()}}
        for i, (labels, support) in enumerate(found)
    )
    print_rows(rows, form=form, title=f"{len(found):,} itemsets of {found.n_transactions:,} records, estimated")


def _read(perturbed: str, scheme_file: Path | None, file_format: str | None) -> tuple["Scheme", Any]:
    """The scheme, and the perturbed records in the form in which they are mined."""
    from confide.collect.schemes.item_scheme import ItemScheme
    from confide.collect.schemes.scheme import read_scheme
    from confide.core.errors import UsageError
    from confide.core.tables.frames import read_table

    scheme = read_scheme(scheme_file) if scheme_file is not None else None
    if perturbed.endswith(".duckdb") or "://" in perturbed:
        from confide.collect.service.store import read_store, shown

        collected = read_store(perturbed, scheme=scheme)
        note(f"read {shown(perturbed)}: {len(collected.records):,} records")
        return collected.scheme, collected.records
    if scheme is None:
        raise UsageError("perturbed records mean nothing without their scheme; give --scheme FILE")
    source = Path(perturbed)
    if isinstance(scheme, ItemScheme):
        return scheme, read_transactions(source, file_format=file_format, id_column=None, item_column=None)
    table = read_table(source)
    note(f"read {source}: {table.num_rows:,} records, {table.num_columns} fields")
    return scheme, table


def _surest(found: "Itemsets", k: int) -> "Itemsets":
    """The k sets that most records hold for sure: the largest estimates are mostly those with the largest errors."""
    import numpy as np

    return found.take(np.lexsort((-found.columns["estimate"], -found.columns["low"]))[:k])


def _tell(scheme: "Scheme", found: "Itemsets", *, keep_near: float, consistent: bool, rules: bool) -> None:
    """What the person should know when reading the numbers."""
    K = getattr(scheme, "K", None)
    if K is not None:
        note(f"Cut-and-Paste with K={K} leaves no trace of sets of more than {K} items; none were searched")
    if keep_near:
        below = int(found.columns["near"].sum())
        note(f"kept {below:,} sets whose estimate lies up to {keep_near:g} standard errors below the threshold")
    if consistent:
        where = "" if rules else "; the unbiased ones are in column unprojected"
        note(f"estimates are projected to consistent ones{where}")
    noise = int((found.columns["low"] <= 0).sum())
    if noise:
        note(
            f"warning: {noise:,} of {len(found):,} sets have an interval that reaches down to 0, so they may be noise; "
            "raise --min-support, ask for shorter sets (--max-length), or collect more records"
        )


def _hand_out_rules(implied: "EstimatedRules", output: Path | None, *, replace: bool, form: str) -> None:
    from confide.cli.mine import flat_lists
    from confide.core.tables.frames import write_table

    above = int((implied.confidence > 1).sum())
    if above:
        note(
            f"warning: {above:,} of {len(implied):,} rules have a confidence above 1, which no true rule has: their "
            "supports are noisy; read confidence_low and confidence_high, or mine with --consistent"
        )
    table = implied.to_arrow()
    if output is not None:
        write_table(flat_lists(table) if ".csv" in output.suffixes else table, output, replace=replace)
        note(f"{len(implied):,} rules written to {output}")
        return
    rows = (
        {name: None if isinstance(value, float) and not isfinite(value) else value for name, value in row.items()}
        for row in table.to_pylist()  # JSON knows no infinity, which a conviction may be
    )
    print_rows(rows, form=form, title=f"{len(implied):,} rules of the true records, estimated")
