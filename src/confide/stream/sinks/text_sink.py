"""A file of JSON lines, to which releases are appended; or standard output."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from confide.core.errors import InputError, UsageError
from confide.core.files import check_new, compression_of, sync_folder
from confide.core.streams.header import StreamHeader
from confide.core.streams.releases import WindowRelease
from confide.stream.sinks.lines import Line

__all__ = ["FileSink", "StdoutSink"]

_TAIL = 1 << 16


@dataclass(kw_only=True)
class FileSink:
    """A `.jsonl` file. A line that a crash tore apart is cut off again before the run goes on."""

    path: Path
    replace: bool = False
    _descriptor: int = field(default=-1, init=False, repr=False)

    def __post_init__(self) -> None:
        if compression_of(self.path) or self.path.suffix.lower() not in (".jsonl", ".ndjson"):
            raise UsageError(f"{self.path.name}: a run is written line by line; name it .jsonl")

    @property
    def name(self) -> str:
        """For messages."""
        return str(self.path)

    def check(self) -> None:
        """An existing file only with `replace`."""
        check_new(self.path, replace=self.replace)

    def begin(self, header: StreamHeader, *, resumed: bool) -> int | None:
        """A new file with its first line, or an old one up to its last whole line."""
        if resumed and self.path.exists():
            return self._take_up(header)
        check_new(self.path, replace=self.replace)
        flags = os.O_RDWR | os.O_CREAT | (os.O_TRUNC if self.replace else os.O_EXCL)
        try:
            if self.path.is_symlink():  # the link is replaced, as everywhere; what it leads to is another's
                self.path.unlink()
            self._descriptor = os.open(self.path, flags, 0o666)
        except OSError as error:
            raise UsageError(f"cannot write {self.path}: {error.strerror}") from None
        self._append(header.line)
        sync_folder(self.path.parent)
        return 0

    def _take_up(self, header: StreamHeader) -> int:
        self._descriptor = os.open(self.path, os.O_RDWR)
        size = os.fstat(self._descriptor).st_size
        first = os.pread(self._descriptor, len(header.line), 0)
        if size < len(header.line) and header.line.startswith(first):  # it was torn in its first line
            os.ftruncate(self._descriptor, 0)
            self._append(header.line)
            return 0
        if first != header.line:
            raise InputError("is not the output of the run that the state is of", source=self.path)
        span, tail = _TAIL, b""
        while tail.rstrip(b"\n").count(b"\n") < 2 and len(tail) < size:
            tail = os.pread(self._descriptor, min(span, size), size - min(span, size))
            span *= 4
        whole = tail.rfind(b"\n") + 1
        size -= len(tail) - whole
        os.ftruncate(self._descriptor, size)
        os.lseek(self._descriptor, 0, os.SEEK_END)
        if size == len(header.line):
            return 0
        last = tail[:whole].splitlines(keepends=True)[-1]
        return WindowRelease.from_line(last, source=self.path).number

    def write(self, lines: Sequence[Line]) -> None:
        """Append."""
        self._append(b"".join([line for _, line in lines]))

    def _append(self, data: bytes) -> None:
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError as error:
            raise UsageError(f"cannot write {self.path}: {error.strerror}") from None

    def sync(self) -> None:
        """To disk."""
        os.fdatasync(self._descriptor)

    def close(self) -> None:
        """And synced."""
        if self._descriptor >= 0:
            os.fsync(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = -1


@dataclass(kw_only=True)
class StdoutSink:
    """Standard output: whoever reads it sees each release at least once."""

    name: str = "stdout"

    def check(self) -> None:
        """Always fine."""

    def begin(self, header: StreamHeader, *, resumed: bool) -> int | None:
        """The header, each time a run begins or goes on."""
        self._write_out(header.line)
        return None

    def write(self, lines: Sequence[Line]) -> None:
        """At once."""
        self._write_out(b"".join([line for _, line in lines]))

    def _write_out(self, data: bytes) -> None:
        sys.stdout.write(data.decode())
        sys.stdout.flush()

    def sync(self) -> None:
        """Nothing to do: it has left."""

    def close(self) -> None:
        """Nothing to do."""
