"""`confide publish table`: make a table keep a requirement, or explore what methods and settings would cost."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from confide.cli.options import (
    EXISTING,
    NEW,
    SHARE,
    engine_for_parquet_only,
    engine_options,
    form_options,
    note,
    print_json,
    print_rows,
    text_options,
)
from confide.cli.release_files import ReleaseFiles, folder_for_parts, release_options
from confide.cli.requirement_options import asked_requirements, several_requirement_options

if TYPE_CHECKING:
    import pyarrow as pa

    from confide.core.datasets.tables import StoredTable
    from confide.core.requirements.tables import TableRequirement
    from confide.publish import TableRequest

__all__ = ["table"]


@click.command(
    epilog="""\b
Examples:
  confide publish table registry.csv --schema registry.schema.toml --explore --k 5,10 --table
  confide publish table registry.csv -o out.csv --schema registry.schema.toml --k 5 --diversity distinct --l 2
"""
)
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@text_options
@engine_options
@click.option("--schema", type=EXISTING, required=True, help="TOML file: role and hierarchy of each column.")
@release_options()
@several_requirement_options
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
    help="auto tries those that recode locally, and says which lost least; of what is not in memory, incognito.",
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
@click.option("--explore", is_flag=True, help="Price every method under every combination of --k, --l ...")
@click.option("--lattice", type=NEW, help="With --explore: write every generalisation with its loss here (incognito).")
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
    lattice: Path | None,
    form: str,
    **asked: Any,
) -> None:
    """Make the values of IN coarser until every group of rows that look alike keeps what is asked: --k, --l, --t and so
    on; several are all kept.

    IN is CSV or Parquet, or a folder of Parquet files. What does not fit into memory is read in passes, by incognito,
    k-optimize or top-down, and released as a folder of parts.

    The loss goes to stdout as JSON. Exit status 1 when it cannot be done, with the nearest setting that can. With
    --explore, numbers may be several with commas between (--k 5,10,20), and --report draws them.
    """
    from confide.core.datasets.intake import in_files
    from confide.core.errors import UsageError
    from confide.core.file_groups import check_outputs
    from confide.publish import TableRequest

    requirements = asked_requirements(asked)
    if not requirements:
        raise UsageError("say what must hold: --k for example, --l, --t (see --help)")
    if explore and (output or dry_run or sign or mapping or owner_report):
        raise UsageError("--explore releases nothing; leave out -o, --dry-run, --sign, --mapping and --owner-report")
    if not explore and (len(requirements) > 1 or lattice is not None):
        raise UsageError("several values for a number, and --lattice, go with --explore")
    if not explore and output is None and not dry_run:
        raise UsageError("say where the release goes with -o FILE, or --dry-run to see what it would lose")
    files = ReleaseFiles.checked(
        None if dry_run else output,
        report=report,
        owner_report=owner_report,
        sign=sign,
        replace=replace,
        inputs=[source, schema, pseudonyms],
        parts=in_files(source),
    )
    written = [source, schema, output, report, owner_report]
    check_outputs([mapping, lattice], inputs=written, replace=replace)
    options: dict[str, Any] = {"method": method, "loss": loss, "suppress": suppress, "missing": missing}
    request = TableRequest(
        requirement=requirements[0],
        schema=schema,
        **options,
        keep_order=keep_order,
        pseudonyms=None if pseudonyms is None else _key(pseudonyms),
        explain=owner_report is not None,
    )
    frame = _read(source)
    if explore:
        _explore(_in_memory(frame), request, requirements, report=report, lattice=lattice, replace=replace, form=form)
    else:
        into = _into(frame, output)
        _publish(frame, request, files, into=into, mapping=mapping, dry_run=dry_run, form=form)


def _read(source: Path) -> "pa.Table | StoredTable":
    """The table, or where it lies if it stays there; says what was read."""
    from confide.core.datasets.intake import as_rows, in_files

    if not in_files(source):
        engine_for_parquet_only()
    frame = as_rows(source)
    note(f"read {source}: {len(frame):,} rows, {len(frame.column_names)} columns")
    return frame


def _in_memory(frame: "pa.Table | StoredTable") -> "pa.Table":
    from confide.core.datasets.tables import StoredTable

    return frame.to_table() if isinstance(frame, StoredTable) else frame


def _into(frame: "pa.Table | StoredTable", output: Path | None) -> Path | None:
    """The folder for parts; what is in memory becomes a file, whose name must say which kind."""
    from confide.core.datasets.tables import StoredTable
    from confide.core.tables.frames import format_of

    if isinstance(frame, StoredTable):
        return folder_for_parts(output)
    if output is not None:
        format_of(output)
    return None


def _explore(
    frame: Any,
    request: "TableRequest",
    requirements: "list[TableRequirement]",
    *,
    report: Path | None,
    lattice: Path | None,
    replace: bool,
    form: str,
) -> None:
    from confide.core.runtime.progress import on_terminal
    from confide.publish import explore_table

    with on_terminal():
        found = explore_table(frame, request, requirements=requirements)
    rows = found.rows()
    print_rows(_for_reading(rows) if form == "table" else rows, form=form, title=found.title)
    for text in found.notes:
        note(text)
    if report is not None:
        from confide import report as pages

        shown: dict[str, Any] = {"charts": found.charts(), "tables": found.tables(), "diagrams": found.diagrams()}
        pages.write_study(report, found.title, lead=found.lead, **shown, replace=replace)
    if lattice is not None:
        _write_lattice(frame, request, lattice, replace=replace)


def _write_lattice(frame: Any, request: "TableRequest", path: Path, *, replace: bool) -> None:
    from confide.core.runtime.progress import on_terminal
    from confide.core.tables.frames import write_table
    from confide.publish import Incognito

    with on_terminal():
        found = Incognito(**request.options()).explore(frame, request.schema)
    write_table(found.to_arrow(), path, replace=replace, private=True)
    note(f"{len(found):,} generalisations are written to {path}: for the owner only")


_SHORT = ("method", "detail lost", "rows left out", "holds", "groups", "refused")


def _for_reading(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The numbers asked for and the columns that fit 80 letters, without those that say nothing."""
    asked = list(rows[0])[: list(rows[0]).index("method")]
    said = [name for name in (*asked, *_SHORT) if any(row[name] not in (None, "") for row in rows)]
    return [{name: row[name] for name in said} | {"holds": "yes" if row["holds"] else "no"} for row in rows]


def _publish(
    frame: Any,
    request: "TableRequest",
    files: ReleaseFiles,
    *,
    into: Path | None,
    mapping: Path | None,
    dry_run: bool,
    form: str,
) -> None:
    from confide.core.runtime.progress import on_terminal
    from confide.publish import publish_table

    with on_terminal():
        done = publish_table(frame, request, into=into)
    recoding = None if mapping is None else done.needed_mapping()
    files.hand_out(done.release)
    if mapping is not None and recoding is not None:
        recoding.write(mapping, replace=files.replace)
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
