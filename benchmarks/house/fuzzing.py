"""Fuzzing: every reader, every verifier, and the messages to sites and collectors, on broken input.

    CONFIDE_FUZZ=3600 python -m benchmarks house.fuzzing

CONFIDE_FUZZ is the processor time for all targets together, in seconds (default 60); CONFIDE_FUZZ_SEED is another draw.
Each target runs in a process of its own, one after the other: its peak memory is its own, and a crash of a library
beneath us is seen as what it is.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.fuzzing.hunt import TARGETS

__all__ = ["run"]


def run(data: Path) -> Iterator[dict[str, Any]]:
    seconds = float(os.environ.get("CONFIDE_FUZZ", "60"))
    seed = int(os.environ.get("CONFIDE_FUZZ_SEED", "1"))
    done = []
    for target in TARGETS:
        done.append(_hunted(target, seed, seconds / len(TARGETS)))
        yield {"claim": "read or refused in one line, within 10 s", **done[-1]}
    yield {
        "claim": "no traceback, no hang, in all",
        "targets": len(done),
        "cases": sum(one["cases"] for one in done),
        "refused": sum(one["refused"] for one in done),
        "findings": sum(len(one["findings"]) for one in done),
        "slowest_ms": max(one["slowest_ms"] for one in done),
        "peak_mb": max(one["peak_mb"] for one in done),
        "cpu_seconds": round(seconds),
        "seed": seed,
    }


def _hunted(target: str, seed: int, seconds: float) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.fuzzing.hunt", target, str(seed), str(seconds)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=100 * seconds + 600)
    if ended.returncode != 0:
        said = ended.stderr.strip().splitlines()[-1:] or [""]
        fault = {"case": None, "error": f"the process ended with status {ended.returncode}: {said[0]}", "at": ""}
        nothing = {"cases": 0, "taken": 0, "refused": 0, "slowest_ms": 0, "peak_mb": 0}
        return {"target": target, "seed": seed, **nothing, "findings": [fault]}
    found: dict[str, Any] = json.loads(ended.stdout)
    return found
