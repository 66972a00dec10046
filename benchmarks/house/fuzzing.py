"""Fuzzing: every reader, every verifier, and the messages to sites and collectors, on broken input.

    CONFIDE_FUZZ=3600 python -m benchmarks house.fuzzing

CONFIDE_FUZZ is the processor time for all targets together, in seconds (default 60); CONFIDE_FUZZ_SEED is another draw.
CONFIDE_FUZZ_PART=1/2 takes every second target, 2/2 the others, each for its own CONFIDE_FUZZ seconds: two
processes of half an hour are the same hour.
Each target runs in a process of its own, one after the other: its peak memory is its own, and a crash of a library
beneath us is seen as what it is. Time is spent in rounds, all targets in each, so that what has run when somebody stops
it (Ctrl-C, SIGTERM) has tried them all; the sums are printed then too.
"""

import json
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.fuzzing.hunt import TARGETS, hunt

__all__ = ["run"]

_TURN = 5.0  # seconds of processor time for one target at a time
_PROCESSES = multiprocessing.get_context("forkserver")


class _Stopped(BaseException):
    """Somebody has asked for the end."""


def run(data: Path) -> Iterator[dict[str, Any]]:
    seconds = float(os.environ.get("CONFIDE_FUZZ", "60"))
    seed = int(os.environ.get("CONFIDE_FUZZ_SEED", "1"))
    part, _, parts = os.environ.get("CONFIDE_FUZZ_PART", "1/1").partition("/")
    targets = TARGETS[int(part) - 1 :: int(parts)]
    rounds = max(1, round(seconds / _TURN / len(targets)))
    turn = seconds / rounds / len(targets)
    sums: dict[str, dict[str, Any]] = {}
    _PROCESSES.set_forkserver_preload(["tests.fuzzing.hunt"])
    signal.signal(signal.SIGTERM, _stop)
    with suppress(_Stopped, KeyboardInterrupt):
        for number in range(rounds):
            for target in targets:
                found = _hunted(target, seed + number, turn)
                _add(sums.setdefault(target, {}), found, turn)
                if found["findings"]:
                    print(json.dumps(found), file=sys.stderr, flush=True)
            whole = _sum(sums)
            print(f"round {number + 1} of {rounds}: {json.dumps(whole)}", file=sys.stderr, flush=True)
    for target, one in sums.items():
        yield {"claim": "read or refused in one line, within 10 s", "target": target, **one}
    yield {"claim": "no traceback, no hang, in all", **_sum(sums), "asked_seconds": round(seconds), "seed": seed}


def _stop(number: int, frame: Any) -> None:
    raise _Stopped


def _add(sum: dict[str, Any], found: dict[str, Any], seconds: float) -> None:
    for name in ("cases", "taken", "refused"):
        sum[name] = sum.get(name, 0) + found[name]
    for name in ("slowest_ms", "peak_mb"):
        sum[name] = max(sum.get(name, 0), found[name])
    sum["cpu_seconds"] = sum.get("cpu_seconds", 0.0) + found.get("cpu_seconds", seconds)
    sum["findings"] = [*sum.get("findings", []), *found["findings"]]


def _sum(sums: dict[str, dict[str, Any]]) -> dict[str, Any]:
    parts = list(sums.values())
    return {
        "targets": len(parts),
        **{name: sum(one[name] for one in parts) for name in ("cases", "taken", "refused")},
        "findings": sum(len(one["findings"]) for one in parts),
        **{name: max((one[name] for one in parts), default=0) for name in ("slowest_ms", "peak_mb")},
        "cpu_seconds": round(sum(one["cpu_seconds"] for one in parts)),
    }


def _hunted(target: str, seed: int, seconds: float) -> dict[str, Any]:
    """What one process found; the processes are forked from one that has imported everything and done nothing."""
    receive, send = _PROCESSES.Pipe(duplex=False)
    process = _PROCESSES.Process(target=_hunt, args=(send, target, seed, seconds), daemon=True)
    process.start()
    send.close()
    try:
        if receive.poll(100 * seconds + 600):
            found: dict[str, Any] = receive.recv()
            return found
        error = "hangs"
    except EOFError:
        process.join()
        error = f"the process ended with status {process.exitcode}"
    finally:
        process.kill()
    nothing = {"cases": 0, "taken": 0, "refused": 0, "slowest_ms": 0, "peak_mb": 0, "cpu_seconds": 0.0}
    return {"target": target, "seed": seed, **nothing, "findings": [{"case": None, "error": error, "at": ""}]}


def _hunt(send: Any, target: str, seed: int, seconds: float) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    send.send(hunt(target, seed=seed, seconds=seconds))
