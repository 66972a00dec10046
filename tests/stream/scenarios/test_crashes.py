"""Kill -9 at random moments of a real process, and start again: nothing lost, nothing doubled, nothing drawn twice."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time

from confide import verify
from confide.core.samples import baskets
from confide.core.streams.run import StreamRun
from confide.stream import StreamRelease, release_stream

KILLS, RECORDS, WINDOW, EVERY = 50, 3000, 300, 10

# One process that starts runs in children of its own, so that what they import is imported once.
STARTER = """
import os, sys
from pathlib import Path
from confide.stream import StreamRelease, release_stream
from confide.stream.sources import text_source

text_source._BLOCK = 5000  # so that a window is read again in several pieces, as in a long stream

def go(folder, sync, limit=None):
    promise = {"min_support": 25, "epsilon": 0.05}
    request = StreamRelease(
        records="in.dat", noise_key=Path("noise.key"), **promise, window=300, every=10, sync=sync, state=folder /
        "state", limit=limit
    )
    release_stream(request, output=folder / "out.jsonl")

Path("warm").mkdir()
go(Path("warm"), "none", 350)
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        go(Path(line.split()[0]), line.split()[1])
        os._exit(0)
    print(child, flush=True)
    print(os.waitpid(child, 0)[1], flush=True)
"""


def test_kill_9_at_50_random_moments(tmp_path):
    baskets(RECORDS, seed=11).write(tmp_path / "in.dat")
    draw = random.Random(5)
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    killed, runs, before, outcomes = 0, 0, [], set()
    try:
        while killed < KILLS or before:
            if not before:
                runs += 1
                (tmp_path / f"run{runs}").mkdir()
            sync = ("group", "each", "none")[runs % 3]
            starter.stdin.write(f"run{runs} {sync}\n")
            starter.stdin.flush()
            child = int(starter.stdout.readline())
            if killed < KILLS:
                time.sleep(draw.random() * 0.2)
                with contextlib.suppress(ProcessLookupError):  # it ended by itself
                    os.kill(child, signal.SIGKILL)
            status = int(starter.stdout.readline())
            folder = tmp_path / f"run{runs}"
            if status == signal.SIGKILL:
                killed += 1
                before.append(held(folder))
                outcomes.add("in the middle" if before[-1] else "before the first release")
                continue
            assert status == 0
            check(folder, before)
            outcomes.add("taken up" if before else "in one go")
            before = []
    finally:
        starter.stdin.close()
        starter.kill()
        starter.wait(10)
    assert {"in the middle", "taken up"} <= outcomes


def held(folder):
    """The whole lines that are out at this moment: none of them may ever change."""
    output = folder / "out.jsonl"
    data = output.read_bytes() if output.exists() else b""
    return data[: data.rfind(b"\n") + 1].splitlines(keepends=True)[1:]


def check(folder, before):
    """Every release there once, in order, at its offset; and the noise of its key, whatever the process."""
    lines = (folder / "out.jsonl").read_bytes().splitlines(keepends=True)
    for seen in before:
        assert lines[1 : len(seen) + 1] == seen, "a release that was out has changed"
    run = StreamRun.read(folder / "out.jsonl")
    assert [release.number for release in run.releases] == list(range(1, len(lines)))
    assert [release.offset for release in run.releases] == list(range(WINDOW, RECORDS + 1, EVERY))
    assert verify(folder / "out.jsonl.passport.json").ok
    unbroken = folder.parent / "unbroken.jsonl"
    if not unbroken.exists():
        keyed = {"noise_key": folder.parent / "noise.key", "min_support": 25, "epsilon": 0.05}
        request = StreamRelease(records=folder.parent / "in.dat", **keyed, window=WINDOW, every=EVERY)
        release_stream(request, output=unbroken)
    assert b"".join(lines) == unbroken.read_bytes(), "one key and the same records gave two runs"
