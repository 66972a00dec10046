"""`confide studio` as people start it: a process, its address, its memory, pages of it as a browser paints them."""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["StudioServer", "against", "chromium", "first_paint", "studio_server"]


@dataclass(frozen=True)
class StudioServer:
    """A server, the address that it printed, and the seconds from the command to its first page: by the clock, and of
    processor time, which other work on the machine does not change."""

    process: "subprocess.Popen[str]"
    url: str
    answered_after: float
    processor: float

    def get(self, path: str = "", form: "dict[str, Any] | None" = None) -> tuple[str, str]:
        """The text of a page, and its final address."""
        data = None if form is None else urllib.parse.urlencode(form, doseq=True).encode()
        with urllib.request.urlopen(urllib.request.Request(self.url + path, data=data), timeout=600) as answer:
            return answer.read().decode(), answer.url

    def processor_of_jobs(self) -> float:
        """Processor seconds of its processes that have ended."""
        ticks = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[13:15]
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")

    def peak(self) -> int:
        """The most memory that the server itself held, in bytes; its jobs are processes of their own."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return 1024 * int(re.search(r"VmHWM:\s+(\d+)", text)[1])  # type: ignore[index]


@contextmanager
def studio_server(folder: Path) -> Iterator[StudioServer]:
    """`confide studio` of a folder, ended by Ctrl-C."""
    command = [sys.executable, "-m", "confide", "studio", str(folder), "--no-browser"]
    began = time.perf_counter()
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ.copy())
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.search(r"http://\S+", line)
        assert found, line
        urllib.request.urlopen(found[0], timeout=60).read()
        after = time.perf_counter() - began
        ticks = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        yield StudioServer(process, found[0], after, sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK"))
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


@contextmanager
def chromium() -> Iterator[Any]:
    """A Chromium without windows."""
    import shutil

    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


def first_paint(browser: Any, url: str, *, times: int = 5) -> list[float]:
    """Seconds from asking for a page to its first paint with content, each time in a window without a cache."""
    found = []
    for _ in range(times):
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        page = context.new_page()
        page.goto(url)
        script = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
        page.wait_for_function(script)
        found.append(page.evaluate(script) / 1000)
        context.close()
    return found


def against(claim: str, found: list[float], goal: float, **settings: Any) -> dict[str, Any]:
    """A line that holds the median of some seconds to what is asked for; the ratio is above 1 where it is kept."""
    ordered = sorted(found)
    middle = ordered[len(ordered) // 2]
    return {
        "claim": claim,
        "ours": round(middle, 4),
        "rival": {"name": "asked for", "seconds": goal},
        "ratio": round(goal / middle, 2),
        "spread": [round(goal / ordered[-1], 2), round(goal / ordered[0], 2)],
        "settings": {"times": len(found), "least seconds": round(ordered[0], 4), **settings},
    }
