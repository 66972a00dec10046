"""The commands of each guide's first example, with nothing compiled: how long until their answers.

They run in the order of the page, each in a process of its own, on a copy of the package from which every compiled
kernel was left out, and with an empty cache; what one command compiled, the next does not find. Processor time is that
of the process and its children. The rival is the bound: 5 s by the clock on two quiet cores.
"""

import os
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import confide
from confide.core.stages import STAGES

__all__ = ["run"]

DOCS = Path(__file__).parents[2] / "docs"
BOUND = 5.0
LAYS_OUT = ("sample", "compile")  # what these do is no stage's work


def run(data: Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each stage that has commands: its first one, and the slowest of the example."""
    for name, stage in STAGES.items():
        commands = example(DOCS / stage.docs) if stage.jobs and stage.docs else []
        with tempfile.TemporaryDirectory() as folder:
            timed = [(*_run(command, folder), command) for command in commands]
        timed = [(seconds, used, command) for seconds, used, command in timed if command[1] not in LAYS_OUT]
        if not timed:
            continue
        first, slowest = timed[0], max(timed, key=lambda one: one[0])
        yield {
            "claim": f"{name}: every command of its guide's first example answers within 5 s, nothing compiled",
            "ours": {"seconds, the first": round(first[0], 2), "processor seconds, the first": round(first[1], 2)},
            "rival": {"name": "the bound", "seconds": BOUND},
            "ratio": round(BOUND / slowest[0], 2),
            "settings": {
                "first command": shlex.join(first[2]),
                "commands": len(timed),
                "slowest command": shlex.join(slowest[2]),
                "seconds, the slowest": round(slowest[0], 2),
                "processor seconds, the slowest": round(slowest[1], 2),
            },
        }


def example(page: Path) -> list[list[str]]:
    """The commands of the first example for a shell on a page, as words."""
    text = page.read_text(encoding="utf-8").partition("```console\n")[2].partition("```")[0]
    lines = text.replace("\\\n", " ").splitlines()
    return [shlex.split(line[2:], comments=True) for line in lines if line.startswith("$ confide ")]


def _run(command: list[str], folder: str) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as bare:
        package = Path(confide.__file__).parent
        kept_out = shutil.ignore_patterns("*.nbi", "*.nbc", "compiled-*", "*-numba-*")
        shutil.copytree(package, Path(bare) / "confide", ignore=kept_out)
        environment = {name: value for name, value in os.environ.items() if name != "CONFIDE_KERNELS"}
        environment |= {"PYTHONPATH": bare, "NUMBA_CACHE_DIR": str(Path(bare) / "cache")}
        words = [sys.executable, "-m", "confide", *command[1:]]
        began, before = time.perf_counter(), _children()
        done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, stdin=subprocess.DEVNULL)
        seconds, used = time.perf_counter() - began, _children() - before
    if done.returncode not in (0, 1):  # 1 is a refusal that the page shows
        raise RuntimeError(f"{shlex.join(command)} ended with {done.returncode}: {done.stderr.decode()[-300:]}")
    return seconds, used


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
