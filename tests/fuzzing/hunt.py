"""Cases by seed and number, what came of them, and how much memory that took.

    python -m tests.fuzzing.hunt TARGET SEED SECONDS      one target, one line of JSON; SECONDS of processor time

A case is drawn from (target, seed, number) alone, so that what is found can be made again.
"""

import contextlib
import json
import random
import resource
import sys
import tempfile
import time
import traceback
from pathlib import Path

from tests.fuzzing.files import READERS, file_target
from tests.fuzzing.pages import PAGES, page_target
from tests.fuzzing.releases import RELEASES, release_target
from tests.fuzzing.services import SERVICES, service_target

__all__ = ["HANG", "TARGETS", "hunt"]

HANG = 10.0  # seconds of processor time that no case may take
WAIT = 600.0  # seconds by the clock, however busy the machine
_MOST_FINDINGS = 5

TARGETS = (
    *(f"read {name}" for name in READERS),
    *(f"verify {name}" for name in RELEASES),
    *(f"message to a {name}" for name in SERVICES),
    *(f"request to the {name}" for name in PAGES),
)


def prepared(target, folder):
    """The function that tries one case of a target, and what ends it."""
    word, _, name = target.partition(" ")
    if word == "read":
        return file_target(name, folder), lambda: None
    if word == "verify":
        return release_target(name, folder), lambda: None
    if word == "request":
        return page_target(name.removeprefix("to the "), folder)
    return service_target(name.removeprefix("to a "), folder)


def hunt(target, *, seed, seconds=float("inf"), cases=10**9, before=0):
    """Try so many cases, or until the processor time is used up: how many were taken and refused, and what went wrong.

    The clock starts after so many `before`: they load or compile kernels.
    """
    with tempfile.TemporaryDirectory() as folder:
        _forget_peak()
        attempt, end = prepared(target, Path(folder))
        accepted = refused = number = 0
        slowest, findings = 0.0, []
        start = time.process_time()
        until = start + (seconds if before == 0 else float("inf"))
        while number < cases and time.process_time() < until and len(findings) < _MOST_FINDINGS:
            began, at = time.process_time(), time.monotonic()
            try:
                taken = attempt(random.Random(f"{target}:{seed}:{number}"))
            except Exception as error:
                place = traceback.extract_tb(error.__traceback__)[-1]
                where = f"{Path(place.filename).name}:{place.lineno}"
                findings.append({"case": number, "error": f"{type(error).__name__}: {error}"[:300], "at": where})
            else:
                accepted, refused = accepted + taken, refused + (not taken)
            took, waited = time.process_time() - began, time.monotonic() - at
            if number >= before and (took > HANG or waited > WAIT):
                findings.append({"case": number, "error": f"took {took:.1f} s, waited {waited:.1f} s", "at": ""})
            slowest = max(slowest, took) if number >= before else slowest
            number += 1
            if number == before:
                until = time.process_time() + seconds
        end()
        peak = _peak()
        return {
            "target": target,
            "seed": seed,
            "cases": number,
            "taken": accepted,
            "refused": refused,
            "slowest_ms": round(1000 * slowest),
            "peak_mb": round(peak / 2**20),
            "cpu_seconds": round(time.process_time() - start, 2),
            "findings": findings,
        }


def _forget_peak() -> None:
    """Count the peak of memory from here on, where the system lets us: other tests may have run in this process."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak() -> int:
    """The most bytes this process held since then."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    print(json.dumps(hunt(sys.argv[1], seed=int(sys.argv[2]), seconds=float(sys.argv[3]))))
