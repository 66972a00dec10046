"""Jobs of the studio: cancelled while they publish a million rows; going on after kill -9 of the server."""

import json
import re
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.studio.server import StudioServer, against, studio_server
from confide.core.samples.people_files import write_people

__all__ = ["run"]

ROWS = 1_000_000


def run(data: Path) -> Iterator[dict[str, Any]]:
    """How long a job goes on after Cancel, at several moments; and what a killed server loses."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        write_people(folder / "people.csv", ROWS, seed=1)
        found = []
        with studio_server(folder) as server:
            for turn, wait in enumerate((1.0, 2.0, 3.0, 4.0, 5.0)):
                number = _begin(server, f"cut-{turn}")
                time.sleep(wait)
                began = time.perf_counter()
                server.get(f"job?n={number}", {"do": "cancel"})
                state = _until_over(server, number)
                found.append(time.perf_counter() - began)
                assert state == "cancelled", state
                assert not list(folder.glob("cut-*.csv*")), "a file was left behind"
        yield against("from Cancel to the end of the job, seen by the page", found, 1.0, rows=ROWS, job="publish table")
        yield _killed(folder)


def _begin(server: StudioServer, name: str) -> int:
    form = {"job": "publish table", "name": "", "base": "", "do": "start", "wanted": name, "table": "people.csv"}
    form |= {"schema": "people.schema.toml", "k": "5", "method": "mondrian", "output": f"{name}.csv"}
    _, where = server.get("run", form)
    return int(re.search(r"n=(\d+)", where)[1])  # type: ignore[index]


def _until_over(server: StudioServer, number: int) -> str:
    while True:
        answer = json.loads(server.get(f"progress?n={number}")[0])
        if answer["over"]:
            return str(answer["state"])
        time.sleep(0.01)


def _killed(folder: Path) -> dict[str, Any]:
    """kill -9 of the server during a job: how long after its restart the page shows the job as it is."""
    with studio_server(folder) as server:
        number = _begin(server, "goes-on")
        time.sleep(1)
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
    began = time.perf_counter()
    with studio_server(folder) as server:
        page, _ = server.get(f"job?n={number}")
        shown = time.perf_counter() - began
        assert "at work" in page or ": done" in page
        state = _until_over(server, number)
    written = (folder / "goes-on.csv").exists() and (folder / "goes-on.csv.passport.json").exists()
    line = against("after kill -9 of the server: from the command to the page of the job", [shown], 1.5, rows=ROWS)
    return line | {"settings": line["settings"] | {"job ended": state, "all files written": written}}
