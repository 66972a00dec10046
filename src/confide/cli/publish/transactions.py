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
    private_options,
    read_transactions,
)
from confide.cli.release_files import ReleaseFiles, folder_for_parts, release_options

if TYPE_CHECKING:
    from confide.core.datasets.transactions import StoredTransactions
    from confide.core.transactions.container import Transactions
    from confide.publish import ExplorationRequest, Publication

__all__ = ["transactions"]


class _Numbers(click.ParamType[tuple[int | float, ...]]):
    """One number, or several with commas between them for --explore; shares also in percent, `inf` where allowed."""

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
            share = not self.whole and text.endswith("%")
            number = float(text[:-1]) / 100 if share else float(text)  # the requirement says what is wrong with 2.5
        except ValueError:
            number = math.nan
        if math.isnan(number):
            also = "" if self.whole else " (0.5) or a percentage (50%)"
            self.fail(f"{text!r} is not a number{also}", param, ctx)
        return number


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
    "--nugget-support", type=SUPPORT, help="Itemsets worth keeping: in this many records (5), or a share (1%)."
)
@click.option("--nugget-length", type=click.IntRange(min=1), help="... and of at most this many items.")
@click.option(
    "--method",
    type=click.Choice(["auto", "tree", "records", "border", "zdd", "walk", "optimal", "remove-all", "k-anonymizer"]),
    default="auto",
    show_default=True,
    help="optimal: the smallest loss of all, if --time-limit allows; the last two are baselines to compare with.",
)
@click.option(
    "--time-limit",
    type=float,
    help="Seconds that --method optimal may take (60 if not given); Ctrl-C keeps the best so far.",
)
@click.option(
    "--cost",
    type=click.Choice(["support", "one"]),
    help="Price of an item; without it, whichever of them loses less.",
)
@click.option("--keep", type=EXISTING, help="File of item labels to keep at any price, one per line.")
@click.option("--never", type=EXISTING, help="File of item labels never to publish, one per line.")
@click.option("--icdm-deletion", is_flag=True, help="First hide the items in no itemset worth keeping: faster.")
@click.option("--no-put-back", is_flag=True, help="Keep out what the greedy rule took needlessly, as the thesis does.")
@click.option("--keep-order", is_flag=True, help="Leave the records in the order of IN; the passport warns of it.")
@click.option("--allow-absent", is_flag=True, help="Labels in --private that never occur in IN are not an error.")
@click.option("--dry-run", is_flag=True, help="Say what would be lost, and write nothing but reports.")
@click.option("--explore", is_flag=True, help="Price every combination of --k, --h and --p (commas between values).")
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
    cost: str | None,
    keep: Path | None,
    never: Path | None,
    icdm_deletion: bool,
    no_put_back: bool,
    time_limit: float | None,
    keep_order: bool,
    allow_absent: bool,
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
    """Suppress items of IN until any p public items of a person match at least k records or none, and no private item
    stands in more than a share h of those.

    The loss goes to stdout as JSON. Exit status 1 when nothing can be published that way, with the nearest setting
    that works. Records of one person must be one record: in long files those of one --id are.
    """
    from confide.core.datasets.intake import in_files
    from confide.core.errors import UsageError
    from confide.core.runtime.progress import on_terminal
    from confide.core.transactions.label_lists import read_labels
    from confide.publish import ExplorationRequest, PrivateItems, PublicationRequest, Wishes, publish_transactions

    _check_together(
        output,
        dry_run=dry_run,
        explore=explore,
        settings={"--k": k, "--h": h, "--p": p},
        sign=sign,
        keep_order=keep_order,
    )
    given = [source, private, keep, never]
    files = ReleaseFiles.checked(
        None if dry_run else output,
        report=report,
        owner_report=owner_report,
        sign=sign,
        replace=replace,
        inputs=given,
        parts=in_files(source),
    )
    hidden = PrivateItems(file=private, prefixes=private_prefix, allow_absent=allow_absent)
    wishes: dict[str, Any] = {
        "utility": utility,
        "method": method,
        "cost": cost,
        "nugget_support": nugget_support,
        "nugget_length": nugget_length,
        "keep": () if keep is None else tuple(read_labels(keep)),
        "never": () if never is None else tuple(read_labels(never)),
        "icdm_deletion": icdm_deletion,
        "put_back": not no_put_back,
        "time_limit": time_limit,
    }
    if explore:
        if owner_report is not None:
            raise UsageError("--explore releases nothing, so there is no owner's part; leave out --owner-report")
        asked = ExplorationRequest(k=k, h=h, p=p, private=hidden, wishes=Wishes(**wishes))
        tx = read_transactions(source, file_format=file_format, id_column=id_column, item_column=item_column)
        _explore(tx, asked, form=form, report=report, replace=replace)
        return
    request = PublicationRequest(
        k=k[0],
        h=h[0],
        p=p[0],
        private=hidden,
        **wishes,
        keep_order=keep_order,
        explain=owner_report is not None,
    )
    tx = read_transactions(source, file_format=file_format, id_column=id_column, item_column=item_column)
    with on_terminal():
        done = publish_transactions(tx, request, into=_folder(tx, output))
    files.hand_out(done.release)
    _print(done, dry_run=dry_run, form=form)


def _folder(tx: "Transactions | StoredTransactions", output: Path | None) -> Path | None:
    """The folder for the parts of a release that is not in memory."""
    from confide.core.transactions.container import Transactions

    return None if isinstance(tx, Transactions) else folder_for_parts(output)


def _check_together(
    output: Path | None,
    *,
    dry_run: bool,
    explore: bool,
    settings: dict[str, Sequence[float]],
    sign: Path | None,
    keep_order: bool,
) -> None:
    from confide.core.errors import UsageError

    if explore and (output is not None or dry_run or sign is not None or keep_order):
        raise UsageError("--explore releases nothing; leave out -o, --dry-run, --sign and --keep-order")
    if not explore and output is None and not dry_run:
        raise UsageError("say where the release goes with -o FILE, or --dry-run to see what it would lose")
    if sign is not None and dry_run:
        raise UsageError("--dry-run writes no passport, so there is nothing to --sign")
    for name, values in settings.items():
        if len(values) > 1 and not explore:
            raise UsageError(f"{name} takes one value; several go with --explore")


def _print(done: "Publication", *, dry_run: bool, form: str) -> None:
    for text in done.notes:
        note(text)
    if dry_run:
        note("nothing was written (--dry-run)")
    loss = done.release.loss
    if form != "json":
        print_rows([{"loss": name, "value": value} for name, value in loss.items()], form=form)
        return
    print_json({"requirement": done.release.requirement.to_dict(), "loss": dict(loss), "written": not dry_run})


_SHORT = {
    "k": "k",
    "h": "h, %",
    "p": "p",
    "share_of_occurrences_lost": "entries lost, %",
    "share_of_nuggets_lost": "itemsets lost, %",
    "public_items_suppressed": "items hidden",
    "minimal_moles": "combinations",
    "records_covered": "p covers, %",
    "refused": "why not",
}


def _for_reading(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows under headings that fit 80 columns, shares in percent, without columns that say nothing."""
    said = [name for name in _SHORT if any(row[name] not in (None, "") for row in rows)]
    return [{_SHORT[name]: _percent(row[name]) if "%" in _SHORT[name] else row[name] for name in said} for row in rows]


def _percent(share: float | None) -> float | str:
    return "" if share is None else float(f"{100 * share:.3g}")


def _explore(
    tx: "Transactions | StoredTransactions",
    request: "ExplorationRequest",
    *,
    form: str,
    report: Path | None,
    replace: bool,
) -> None:
    from confide.core.runtime.progress import on_terminal
    from confide.publish import explore_transactions

    with on_terminal():
        found = explore_transactions(tx, request)
    rows = found.rows()
    print_rows(_for_reading(rows) if form == "table" else rows, form=form, title="What each setting would cost")
    for text in found.notes:
        note(text)
    if report is not None:
        from confide import report as pages

        pages.write_study(
            report, found.title, lead=found.lead, charts=found.charts(), tables=found.tables(), replace=replace
        )
