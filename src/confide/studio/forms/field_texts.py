"""Between what a form holds, texts by the name of a field, and the request and delivery that it asks for.

    request, delivery --> texts_of --> a form --> posted texts --> asked_by --> request, delivery, or faults by field

A text means what it means on the command line: each field's kind reads it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from confide.core.errors import ConfideError, InputError, RequestError, UsageError
from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import Delivery
from confide.core.jobs.fields import RequestField, fields_of
from confide.core.jobs.kinds import Flag, Named, PerColumn, PopulationKind, Several, Together, Trials, names_files
from confide.core.jobs.request import Request
from confide.studio.project.project_folder import Project

__all__ = ["Fault", "Faults", "Texts", "asked_by", "given_fields", "in_lines", "presets", "texts_for", "texts_of"]

Texts = Mapping[str, Sequence[str]]
"""By the name of a field, what a form holds for it: one text, several (a list to choose from), or none."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What is wrong with a field ("" for what is wrong with several together), and settings that would do."""

    field: str
    line: str
    cures: tuple[Mapping[str, Any], ...] = ()


@dataclass
class Faults(Exception):
    """All that is wrong with a form."""

    found: list[Fault] = field(default_factory=list)


def given_fields(job: Job[Any]) -> list[RequestField]:
    """The fields that a form may hold: those of the request and of the delivery, but for objects and secrets."""
    both = (*fields_of(job.request), *fields_of(job.delivery))
    return [field for field in both if not field.in_python and not field.secret]


def presets(job: Job[Any]) -> dict[str, Any]:
    """What the studio settles by itself: an answer comes in the form that a page can draw, never in a terminal's."""
    names = {field.name for field in fields_of(job.delivery)}
    return {"as_json": True} if "as_json" in names else {}


def in_lines(field: RequestField) -> bool:
    """Whether a form takes several lines for it: a value by name on each, or one of several."""
    return isinstance(field.kind, Named) or (
        isinstance(field.kind, Several) and field.repeat and not names_files(field.kind)
    )


def texts_of(project: Project, *asked: Request) -> dict[str, list[str]]:
    """What a form holds for a request and its delivery."""
    texts: dict[str, list[str]] = {}
    for part in asked:
        for known in fields_of(type(part)):
            value = getattr(part, known.name)
            if not known.in_python and not known.secret:
                texts[known.name] = texts_for(project, known, value)
    return texts


def texts_for(project: Project, known: RequestField, value: Any) -> list[str]:
    """What a form holds for one field."""
    if value is None or value == ():
        return []
    if isinstance(known.kind, Flag):
        return ["yes"] if value else []
    if names_files(known.kind):
        return _file_texts(project, value)
    plain = known.kind.plain(value)
    if isinstance(plain, Mapping):
        return ["\n".join(_line(key, part) for key, part in plain.items())]
    if isinstance(plain, list) and in_lines(known):
        return ["\n".join(" ".join(map(str, part)) if isinstance(part, list) else str(part) for part in plain)]
    if isinstance(plain, list):
        quoted = isinstance(known.kind, Several) and not isinstance(known.kind, Trials)
        return [", ".join(f'"{part}"' if quoted and "," in str(part) else str(part) for part in plain)]
    return [str(plain)]


def _line(key: str, part: Any) -> str:
    shown = ",".join(map(str, part)) if isinstance(part, list) else str(part)
    return shown if key == PerColumn.ALL else f"{key}={shown}"


def _file_texts(project: Project, value: Any) -> list[str]:
    """Names in the folder; what is not in it, or no file, as it stands."""

    def name(part: Any) -> str:
        try:
            return project.name_of(part) if isinstance(part, Path) else str(part)
        except UsageError:
            return str(part)

    if isinstance(value, Mapping):
        return ["\n".join(f"{key}={name(part)}" for key, part in value.items())]
    return [name(part) for part in value] if isinstance(value, tuple) else [name(value)]


def asked_by(project: Project, job: Job[Any], texts: Texts) -> tuple[Request, Delivery]:
    """The request and delivery that a form asks for; `Faults` if something in it cannot be."""
    faults: list[Fault] = []
    values: dict[str, Any] = {}
    for known in given_fields(job):
        try:
            values[known.name] = _value(project, known, texts.get(known.name, ()))
            if known.required and values[known.name] is None:
                faults.append(Fault(field=known.name, line="is needed"))
        except (ValueError, ConfideError) as error:
            faults.append(Fault(field=known.name, line=str(error)))
    if faults:
        raise Faults(faults)
    values |= presets(job)
    delivery = _built(project, job.delivery, values)
    return _built(project, job.request, values), delivery


def _built(project: Project, type: type[Any], values: Mapping[str, Any]) -> Any:
    try:
        return type(**{known.name: values.get(known.name) for known in fields_of(type)})
    except RequestError as error:
        cures = tuple(error.cures)
        what = error.what if error.cure is None else error.what.format(f"{error.parameter} = {error.cure}")
        raise Faults([Fault(field=str(error.parameter), line=what, cures=cures)]) from None
    except InputError as error:
        raise Faults([Fault(field="", line=project.shorten(str(error)))]) from None
    except ConfideError as error:
        line = project.shorten(str(error))
        raise Faults([Fault(field=error.parameter or "", line=line, cures=tuple(error.cures))]) from None


def _value(project: Project, known: RequestField, texts: Sequence[str]) -> Any:
    """The value that texts give a field; None where they give none."""
    given = [text.strip() for text in texts if text.strip()]
    if isinstance(known.kind, Flag):
        return bool(given)
    if not given:
        return None
    if isinstance(known.kind, Named):
        return _by_name(project, known.kind, given)
    if names_files(known.kind):
        if isinstance(known.default, Path) and given == [known.default.as_posix()]:
            return None
        if isinstance(known.kind, PopulationKind) and isinstance(number := known.kind.parse(given[0]), int):
            return number
        paths = tuple(_path(project, text) for text in given)
        return paths if isinstance(known.kind, Several) else paths[0]
    if isinstance(known.kind, Several) and known.repeat:
        parts = [part for text in given for part in text.splitlines() if part.strip()]
        return tuple(known.kind.element.parse(part.strip()) for part in parts)
    if isinstance(known.kind, Together):
        return known.kind.parse(given[0])
    return known.kind.parse(given[0])


def _path(project: Project, text: str) -> Path:
    if "://" in text:
        raise UsageError("names a server; the studio reads files of its folder only")
    return project.place(text)


def _by_name(project: Project, kind: Named, texts: Sequence[str]) -> dict[str, Any]:
    joined: dict[str, Any] = {}
    for line in (line.strip() for text in texts for line in text.splitlines()):
        for name, value in (kind.parse(line) if line else {}).items():
            if name in joined:
                raise ValueError("is given twice; give it once")
            joined[name] = _path(project, str(value)) if names_files(kind) else value
    return joined
