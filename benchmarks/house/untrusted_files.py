"""Workbooks and Parquet files from strangers: our readers beside a library in a child process under resource limits.

Each reader runs in a process of its own, so its peak memory and processor time are known. The libraries get the limits
that stand for a guard around them: 2 GiB of memory and 60 seconds. Their child writes what it read to a file, as it
would have to hand it on.
"""

import io
import json
import signal
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from confide.core.tables import formats
from confide.core.tables.formats.new_workbook import workbook_of

__all__ = ["run"]

ROWS, REPEATS = 100_000, 5
MEMORY, SECONDS = 2 << 30, 60

_OURS = """
import sys
from confide.core.errors import ConfideError
from confide.core.tables.frames import read_table
try:
    print(read_table(sys.argv[1]).num_rows)
except ConfideError as error:
    sys.exit(f"refused: {error}")
"""

_LIMITS = f"""
import resource
resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))
resource.setrlimit(resource.RLIMIT_CPU, ({SECONDS}, {SECONDS}))
"""

CALAMINE = (
    _LIMITS
    + """
import csv, sys
from datetime import date, datetime, timedelta
from python_calamine import CalamineError, CalamineWorkbook

def text(value):
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime):
        return str(value).removesuffix(" 00:00:00")
    return str(value)

try:
    sheet = CalamineWorkbook.from_path(sys.argv[1]).get_sheet_by_index(0)
    with open(sys.argv[2], "w", newline="", encoding="utf-8") as file:
        out, rows = csv.writer(file), 0
        for row in sheet.iter_rows():
            out.writerow(map(text, row))
            rows += 1
    print(rows - 1)
except (CalamineError, MemoryError, OSError) as error:
    sys.exit(f"refused: {type(error).__name__} {error}")
"""
)

ARROW = (
    _LIMITS
    + """
import sys
import pyarrow as pa
import pyarrow.parquet as pq
try:
    table = pq.read_table(sys.argv[1])
    table.validate(full=True)
    with pa.OSFile(sys.argv[2], "wb") as file, pa.ipc.new_file(file, table.schema) as out:
        out.write_table(table)
    print(table.num_rows)
except (pa.ArrowException, MemoryError, OSError) as error:
    sys.exit(f"refused: {type(error).__name__} {error}")
"""
)


# A process that begins small: the peak memory of a child counts what its parent had when it was started.
_WATCH = """
import json, os, subprocess, sys, tempfile
with tempfile.TemporaryFile() as said:
    child = subprocess.Popen([sys.argv[1], "-c", *sys.argv[2:]], stdout=said, stderr=subprocess.STDOUT)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    said.seek(0)
    text = said.read().decode(errors="replace")
    print(json.dumps([child.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss, text]))
"""


@dataclass(frozen=True)
class _Ran:
    """How a process ended, in a few words; the seconds it computed, and its peak memory in MB."""

    end: str
    seconds: float
    memory: float


def run(data: Path) -> Iterator[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        kinds = (
            ("xlsx", "python-calamine", CALAMINE, _workbooks(), ("workbook.py",)),
            (
                "parquet",
                "pyarrow",
                ARROW,
                _parquet_files(home),
                ("parquet.py", "parquet_pages.py"),
            ),
        )
        for suffix, rival, code, files, modules in kinds:
            good = home / f"good.{suffix}"
            for name, made in files:
                path = good if name == "good" else home / f"{name.replace(' ', '-')}.{suffix}"
                made(path)
                yield _compared(path, name, rival, code, repeats=REPEATS if name == "good" else 1)
                if path != good:
                    path.unlink()
            yield _compared(_cut(good), "cut off", rival, code, repeats=1)
            yield _lines(rival, code, modules)


def _compared(path: Path, name: str, rival: str, code: str, *, repeats: int) -> dict[str, Any]:
    """Both readers on one file, by turns; seconds are those that the processor computed."""
    own, other = [], []
    for _ in range(repeats):
        own.append(_ran(_OURS, path))
        other.append(_ran(code, path))
    sides = [(ran[0].end, median(one.seconds for one in ran), max(one.memory for one in ran)) for ran in (own, other)]
    return {
        "claim": f"{path.suffix} {name}",
        "ours": round(sides[0][1], 2),
        "rival": {"name": f"{rival} in a child under limits", "seconds": round(sides[1][1], 2)},
        "ratio": round(sides[1][1] / sides[0][1], 2),
        "settings": {
            "kB": path.stat().st_size >> 10,
            "ours": sides[0][0],
            "rival": sides[1][0],
            "peak MB ours": round(sides[0][2]),
            "peak MB rival": round(sides[1][2]),
        },
    }


def _lines(rival: str, code: str, modules: tuple[str, ...]) -> dict[str, Any]:
    """Lines of code; a child needs about 40 more that start it, wait, and turn its end into one line."""
    folder = Path(str(formats.__file__)).parent
    own = sum(len((folder / name).read_text(encoding="utf-8").splitlines()) for name in modules)
    return {
        "claim": f"lines of code: {', '.join(modules)}",
        "ours": own,
        "rival": {"name": f"the child around {rival}", "lines": len(code.splitlines())},
        "ratio": round(len(code.splitlines()) / own, 2),
        "settings": {},
    }


def _ran(code: str, path: Path) -> _Ran:
    """Run the code on a file in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-S", "-c", _WATCH, sys.executable, code, str(path), str(Path(folder) / "out")]
        status, computed, memory, said = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    last = ["", *said.strip().splitlines()][-1]
    if status == 0:
        end = f"read {int(last):,} rows"
    elif last.startswith("refused: "):
        end = last.replace(str(path), path.name)[:90]
    else:
        end = f"ended by {signal.Signals(-status).name}" if status < 0 else "ended by an error"
    return _Ran(end, computed, memory / 1024)


def _cut(path: Path) -> Path:
    """The first two thirds of a file."""
    cut = path.with_name(f"cut{path.suffix}")
    cut.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])
    return cut


# -- workbooks --------------------------------------------------------------------------------------------------------

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_HEAD, _TAIL = f'<worksheet xmlns="{_MAIN}"><sheetData>', "</sheetData></worksheet>"
_SHEET, _TEXTS = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"

Made = Callable[[Path], object]


def _workbooks() -> Iterator[tuple[str, Made]]:
    rng = np.random.default_rng(1)
    columns: dict[str, Any] = {f"n{i}": rng.integers(0, 10**6, ROWS) for i in range(3)}
    columns |= {f"x{i}": rng.normal(size=ROWS).round(4) for i in range(2)}
    columns |= {f"t{i}": [f"text {v}" for v in rng.integers(0, 5000, ROWS)] for i in range(5)}
    yield "good", lambda path: path.write_bytes(workbook_of(pa.table(columns)))
    yield "zip bomb", lambda path: _forged(path, {}, spaces=3 << 30)
    far = f'{_HEAD}<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>{_TAIL}'
    yield "far cell", lambda path: _forged(path, {_SHEET: far})
    cells = "".join(f'<row r="{r}"><c r="A{r}" t="s"><v>0</v></c></row>' for r in range(1, ROWS + 1))
    texts = f'<sst xmlns="{_MAIN}"><si><t>{"x" * (1 << 20)}</t></si></sst>'
    yield "shared text bomb", lambda path: _forged(path, {_SHEET: _HEAD + cells + _TAIL, _TEXTS: texts})
    inner = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 10))
    entities = f'<!DOCTYPE sst [<!ENTITY e0 "{"x" * 10}">{inner}]><sst xmlns="{_MAIN}"><si><t>&e9;</t></si></sst>'
    one = f'{_HEAD}<row r="1"><c r="A1" t="s"><v>0</v></c></row>{_TAIL}'
    yield "entities", lambda path: _forged(path, {_SHEET: one, _TEXTS: entities})


def _forged(path: Path, parts: dict[str, str], *, spaces: int = 0) -> None:
    """A workbook with these parts in place of its own; with `spaces`, so many of them before the end of its sheet."""
    good = io.BytesIO(workbook_of(pa.table({"a": [1]})))
    with zipfile.ZipFile(good) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new:
        for name in {*old.namelist(), *parts}:
            if name == _SHEET and spaces:
                with new.open(name, "w", force_zip64=True) as file:
                    file.write(f"{_HEAD}<row><c><v>1</v></c></row>".encode())
                    for _ in range(spaces >> 20):
                        file.write(b" " * (1 << 20))
                    file.write(_TAIL.encode())
            else:
                new.writestr(name, parts.get(name) or old.read(name))


# -- Parquet ----------------------------------------------------------------------------------------------------------


def _parquet_files(home: Path) -> Iterator[tuple[str, Made]]:
    rng = np.random.default_rng(1)
    rows = 10 * ROWS
    columns: dict[str, Any] = {f"n{i}": rng.integers(0, 10**6, rows) for i in range(5)}
    columns |= {f"t{i}": pa.array([f"text {v}" for v in rng.integers(0, 5000, rows)]) for i in range(5)}
    yield "good", lambda path: pq.write_table(pa.table(columns), path)
    long = pa.DictionaryArray.from_arrays(pa.array(np.zeros(ROWS, np.int32)), pa.array(["x" * (1 << 20)]))
    yield "dictionary bomb", lambda path: pq.write_table(pa.table({"t": long}), path, store_schema=False)
    yield "a billion equal numbers", lambda path: _equal_numbers(path, 1 << 30)


def _equal_numbers(path: Path, rows: int) -> None:
    block = pa.table({"n": pa.array(np.zeros(1 << 24, np.int64))})
    with pq.ParquetWriter(path, block.schema) as file:
        for _ in range(rows >> 24):
            file.write_table(block)
