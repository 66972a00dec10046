"""The protocol of sinks: lines that leave once, in order.

    state, with the lines that are about to leave --> synced --> sinks

After a crash in between, the lines in the state are handed over again. A sink that knows how far it got takes each
once; one that does not (a pipe) may see some again, under the same ids.
"""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from confide.core.streams.header import StreamHeader

__all__ = ["KeptSink", "Line", "LineSink"]

Line = tuple[int, bytes]
"""The number of a release, and its line."""


class LineSink(Protocol):
    """Something that takes releases."""

    @property
    def name(self) -> str:
        """For messages."""
        ...

    def check(self) -> None:
        """Refuse, before a new run has written anything, what `begin` would refuse."""
        ...

    def begin(self, header: StreamHeader, *, resumed: bool) -> int | None:
        """Get ready, with the header first; the number of the last release it holds, or None if it cannot know."""
        ...

    def write(self, lines: Sequence[Line]) -> None:
        """Take lines, in order."""
        ...

    def sync(self) -> None:
        """Return when everything taken so far would survive a power cut."""
        ...

    def close(self) -> None:
        """No more lines."""
        ...


@runtime_checkable
class KeptSink(LineSink, Protocol):
    """A sink that can be read again, and keeps the passport of a run that goes nowhere else."""

    def contents(self) -> bytes:
        """All lines, as a file would have them."""
        ...

    def put_passport(self, text: str | None) -> None:
        """Keep the passport; None takes an earlier one away."""
        ...
