"""Ctrl-C while kernels run: a real process, a real signal, data on which the search takes long."""

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from tests.patience import LONG, PROMPT, wait_for_work, wait_until

from confide.core.runtime.progress import reporting
from confide.mining import frequent_itemsets


def compiled() -> None:
    """Compiling cannot be interrupted inside LLVM, so it is done before."""
    for rows in (2_000, 30_000):
        frequent_itemsets(np.tile(np.arange(3), (rows, 1)).tolist(), min_support=1)


@pytest.mark.parametrize("stage", ["searching", "writing"])
def test_ctrl_c_is_answered_soon(data, tmp_path, stage):
    compiled()
    source = data / "connect" / "connect.dat.gz"
    command = [sys.executable, "-m", "confide", "mine", "itemsets", source, "-s", "40%", "-o", tmp_path / "all.parquet"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        assert "67,557 records" in process.stderr.readline()
        if stage == "searching":
            wait_for_work(process, 2)
        else:
            wait_until(lambda: process.poll() is not None or list(tmp_path.iterdir()))
        assert process.poll() is None, "the search must still run, or the test shows nothing"
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        line = process.stderr.readline()
        if "compiling" in line:
            line = process.stderr.readline()
        answered = time.monotonic() - start
        assert "interrupted" in line
        assert answered < PROMPT
        assert process.wait(timeout=LONG) == 130
    finally:
        process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()
    assert not list(tmp_path.iterdir())


def test_no_thread_is_left_searching_after_an_interrupt():
    """A listener that raises stands for Ctrl-C: both end the wait of the calling thread."""
    rows = [[j for j in range(40) if j != i % 40] for i in range(4_000)]  # 2**39 sets and more

    def interrupt(label, done, total):
        if label == "mining" and time.monotonic() > start + 0.3:
            raise KeyboardInterrupt

    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt), reporting(interrupt):
        frequent_itemsets(rows, min_support=1, max_length=20)
    wait_until(lambda: not any(thread.name.startswith("confide-") for thread in threading.enumerate()))


def test_long_runs_tell_their_progress_to_the_end():
    heard = []
    with reporting(lambda *said: heard.append(said)):
        found = frequent_itemsets([[j for j in range(18) if j != i % 18] for i in range(36)], min_support=1)
    assert len(found) == 2**18 - 2
    assert {label for label, _, _ in heard} == {"mining", "writing itemsets"}
    assert ("mining", 18, 18) in heard
    assert all(done <= total for _, done, total in heard)
