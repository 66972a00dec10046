"""Carries out where the outcome of a job goes: files, pages, standard output."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from confide.cli.options import note, print_rows
from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import AnswerFiles, Delivery
from confide.core.jobs.request import Request

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["deliver", "lists_as_cells"]


def deliver(job: Job[Any], request: Request, delivery: Delivery) -> None:
    """Check that files can be written, run the job with progress on a terminal, then write and print what came."""
    from confide.core.runtime.progress import on_terminal

    assert isinstance(delivery, AnswerFiles)
    _check(request, delivery)
    with on_terminal():
        outcome = job(request, say=note)
    for text in outcome.notes:
        note(text)
    if delivery.output is not None:
        _write(outcome.answer, delivery.output, replace=delivery.replace)
        note(f"{outcome.summary} written to {delivery.output}")
    elif delivery.form == "table":
        print_rows((outcome.reading or outcome.rows)(), form="table", title=outcome.title)
    else:
        print_rows(outcome.rows(), form=delivery.form)


def _check(request: Request, delivery: AnswerFiles) -> None:
    """Before the work: the output can be written, and is not what is read."""
    from confide.core.file_groups import check_outputs

    records = getattr(request, "records", None)
    inputs = [records] if isinstance(records, Path) else []
    check_outputs([delivery.output], inputs=inputs, replace=delivery.replace)


def _write(answer: Any, path: Path, *, replace: bool) -> None:
    from confide.core.artefacts.kinds import save
    from confide.core.itemsets.container import Itemsets
    from confide.core.tables.framed import Framed

    data = answer.to_arrow() if isinstance(answer, Framed) and not isinstance(answer, Itemsets) else answer
    save(lists_as_cells(data) if ".csv" in path.suffixes else data, path, replace=replace)


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
