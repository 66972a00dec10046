"""What a job wrote to standard output, as a page can show it: facts, tables, or plain text."""

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from confide.core.errors import InputError
from confide.core.figures import Column, Table
from confide.report.blocks import Fact, Grid, facts, grid
from confide.studio.work.job_folder import JobRecord

__all__ = ["ShownAnswer", "read_rows", "show_answer"]

_ROWS_SHOWN = 200
_TEXT_SHOWN = 20_000


@dataclass(frozen=True, kw_only=True)
class ShownAnswer:
    """An answer on a page: `tables` with titles, `facts` with titles, or `text`."""

    facts: tuple[tuple[str, list[Fact]], ...] = ()
    table: Grid | None = None
    text: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return not (self.facts or self.table or self.text)


def show_answer(job: JobRecord) -> ShownAnswer:
    """The answer of a job that has ended."""
    try:
        text = job.answer()
    except InputError:
        return ShownAnswer(text="The answer is too large for a page; it is in the job's folder.")
    try:
        plain = json.loads(text)
    except ValueError:
        rows = read_rows(text)
        return ShownAnswer(table=_grid(rows)) if rows else ShownAnswer(text=text[:_TEXT_SHOWN])
    if isinstance(plain, Mapping):
        loss = plain.get("loss")
        shown = loss if job.hands_out and isinstance(loss, Mapping) else plain
        return ShownAnswer(facts=(("", facts(shown)),)) if shown else ShownAnswer()
    if isinstance(plain, list) and plain and all(isinstance(part, Mapping) for part in plain):
        if any(isinstance(value, dict | list) for part in plain for value in part.values()):
            return ShownAnswer(facts=tuple((_title(part), facts(part)) for part in plain[:50]))
        return ShownAnswer(table=_grid(plain))
    return ShownAnswer(text=text[:_TEXT_SHOWN])


def read_rows(text: str) -> list[dict[str, Any]]:
    """The rows of JSON lines or of CSV; none where it is neither."""
    lines = text.splitlines()
    if not lines:
        return []
    if lines[0].startswith("{"):
        try:
            rows = [json.loads(line) for line in lines]
        except ValueError:
            return []
        return rows if all(isinstance(row, dict) for row in rows) else []
    table = list(csv.reader(io.StringIO(text)))
    width = len(table[0])
    if width < 2 or any(len(row) != width for row in table):
        return []
    return [dict(zip(table[0], row, strict=True)) for row in table[1:]]


def _grid(rows: list[Any]) -> Grid:
    names = list(dict.fromkeys(name for row in rows[:_ROWS_SHOWN] for name in row))
    cells = tuple(tuple(row.get(name) for name in names) for row in rows)
    return grid(Table(tuple(Column(name, "number") for name in names), cells), most=_ROWS_SHOWN)


def _title(part: Mapping[str, Any]) -> str:
    first = next(iter(part.values()), "")
    return first if isinstance(first, str) else ""
