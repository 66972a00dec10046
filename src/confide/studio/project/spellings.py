"""A run in other words: as a command, as a Python script, as a notebook. Each does what the run does."""

import json
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import Delivery
from confide.core.jobs.fields import RequestField, fields_of
from confide.core.jobs.kinds import Flag, Several, Together, Trials, names_files
from confide.core.jobs.request import Request
from confide.studio.project.project_folder import Project

__all__ = ["command_line", "line_of", "notebook_text", "python_text"]


def command_line(project: Project, job: Job[Any], request: Request, delivery: Delivery) -> list[str]:
    """The words of the command, to be given in the folder; `shlex.join` makes a line of them."""
    words = ["confide", *job.name.split()]
    for asked in (request, delivery):
        for field in fields_of(type(asked)):
            value = getattr(asked, field.name)
            if value != field.default and not field.secret and not field.in_python:
                words += _option(field, _named(project, field, value))
    return words


def _option(field: RequestField, value: Any) -> list[str]:
    """The words that give a field its value."""
    name = field.short or field.option_name
    if field.position:  # a file may be called --replace
        words = [str(word) for word in (value if isinstance(value, list) else [value])]
        return [f"./{word}" if word.startswith("-") and names_files(field.kind) else word for word in words]
    if field.flags is not None:
        return [f"--{value}"]
    if isinstance(field.kind, Flag):
        return [field.option_name]
    if isinstance(field.kind, Together):
        return [name, *(str(part) for part in value)]
    if isinstance(value, Mapping):
        return [word for key, part in value.items() for word in (name, _by_name(key, part))]
    if isinstance(value, list) and field.repeat:
        return [word for part in value for word in (name, *map(str, part if isinstance(part, list) else [part]))]
    if isinstance(value, list):
        quoted = isinstance(field.kind, Several) and not isinstance(field.kind, Trials)
        return [name, ",".join(f'"{part}"' if quoted and "," in str(part) else str(part) for part in value)]
    return [name, str(value)]


def _by_name(key: str, part: Any) -> str:
    shown = ",".join(map(str, part)) if isinstance(part, list) else str(part)
    return shown if key == "*" else f"{key}={shown}"


def python_text(project: Project, job: Job[Any], request: Request, delivery: Delivery) -> str:
    """A script that makes the request, runs the job and writes what came of it, to be run in the folder."""
    module, name = type(request).__module__, type(request).__name__
    values = ((field, getattr(request, field.name)) for field in fields_of(type(request)) if not field.secret)
    given = [f"    {f.name}={_named(project, f, value)!r}," for f, value in values if value != f.default]
    lines = [
        "from confide.core.jobs import job_named",
        f"from {module} import {name}",
        "",
        *([f"request = {name}(", *given, ")"] if given else [f"request = {name}()"]),
        *_ending(project, job, delivery),
    ]
    return "\n".join(lines) + "\n"


def _ending(project: Project, job: Job[Any], delivery: Delivery) -> Iterator[str]:
    """Run the job, show its notes, write its files."""
    output = getattr(delivery, "output", None)
    trial = bool(getattr(delivery, "dry_run", False))
    if delivery.HANDS_OUT and output is not None and not trial:
        yield from (f'outcome = job_named("{job.name}")(request)', 'print(*outcome.notes, sep="\\n")')
        file = project.name_of(output)
        replace = ", replace=True" if getattr(delivery, "replace", False) else ""
        yield f"passport = outcome.release.write({file!r}{replace})"
        report = getattr(delivery, "report", None)
        if report is not None:
            yield "from confide import report"
            yield f"report.write(outcome.release, {project.name_of(report)!r}, passport=passport{replace})"
        return
    yield f'outcome = job_named("{job.name}")(request)'
    yield 'print(*outcome.notes, sep="\\n")'
    yield "outcome.release if outcome.release is not None else outcome.answer"


def notebook_text(project: Project, job: Job[Any], request: Request, delivery: Delivery) -> str:
    """The script as a notebook: a cell of words, a cell of code; Jupyter shows the outcome below it."""
    code = python_text(project, job, request, delivery).rstrip("\n")
    words = f"# {job.name}\n\n{job.summary}"
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "id": "what", "metadata": {}, "source": words},
        {
            "cell_type": "code",
            "id": "run",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": code + "\noutcome",
        },
    ]
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def _named(project: Project, field: RequestField, value: Any) -> Any:
    """The plain value of a field, its files by their names in the folder."""
    if not names_files(field.kind):
        return field.kind.plain(value)
    if isinstance(value, Mapping):
        return {key: _name(project, part) for key, part in value.items()}
    return [_name(project, part) for part in value] if isinstance(value, tuple) else _name(project, value)


def _name(project: Project, value: Any) -> str:
    return project.name_of(value) if isinstance(value, Path) else str(value)


def line_of(words: list[str]) -> str:
    """The words as a shell takes them."""
    return shlex.join(words)
