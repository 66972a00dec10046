"""Every text that the studio changes is kept: undo and redo, also after a restart, also of what others changed.

    .confide/versions/NAME/000003.txt      the text
                           history.json    {"order": [1, 2, 3], "at": 1}     the one in use is order[at]

A text is kept before the file is written, and the history after it: whenever the studio dies, nothing is lost. A file
that somebody else has changed meanwhile, by hand or from the command line, becomes a version of its own.
"""

import json
import threading
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from confide.core.errors import InputError, UsageError
from confide.core.files import read_regular, write_text
from confide.studio.project.project_folder import Project

__all__ = ["Version", "Versions"]

_LARGEST = 16 << 20


@dataclass(frozen=True, kw_only=True)
class Version:
    """One version of a text: its number, and how many steps of undo and redo there are from it."""

    number: int
    text: str
    earlier: int
    later: int


class Versions:
    """The versions of all texts of a folder."""

    def __init__(self, project: Project):
        self._project = project
        self._lock = threading.Lock()

    def current(self, name: str) -> Version | None:
        """The version in use; None for a file that is not there and never was."""
        with self._lock:
            return self._current(name)

    def save(self, name: str, text: str, *, base: int | None = None) -> Version:
        """Make a text the version in use. `base` is the number of the version that it was made from: if another one is
        in use by now, two windows have changed the same thing, and the later one is refused."""
        with self._lock:
            known = self._current(name)
            if base is not None and known is not None and known.number != base:
                raise UsageError(
                    f"{name} was changed in another window since this page was opened; "
                    "what you entered is still here: save once more to keep yours, or open the page again to see theirs"
                )
            if known is not None and known.text == text and self._project.place(name).exists():
                return known
            self._keep(name, text, write=True)
            return self._required(name)

    def undo(self, name: str) -> Version:
        """Go back to the version before."""
        return self._step(name, -1)

    def redo(self, name: str) -> Version:
        """Go forward again."""
        return self._step(name, 1)

    def _step(self, name: str, by: int) -> Version:
        with self._lock:
            self._current(name)
            order, at = self._history(name)
            if not 0 <= at + by < len(order):
                raise UsageError(f"{name} has no {'earlier' if by < 0 else 'later'} version")
            write_text(self._project.place(name), self._text(name, order[at + by]), replace=True)
            self._write(name, order, at + by)
            return self._required(name)

    def _required(self, name: str) -> Version:
        found = self._current(name)
        assert found is not None
        return found

    def _current(self, name: str) -> Version | None:
        """The version in use, after noting what others wrote."""
        path = self._project.place(name)
        text = read_regular(path, max_bytes=_LARGEST).decode("utf-8", "replace") if path.exists() else None
        order, at = self._history(name)
        kept = self._text(name, order[at]) if order else None
        if text is not None and text != kept:
            self._keep(name, text, write=False)
            order, at = self._history(name)
            kept = text
        if kept is None:
            return None
        return Version(number=order[at], text=kept, earlier=at, later=len(order) - 1 - at)

    def _keep(self, name: str, text: str, *, write: bool) -> None:
        """Keep a text as the version in use, and write it into the file unless it came from there."""
        folder = self._folder(name)
        number = max((int(path.stem) for path in folder.glob("*.txt") if path.stem.isdigit()), default=0) + 1
        write_text(folder / f"{number:06}.txt", text, private=True)
        if write:
            write_text(self._project.place(name), text, replace=True)
        order, at = self._history(name)
        self._write(name, [*order[: at + 1], number], len(order[: at + 1]))

    def _text(self, name: str, number: int) -> str:
        path = self._folder(name) / f"{number:06}.txt"
        return read_regular(path, max_bytes=_LARGEST).decode("utf-8", "replace")

    def _history(self, name: str) -> tuple[list[int], int]:
        path = self._folder(name) / "history.json"
        if not path.exists():
            return [], 0
        try:
            plain = json.loads(read_regular(path, max_bytes=_LARGEST))
            order, at = [int(number) for number in plain["order"]], int(plain["at"])
        except (ValueError, KeyError, TypeError, InputError):  # somebody's hand was in it: begin again from the file
            return [], 0
        sound = 0 <= at < len(order) and all((path.parent / f"{number:06}.txt").exists() for number in order)
        return (order, at) if sound else ([], 0)

    def _write(self, name: str, order: list[int], at: int) -> None:
        text = json.dumps({"order": order, "at": at})
        write_text(self._folder(name) / "history.json", text, replace=True, private=True)

    def _folder(self, name: str) -> Path:
        self._project.place(name)
        return self._project.notes("versions", quote(name, safe=""))
