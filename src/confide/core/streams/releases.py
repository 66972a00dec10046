"""One release of a run, as a line of JSON that holds the hash of the line before it.

    {"id": "5f...-12", "release": 12, "offset": 3100, "records": 2000, "itemsets": [[["a", "b"], 41], ...],
     "previous": "...", "sha256": "..."}

`offset` counts the records that had been read; with time stamps, `until` is that of the newest. The same release gives
the same bytes, so a line that reads back as something else was not written by us.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from confide.core.errors import ConfideError, InputError
from confide.core.itemsets.container import Itemsets
from confide.core.json_text import read_json
from confide.core.streams.header import chained
from confide.core.transactions.labels import as_label

__all__ = ["WindowRelease", "release_line"]

_LARGEST = 1 << 53
_quoted = lru_cache(maxsize=1 << 16)(lambda label: json.dumps(label, ensure_ascii=False))


@dataclass(frozen=True, kw_only=True, eq=False)
class WindowRelease:
    """What was published of one window; `data` holds sanitised supports."""

    id: str
    number: int
    offset: int
    until: float | None
    data: Itemsets
    previous: str
    sha256: str

    @property
    def line(self) -> bytes:
        """The line it came from."""
        run = self.id.rpartition("-")[0]
        return release_line(
            self.data.sorted(),
            run=run,
            number=self.number,
            offset=self.offset,
            until=self.until,
            previous=self.previous,
        )[0]

    @classmethod
    def from_line(cls, line: bytes, *, source: object = None, at: int | None = None) -> "WindowRelease":
        """Read a line, strictly: it must be as `release_line` writes it. `at` is its number in the file."""
        try:
            found = read_json(line, what="a release", source=None)
            data = Itemsets.from_pairs(_pairs(found["itemsets"]), n_transactions=_count(found["records"]))
            until = found.get("until")
            if until is not None and (isinstance(until, bool) or not isinstance(until, int | float)):
                raise TypeError
            release = cls(
                id=_text(found["id"]),
                number=_count(found["release"]),
                offset=_count(found["offset"]),
                until=until,
                data=data,
                previous=_text(found["previous"]),
                sha256=_text(found["sha256"]),
            )
            if release.line == line:
                return release
        except (ConfideError, KeyError, TypeError, ValueError, AttributeError):
            raise InputError("is not a release of a run", source=source, line=at) from None
        raise InputError("is not as Confide writes it, or its hash is not its own", source=source, line=at)


def release_line(
    data: Itemsets, *, run: str, number: int, offset: int, until: float | None, previous: str
) -> tuple[bytes, str]:
    """A release as a line, and its hash. The sets stand in canonical order, their items in label order."""
    names = [_quoted(label) for label in data.labels]
    ends, items = data.offsets.tolist(), data.items.tolist()
    begin = 0
    sets = []
    for end, value in zip(ends[1:], data.supports.tolist(), strict=True):
        inside = names[items[begin]] if end - begin == 1 else ",".join([names[i] for i in items[begin:end]])
        sets.append(f"[[{inside}],{value}]")
        begin = end
    time = "" if until is None else f'"until":{json.dumps(until)},'
    body = (
        f'{{"id":"{run}-{number}","release":{number},"offset":{offset},{time}"records":{data.n_transactions},'
        f'"itemsets":[{",".join(sets)}],"previous":"{previous}"}}'
    )
    return chained(body)


def _pairs(found: Any) -> Iterable[tuple[list[str], int]]:
    for labels, value in found:
        if not isinstance(labels, list) or not labels or any(as_label(x) != x for x in labels):
            raise TypeError
        yield labels, _count(value)


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < _LARGEST:
        raise TypeError
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > 100:
        raise TypeError
    return value
