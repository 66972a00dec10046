"""Writes docs/reference/commands.md: every command that is a job, from the fields of its request.

python tools/command_reference.py          write the page
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from confide.core.jobs.catalogue import Job, all_jobs
from confide.core.jobs.fields import RequestField, fields_of
from confide.core.jobs.kinds import ChoiceKind, Flag, Several

__all__ = ["PAGE", "page_text"]

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "commands.md"
HEAD = """# Every command

Written by `tools/command_reference.py` from the requests themselves. In a saved request and in Python a setting has the
name in the column *setting*. [Commands](../commands.md) says what holds for all of them. All take
`--save-request FILE`.
"""


def page_text() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(line for job in all_jobs() for line in _section(job))]).rstrip() + "\n"


def _section(job: Job[Any]) -> Iterator[str]:
    fields = (*fields_of(job.request), *fields_of(job.delivery))
    yield f"## confide {job.name}\n"
    yield f"{job.help}\n"
    yield f"In Python: `{job.request.__module__}.{job.request.__name__}`.\n"
    if fields:
        yield "| option | setting | takes | default | meaning |"
        yield "| --- | --- | --- | --- | --- |"
        yield from (_row(field) for field in fields)
        yield ""
    if job.examples:
        yield "```text"
        yield from job.examples
        yield "```\n"


def _row(field: RequestField) -> str:
    option = field.metavar if field.position else ", ".join(filter(None, (field.short, _option(field))))
    default = "required" if field.required else "" if field.default in (None, ()) else str(field.default)
    shown = "in Python" if field.in_python else f"`{option}`"
    cells = (shown, f"`{field.name}`", _takes(field), default, field.help)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _option(field: RequestField) -> str:
    return field.option_name if field.flags is None else ", ".join(f"--{choice}" for choice in field.flags)


def _takes(field: RequestField) -> str:
    """The kind of value, its choices and its bounds."""
    kind = field.kind.element if isinstance(field.kind, Several) else field.kind
    if isinstance(kind, Flag):
        return "yes or no"
    words = ", ".join(kind.choices) if isinstance(kind, ChoiceKind) else field.kind.name
    bounds = [(field.ge, "{} or more"), (field.above, "above {}"), (field.le, "{} or less")]
    return "; ".join([words, *(text.format(f"{bound:,}") for bound, text in bounds if bound is not None)])


if __name__ == "__main__":
    PAGE.write_text(page_text(), encoding="utf-8")
