"""Pages of the studio: the first answer, first paint, a million rows and 9 columns, rows from anywhere, memory."""

import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.studio.server import StudioServer, against, chromium, first_paint, studio_server
from benchmarks.timing import seconds
from confide.core.samples.people_files import write_people

__all__ = ["run"]

ROWS = {"1M": 1_000_000, "10M": 1_000_000, "100M": 1_000_000}
_MEMORY = 600_000_000
_WIDE = 5_000


def run(data: Path, *, largest: str = "10M") -> Iterator[dict[str, Any]]:
    """One line for each number that is asked for."""
    with tempfile.TemporaryDirectory() as small, tempfile.TemporaryDirectory() as large:
        yield from _small(Path(small))
        yield from _large(Path(large), ROWS[largest])


def _small(folder: Path) -> Iterator[dict[str, Any]]:
    """A folder of 1,000 people."""
    write_people(folder / "people.csv", 1000, seed=1)
    answered, processor = [], []
    for _ in range(5):
        with studio_server(folder) as server:
            answered.append(server.answered_after)
            processor.append(server.processor)
    yield against("the first page after the command `confide studio`", answered, 1.0, rows=1000)
    yield against("the same in processor time", processor, 1.0, rows=1000)
    with studio_server(folder) as server, chromium() as browser:
        for name, path in (
            ("start", ""),
            ("guide", "guide"),
            ("columns", "columns?table=people.csv"),
            ("form of publish table", "run?job=publish+table&table=people.csv"),
            ("utility, choice", "utility"),
            ("all tools", "tools"),
        ):
            server.get(path)  # a copy of the table is made once
            painted = first_paint(browser, server.url + path)
            yield against(f"first paint of a screen: {name}", painted, 0.3, rows=1000)


def _large(folder: Path, rows: int) -> Iterator[dict[str, Any]]:
    """A million people of nine columns, and a table of 5,000 columns."""
    write_people(folder / "people.csv", rows, seed=1)
    names = [f"c{n}" for n in range(_WIDE)]
    lines = [",".join(names), *(",".join(str((n * k) % 7) for n in range(_WIDE)) for k in range(50))]
    (folder / "wide.csv").write_text("\n".join(lines) + "\n")
    with studio_server(folder) as server:
        settings = {"rows": rows, "columns": 9}
        yield against("start page of the folder", [seconds(server.get) for _ in range(5)], 0.3, **settings)
        page = "columns?table=people.csv"
        yield _first_look(server, page, settings)
        yield against("columns page afterwards", [seconds(lambda: server.get(page)) for _ in range(5)], 4.0, **settings)
        draw = random.Random(1)
        found = []
        for _ in range(40):
            row = draw.randrange(1, rows)
            found.append(seconds(lambda row=row: _rows(folder, row)))  # type: ignore[misc]
        yield against("100 rows from anywhere, from the copy", found, 0.05, **settings)
        wide = "columns?table=wide.csv"
        yield _first_look(server, wide, {"rows": 50, "columns": _WIDE})
        with chromium() as browser:
            painted = first_paint(browser, server.url + page)
            yield against("first paint of a screen: columns of a million rows", painted, 0.3, **settings)
        peak = server.peak()
        yield {
            "claim": "memory of the server at its peak, both tables looked at",
            "ours": peak,
            "rival": {"name": "asked for", "bytes": _MEMORY},
            "unit": "bytes",
            "ratio": round(_MEMORY / peak, 2),
            "settings": settings,
        }


def _first_look(server: StudioServer, page: str, settings: dict[str, Any]) -> dict[str, Any]:
    """The first time that a table is looked at: it is read, by a process of its own."""
    before = server.processor_of_jobs()
    found = _until_read(server, page)
    spent = round(server.processor_of_jobs() - before, 2)
    claim = "columns page, first time: the table is read"
    return against(claim, [found], 4.0, **settings, **{"processor seconds of reading": spent})


def _until_read(server: StudioServer, path: str) -> float:
    """Seconds until the page shows the columns: until then it says that the table is being read."""
    began = time.perf_counter()
    while "What it is" not in server.get(path)[0]:
        time.sleep(0.02)
    return time.perf_counter() - began


def _rows(folder: Path, row: int) -> None:
    """A hundred rows, as the page takes them from the copy."""
    from confide.studio.project.project_folder import Project
    from confide.studio.tables.copies import Copies

    known = _COPIES.setdefault(folder, Copies(Project(folder)))
    look = known.look("people.csv")
    assert look is not None
    taken = look.slice(row - 1, 100, [column.name for column in look.columns])
    assert taken


_COPIES: dict[Path, Any] = {}
