"""Files and standard input, read block by block: however long the stream, one block is in memory.

A file can be read on from any block, so a run that was broken off finds its window again. Standard input cannot.
"""

import os
import select
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

from confide.core.errors import InputError, UsageError
from confide.core.files import compression_of
from confide.stream.sources.bad_records import BadRecords, sift_records
from confide.stream.sources.batch_source import Batch
from confide.stream.sources.parsing import parse_lines
from confide.stream.sources.time_order import TimeOrder

__all__ = ["FileSource", "StdinSource"]

_BLOCK = 1 << 19
_LONGEST_LINE = 1 << 26
_LOOK = 0.05  # seconds between two looks whether more has come
_FORMS = {".dat": "dat", ".txt": "dat", ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv"}


@dataclass(frozen=True, kw_only=True)
class FileSource:
    """Records in a `.dat`, `.jsonl` or `.csv` file (`.gz` and `.zst` too). With `follow`, waits for more at its end.

    `timed`: whether records have time stamps that are wanted. `bad`: what becomes of records that cannot be read.
    """

    path: Path
    form: str | None = None
    timed: bool = False
    follow: bool = False
    replayable: bool = True
    bad: BadRecords = field(default_factory=BadRecords)

    def __post_init__(self) -> None:
        if self.follow and compression_of(self.path):
            raise UsageError(f"{self.path.name}: a packed file does not grow; follow a plain one")
        _check_form(self.known_form, self.timed)

    @property
    def name(self) -> str:
        """For messages."""
        return str(self.path)

    @property
    def known_form(self) -> str:
        """`dat` or `jsonl`."""
        plain = self.path.with_suffix("") if compression_of(self.path) else self.path
        form = self.form or _FORMS.get(plain.suffix.lower())
        if form is None:
            raise UsageError(
                f"{self.path.name}: the name does not say the format; name it .dat, .jsonl or .csv, or pass format=",
                parameter="format",
            )
        return form

    def check(self) -> None:
        """InputError if the file cannot be opened."""
        self._open().close()

    def batches(self, place: dict[str, Any] | None, stopped: Callable[[], bool]) -> Iterator[Batch | None]:
        """Blocks of the file; a place is {"byte": where, "line": its number}."""
        start, line = (0, 1) if place is None else (int(place["byte"]), int(place["line"]))
        with self._open() as file:
            self._skip(file, start)
            yield from _blocks(
                lambda: file.read(_BLOCK) or None,
                lambda block, at: parse_lines(block, form=self.known_form, timed=self.timed, source=self.path, line=at),
                byte=start,
                line=line,
                source=self.path,
                stopped=stopped,
                follow=self.follow,
                bad=self.bad,
                order=TimeOrder.after(place),
            )

    def _open(self) -> BinaryIO:
        try:
            if compression_of(self.path) == "gzip":
                import gzip

                return cast(BinaryIO, gzip.open(self.path))
            if compression_of(self.path) == "zstd":
                import pyarrow as pa

                return cast(BinaryIO, pa.input_stream(str(self.path), compression="zstd"))
            return open(self.path, "rb", buffering=0)
        except FileNotFoundError:
            raise InputError("no such file", source=self.path) from None
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror or error}", source=self.path) from None

    def _skip(self, file: BinaryIO, start: int) -> None:
        shorter = InputError("is shorter than what was read of it before; give the same file", source=self.path)
        if compression_of(self.path) is None:
            if start > self.path.stat().st_size:
                raise shorter
            file.seek(start)
            return
        while start:
            got = file.read(min(start, _BLOCK))
            if not got:
                raise shorter
            start -= len(got)


@dataclass(frozen=True, kw_only=True)
class StdinSource:
    """Records from standard input, as they come."""

    form: str = "jsonl"
    timed: bool = False
    name: str = "stdin"
    replayable: bool = False
    bad: BadRecords = field(default_factory=BadRecords)

    def __post_init__(self) -> None:
        _check_form(self.form, self.timed)

    def batches(self, place: dict[str, Any] | None, stopped: Callable[[], bool]) -> Iterator[Batch | None]:
        """Whatever has come, in whole lines."""
        descriptor = sys.stdin.fileno()

        def read() -> bytes | None:
            ready, _, _ = select.select([descriptor], [], [], _LOOK)
            return (os.read(descriptor, _BLOCK) or None) if ready else b""

        for batch in _blocks(
            read,
            lambda block, at: parse_lines(block, form=self.form, timed=self.timed, source=self.name, line=at),
            byte=0,
            line=1,
            source=self.name,
            stopped=stopped,
            follow=False,
            bad=self.bad,
            order=TimeOrder(),
        ):
            yield None if batch is None else replace(batch, place=None)


def _blocks(
    read: Callable[[], bytes | None],
    parse: Callable[[bytes, int], Batch],
    *,
    byte: int,
    line: int,
    source: object,
    stopped: Callable[[], bool],
    follow: bool,
    bad: BadRecords,
    order: TimeOrder,
) -> Iterator[Batch | None]:
    """Whole lines as batches. `read` gives bytes, b"" for nothing yet, None at the end."""
    rest = b""
    while not stopped():
        got = read()
        if got is None and follow:
            yield None
            time.sleep(_LOOK)
            continue
        if got == b"":
            yield None
            continue
        whole = rest + (got or b"")
        cut = len(whole) if got is None else whole.rfind(b"\n") + 1
        block, rest = whole[:cut], whole[cut:]
        if len(rest) > _LONGEST_LINE:
            raise InputError(f"a line is longer than {_LONGEST_LINE:,} bytes", source=source, line=line)
        if block:
            place = order.mark({"byte": byte, "line": line})
            try:
                batch = parse(block, line)
                order.check(batch, source)
                order.accept(batch)
                batches = iter([batch])
            except InputError:
                numbered = enumerate(block.splitlines(keepends=True), start=line)
                batches = sift_records(
                    numbered, partial(_parse_numbered, parse), _describe_line, bad=bad, order=order, source=source
                )
            for batch in batches:
                yield replace(batch, place=place)
            byte += len(block)
            line += block.count(b"\n")
        if got is None:
            return


def _parse_numbered(parse: Callable[[bytes, int], Batch], lines: list[tuple[int, bytes]]) -> Batch:
    return parse(b"".join(text for _, text in lines), lines[0][0] if lines else 1)


def _describe_line(line: tuple[int, bytes]) -> tuple[str, str]:
    return f"line {line[0]}", line[1].decode(errors="replace").rstrip("\n")


def _check_form(form: str, timed: bool) -> None:
    if form not in ("dat", "jsonl", "csv"):
        raise UsageError(f"no format {form!r} for streams; formats are: dat, jsonl, csv")
    if timed and form != "jsonl":
        raise UsageError(f'.{form} has no time stamps; use JSON lines, {{"items": [...], "time": ...}}')
