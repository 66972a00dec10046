"""The job `studio`: all of Confide in a browser, on this machine."""

from dataclasses import dataclass
from pathlib import Path

from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import DocumentOnly
from confide.core.jobs.fields import setting, source
from confide.core.jobs.request import Request

__all__ = ["GROUPS", "JOBS", "OpenStudio"]


@dataclass(frozen=True, kw_only=True)
class OpenStudio(Request):
    """Open all of Confide in a browser: pages for the files of one folder, from this machine to this machine.

    Nothing leaves the machine. The address that is printed holds a key; whoever has it may use the pages, so give it to
    nobody. Ctrl-C ends the pages, not the jobs that run.
    """

    folder: Path = source(Path("."), help="The folder to work in [this one].", metavar="FOLDER")
    port: int = setting(0, ge=0, le=65535, help="Port on the loopback address; 0 takes a free one.")
    browser: bool = setting(True, help="Do not open a browser; only print the address.")


GROUPS: dict[str, str] = {}

JOBS = (
    Job(
        name="studio",
        request=OpenStudio,
        at="confide.studio.listening:open_studio",
        delivery=DocumentOnly,
        live=True,
        examples=("confide studio . --no-browser",),
    ),
)
