"""One file of the folder: what can be done with it; a report in a frame of its own; the file itself, to keep."""

from typing import Any

from confide.core.errors import InputError, UsageError
from confide.core.files import read_regular
from confide.studio.project.file_kinds import PASSPORT
from confide.studio.visit import Answer, FileAnswer, GoTo, Page, Visit, address

__all__ = ["give_file", "give_report", "show_file"]

_LARGEST = 64 << 20
_LARGEST_COPY = 256 << 20
_SHOWN = 200_000  # bytes of a text on a page

_WAYS = {
    "table": (
        ("publish table", "table", "Publish it, so that nobody in it can be found"),
        ("publish schema", "table", "Propose what each column is"),
        ("share domains", "table", "Describe it for a shared tree"),
    ),
    "baskets": (
        ("publish transactions", "records", "Publish them, so that nobody can be found by a few items"),
        ("attack transactions", "records", "See how many people a few items single out"),
        ("mine itemsets", "records", "Find what is frequent (protects nobody)"),
        ("stream attack", "records", "See what publishing them as a stream would give away"),
    ),
    "schema": (("publish table", "schema", "Publish a table by this schema"),),
    "passport": (),
}


def show_file(visit: Visit) -> Answer:
    """What a file is, and what can be done with it."""
    studio, name = visit.studio, visit.text("name")
    found = studio.files.named(name)
    if found is None:
        raise InputError("is not in the folder any more", source=name[:100])
    if found.kind == "run":
        return GoTo(address("run", name=name))
    passport = name if found.kind == "passport" else f"{name}{PASSPORT}"
    released = studio.files.named(passport) is not None
    columns = (
        [(address("columns", table=name), "See and say what each of its columns is")] if found.kind == "table" else []
    )
    if found.kind == "hierarchy":
        columns = [(address("hierarchy", name=name), "See its groups as a tree, and change them")]
    values: dict[str, Any] = {
        "file": found,
        "ways": columns
        + [(address("run", job=job, **{field: name}), words) for job, field, words in _WAYS.get(found.kind, ())],
        "passport": passport if released else "",
        "verdict": studio.verdicts.of(passport) if released else None,
        "text": _text(visit, name) if found.kind in ("schema", "hierarchy", "json", "other", "passport") else None,
    }
    waiting = found.counting or (released and values["verdict"].state == "waiting")
    return Page(template="file.html.j2", title=name, values=values, again_after=2 if waiting else None)


def _text(visit: Visit, name: str) -> str | None:
    """The beginning of a text file; None for what is no text."""
    data = read_regular(visit.studio.project.place(name), max_bytes=_LARGEST)[:_SHOWN]
    return None if b"\0" in data else data.decode("utf-8", "replace")


def give_report(visit: Visit) -> Answer:
    """A report, for a frame: under a policy without scripts, in a sandbox."""
    name = visit.text("name")
    if not name.endswith(".html"):
        raise UsageError("only reports (.html) are shown in a frame")
    data = read_regular(visit.studio.project.place(name), max_bytes=_LARGEST)
    return FileAnswer(data=data, type="text/html; charset=utf-8", framed=True)


def give_file(visit: Visit) -> Answer:
    """A file of the folder as it is, to keep."""
    name = visit.text("name")
    data = read_regular(visit.studio.project.place(name), max_bytes=_LARGEST_COPY)
    return FileAnswer(data=data, type="application/octet-stream", name=name.rpartition("/")[2])
