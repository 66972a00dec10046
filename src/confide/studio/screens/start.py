"""Start: what lies in the folder, what was released from it and whether that holds, a way to try with nobody's data."""

from typing import Any

from confide.studio.begun import begin_job
from confide.studio.forms.suggestions import schema_of_table
from confide.studio.project.file_kinds import KINDS, FoundFile
from confide.studio.project.run_files import free_name, read_run
from confide.studio.visit import Answer, GoTo, Page, Studio, Visit, address

__all__ = ["show_start"]

_SHOWN = 60  # files of one kind
_INVENTIONS = {
    "people": ("sample people", "people.csv", {"rows": ["1000"]}),
    "baskets": ("sample baskets", "baskets.csv", {"records": ["2000"]}),
}


def show_start(visit: Visit) -> Answer:
    """The folder; posted `invent`: write invented people or baskets into it."""
    studio = visit.studio
    if visit.form is not None:
        return _invent(studio, visit.text("invent"))
    files = studio.files.all()
    groups = [
        (heading, listed[:_SHOWN], max(0, len(listed) - _SHOWN))
        for kind, heading in KINDS.items()
        if (listed := [file for file in files if file.kind == kind]) and kind not in ("passport", "run")
    ]
    passports = [file for file in files if file.kind == "passport"]
    releases = [(file, _released(file), studio.verdicts.of(file.name)) for file in passports[:_SHOWN]]
    runs = [read_run(studio.project, file.name) for file in files if file.kind == "run"][:_SHOWN]
    waiting = any(file.counting for file in files) or any(verdict.state == "waiting" for *_, verdict in releases)
    values: dict[str, Any] = {
        "groups": groups,
        "releases": releases,
        "runs": runs,
        "jobs": studio.jobs.all(most=5),
        "tables": [file for file in files if file.kind == "table" and not file.passport],
        "baskets": [file for file in files if file.kind == "baskets" and not file.passport],
        "described": {file.name for file in files if file.kind == "table" and schema_of_table(studio.files, file.name)},
        "empty": not files,
        "links": _links(files),
    }
    return Page(template="start.html.j2", title="Start", values=values, again_after=2 if waiting else None)


def _released(passport: FoundFile) -> str:
    return passport.name.removesuffix(".passport.json")


def _links(files: list[FoundFile]) -> dict[str, str]:
    """Where each file leads."""
    return {file.name: address("file", name=file.name) for file in files}


def _invent(studio: Studio, what: str) -> Answer:
    """Make the run that invents, start it, and show it at work."""
    name, wanted, texts = _INVENTIONS.get(what, _INVENTIONS["people"])
    output = free_name(studio.project, wanted.removesuffix(".csv"), ".csv")
    number = begin_job(studio, name, {**texts, "seed": ["1"], "output": [output]}, f"invent-{what}")
    return GoTo(address("job", n=number))
