"""The end of a published run: its first line and its last releases, also while it is being written.

Only the end of the file is read, so that a long run is as quick to look at as a short one. A last line that is not
whole yet is left for the next look.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from confide.core.errors import InputError
from confide.core.streams.header import StreamHeader
from confide.core.streams.releases import WindowRelease
from confide.stream.results.support_bounds import PublishedBounds
from confide.stream.results.top_sets import RankedSet, top_published
from confide.studio.project.project_folder import Project

__all__ = ["RunEnd", "find_published_runs", "read_run_end"]

_FIRST_LINE = 1 << 20
_END = 4 << 20
_MOST_RELEASES = 40
_TOP = 15


@dataclass(frozen=True, kw_only=True)
class RunEnd:
    """How a run works, and its last releases, the newest last; `top` are the largest sets of the newest with bounds,
    `courses` what was published of each of them before (None where it was not)."""

    header: StreamHeader
    releases: tuple[WindowRelease, ...]
    top: tuple[RankedSet, ...]
    courses: tuple[tuple[int | None, ...], ...]

    @property
    def newest(self) -> WindowRelease | None:
        """The last release that is whole."""
        return self.releases[-1] if self.releases else None


def find_published_runs(project: Project, names: Sequence[str]) -> list[str]:
    """Those of these files that are published runs."""
    return [name for name in names if project.beginning(name, 20).startswith(b'{"confide":"stream"')]


def read_run_end(project: Project, name: str) -> RunEnd:
    """The end of a run of the folder; an InputError if it is none."""
    path = project.place(name)
    if not path.is_file():
        raise InputError("is not in the folder any more", source=name[:100])
    with open(path, "rb") as file:
        first = file.readline(_FIRST_LINE)
        header = StreamHeader.from_line(first, source=name)
        begin = file.tell()
        end = file.seek(0, os.SEEK_END)
        start = max(begin, end - _END)
        file.seek(start)
        data = file.read(end - start)
    lines = data[: data.rfind(b"\n") + 1].splitlines(keepends=True)
    whole = lines if start == begin else lines[1:]
    releases = tuple(WindowRelease.from_line(line, source=name) for line in whole[-_MOST_RELEASES:])
    if not releases:
        return RunEnd(header=header, releases=(), top=(), courses=())
    top = tuple(top_published(releases[-1].data, PublishedBounds(header), k=_TOP))
    known = [release.data.as_dict() for release in releases]
    courses = tuple(tuple(one.get(frozenset(ranked.items)) for one in known) for ranked in top)
    return RunEnd(header=header, releases=releases, top=top, courses=courses)
