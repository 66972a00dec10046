"""Carries out where the outcome of a job goes: files, pages, standard output."""

import sys
from collections.abc import Callable
from dataclasses import replace as changed
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from confide.cli.kernels.interpreting import begun_quickly
from confide.cli.options import note, print_json, print_rows
from confide.core.errors import UsageError
from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import Delivery, PublicFiles, RowsOnly, VerdictDelivery, WordsOnly
from confide.core.jobs.outcome import Host, Outcome, Say
from confide.core.jobs.request import Request
from confide.core.runtime.terminal import safe_text

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["deliver", "lists_as_cells"]


def deliver(
    job: Job[Any], request: Request, delivery: Delivery, *, save: Callable[[Request], None] | None = None
) -> None:
    """Check that files can be written, run the job with progress on a terminal, then write and print what came.

    `save` saves a request; it is called where another than this one gives exactly the same again.
    """
    from confide.core.runtime.progress import on_terminal

    if request.default_output is not None and getattr(delivery, "output", None) is None:
        delivery = changed(delivery, output=request.default_output)  # type: ignore[call-arg]
    key = _check(request, delivery)
    output: Path | None = getattr(delivery, "output", None)
    replace = bool(getattr(delivery, "replace", False))
    owner = getattr(delivery, "owner_report", None) is not None
    page = getattr(delivery, "report", None) is not None
    trial = bool(getattr(delivery, "dry_run", False))
    with begun_quickly(job, request, _note_from_anywhere()) as again, on_terminal():
        ask, secret = again.asking(_ask), again.asking(_ask_secret)
        known: dict[str, Any] = {"output": output, "owner": owner, "page": page, "trial": trial, "replace": replace}
        host = Host(say=again.say, ask=ask, secret=secret, key=key, **known)
        outcome = job(request, host)
    if save is not None and outcome.repeat is not None:
        save(outcome.repeat)
    for text in outcome.notes:
        note(text)
    _tell(outcome, delivery)
    if delivery.HANDS_OUT and outcome.release is not None:
        _hand_out(outcome, delivery, key)
    elif output is not None:
        note(_write(outcome, output, replace=replace))
    _write_further(outcome, delivery)
    if not delivery.HANDS_OUT or outcome.release is None:
        _write_pages(outcome, delivery, replace=replace)
    if trial:
        note("nothing was written (--dry-run)", reword=False)
    _show(outcome, delivery)
    if outcome.failure is not None:
        raise outcome.failure
    if not outcome.ok:
        raise click.exceptions.Exit(1)


def _note_from_anywhere() -> Say:
    """`note` for a job that speaks from threads of its own, where nobody knows of the command, nor of --quiet."""
    context = click.get_current_context()

    def say(text: str) -> None:
        with context.scope(cleanup=False):
            note(text)

    return say


def _show(outcome: Outcome, delivery: Delivery) -> None:
    """Print what goes to standard output: one document, several tables, or rows."""
    form = getattr(delivery, "form", "json")
    in_rows = form != "json" and bool(outcome.tables or outcome.rows is not tuple)
    if outcome.document is not None and getattr(delivery, "as_json", True) and not in_rows:
        print_json(outcome.document)
    elif outcome.tables and form == "table":
        for title, rows in outcome.tables.items():
            print_rows(rows(), form=form, title=title)
    elif isinstance(delivery, RowsOnly) and (delivery.SHOWN_ANYWAY or getattr(delivery, "output", None) is None):
        _print(outcome, delivery.form)


def _tell(outcome: Outcome, delivery: Delivery) -> None:
    """Show the words of an answer: on standard output, or, where that may have JSON, to the person."""
    if isinstance(delivery, WordsOnly):
        for text in outcome.words:
            print(safe_text(text))
    elif isinstance(delivery, VerdictDelivery) and not delivery.as_json:
        for text in outcome.words:
            note(text, reword=False)


def _write_further(outcome: Outcome, delivery: Delivery) -> None:
    """Write the files that only this job's delivery has."""
    for name, write in outcome.files.items():
        path = getattr(delivery, name)
        if path is not None:
            note(write(path, bool(getattr(delivery, "replace", False))))


def _print(outcome: Outcome, form: str) -> None:
    """The rows on standard output; a table for people has a title, and its legend goes to where words go."""
    rows = outcome.rows if form != "table" or outcome.reading is None else outcome.reading
    if rows is tuple:  # this outcome has none
        return
    if form == "table" and outcome.legend:
        note(outcome.legend)
    print_rows(rows(), form=form, title=outcome.title)


def _ask(question: str) -> bool:
    """Ask the person at the terminal; where nobody sits there, the answer is no."""
    return sys.stdin.isatty() and bool(click.confirm(question, err=True))


def _ask_secret(question: str, new: bool) -> str | None:
    """Ask for a passphrase on the terminal; None where nobody sits there."""
    if not sys.stdin.isatty():
        return None
    return str(click.prompt(question, hide_input=True, confirmation_prompt=new, err=True))


def _check(request: Request, delivery: Delivery) -> Any:
    """Before the work: every file can be written, none is an input or another's, and the key can be read: that key."""
    from confide.core.artefacts.names import check_file_name
    from confide.core.datasets.intake import in_files
    from confide.core.file_groups import check_outputs

    request.check_delivery(delivery)
    sign = getattr(delivery, "sign", None)
    inputs = [*request.inputs(), sign]
    folders = isinstance(delivery, PublicFiles) and any(map(in_files, request.inputs()))
    replace = bool(getattr(delivery, "replace", False))
    if isinstance(delivery, PublicFiles) and delivery.release_file is None:
        if delivery.OUTPUT_NEEDED:
            raise UsageError("say where the release goes with -o FILE")
        if sign is not None:
            raise UsageError(f"no passport is written, so there is nothing to --sign {sign}; give -o FILE alone")
    if isinstance(delivery, PublicFiles) and delivery.release_file is not None:
        check_file_name(delivery.release_file.name)
    check_outputs(list(delivery.targets), inputs=inputs, replace=replace, folders=folders)
    if sign is None:
        return None
    from confide.core.artefacts.signing_keys import read_private_key

    return read_private_key(sign)


def _hand_out(outcome: Outcome, delivery: Any, key: Any) -> None:
    from confide.cli.release_files import ReleaseDestination as Files

    assert outcome.release is not None
    pages = {name: getattr(delivery, name, None) for name in ("report", "owner_report")}
    Files(output=delivery.release_file, **pages, key=key, replace=delivery.replace).hand_out(outcome.release)


def _write(outcome: Outcome, path: Path, *, replace: bool) -> str:
    """Write the answer, and say what was written."""
    from confide.core.artefacts.kinds import save
    from confide.core.itemsets.container import Itemsets
    from confide.core.tables.framed import Framed
    from confide.core.transactions.container import Transactions

    if outcome.save is not None:
        return outcome.save(path, replace)
    answer = outcome.answer
    has_files = isinstance(answer, Itemsets | Transactions)
    data = answer.to_arrow() if isinstance(answer, Framed) and not has_files else answer
    save(lists_as_cells(data) if ".csv" in path.suffixes else data, path, replace=replace)
    return f"{outcome.summary} written to {path}".strip()


def _write_pages(outcome: Outcome, delivery: Delivery, *, replace: bool) -> None:
    """Write the page about the outcome: of what was planned or studied, or else of the release."""
    for path in (getattr(delivery, "report", None), getattr(delivery, "owner_report", None)):
        if path is None:
            continue
        from confide import report
        from confide.core.files import write_text

        if outcome.page is not None:
            study = outcome.page()
            report.write_study(path, study.title, **study.shown(), replace=replace)
        elif outcome.release is not None:
            write_text(path, report.render(outcome.release), replace=replace)
        note(f"page written to {path}")


def lists_as_cells(data: "pa.Table | Any") -> "pa.Table | Any":
    """A table with each list of labels as one cell, since CSV has no lists; other data as it is."""
    import pyarrow as pa

    from confide.core.itemsets.itemset_files import csv_cell

    if not isinstance(data, pa.Table):
        return data
    columns = {
        name: pa.array([csv_cell(labels) for labels in data[name].to_pylist()], pa.string())
        if pa.types.is_list(data[name].type) or pa.types.is_large_list(data[name].type)
        else data[name]
        for name in data.column_names
    }
    return pa.table(columns)
