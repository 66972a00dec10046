"""Run files: one request each, as `--save-request` writes them, named NAME.run.toml where the studio makes them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from confide.core.errors import ConfideError, UsageError
from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import Delivery
from confide.core.jobs.fields import RequestField, fields_of
from confide.core.jobs.kinds import names_files
from confide.core.jobs.request import Request
from confide.core.jobs.request_files import read_request, request_text
from confide.studio.project.project_folder import Project

__all__ = ["ENDING", "RunFile", "check_names", "file_asked", "file_names", "free_name", "read_run", "text_of"]

ENDING = ".run.toml"
_UNFIT = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, kw_only=True)
class RunFile:
    """A request that a file of the folder holds. `fault` says in one line why it cannot be carried out from here; a
    file that cannot be read at all has no `job`."""

    name: str
    job: Job[Any] | None = None
    request: Request | None = None
    delivery: Delivery | None = None
    fault: str = ""


def read_run(project: Project, name: str) -> RunFile:
    """The run of a file; a broken one with its fault."""
    try:
        job, request, delivery = read_request(project.place(name))
    except ConfideError as error:
        return RunFile(name=name, fault=project.shorten(str(error)))
    known: dict[str, Any] = {"name": name, "job": job, "request": request, "delivery": delivery}
    try:
        check_names(project, request, delivery)
    except UsageError as error:
        return RunFile(**known, fault=str(error))
    return RunFile(**known)


def text_of(project: Project, name: str, job: Job[Any], request: Request, delivery: Delivery) -> str:
    """The text of a run file, which may name files of the folder only."""
    check_names(project, request, delivery)
    return request_text(job, request, delivery, project.place(name))


def check_names(project: Project, request: Request, delivery: Delivery) -> None:
    """Refuse a request that reads or writes outside the folder: the studio opens nothing else."""
    for field, value in _files(request, delivery):
        if isinstance(value, str) and "://" in value:
            what = "names a server; the studio reads files of its folder only, `confide run` reads servers, too"
            raise UsageError(f"{field.name} {what}")
        try:
            project.name_of(Path(value))
        except UsageError:
            what = f"{field.name} names a file outside this folder; copy it into the folder first"
            raise UsageError(what, parameter=field.name) from None


def file_names(project: Project, request: Request, delivery: Delivery) -> dict[str, str]:
    """The names of the files that a run writes, by field: `output`, `report`, `mapping` ..."""
    fields = [field for field in fields_of(type(delivery)) if names_files(field.kind)]
    given = {field.name: getattr(delivery, field.name) for field in fields}
    if given.get("output") is None and request.default_output is not None:
        given["output"] = request.default_output
    return {name: project.name_of(path) for name, path in given.items() if isinstance(path, Path)}


def file_asked(project: Project, run: Path, field: str) -> str:
    """The name of the file that a run's request gives for a field; empty where it gives none of the folder."""
    try:
        _, request, _ = read_request(run)
        value = getattr(request, field, None)
        return "" if value is None else project.name_of(Path(str(value)))
    except ConfideError:
        return ""


def free_name(project: Project, wanted: str, ending: str = ENDING) -> str:
    """A name that no file has yet, made of the letters of the one wanted."""
    stem = _UNFIT.sub("-", wanted).strip("-.")[:60] or "run"
    tried = [f"{stem}{ending}", *(f"{stem}-{number}{ending}" for number in range(2, 1000))]
    return next(name for name in tried if not project.place(name).exists())


def _files(request: Request, delivery: Delivery) -> Iterator[tuple[RequestField, Any]]:
    for asked in (request, delivery):
        for field in fields_of(type(asked)):
            if names_files(field.kind):
                value = getattr(asked, field.name)
                listed = (
                    value.values() if isinstance(value, Mapping) else value if isinstance(value, tuple) else [value]
                )
                is_list_of_labels = isinstance(value, tuple) and field.kind.name == "file of labels"
                yield from ((field, part) for part in listed if part is not None and not is_list_of_labels)
