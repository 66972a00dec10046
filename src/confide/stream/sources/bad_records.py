"""What becomes of a record that cannot be read, or is older than one before it: the run stops there, goes on without
it, or sets it aside.

Whatever is chosen, the good records before a bad one are released first.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from confide.core.errors import InputError, UsageError
from confide.stream.sources.batch_source import Batch
from confide.stream.sources.time_order import TimeOrder

__all__ = ["BadRecords", "sift_records"]

T = TypeVar("T")


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


def sift_records(
    records: Iterable[T],
    read: Callable[[list[T]], Batch],
    describe: Callable[[T], tuple[str, str]],
    *,
    bad: BadRecords,
    order: TimeOrder,
    source: object,
) -> Iterator[Batch]:
    """The batch of records of which some are bad: the good ones, or those before the first bad one and then its error.

    `describe` gives the place of a record and its text.
    """
    good: list[T] = []
    refusal: InputError | None = None
    newest = replace(order)
    for record in records:
        place, text = describe(record)
        try:
            one = read([record])
            newest.check(one, f"{source}, {place}")
        except InputError as error:
            if bad.stops:
                refusal = error
                break
            bad.set_aside(place, text, error)
        else:
            newest.accept(one)
            good.append(record)
    batch = read(good)
    order.accept(batch)
    yield batch
    if refusal is not None:
        raise refusal


def _private(path: Any, flags: int) -> int:
    import os

    return os.open(path, flags, 0o600)
