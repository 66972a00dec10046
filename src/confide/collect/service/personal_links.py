"""Personal links: each takes one answer, and is struck off once it is used.

    https://answers.example.org/form#Zk3v...      one a line; what stands behind "#" is in no request but the answer's

The file holds the links that were not used yet, and nothing else. Which answer came by which link is written nowhere:
a link is taken out of the file, which is then written anew, and answers lie in the store in the order of their ids.
An answer is stored first and its link struck off afterwards, before the answer is acknowledged: if the collector is
killed in between, the same answer comes again, is known already, and its link is struck off then.

One collector at a time works on a file.
"""

import asyncio
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from confide.core.artefacts.held_files import hold_file
from confide.core.errors import InputError, UsageError
from confide.core.files import read_regular, write_text

__all__ = ["PersonalLinks", "hold_links", "write_links"]

_CODE = re.compile(r"[A-Za-z0-9_-]{16,64}")
_MOST_LINKS = 10_000_000


def write_links(path: Path, *, address: str, people: int) -> None:
    """Write a link for each of so many people, to be sent to them; the file is for its owner only."""
    if not 1 <= people <= _MOST_LINKS:
        line = f"people={people}: links are made for 1 to {_MOST_LINKS:,} people"
        raise UsageError(line, parameter="people", value=people)
    lines = sorted(f"{address}form#{secrets.token_urlsafe(16)}" for _ in range(people))
    write_text(path, "\n".join(lines) + "\n", private=True)


class PersonalLinks:
    """The links of a file that were not used yet; see this module's text."""

    def __init__(self, path: Path):
        self._path = path
        self._lines: dict[str, str] = {}
        for number, line in enumerate(read_regular(path).decode(errors="replace").splitlines(), start=1):
            code = line.strip().rpartition("#")[2]
            if line.strip() and not _CODE.fullmatch(code):
                raise InputError(f"line {number} is not a link that collect serve wrote", source=path)
            if line.strip():
                self._lines[code] = line.strip()
        self._taken: set[str] = set()
        self._struck: set[str] = set()
        self._writing = asyncio.Lock()

    def __len__(self) -> int:
        return len(self._lines)

    @contextmanager
    def take(self, code: str) -> Iterator[bool]:
        """Whether a link is there to be used; while it is taken, nobody else can use it."""
        if code not in self._lines or code in self._taken:
            yield False
            return
        self._taken.add(code)
        try:
            yield True
        finally:
            self._taken.discard(code)

    async def strike(self, code: str) -> None:
        """Take a link out of the file; returns when that is on disk. Those that come together share one writing."""
        self._struck.add(code)
        async with self._writing:
            if code not in self._struck:  # written with another's
                return
            batch, self._struck = self._struck, set()
            left = {known: line for known, line in self._lines.items() if known not in batch}
            text = "".join(f"{line}\n" for line in left.values())
            try:
                await asyncio.get_running_loop().run_in_executor(None, self._write, text)
            except BaseException:
                self._struck |= batch
                raise
            self._lines = left

    def _write(self, text: str) -> None:
        write_text(self._path, text, replace=True, private=True)


@contextmanager
def hold_links(path: Path, *, address: str, people: int | None) -> Iterator[PersonalLinks]:
    """The links of a file, made for so many people where there is none; held for one collector."""
    with hold_file(path, by="another collector"):
        if not path.exists():
            if people is None:
                line = f"{path} does not exist yet; say for how many people to make links (people=)"
                raise UsageError(line, parameter="people", value=None)
            write_links(path, address=address, people=people)
        yield PersonalLinks(path)
