"""Copies of tables, made by a process of their own when a page first asks, and used until the table changes."""

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from confide.core.errors import ConfideError, InputError
from confide.core.files import read_regular, write_text
from confide.studio.project.project_folder import Project

__all__ = ["ColumnLook", "Copies", "ShownTable"]

_LARGEST = 256 << 20
_PATIENCE = 1.5  # seconds that a page waits for a copy; most are made by then


@dataclass(frozen=True, kw_only=True)
class ColumnLook:
    """What is known of a column; `bars` are rows by range or value, `entries` how it could be made coarser."""

    name: str
    kind: str
    different: int
    unique: int
    missing: int
    stand_ins: int
    role: str
    why: str
    entries: Mapping[str, Any]
    written: str | None
    bars: Sequence[tuple[str, int]]


@dataclass(frozen=True, kw_only=True)
class ShownTable:
    """A table as its copy has it."""

    folder: Path
    rows: int
    columns: tuple[ColumnLook, ...]

    def slice(self, start: int, count: int, names: Sequence[str]) -> list[list[str]]:
        """Some rows as texts, from anywhere in the table."""
        import pyarrow as pa

        with pa.memory_map(str(self.folder / "rows.arrow")) as mapped:
            reader = pa.ipc.open_file(mapped)
            if not reader.num_record_batches:
                return []
            size = reader.get_batch(0).num_rows  # all batches but the last are of one size
            first, last = start // size, min((start + count - 1) // size, reader.num_record_batches - 1)
            batches = [reader.get_batch(at) for at in range(first, last + 1)]
            part = pa.Table.from_batches(batches, reader.schema).slice(start - first * size, count).select(list(names))
            return [["" if cell is None else str(cell) for cell in row.values()] for row in part.to_pylist()]

    def count_values(self, name: str) -> dict[str, int]:
        """The rows of each value of a column, as text; missing values left out."""
        import pyarrow as pa

        with pa.memory_map(str(self.folder / "rows.arrow")) as mapped:
            pairs = pa.ipc.open_file(mapped).read_all().column(name).value_counts().to_pylist()
        return {str(pair["values"]): pair["counts"] for pair in pairs if pair["values"] is not None}


class Copies:
    """The copies of a folder's tables."""

    def __init__(self, project: Project):
        self._project = project
        self._lock = threading.Lock()
        self._makers: dict[str, tuple[str, threading.Thread]] = {}
        self._looks: dict[str, tuple[str, ShownTable]] = {}

    def look(self, name: str) -> ShownTable | None:
        """The table of this name; None while its copy is being made; an InputError if it cannot be read."""
        path = self._project.place(name)
        try:
            key = _key_of(path)
        except OSError:
            raise InputError("is not in the folder any more", source=name) from None
        folder = self._project.notes("tables", hashlib.sha256(name.encode()).hexdigest()[:16])
        with self._lock:
            known = self._looks.get(name)
            if known is not None and known[0] == key:
                return known[1]
            state = _state_of(folder)
            if state.get("key") != key:
                maker = self._makers.get(name)
                if maker is None or maker[0] != key or not maker[1].is_alive():
                    thread = threading.Thread(target=_make, args=(path, folder, key), daemon=True)
                    self._makers[name] = (key, thread)
                    thread.start()
                thread = self._makers[name][1]
            else:
                thread = None
        if thread is not None:
            thread.join(_PATIENCE)
            state = _state_of(folder)
            if state.get("key") != key:
                return None
        if state.get("fault"):
            raise InputError(self._project.shorten(str(state["fault"])))
        look = _read_look(folder)
        with self._lock:
            self._looks = {**dict(list(self._looks.items())[-7:]), name: (key, look)}
        return look


def _key_of(path: Path) -> str:
    paths = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    return " ".join(f"{stat.st_size}-{stat.st_mtime_ns}-{stat.st_ino}" for stat in map(os.stat, paths))[:4000]


def _state_of(folder: Path) -> dict[str, Any]:
    try:
        plain = json.loads(read_regular(folder / "state.json", max_bytes=1 << 20))
    except (ValueError, ConfideError):
        return {}
    return plain if isinstance(plain, dict) else {}


def _make(path: Path, folder: Path, key: str) -> None:
    """Make a copy by a process, and write down for which state of the table, or why it could not be made."""
    command = [sys.executable, "-m", "confide.studio.tables.table_copy", str(path), str(folder)]
    try:
        for old in (folder / "hierarchies").glob("*.csv"):
            old.unlink()
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        lines = done.stderr.strip().splitlines() or ["the process that read this table was ended from outside"]
        fault = lines[-1] if done.returncode else ""
    except OSError as error:
        fault = f"no process could be started: {error.strerror}"
    try:
        text = json.dumps({"key": key, "fault": fault})
        write_text(folder / "state.json", text, replace=True, private=True)
    except ConfideError:  # a full disk: the next look tries again
        return


def _read_look(folder: Path) -> ShownTable:
    plain = json.loads(read_regular(folder / "facts.json", max_bytes=_LARGEST))
    columns = tuple(
        ColumnLook(**{**column, "bars": [tuple(bar) for bar in column["bars"]]}) for column in plain["columns"]
    )
    return ShownTable(folder=folder, rows=plain["rows"], columns=columns)
