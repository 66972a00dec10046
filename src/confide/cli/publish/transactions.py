"""`confide publish transactions`: make transactions coherent, or explore what that would cost."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from confide.cli.options import (
    EXISTING,
    SUPPORT,
    form_options,
    input_options,
    note,
    print_json,
    print_rows,
    private_labels,
    private_options,
    read_transactions,
)
from confide.cli.release_files import ReleaseFiles, release_options

if TYPE_CHECKING:
    from confide.core.release import Release
    from confide.core.transactions.container import Transactions

__all__ = ["transactions"]


class _Numbers(click.ParamType[tuple[int | float, ...]]):
    """One number, or several parted by commas for --explore; `inf` where that makes sense."""

    name = "number"

    def __init__(self, *, whole: bool):
        self.whole = whole

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int | float, ...]:
        if isinstance(value, tuple):
            return value
        return tuple(self._one(text.strip(), param, ctx) for text in str(value).split(","))

    def _one(self, text: str, param: click.Parameter | None, ctx: click.Context | None) -> int | float:
        try:
            if self.whole and text.lstrip("+-").isdigit():
                return int(text)
            return float(text)  # the requirement says what is wrong with 2.5 or inf
        except ValueError:
            self.fail(f"{text!r} is no number", param, ctx)


@click.command(
    epilog="""\b
Examples:
  confide publish transactions baskets.csv --explore --k 2,5,10 --h 0.5 --p 1,2 --private-prefix s: --table
  confide publish transactions baskets.csv -o out.csv --k 5 --h 0.5 --p 2 --private-prefix s: --report out.html
"""
)
@input_options
@release_options()
@click.option(
    "--k", type=_Numbers(whole=True), required=True, help="Fewest records any known itemset matches (2 or more)."
)
@click.option(
    "--h",
    type=_Numbers(whole=False),
    default="1",
    show_default=True,
    help="Largest share of them with one private item.",
)
@click.option(
    "--p", type=_Numbers(whole=True), required=True, help="How many public items an attacker may know, or inf."
)
@private_options
@click.option(
    "--utility", type=click.Choice(["items", "itemsets"]), default="items", show_default=True, help="What to save."
)
@click.option(
    "--nugget-support", type=SUPPORT, help="Itemsets worth saving: in this many records (5), or a share (1%)."
)
@click.option("--nugget-length", type=click.IntRange(min=1), help="... and of at most this many items.")
@click.option(
    "--method",
    type=click.Choice(["auto", "tree", "border", "zdd", "walk", "remove-all", "k-anonymizer"]),
    default="auto",
    show_default=True,
    help="The last two are baselines to compare with.",
)
@click.option(
    "--cost", type=click.Choice(["support", "one"]), default="support", show_default=True, help="Price of an item."
)
@click.option("--keep", type=EXISTING, help="File of item labels to keep at any price, one per line.")
@click.option("--never", type=EXISTING, help="File of item labels never to publish, one per line.")
@click.option("--dry-run", is_flag=True, help="Say what would be lost, and write nothing but reports.")
@click.option("--explore", is_flag=True, help="Price every combination of --k, --h and --p (commas part values).")
@form_options
def transactions(
    source: Path,
    output: Path | None,
    k: tuple[int, ...],
    h: tuple[float, ...],
    p: tuple[int | float, ...],
    private: Path | None,
    private_prefix: tuple[str, ...],
    utility: str,
    nugget_support: int | float | None,
    nugget_length: int | None,
    method: str,
    cost: str,
    keep: Path | None,
    never: Path | None,
    dry_run: bool,
    explore: bool,
    report: Path | None,
    owner_report: Path | None,
    sign: Path | None,
    id_column: str | None,
    item_column: str | None,
    file_format: str | None,
    replace: bool,
    form: str,
) -> None:
    """Suppress items of IN until whoever knows up to p public items of a person matches k records or none, and no
    private item stands in more than a share h of those.

    The loss goes to stdout as JSON. Exit status 1 when nothing can be published so, with the nearest setting that
    works. Records of one person must be one record: in long files those of one --id are.
    """
    from confide.core.errors import UsageError
    from confide.core.requirements import Coherence
    from confide.core.runtime.progress import on_terminal

    _check_together(output, dry_run=dry_run, explore=explore, settings={"--k": k, "--h": h, "--p": p}, sign=sign)
    given = [source, private, keep, never]
    files = ReleaseFiles.checked(
        None if dry_run else output, report=report, owner_report=owner_report, sign=sign, replace=replace, inputs=given
    )
    tx = read_transactions(source, file_format=file_format, id_column=id_column, item_column=item_column)
    secret = private_labels(tx.labels, private, private_prefix)
    if private_prefix and not secret:
        raise UsageError(
            f"no item starts with {private_prefix[0]!r}, so nothing would be private; check --private-prefix"
        )
    if not secret and any(0 < bound < 1 for bound in h):
        raise UsageError("--h bounds private items, but none is declared; say --private or --private-prefix, or --h 1")
    if secret and h == (1.0,):
        note("warning: with --h 1 private items may be guessed with certainty; say --h 0.5 or so to bound that")
    if explore:
        with on_terminal():
            _explore(tx, secret, k, h, p, cost=cost, form=form, report=report, replace=replace)
        return
    from confide.publish import suppress

    requirement = Coherence(k=k[0], h=h[0], p=p[0])
    with on_terminal():
        release = suppress(
            tx,
            requirement,
            private=secret,
            utility=utility,  # type: ignore[arg-type]  # click.Choice has checked these three
            method=method,  # type: ignore[arg-type]
            cost=cost,  # type: ignore[arg-type]
            nugget_support=nugget_support,
            nugget_length=nugget_length,
            keep=_listed(keep),
            never=_listed(never),
            explain=owner_report is not None,
        )
    files.hand_out(release)
    _tell(release, dry_run=dry_run, form=form)


def _check_together(
    output: Path | None, *, dry_run: bool, explore: bool, settings: dict[str, Sequence[float]], sign: Path | None
) -> None:
    from confide.core.errors import UsageError

    if explore and (output is not None or dry_run or sign is not None):
        raise UsageError("--explore releases nothing; leave out -o, --dry-run and --sign")
    if not explore and output is None and not dry_run:
        raise UsageError("say where the release goes with -o FILE, or --dry-run to see what it would lose")
    if sign is not None and dry_run:
        raise UsageError("--dry-run writes no passport, so there is nothing to --sign")
    for name, values in settings.items():
        if len(values) > 1 and not explore:
            raise UsageError(f"{name} takes one value; several go with --explore")


def _listed(path: Path | None) -> list[str]:
    from confide.core.errors import InputError
    from confide.core.files import read_bytes

    if path is None:
        return []
    try:
        lines = bytes(read_bytes(path)).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise InputError("not UTF-8; save the file as UTF-8", source=path) from None
    return [line.strip() for line in lines if line.strip()]


def _tell(release: "Release[Transactions]", *, dry_run: bool, form: str) -> None:
    loss = release.loss
    note(release.requirement.promise())
    note(
        f"{loss['public_items_suppressed']:,} of {loss['public_items']:,} public items suppressed; "
        f"{loss['share_of_occurrences_lost']:.1%} of all occurrences lost"
    )
    if "nuggets" in loss:
        note(f"{loss['nuggets_lost']:,} of {loss['nuggets']:,} nuggets lost")
    if loss["share_of_occurrences_lost"] > 0.5:
        note("more than half is lost; a lower p loses less, then a lower k (see --explore)")
    if dry_run:
        note("nothing was written (--dry-run)")
    if form != "json":
        print_rows([{"loss": name, "value": value} for name, value in loss.items()], form=form)
        return
    print_json({"requirement": release.requirement.to_dict(), "loss": dict(loss), "written": not dry_run})


def _explore(
    tx: "Transactions",
    private: list[str],
    k: tuple[int, ...],
    h: tuple[float, ...],
    p: tuple[int | float, ...],
    *,
    cost: str,
    form: str,
    report: Path | None,
    replace: bool,
) -> None:
    from confide.publish.transactions.exploration import charts, explore, lengths

    held = lengths(tx, private=private)
    settings = list(explore(tx, private=private, k=k, h=h, p=p, cost=cost))  # type: ignore[arg-type]
    rows = [setting.to_dict() | {"records_covered": held.covered(setting.p)} for setting in settings]
    print_rows(rows, form=form, title="What each setting would cost")
    longest = len(held.records) - 1
    median = _median(held.records)
    note(
        f"records hold up to {longest} public items, half of them {median} or fewer; p = {longest} covers all knowledge"
    )
    if report is not None:
        from confide import report as pages
        from confide.core.figures import Column, Table

        lost = [row["share_of_occurrences_lost"] for row in rows if row["share_of_occurrences_lost"] is not None]
        said = f"Nothing can be published under any of these {len(rows)} settings"
        if lost:
            said = f"The {len(rows)} settings would hide between {min(lost):.1%} and {max(lost):.1%} of all entries"
        columns = (
            Column("k", "count"),
            Column("h", "number"),
            Column("p", "count"),
            Column("of all entries lost", "share"),
            Column("public items hidden", "count"),
            Column("identifying combinations", "count"),
            Column("why not", "text"),
            Column("of records wholly covered by p", "share"),
        )
        pages.write_study(
            report,
            "What k, h and p would cost",
            lead=f"{said}. The data: {len(tx):,} records, {len(private):,} private items.",
            charts=charts(settings, held),
            # "covered": records that hold p public items or fewer
            tables={"Settings": Table(columns, tuple(tuple(row.values()) for row in rows))},
            replace=replace,
        )


def _median(records: tuple[int, ...]) -> int:
    half, seen = math.ceil(sum(records) / 2), 0
    for length, count in enumerate(records):
        seen += count
        if seen >= half:
            return length
    return 0
