"""Kill -9 while records come from Kafka and releases go there: each release once, with the noise of its key."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress

from tests.amounts import some
from tests.stream.kafka import read_messages
from tests.stream.streams import records_file, release

from confide.core.streams.run import StreamRun
from confide.stream import replay_stream

KILLS = len(some(range(50), every=12))  # moments
RECORDS, WINDOW, EVERY = 1000, 400, 5

# One process that starts runs in children of its own, so that what they import is imported once.
STARTER = """
import os, sys
from pathlib import Path
import confluent_kafka, numba
import confide.audit.verifiers.streams.block_watch, confide.mining, confide.stream.butterfly
from confide.stream import StreamRelease, release_stream
from confide.stream.sources import kafka_source

kafka_source._COUNT = 90  # so that a window is read again in several pieces
limit, window, every = map(int, sys.argv[1:])
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        records, out = line.split()
        promise = {"noise_key": Path("noise.key"), "min_support": 25, "epsilon": 0.05}
        sizes = {"limit": limit, "window": window, "every": every}
        release_stream(StreamRelease(records=records, to=out, state=Path("state"), sync="each", **sizes, **promise))
        os._exit(0)
    print(child, flush=True)
    print(os.waitpid(child, 0)[1], flush=True)
"""


def test_kill_9_gives_no_block_two_noises_and_no_noise_two_blocks(tmp_path, kafka_url):
    source, records, out = records_file(tmp_path, RECORDS), kafka_url("records"), kafka_url("out")
    replay_stream(source, to=records)
    draw, status, killed, held = random.Random(4), None, 0, [b""]
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER, *map(str, (RECORDS, WINDOW, EVERY))],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        while status != 0:
            starter.stdin.write(f"{records} {out}\n")
            starter.stdin.flush()
            child = int(starter.stdout.readline())
            if killed < KILLS:
                time.sleep(0.4 + draw.random() * 0.8)  # it takes half a second to shut the last producer out
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            status = int(starter.stdout.readline())
            killed += status == signal.SIGKILL
            assert status in (0, signal.SIGKILL)
            seen = [value for key, value in read_messages(out) if key != b"passport"]
            assert seen[: len(held)] == held or held == [b""], "a release that was out has changed"
            held = seen or held
    finally:
        starter.stdin.close()
        starter.kill()
        starter.wait(10)
    assert killed > 0
    release(source, noise_key=tmp_path / "noise.key", window=WINDOW, every=EVERY, output=tmp_path / "unbroken.jsonl")
    assert b"".join(held) == (tmp_path / "unbroken.jsonl").read_bytes(), "one key and the same records gave two runs"
    offsets = [release.offset for release in StreamRun.from_bytes(b"".join(held)).releases]
    assert offsets == list(range(WINDOW, RECORDS + 1, EVERY))
