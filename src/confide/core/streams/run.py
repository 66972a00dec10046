"""A whole published run: a file whose first line says how, and whose other lines are the releases."""

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from confide.core.errors import InputError, UsageError
from confide.core.files import read_bytes
from confide.core.streams.header import StreamHeader
from confide.core.streams.releases import WindowRelease

__all__ = ["StreamRun"]


@dataclass(frozen=True, kw_only=True, eq=False)
class StreamRun:
    """A header and its releases, in order. Reading checks the form of every line, not the promise."""

    artefact_kind = "stream"
    header: StreamHeader
    releases: tuple[WindowRelease, ...]

    def lines(self) -> Iterator[bytes]:
        """The lines of its file."""
        yield self.header.line
        for release in self.releases:
            yield release.line

    def release(self, number: int | None = None) -> WindowRelease:
        """One of the releases, counted from 1; the last where no number is given."""
        if not 1 <= (1 if number is None else number) <= len(self.releases):
            raise UsageError(
                f"the run holds {len(self.releases)} releases; choose one of them with release=", parameter="release"
            )
        return self.releases[-1 if number is None else number - 1]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StreamRun) and list(self.lines()) == list(other.lines())

    __hash__ = None  # type: ignore[assignment]  # arrays inside

    @classmethod
    def from_bytes(cls, data: bytes, *, source: object = None) -> "StreamRun":
        """Read the bytes of a file, strictly."""
        lines = data.splitlines(keepends=True) if b"\r" not in data else []
        if not lines or not data.endswith(b"\n"):
            raise InputError("is not a published run, or its last line is torn", source=source)
        header = StreamHeader.from_line(lines[0], source=source)
        releases = tuple(
            WindowRelease.from_line(line, source=source, at=at) for at, line in enumerate(lines[1:], start=2)
        )
        return cls(header=header, releases=releases)

    @classmethod
    def read(cls, path: str | PathLike[str]) -> "StreamRun":
        """Read a file."""
        return cls.from_bytes(bytes(read_bytes(path)), source=Path(path))
