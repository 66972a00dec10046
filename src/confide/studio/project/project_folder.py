"""The folder that the studio works in: names in it, and nothing beside it.

Whatever a page names is a path relative to the folder. Dots that lead out, absolute names, hidden files and links that
end elsewhere are refused alike, and none of the folder's own notes (`.confide`) can be named.
"""

import os
from pathlib import Path, PurePosixPath

from confide.core.errors import UsageError

__all__ = ["HIDDEN", "Project"]

HIDDEN = ".confide"
"""The studio's own notes in the folder: versions, jobs, copies of tables."""

_LONGEST = 200


class Project:
    """A folder, by its true path."""

    def __init__(self, folder: Path):
        if not folder.is_dir():
            raise UsageError(f"{folder} is not a folder; make it first, or name another")
        self.root = folder.resolve()

    def place(self, name: str) -> Path:
        """The path of a name in the folder, whether a file is there or not; UsageError for a name that leads out."""
        parts = PurePosixPath(name).parts
        plain = name.isprintable() and len(name) <= _LONGEST and "\\" not in name
        if not parts or not plain or any(part == ".." or part[0] in "./" for part in parts):
            raise UsageError("no file of this folder has such a name; choose one of those listed")
        path = self.root.joinpath(*parts)
        if not path.resolve().is_relative_to(self.root):
            raise UsageError(f"{name} leads out of this folder; copy the file into it first")
        return path

    def name_of(self, path: Path) -> str:
        """The name of a path in the folder; UsageError if it is not in it."""
        absolute = path if path.is_absolute() else self.root / path
        try:
            name = Path(os.path.normpath(absolute)).relative_to(self.root).as_posix()
        except ValueError:
            raise UsageError(f"{path.name} is not in this folder; copy it there first") from None
        self.place(name)
        return name

    def beginning(self, name: str, most: int) -> bytes:
        """The first bytes of a file; empty for what cannot be read. A pipe is not waited for."""
        try:
            with open(os.open(self.place(name), os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
                return file.read(most)
        except OSError:
            return b""

    def notes(self, *parts: str) -> Path:
        """A folder for the studio's notes, for its owner only; made if it is not there."""
        path = self.root
        for part in (HIDDEN, *parts):
            path = path / part
            try:
                path.mkdir(mode=0o700, exist_ok=True)
            except OSError as error:
                raise UsageError(f"cannot write in this folder: {error.strerror}") from None
            if path.is_symlink():
                raise UsageError(f"{HIDDEN} leads out of this folder; remove that link")
        return path

    def shorten(self, text: str) -> str:
        """A message with the names of files as they are called in the folder."""
        return text.replace(f"{self.root}/", "")
