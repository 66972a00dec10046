"""`confide mine itemsets|rules`: plain mining. Its output protects nobody, and the command says so."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

import click

from confide.cli.options import (
    SHARE,
    SUPPORT,
    form_options,
    input_options,
    note,
    output_options,
    print_rows,
    read_transactions,
)

__all__ = ["mine"]


@click.group(
    epilog="""\b
Example:
  confide mine itemsets baskets.csv --min-support 1%
"""
)
def mine() -> None:
    """Find frequent itemsets and association rules in transactions.

    Plain mining protects nobody: a rare itemset can point at a person.
    """


_SUPPORT = click.option(
    "-s", "--min-support", type=SUPPORT, required=True, help="A count (5), a share (0.01) or a percentage (1%)."
)


@mine.command(
    epilog="""\b
Example:
  confide mine itemsets baskets.csv --min-support 1% --kind closed -o closed.parquet
"""
)
@input_options
@_SUPPORT
@click.option("--kind", type=click.Choice(["all", "closed", "maximal"]), default="all", show_default=True)
@click.option("--max-length", type=click.IntRange(min=1), help="Only sets of at most this many items.")
@click.option("--top", type=click.IntRange(min=1), help="Only this many, of largest support.")
@output_options
@form_options
def itemsets(
    source: Path,
    min_support: int | float,
    kind: Literal["all", "closed", "maximal"],
    max_length: int | None,
    top: int | None,
    file_format: str | None,
    id_column: str | None,
    item_column: str | None,
    output: Path | None,
    replace: bool,
    form: str,
) -> None:
    """Find the itemsets that stand in enough transactions of IN (.dat, .csv, .jsonl, .parquet; .gz, .zst).

    -o writes .parquet, .jsonl or .csv. Without it, sets go to stdout; --table shows those of largest support first.
    """
    from confide.core.itemsets.files import write_itemsets
    from confide.core.runtime.progress import on_terminal
    from confide.mining import frequent_itemsets

    transactions = read_transactions(source, file_format=file_format, id_column=id_column, item_column=item_column)
    with on_terminal():
        found = frequent_itemsets(transactions, min_support=min_support, kind=kind, max_length=max_length)
    if top is not None:
        found = found.top(top)
    if output is not None:
        write_itemsets(found, output, replace=replace)
        what = "itemsets" if kind == "all" else f"{kind} itemsets"
        note(f"{len(found):,} {what} of {len(transactions):,} records written to {output}")
        return
    rows: Iterator[dict[str, Any]]
    if form == "table":
        share = 100 / max(len(transactions), 1)
        rows = (
            {"items": list(labels), "records": support, "% of all": round(share * support, 2)}
            for labels, support in found.top(len(found))
        )
    else:
        rows = ({"items": list(labels), "support": support} for labels, support in found)
    print_rows(rows, form=form, title=f"{len(found):,} itemsets of {len(transactions):,} records")


@mine.command(
    epilog="""\b
Example:
  confide mine rules baskets.csv --min-support 1% --min-confidence 0.5 --table
"""
)
@input_options
@_SUPPORT
@click.option("-c", "--min-confidence", type=SHARE, required=True, help="A share (0.6) or a percentage (60%).")
@click.option("--max-length", type=click.IntRange(min=2), help="Only rules over at most this many items.")
@click.option("--top", type=click.IntRange(min=1), help="Only this many, of largest lift.")
@output_options
@form_options
def rules(
    source: Path,
    min_support: int | float,
    min_confidence: float,
    max_length: int | None,
    top: int | None,
    file_format: str | None,
    id_column: str | None,
    item_column: str | None,
    output: Path | None,
    replace: bool,
    form: str,
) -> None:
    """Find rules A => B that hold in enough transactions of IN, with confidence, lift, leverage and conviction.

    --table shows the rules of largest lift first: records that hold both sides, how sure (the confidence) and lift.
    """
    from confide.core.runtime.progress import on_terminal
    from confide.core.tables.frames import write_table
    from confide.mining import association_rules, frequent_itemsets

    transactions = read_transactions(source, file_format=file_format, id_column=id_column, item_column=item_column)
    with on_terminal():
        found = frequent_itemsets(transactions, min_support=min_support, max_length=max_length)
        implied = association_rules(found, min_confidence=min_confidence)
    if top is not None:
        implied = implied.top(top, by="lift")
    if output is not None:
        write_table(
            flat_lists(implied.to_arrow()) if ".csv" in output.suffixes else implied.to_arrow(), output, replace=replace
        )
        note(f"{len(implied):,} rules of {len(transactions):,} records written to {output}")
        return
    rows: Iterable[dict[str, Any]] = implied.to_arrow().to_pylist()
    if form == "table":
        rows = (
            {
                "if": list(rule.antecedent),
                "then": list(rule.consequent),
                "records": rule.support,
                "sure, %": round(100 * rule.confidence, 1),
                "lift": round(rule.lift, 2),
            }
            for rule in implied.top(len(implied), by="lift")
        )
    print_rows(rows, form=form, title=f"{len(implied):,} rules of {len(transactions):,} records")


def flat_lists(table: Any) -> Any:
    """Lists of labels as one cell each, since CSV has no lists."""
    import pyarrow as pa

    from confide.core.itemsets.files import csv_cell

    columns = {
        name: pa.array([csv_cell(labels) for labels in table[name].to_pylist()], pa.string())
        if name in ("antecedent", "consequent")
        else table[name]
        for name in table.column_names
    }
    return pa.table(columns)
