"""The first command that each guide shows, with nothing compiled: how long until its answer.

Each runs in a process with an empty kernel cache, after the commands before it in the example have laid out its files.
Processor time is that of the process and its children. The rival is the bound: 5 s by the clock on two quiet cores.
"""

import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from confide.core.stages import STAGES

__all__ = ["run"]

DOCS = Path(__file__).parents[2] / "docs"
BOUND = 5.0
LAYS_OUT = ("sample", "compile")  # what these do is no stage's work


def run(data: Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each stage of the demo."""
    for name, stage in STAGES.items():
        commands = example(DOCS / stage.docs) if stage.demo and stage.docs else []
        first = next((at for at, command in enumerate(commands) if command[1] not in LAYS_OUT), None)
        if first is None:
            continue
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
            for command in commands[:first]:
                _run(command, folder, cache=None)
            clock, processor = _run(commands[first], folder, cache=cache)
        yield {
            "claim": f"{name}: the first command of its guide within 5 s, nothing compiled",
            "ours": {"seconds": round(clock, 2), "processor seconds": round(processor, 2)},
            "rival": {"name": "the bound", "seconds": BOUND},
            "ratio": round(BOUND / clock, 2),
            "settings": {"command": shlex.join(commands[first])},
        }


def example(page: Path) -> list[list[str]]:
    """The commands of the first example for a shell on a page, as words."""
    text = page.read_text(encoding="utf-8").partition("```console\n")[2].partition("```")[0]
    lines = text.replace("\\\n", " ").splitlines()
    return [shlex.split(line[2:], comments=True) for line in lines if line.startswith("$ confide ")]


def _run(command: list[str], folder: str, *, cache: str | None) -> tuple[float, float]:
    environment = {name: value for name, value in os.environ.items() if name != "CONFIDE_KERNELS"}
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = cache
    began, before = time.perf_counter(), _children()
    words = [sys.executable, "-m", "confide", *command[1:]]
    subprocess.run(words, cwd=folder, env=environment, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    return time.perf_counter() - began, _children() - before


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
