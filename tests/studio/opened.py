"""A studio of a folder: served in a thread of the test's process, or by a process of its own as people start it."""

import re
import signal
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.patience import LONG
from tests.search.page_server import serving

from confide.core.samples.people_files import write_people
from confide.studio.project.project_folder import Project
from confide.studio.screen_pages import studio_application
from confide.studio.visit import Studio
from confide.web.guard import Guard
from confide.web.serving import listen, url_of

__all__ = ["Opened", "ask", "folder_of_people", "open_studio", "studio_process", "submit"]


@dataclass(frozen=True)
class Opened:
    """The studio's parts, and the address to open."""

    studio: Studio
    guard: Guard

    @property
    def url(self) -> str:
        return self.guard.entrance


@contextmanager
def open_studio(folder: Path) -> Iterator[Opened]:
    studio = Studio(Project(folder))
    listening = listen("127.0.0.1", 0)
    guard = Guard(url_of(listening, tls=False))
    with serving((studio_application(studio, guard), listening)):
        yield Opened(studio, guard)
    for job in studio.jobs.all():
        studio.jobs.cancel(job.number)


@contextmanager
def studio_process(folder: Path) -> "Iterator[tuple[subprocess.Popen[str], str]]":
    """`confide studio` itself; gives its process and the address that it prints."""
    command = [sys.executable, "-m", "confide", "studio", str(folder), "--no-browser"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.search(r"http://\S+", line)
        assert found, line
        yield process, found[0]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(LONG)


def folder_of_people(folder: Path, rows: int = 300) -> Path:
    """The folder with people.csv, its schema and its hierarchies."""
    write_people(folder / "people.csv", rows, seed=1)
    return folder


def ask(url: str, path: str = "", form: object = None, headers: "dict[str, str] | None" = None) -> tuple[int, str, str]:
    """Status, text and final address of a page; posted if there is a form."""
    data = None if form is None else urllib.parse.urlencode(form, doseq=True).encode()  # type: ignore[arg-type]
    request = urllib.request.Request(url + path, data=data, headers=headers or {})
    try:
        with urllib.request.urlopen(request, timeout=LONG) as answer:
            return answer.status, answer.read().decode(), answer.url
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), url + path


def submit(url: str, job: str, do: str = "save", **texts: object) -> tuple[int, str, str]:
    """Send the form of a job."""
    return ask(url, "run", {"job": job, "name": "", "base": "", "do": do, **texts})
