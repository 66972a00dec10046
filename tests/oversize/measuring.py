"""The peak memory and processor time of `verify` on a release, in a process of its own, above those of an empty run."""

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["Cost", "allowed", "cost_of_verify"]

_CODE = """
import json, pathlib, sys, time
from confide.audit.verify import verify
outcome = verify(sys.argv[1])
held = pathlib.Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]
print(json.dumps([1024 * int(held), time.process_time(), outcome.ok, outcome.summary()]))
"""  # VmHWM is of this process alone: getrusage would count what the test's own process held when it started this one


@dataclass(frozen=True)
class Cost:
    """Bytes at the peak above an empty run, seconds of processor time, and the answer."""

    peak: int
    seconds: float
    ok: bool
    summary: str


def allowed(size: int) -> int:
    """What `verify` may take for files of so many bytes."""
    return max(256 << 20, 10 * size)


def cost_of_verify(passport: Path, *, empty: Path) -> Cost:
    """What verifying a release costs; `empty` is a tiny release of the same kind, whose cost does not count."""
    peak, seconds, ok, summary = _run(passport)
    base, start, *_ = _run_once(empty)
    return Cost(peak - base, seconds - start, ok, summary)


@cache
def _run_once(passport: Path) -> tuple[int, float, bool, str]:
    return _run(passport)


def _run(passport: Path) -> tuple[int, float, bool, str]:
    done = subprocess.run([sys.executable, "-c", _CODE, str(passport)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    peak, seconds, ok, summary = json.loads(done.stdout)
    return peak, seconds, ok, summary
