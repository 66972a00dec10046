"""Carries out where the outcome of a job goes: files, pages, standard output."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from confide.cli.options import note, print_json, print_rows
from confide.core.errors import UsageError
from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import AnswerFiles, Delivery, ReleaseFiles, StudyFiles
from confide.core.jobs.outcome import Host, Outcome
from confide.core.jobs.request import Request

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["deliver", "lists_as_cells"]


def deliver(job: Job[Any], request: Request, delivery: Delivery) -> None:
    """Check that files can be written, run the job with progress on a terminal, then write and print what came."""
    from confide.core.runtime.progress import on_terminal

    key = _check(request, delivery)
    output: Path | None = getattr(delivery, "output", None)
    owner = getattr(delivery, "owner_report", None) is not None
    with on_terminal():
        outcome = job(request, Host(say=note, ask=_ask, output=output, owner=owner))
    for text in outcome.notes:
        note(text)
    if isinstance(delivery, ReleaseFiles) and outcome.release is not None:
        _hand_out(outcome, delivery, key)
    elif output is not None:
        note(_write(outcome, output, replace=bool(getattr(delivery, "replace", False))))
    if isinstance(delivery, StudyFiles) and delivery.report is not None:
        _write_study(outcome, delivery.report, replace=delivery.replace)
    if outcome.document is not None:
        print_json(outcome.document)
    elif isinstance(delivery, AnswerFiles) and output is None:
        _print(outcome, delivery.form)


def _print(outcome: Outcome, form: str) -> None:
    """The rows on standard output; a table for people has a title, and its legend goes to where words go."""
    rows = outcome.rows if form != "table" or outcome.reading is None else outcome.reading
    if form == "table" and outcome.legend:
        note(outcome.legend)
    print_rows(rows(), form=form, title=outcome.title)


def _ask(question: str) -> bool:
    """Ask the person at the terminal; where nobody sits there, the answer is no."""
    return bool(click.confirm(question, err=True))


def _check(request: Request, delivery: Delivery) -> Any:
    """Before the work: every file can be written, none is an input or another's, and the key can be read: that key."""
    from confide.core.datasets.intake import in_files
    from confide.core.file_groups import check_outputs

    request.check_delivery(delivery)
    sign = getattr(delivery, "sign", None)
    inputs = [*request.inputs(), sign]
    folders = isinstance(delivery, ReleaseFiles) and any(map(in_files, request.inputs()))
    replace = bool(getattr(delivery, "replace", False))
    if isinstance(delivery, ReleaseFiles) and delivery.output is None:
        raise UsageError("say where the release goes with -o FILE")
    check_outputs(list(delivery.targets), inputs=inputs, replace=replace, folders=folders)
    if sign is None:
        return None
    from confide.core.artefacts.keys import read_private_key

    return read_private_key(sign)


def _hand_out(outcome: Outcome, delivery: ReleaseFiles, key: Any) -> None:
    from confide.cli.release_files import ReleaseFiles as Files

    assert outcome.release is not None
    pages = {"report": delivery.report, "owner_report": delivery.owner_report}
    Files(output=delivery.output, **pages, key=key, replace=delivery.replace).hand_out(outcome.release)


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


def _write_study(outcome: Outcome, path: Path, *, replace: bool) -> None:
    from confide import report

    assert outcome.page is not None
    study = outcome.page()
    report.write_study(path, study.title, **study.shown(), replace=replace)


def lists_as_cells(data: "pa.Table | Any") -> "pa.Table | Any":
    """A table with each list of labels as one cell, since CSV has no lists; other data as it is."""
    import pyarrow as pa

    from confide.core.itemsets.files import csv_cell

    if not isinstance(data, pa.Table):
        return data
    columns = {
        name: pa.array([csv_cell(labels) for labels in data[name].to_pylist()], pa.string())
        if pa.types.is_list(data[name].type) or pa.types.is_large_list(data[name].type)
        else data[name]
        for name in data.column_names
    }
    return pa.table(columns)
