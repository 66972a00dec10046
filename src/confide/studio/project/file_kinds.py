"""What lies in the folder: each file by what it is, with rows and columns where it has them.

Only the beginning of a file is looked at. Rows of a large CSV are counted by a thread, once for each state of the file:
a page never waits for that.
"""

import csv
import os
import re
import stat
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from confide.core.errors import ConfideError
from confide.core.files import read_toml
from confide.studio.project.project_folder import Project

__all__ = ["KINDS", "PASSPORT", "FileList", "FoundFile"]

PASSPORT = ".passport.json"

KINDS = {
    "table": "Tables",
    "baskets": "Baskets",
    "schema": "Schemas",
    "hierarchy": "Hierarchies",
    "run": "Runs",
    "passport": "Passports",
    "report": "Reports",
    "json": "Schemes, trees and other JSON",
    "other": "Other files",
}
"""Kinds of files in the order in which they are shown, with their headings."""

_HEAD = 1 << 16
_MOST_FILES, _DEEPEST = 2000, 2
_COUNTED_AT_ONCE = 4 << 20  # bytes whose lines are counted while a page waits
_BASKETS = re.compile(r"id[,;\t]item\b", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class FoundFile:
    """A file of the folder. `rows` is None where nobody knows, or while they are counted (`counting`)."""

    name: str
    kind: str
    size: int
    rows: int | None = None
    columns: int | None = None
    counting: bool = False
    passport: str = ""


class FileList:
    """The files of a folder; what was found out about a file is kept until it changes."""

    def __init__(self, project: Project):
        self._project = project
        self._known: dict[tuple[str, int, int], FoundFile] = {}
        self._lock = threading.Lock()
        self._counters = ThreadPoolExecutor(max_workers=1, thread_name_prefix="confide-counting")

    def all(self) -> list[FoundFile]:
        """Every file, by kind and name."""
        order = list(KINDS)
        found = [file for path in self._paths() if (file := self._look(path)) is not None]
        names = {file.name for file in found}
        with_passports = [self._with_passport(file, names) for file in found]
        return sorted(with_passports, key=lambda file: (order.index(file.kind), file.name))

    def named(self, name: str) -> FoundFile | None:
        """One file; None if it is not there."""
        path = self._project.place(name)
        return self._look(path) if path.exists() else None

    def _with_passport(self, file: FoundFile, names: set[str]) -> FoundFile:
        beside = f"{file.name}{PASSPORT}"
        return replace(file, passport=beside) if beside in names else file

    def _paths(self) -> Iterator[Path]:
        """Files, and folders of Parquet files, a few levels down; hidden ones and links that lead out are left out."""
        left, waiting = _MOST_FILES, [(self._project.root, 0)]
        while waiting:
            folder, depth = waiting.pop(0)
            try:
                entries = sorted(folder.iterdir())
            except OSError:
                continue
            for path in entries:
                if path.name.startswith(".") or left == 0:
                    continue
                left -= 1
                if not path.resolve().is_relative_to(self._project.root):
                    continue
                if path.is_dir() and not any(path.glob("*.parquet")):
                    if depth < _DEEPEST and not path.is_symlink():
                        waiting.append((path, depth + 1))
                else:
                    yield path

    def _look(self, path: Path) -> FoundFile | None:
        try:
            found_stat = path.stat()
            name = path.relative_to(self._project.root).as_posix()
            key = (name, found_stat.st_size, found_stat.st_mtime_ns)
            with self._lock:
                known = self._known.get(key)
            if known is not None:
                return known
            self._project.place(name)  # a name that no page could use is not shown
            if not (stat.S_ISREG(found_stat.st_mode) or path.is_dir()):
                return None  # a device or a pipe may never end
            found = _look(path, name, found_stat.st_size)
        except ValueError:  # not what its name says
            found = FoundFile(name=name, kind="other", size=found_stat.st_size)
        except (OSError, ConfideError):
            return None
        if found.counting:
            self._counters.submit(self._count, path, key, found)
        with self._lock:
            self._known[key] = found
        return found

    def _count(self, path: Path, key: tuple[str, int, int], found: FoundFile) -> None:
        try:
            rows = _count_rows(path)
        except OSError:
            rows = None
        with self._lock:
            self._known[key] = replace(found, rows=rows, counting=False)


def _look(path: Path, name: str, size: int) -> FoundFile:
    """A file by its name and its beginning."""
    suffix = path.suffix.lower()
    if path.is_dir() or suffix == ".parquet":
        return _look_at_parquet(path, name, size)
    if path.name.endswith(PASSPORT):
        return FoundFile(name=name, kind="passport", size=size)
    if suffix == ".html":
        return FoundFile(name=name, kind="report", size=size)
    if suffix == ".toml":
        return FoundFile(name=name, kind=_kind_of_toml(path), size=size)
    if suffix == ".json":
        return FoundFile(name=name, kind="run" if '"job"' in _head(path)[:400] else "json", size=size)
    if suffix in (".dat", ".jsonl"):
        counted = size <= _COUNTED_AT_ONCE
        rows = _count_rows(path) + 1 if counted else None
        return FoundFile(name=name, kind="baskets", size=size, rows=rows)
    if suffix == ".xlsx":
        return FoundFile(name=name, kind="table", size=size)
    if suffix in (".csv", ".tsv", ".txt"):
        return _look_at_text(path, name, size)
    packed = path.name.lower().removesuffix(".gz").removesuffix(".zst").endswith((".csv", ".tsv"))
    return FoundFile(name=name, kind="table" if packed else "other", size=size)


def _look_at_text(path: Path, name: str, size: int) -> FoundFile:
    lines = _head(path).splitlines()
    first = lines[0] if lines else ""
    mark = max(",;\t|", key=first.count)
    columns = len(next(csv.reader([first], delimiter=mark), []))
    if path.suffix.lower() == ".txt" and columns < 2:
        return FoundFile(name=name, kind="other", size=size)
    if _BASKETS.match(first):
        kind = "baskets"
    elif _are_uneven(lines[:-1]):
        rows = None if size > _COUNTED_AT_ONCE else _count_rows(path) + 1
        return FoundFile(name=name, kind="baskets", size=size, rows=rows)
    elif mark == ";" and all(line.endswith(";*") for line in lines[:5]):
        kind = "hierarchy"
    else:
        kind = "table"
    if size > _COUNTED_AT_ONCE:
        return FoundFile(name=name, kind=kind, size=size, columns=columns, counting=True)
    rows = _count_rows(path) + (1 if kind == "hierarchy" else 0)
    return FoundFile(name=name, kind=kind, size=size, rows=rows, columns=columns)


def _are_uneven(lines: list[str]) -> bool:
    """Whether whole lines are as long as they like: a basket a line, where a table has as many values in each."""
    mark = max(",;\t|", key="".join(lines).count)
    try:
        widths = Counter(len(row) for row in csv.reader(lines, delimiter=mark) if row)
    except csv.Error:  # no text that a table or baskets are made of
        return False
    return len(widths) > 2 and max(widths.values()) < 0.8 * sum(widths.values())


def _look_at_parquet(path: Path, name: str, size: int) -> FoundFile:
    import pyarrow.parquet as pq

    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    heads = [pq.read_metadata(file) for file in files]
    if not heads:
        return FoundFile(name=name, kind="other", size=0)
    size = sum(file.stat().st_size for file in files)
    rows, schema = sum(head.num_rows for head in heads), heads[0].schema
    kind = "baskets" if {"id", "item"} == {column.lower() for column in schema.names} else "table"
    return FoundFile(name=name, kind=kind, size=size, rows=rows, columns=heads[0].num_columns)


def _kind_of_toml(path: Path) -> str:
    try:
        plain = read_toml(path)
    except ConfideError:
        return "run" if path.name.endswith(".run.toml") else "other"  # a broken run is shown with its fault
    return "run" if isinstance(plain.get("job"), str) else "schema" if "columns" in plain else "other"


def _head(path: Path) -> str:
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
        return file.read(_HEAD).decode("utf-8-sig", "replace")


def _count_rows(path: Path) -> int:
    """Lines after the first; a line end within quotes counts, too: the true number is known once the file is read."""
    lines, last = 0, b"\n"
    with open(path, "rb", buffering=0) as file:
        while block := file.read(1 << 20):
            lines += block.count(b"\n")
            last = block[-1:]
    return max(0, lines + (last != b"\n") - 1)
