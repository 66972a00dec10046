"""`confide publish table`: make a table keep a requirement, or compare what every method would cost."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from confide.cli.options import EXISTING, NEW, SHARE, form_options, note, print_json, print_rows, text_options
from confide.cli.release_files import ReleaseFiles, release_options
from confide.cli.requirement_options import asked_requirement, table_requirement_options

if TYPE_CHECKING:
    from confide.publish import TableRequest

__all__ = ["table"]


@click.command(
    epilog="""\b
Examples:
  confide publish table registry.csv --schema registry.schema.toml --explore --k 5 --table
  confide publish table registry.csv -o out.csv --schema registry.schema.toml --k 5 --diversity distinct --l 2
"""
)
@click.argument("source", metavar="IN", type=EXISTING)
@text_options
@click.option("--schema", type=EXISTING, required=True, help="TOML file: role and hierarchy of each column.")
@release_options()
@table_requirement_options
@click.option(
    "--method",
    type=click.Choice(
        [
            "auto",
            "mondrian",
            "mondrian-relaxed",
            "one-dimensional",
            "incognito",
            "incognito-local",
            "k-optimize",
            "top-down",
        ]
    ),
    default="auto",
    show_default=True,
    help="auto tries those that recode locally, and says which lost least.",
)
@click.option(
    "--loss",
    type=click.Choice(["ncp", "discernibility", "classification", "average-class-size", "entropy"]),
    help="What to keep small, where the method has a choice.",
)
@click.option("--suppress", type=SHARE, default="0", show_default=True, help="Share of rows that may be left out (2%).")
@click.option(
    "--missing",
    type=click.Choice(["refuse", "drop", "category"]),
    default="refuse",
    show_default=True,
    help="What becomes of rows with missing quasi-identifiers.",
)
@click.option("--pseudonyms", type=EXISTING, help="Keep identifiers as pseudonyms made with the key in this file.")
@click.option("--mapping", type=NEW, help="Write what each value becomes here (methods that recode globally).")
@click.option("--keep-order", is_flag=True, help="Leave the rows in the order of IN; the passport warns of it.")
@click.option("--dry-run", is_flag=True, help="Say what would be lost, and write nothing but reports.")
@click.option("--explore", is_flag=True, help="Compare what every method would lose; releases nothing.")
@form_options
def table(
    source: Path,
    schema: Path,
    output: Path | None,
    report: Path | None,
    owner_report: Path | None,
    sign: Path | None,
    replace: bool,
    method: str,
    loss: str | None,
    suppress: float,
    missing: str,
    pseudonyms: Path | None,
    mapping: Path | None,
    keep_order: bool,
    dry_run: bool,
    explore: bool,
    form: str,
    **asked: Any,
) -> None:
    """Make the values of IN coarser until every group of rows that look alike keeps what is asked: --k, --l, --t and so
    on; several are all kept.

    IN is CSV or Parquet. The loss goes to stdout as JSON. Exit status 1 when it cannot be done, with the nearest
    setting that can.
    """
    from confide.core.errors import UsageError
    from confide.core.file_groups import check_outputs
    from confide.core.tables.frames import read_table
    from confide.publish import TableRequest

    requirement = asked_requirement(asked)
    if requirement is None:
        raise UsageError("say what must hold: --k for example, --l, --t (see --help)")
    if explore and (output is not None or dry_run or sign is not None or mapping is not None or report is not None):
        raise UsageError("--explore releases nothing; leave out -o, --dry-run, --sign, --mapping and --report")
    if not explore and output is None and not dry_run:
        raise UsageError("say where the release goes with -o FILE, or --dry-run to see what it would lose")
    files = ReleaseFiles.checked(
        None if dry_run else output,
        report=report,
        owner_report=owner_report,
        sign=sign,
        replace=replace,
        inputs=[source, schema, pseudonyms],
    )
    check_outputs([mapping], inputs=[source, schema, output, report, owner_report], replace=replace)
    options: dict[str, Any] = {"method": method, "loss": loss, "suppress": suppress, "missing": missing}
    request = TableRequest(
        requirement=requirement,
        schema=schema,
        **options,
        keep_order=keep_order,
        pseudonyms=None if pseudonyms is None else _key(pseudonyms),
        explain=owner_report is not None,
    )
    frame = read_table(source)
    note(f"read {source}: {frame.num_rows:,} rows, {frame.num_columns} columns")
    if explore:
        _explore(frame, request, form=form)
    else:
        _publish(frame, request, files, mapping=mapping, dry_run=dry_run, form=form)


def _explore(frame: Any, request: "TableRequest", *, form: str) -> None:
    from confide.publish import explore_table

    rows = explore_table(frame, request)
    found = [_priced(row) for row in sorted(rows, key=lambda row: row["detail lost"] or 0) if not row["note"]]
    print_rows(found if form == "table" else rows, form=form, title="What each method would cost")
    if form == "table":
        for row in rows:
            if row["note"]:
                note(f"{row['method']}: {row['note']}")
    note("these figures are exact: for the owner only")


def _priced(row: dict[str, Any]) -> dict[str, Any]:
    """A method's price as it fits 80 columns; every figure is in JSON and CSV."""
    return {
        "method": row["method"],
        "detail lost, %": round(100 * row["detail lost"], 1),
        "rows left out": row["rows left out"],
        "groups": row["groups"],
        "mean size": row["mean group"],
        "seconds": round(row["seconds"], 1),
    }


def _publish(
    frame: Any, request: "TableRequest", files: ReleaseFiles, *, mapping: Path | None, dry_run: bool, form: str
) -> None:
    from confide.core.errors import UsageError
    from confide.publish import publish_table

    done = publish_table(frame, request)
    if mapping is not None and done.mapping is None:
        raise UsageError(f"{done.method} recodes equal values differently, so there is no --mapping; use incognito")
    files.hand_out(done.release)
    if mapping is not None and done.mapping is not None:
        done.mapping.write(mapping, replace=files.replace)
        note(f"what each value becomes is written to {mapping}")
    for text in done.notes:
        note(text)
    if dry_run:
        note("nothing was written (--dry-run)")
    loss = done.release.loss
    if form != "json":
        print_rows([{"loss": name, "value": value} for name, value in loss.items()], form=form)
        return
    told = {"requirement": done.release.requirement.to_dict(), "method": done.method, "loss": dict(loss)}
    print_json(told | {"written": not dry_run})


def _key(path: Path) -> bytes:
    """The key in a file, as it stands there."""
    from confide.core.files import read_bytes

    return bytes(read_bytes(path))
