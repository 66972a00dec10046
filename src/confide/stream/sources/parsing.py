"""Text as records: `.dat` (items and blanks between them), `.csv` (items and commas), or JSON lines (a list of items,
or an object with more).

    ["milk", "bread"]
    {"items": ["milk", "bread"], "time": 1700000000.5}         "time" in seconds, or as 2026-01-31T12:00:00Z

An error names the line, counted from the beginning of the stream, and repeats nothing of what stands there.
"""

import csv
import json
from datetime import UTC, datetime
from typing import Any

import numpy as np

from confide.core.errors import InputError
from confide.core.transactions.container import Transactions
from confide.stream.sources.batch_source import Batch

__all__ = ["parse_lines", "parse_objects", "time_of"]


def parse_lines(block: bytes, *, form: str, timed: bool, source: object, line: int) -> Batch:
    """The records in a block of whole lines; `line` is the number of its first."""
    if form == "dat":
        from confide.core.transactions.text_tokens import transactions_from_text

        try:
            return Batch(rows=transactions_from_text(np.frombuffer(block, dtype=np.uint8), source=source))
        except InputError as error:
            at = None if error.line is None else error.line + line - 1
            raise InputError(error.what, source=source, line=at) from None
    try:
        texts = block.decode().split("\n")
    except UnicodeDecodeError as error:
        at = line + block.count(b"\n", 0, error.start)
        raise InputError("not UTF-8; save it as UTF-8", source=source, line=at) from None
    if form == "csv":
        return _parse_csv(texts, source, line)
    numbered = [(line + i, text) for i, text in enumerate(texts) if text.strip()]
    found = [_read(text, source, at) for at, text in numbered]
    return parse_objects(found, timed=timed, source=source, lines=[at for at, _ in numbered])


def _parse_csv(texts: list[str], source: object, line: int) -> Batch:
    """A record a line, an item a cell; empty cells are left out, and a line without items is an empty record."""
    rows = []
    for at, text in enumerate(texts[:-1] if texts and not texts[-1] else texts, start=line):
        try:
            cells = next(csv.reader([text.rstrip("\r")], strict=True), [])
        except csv.Error:
            raise InputError(
                "not CSV: a quote is not closed; write one record a line", source=source, line=at
            ) from None
        if len(cells) == 1 and ";" in text and '"' not in text:
            what = "semicolons stand between the items; write commas, or put an item that has one in quotes"
            raise InputError(what, source=source, line=at)
        rows.append([cell.strip() for cell in cells if cell.strip()])
    return Batch(rows=Transactions.from_lists(rows))


def parse_objects(
    found: list[Any], *, timed: bool, source: object, lines: list[int] | None = None, default: list[float] | None = None
) -> Batch:
    """Records that were read as JSON; `default` are time stamps for those that have none."""
    rows, times = [], np.zeros(len(found))
    for i, record in enumerate(found):
        at = None if lines is None else lines[i]
        items = record.get("items") if isinstance(record, dict) else record
        if not isinstance(items, list):
            raise InputError(
                'a record is not a set of items; write a list, or an object with the list under "items"',
                source=source,
                line=at,
            )
        for item in items:
            if isinstance(item, bool) or not isinstance(item, str | int) or item == "":
                raise InputError("an item is neither text nor a whole number", source=source, line=at)
        rows.append(items)
        if timed:
            given = record.get("time") if isinstance(record, dict) else None
            times[i] = time_of(default[i] if given is None and default is not None else given, source, at)
    try:
        made = Transactions.from_lists(rows)
    except InputError as error:
        at = None if lines is None or error.line is None else lines[error.line - 1]
        raise InputError(error.what, source=source, line=at) from None
    return Batch(rows=made, times=times if timed else None)


def time_of(given: Any, source: object, line: int | None) -> float:
    """Seconds since 1970, from a number or an ISO 8601 text; without a zone it is UTC."""
    if isinstance(given, int | float) and not isinstance(given, bool) and abs(given) < 1e15:
        return float(given)
    if isinstance(given, str):
        try:
            moment = datetime.fromisoformat(given)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            pass
    what = "no time stamp" if given is None else "the time stamp is neither seconds nor ISO 8601"
    raise InputError(f'{what}; a window by time needs {{"items": [...], "time": ...}}', source=source, line=line)


def _read(text: str, source: object, line: int) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise InputError("not JSON; each line is a list of items", source=source, line=line) from None
