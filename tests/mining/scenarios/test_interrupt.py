"""Ctrl-C while kernels run: a real process, a real signal, data on which the search takes long."""

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from confide.core.runtime.progress import reporting
from confide.mining import frequent_itemsets


def compiled() -> None:
    """Compiling cannot be interrupted inside LLVM, so it is done before."""
    for rows in (2_000, 30_000):
        frequent_itemsets(np.tile(np.arange(3), (rows, 1)).tolist(), min_support=1)


@pytest.mark.parametrize("delay", [0.5, 3.0])  # while searching, and while writing out
def test_ctrl_c_is_answered_within_a_second(data, tmp_path, delay):
    compiled()
    source = data / "connect" / "connect.dat.gz"
    command = [sys.executable, "-m", "confide", "mine", "itemsets", source, "-s", "40%", "-o", tmp_path / "all.parquet"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        assert "67,557 records" in process.stderr.readline()
        time.sleep(delay)
        assert process.poll() is None, "the search must still run, or the test shows nothing"
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        line = process.stderr.readline()
        if "compiling" in line:
            line = process.stderr.readline()
        answered = time.monotonic() - start
        assert "interrupted" in line
        assert answered < 1
        assert process.wait(timeout=20) == 130
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
    end = time.monotonic() + 5
    while any(thread.name.startswith("confide-") for thread in threading.enumerate()) and time.monotonic() < end:
        time.sleep(0.05)
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("confide-")]


def test_long_runs_tell_their_progress_to_the_end():
    heard = []
    with reporting(lambda *said: heard.append(said)):
        found = frequent_itemsets([[j for j in range(18) if j != i % 18] for i in range(36)], min_support=1)
    assert len(found) == 2**18 - 2
    assert {label for label, _, _ in heard} == {"mining", "writing itemsets"}
    assert ("mining", 18, 18) in heard
    assert all(done <= total for _, done, total in heard)
