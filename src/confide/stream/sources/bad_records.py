"""What becomes of a record that cannot be read: the run stops there, goes on without it, or sets it aside.

Whatever is chosen, the good records before a bad one are released first.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from confide.core.errors import InputError, UsageError
from confide.stream.sources.batches import Batch

__all__ = ["BadRecords", "sift_lines"]


@dataclass(kw_only=True)
class BadRecords:
    """`rule`: "stop", "skip", or the path of a file that takes them, one JSON line each; `count` is how many there
    were.

    That file holds what people sent, as it came: it is the owner's, and only the owner can read it.
    """

    rule: str | Path = "stop"
    count: int = field(default=0, init=False)

    @property
    def stops(self) -> bool:
        """Whether a bad record ends the run."""
        return self.rule == "stop"

    def set_aside(self, place: str, text: str, error: InputError) -> None:
        """Count a bad record, and write it to the file if there is one."""
        self.count += 1
        if self.rule in ("stop", "skip"):
            return
        line = json.dumps({"at": place, "why": error.what, "record": text}, ensure_ascii=False) + "\n"
        try:
            with open(self.rule, "a", opener=_private) as file:
                file.write(line)
        except OSError as problem:
            raise UsageError(f"cannot write {self.rule}: {problem.strerror}") from None


def sift_lines(block: bytes, line: int, parse: Callable[[bytes, int], Batch], bad: BadRecords) -> Iterator[Batch]:
    """The batch of a block with bad lines: its good lines, or those before the first bad one and then its error."""
    good: list[bytes] = []
    refusal: InputError | None = None
    for at, text in enumerate(block.splitlines(keepends=True), start=line):
        try:
            parse(text, at)
        except InputError as error:
            if bad.stops:
                refusal = error
                break
            bad.set_aside(f"line {at}", text.decode(errors="replace").rstrip("\n"), error)
        else:
            good.append(text)
    yield parse(b"".join(good), line)
    if refusal is not None:
        raise refusal


def _private(path: Any, flags: int) -> int:
    import os

    return os.open(path, flags, 0o600)
