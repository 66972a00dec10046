"""What a screen is given and what it gives back.

Visit (the studio, the query, the posted texts) --> a screen's function --> Page | GoTo | FileAnswer
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from confide.core.errors import UsageError
from confide.studio.project.file_kinds import FileList
from confide.studio.project.project_folder import Project
from confide.studio.project.versions import Versions
from confide.studio.tables.copies import Copies
from confide.studio.work.comparisons import Comparisons
from confide.studio.work.running_jobs import RunningJobs
from confide.studio.work.verdicts import Verdicts

__all__ = ["Answer", "FileAnswer", "GoTo", "Page", "Studio", "Visit", "address"]


class Studio:
    """All that screens share: a folder, the versions of its texts, its files, its jobs and comparisons, verdicts on
    its releases, copies of its tables."""

    def __init__(self, project: Project):
        self.project = project
        self.versions = Versions(project)
        self.files = FileList(project)
        self.jobs = RunningJobs(project)
        self.comparisons = Comparisons(project, self.jobs)
        self.verdicts = Verdicts(project)
        self.copies = Copies(project)


@dataclass(frozen=True, kw_only=True)
class Visit:
    """One request for a screen. `form` is what was posted, None where somebody only looks."""

    studio: Studio
    query: Mapping[str, str]
    form: Mapping[str, list[str]] | None = None

    def text(self, name: str, default: str = "") -> str:
        """A text of the form, or of the query where nothing was posted."""
        if self.form is not None and name in self.form:
            return self.form[name][-1]
        return self.query.get(name, default)

    def number(self, name: str, default: int | None = None) -> int:
        """A whole number of the form or the query; UsageError if it is none."""
        text = self.text(name)
        if not text and default is not None:
            return default
        if not text.isdecimal() or len(text) > 12:
            raise UsageError(f"{name} is not a number; open the page again from the start")
        return int(text)


@dataclass(frozen=True, kw_only=True)
class Page:
    """A template with its values. An `owner` page shows what is in people's data, and says so."""

    template: str
    title: str
    values: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200
    owner: bool = False
    again_after: int | None = None


@dataclass(frozen=True)
class GoTo:
    """Another page to show, by its relative address."""

    where: str


@dataclass(frozen=True, kw_only=True)
class FileAnswer:
    """Bytes as they are: a file to keep (under `name`), data for a script, or a report in a frame (`framed`)."""

    data: bytes
    type: str
    name: str = ""
    framed: bool = False


Answer = Page | GoTo | FileAnswer


def address(path: str, **query: object) -> str:
    """A relative address with a query: address("job", n=3) is "job?n=3"."""
    from urllib.parse import urlencode

    return f"{path}?{urlencode({name: str(value) for name, value in query.items()})}" if query else path
