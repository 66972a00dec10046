"""A plain description of a job as JSON, for pages and other programs to draw a form from."""

from typing import Any

from confide.core.jobs.catalogue import Job
from confide.core.jobs.fields import RequestField, fields_of
from confide.core.jobs.kinds import ChoiceKind, Several

__all__ = ["form_of"]


def form_of(job: Job[Any]) -> dict[str, Any]:
    """The job's fields in order, each with its kind, help, default, range, choices, group and when it matters."""
    return {
        "job": job.name,
        "title": job.summary,
        "help": job.help,
        "examples": list(job.examples),
        "fields": [_field(field) for field in fields_of(job.request) if not field.in_python],
        "files": [_field(field) for field in fields_of(job.delivery)],
    }


def _field(field: RequestField) -> dict[str, Any]:
    element = field.kind.element if isinstance(field.kind, Several) else field.kind
    known = {
        "unit": field.unit,
        "at_least": field.ge,
        "above": field.above,
        "at_most": field.le,
        "choices": list(element.choices) if isinstance(element, ChoiceKind) else None,
        "several": isinstance(field.kind, Several) or None,
        "group": field.group,
        "when": None if field.when is None else dict(field.when),
        "secret": field.secret or None,
        "default": None if field.default in (None, ()) else field.kind.plain(field.default),
    }
    shown = {name: value for name, value in known.items() if value not in (None, "")}
    return {
        "name": field.name,
        "option": field.metavar if field.position else field.option_name,
        "kind": element.name,
        "help": field.help,
        "required": field.required,
        **shown,
    }
