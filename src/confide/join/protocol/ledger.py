"""The ledger: every message a party sent or received, and which promise allowed it.

    12:03:07  hospital -> insurer  class-summary  250 entries  1,416 bytes  counts by shared join value and class

Each party keeps its own (`Ledger`), a line per message, and appends it to a file when it has one. At the end of a run
the coordinator asks every site for the sums of what it sent; these make the "who learned what" of the report.
"""

import json
import threading
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from confide.core.errors import InputError
from confide.core.json_text import faults_of
from confide.join.network.state_folder import append_line
from confide.join.protocol.verbs import KINDS

__all__ = ["Ledger", "Line", "add_up_lines"]


@dataclass(frozen=True, kw_only=True)
class Line:
    """All messages of one kind from one party to another, added up."""

    sender: str
    receiver: str
    kind: str
    messages: int
    entries: int
    bytes: int

    @property
    def allowed_by(self) -> str:
        """The promise that allows this kind of message."""
        return KINDS[self.kind].allowed_by if self.kind in KINDS else "nothing"

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        plain = asdict(self)
        return {
            "from": plain.pop("sender"),
            "to": plain.pop("receiver"),
            **plain,
            "allowed_by": self.allowed_by,
        }

    @classmethod
    def from_dict(cls, data: Any, *, source: object = None) -> "Line":
        """Read the JSON form."""
        try:
            read = _LineForm.model_validate(data)
        except ValidationError as error:
            raise InputError(f"not a line of a ledger ({faults_of(error, most=1)})", source=source) from None
        return cls(
            sender=read.sender,
            receiver=read.to,
            kind=read.kind,
            messages=read.messages,
            entries=read.entries,
            bytes=read.bytes,
        )


class _LineForm(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    sender: str = Field(alias="from", max_length=200)
    to: str = Field(max_length=200)
    kind: str = Field(max_length=50)
    messages: int = Field(ge=1)
    entries: int = Field(ge=0)
    bytes: int = Field(ge=0)
    allowed_by: str = Field(default="", max_length=500)


class Ledger:
    """What one party sent and received. Safe to write to from several threads.

    `file`, when given, gets one JSON line per message, as it happens. Sums are of the current run (`begin`); lines
    before any run belong to none. The order that begins a run arrives before the run: `note` is given the run.
    """

    def __init__(self, owner: str, *, file: Path | None = None):
        self.owner = owner
        self._file = file
        self._lock = threading.Lock()
        self._sums: dict[tuple[str, str, str], list[int]] = {}
        self._run = ""
        self._early: tuple[str, list[tuple[tuple[str, str, str], int, int]]] = ("", [])

    @property
    def run(self) -> str:
        """The run whose sums these are."""
        return self._run

    def keep(self, file: Path) -> None:
        """From now on write lines to a file, and continue sums from it."""
        with self._lock:
            self._file = file

    def begin(self, run: str, *, resume: bool = False) -> None:
        """Start the sums of a run; a resumed run keeps what it had, from the file if need be."""
        with self._lock:
            if resume and run == self._run:
                return
            self._run, self._sums = run, {}
            early = self._early[1] if self._early[0] == run else []
            self._early = ("", [])
            if resume and self._file is not None and self._file.exists():
                for line in self._file.read_text(encoding="utf-8").splitlines():
                    self._restore(line)
            else:
                for way, entries, size in early:
                    self._add(way, entries, size)

    def _restore(self, line: str) -> None:
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):  # a line that a crash cut short
            return
        if isinstance(said, dict) and said.get("run") == self._run and "kind" in said:  # a remark has none
            self._add((said["from"], said["to"], said["kind"]), said["entries"], said["bytes"])

    def _add(self, way: tuple[str, str, str], entries: int, size: int) -> None:
        sums = self._sums.setdefault(way, [0, 0, 0])
        for place, value in enumerate((1, entries, size)):
            sums[place] += value

    def note(self, sender: str, receiver: str, kind: str, *, entries: int, bytes: int, run: str | None = None) -> None:
        """Write a line for a message that is about to leave or has just arrived.

        `run` is given where the message belongs to another run than the current one, which it is about to begin.
        """
        with self._lock:
            if run is None or run == self._run:
                self._add((sender, receiver, kind), entries, bytes)
            else:
                lines = self._early[1] if self._early[0] == run else []
                self._early = (run, [*lines[-9:], ((sender, receiver, kind), entries, bytes)])
            if self._file is not None:
                line = {
                    "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
                    "run": self._run if run is None else run,
                    "from": sender,
                    "to": receiver,
                    "kind": kind,
                    "entries": entries,
                    "bytes": bytes,
                    "allowed_by": KINDS[kind].allowed_by if kind in KINDS else "nothing",
                }
                append_line(self._file, json.dumps(line, ensure_ascii=False))

    def remark(self, run: str, said: Mapping[str, Any]) -> None:
        """Write a line that is about no message into the file, if there is one: what was used of a budget."""
        with self._lock:
            if self._file is not None:
                time = datetime.now(UTC).isoformat(timespec="milliseconds")
                append_line(self._file, json.dumps({"time": time, "run": run, **said}, ensure_ascii=False))

    def sent(self) -> tuple[Line, ...]:
        """The sums of what the owner sent."""
        return tuple(line for line in self.lines() if line.sender == self.owner)

    def lines(self) -> tuple[Line, ...]:
        """The sums of everything, sent and received."""
        with self._lock:
            return tuple(
                Line(sender=sender, receiver=receiver, kind=kind, messages=s[0], entries=s[1], bytes=s[2])
                for (sender, receiver, kind), s in sorted(self._sums.items())
            )


def add_up_lines(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Lines of several ledgers as one: the same (from, to, kind) added up, in a fixed order."""
    sums: dict[tuple[str, str, str], list[int]] = {}
    for line in lines:
        held = sums.setdefault((line.sender, line.receiver, line.kind), [0, 0, 0])
        for place, value in enumerate((line.messages, line.entries, line.bytes)):
            held[place] += value
    return tuple(
        Line(sender=sender, receiver=receiver, kind=kind, messages=s[0], entries=s[1], bytes=s[2])
        for (sender, receiver, kind), s in sorted(sums.items())
    )
