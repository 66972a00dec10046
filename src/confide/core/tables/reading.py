"""How the files of one call are read: what divides cells, how text is coded, which sheet of a workbook.

with reading(delimiter=";"): ...      for every table and basket file read in this block that is not read otherwise

A command says it once for all the files it reads; a caller in Python passes the same words to the reader itself.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

__all__ = ["Reading", "reading", "settled"]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """None leaves it to the file: the only mark there is, UTF-8, the first sheet."""

    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | None = None


_PLAIN = Reading()
_said: ContextVar[Reading] = ContextVar("confide_reading", default=_PLAIN)


@contextmanager
def reading(**how: str) -> Iterator[None]:
    """Read every file in this block so; blocks within blocks add to it."""
    token = _said.set(replace(_said.get(), **how))
    try:
        yield
    finally:
        _said.reset(token)


def settled(*, delimiter: str | None, encoding: str | None, sheet: str | None) -> Reading:
    """What a reader was told, filled up with what holds for the whole call."""
    said = _said.get()
    return Reading(
        delimiter=said.delimiter if delimiter is None else delimiter,
        encoding=said.encoding if encoding is None else encoding,
        sheet=said.sheet if sheet is None else sheet,
    )
