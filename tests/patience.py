"""Waiting in tests: for a condition, never for a time, so that a busy machine is slow and not wrong.

`LONG` seconds pass only where something hangs; `PROMPT` is the bound for what must end long before the work would have.
`SILENT` is how long a party that works may say nothing: tests of what happens beyond it wait for as long.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["LONG", "PROMPT", "SILENT", "wait_for_work", "wait_until"]

LONG = 300.0
PROMPT = 60.0
SILENT = 15


def wait_until(condition: Callable[[], object], *, seconds: float = LONG) -> None:
    """Poll until something holds."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.01)


def wait_for_work(process: Any, seconds: float) -> None:
    """Wait until a process has computed for so many seconds of its own: past its imports, however busy the machine."""
    ticks = os.sysconf("SC_CLK_TCK")

    def worked() -> bool:
        assert process.poll() is None, "it must still run, or the test shows nothing"
        after_name = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(after_name[11]) + int(after_name[12])) / ticks >= seconds

    wait_until(worked)
