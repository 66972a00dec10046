"""Ctrl-C while a command computes: a real process, a real signal, kernels in the main thread or in others."""

import os
import signal
import subprocess
import sys
import time

import pytest

COMMANDS = {
    "rules": ["mine", "rules", "connect/connect.dat.gz", "-s", "60%", "-c", "1%", "-o", "OUT/rules.csv"],
    "publish": ["publish", "transactions", "connect/connect.dat.gz", "--k", "50", "--p", "4", "-o", "OUT/x.csv"],
}


@pytest.mark.data
@pytest.mark.parametrize("name", COMMANDS)
def test_ctrl_c_ends_a_command_within_a_second(data, tmp_path, name):
    words = [word.replace("OUT", str(tmp_path)) for word in COMMANDS[name]]
    command = [sys.executable, "-m", "confide", *(str(data / w) if w.startswith("connect/") else w for w in words)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    try:
        assert "67,557 records" in process.stderr.readline()
        time.sleep(2)
        assert process.poll() is None, "the command must still run, or the test shows nothing"
        _ends_by_ctrl_c(process)
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
    assert not list(tmp_path.iterdir())


# A kernel of ours that takes long, called in the main thread: nothing there can look for an interrupt.
BUSY = """
import sys
from pathlib import Path
from confide.cli.endings.interrupts import answer_interrupts
from confide.core.files import atomic_write
from confide.core.runtime.jit import kernel

@kernel
def spin(rounds):
    total = 0
    for i in range(rounds):
        total ^= i * total + i
    return total

spin(1)
answer_interrupts()
with atomic_write(Path(sys.argv[1]) / "x.csv") as file:
    file.write(b"half")
    print("busy", file=sys.stderr, flush=True)
    spin(10**11)
"""


def test_ctrl_c_ends_a_kernel_in_the_main_thread_and_leaves_no_part_of_a_file(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", BUSY, str(tmp_path)], stderr=subprocess.PIPE, text=True)
    try:
        while "busy" not in process.stderr.readline():
            assert process.poll() is None
        time.sleep(0.5)
        assert len(list(tmp_path.iterdir())) == 1  # the part
        _ends_by_ctrl_c(process)
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
    assert not list(tmp_path.iterdir())


def _ends_by_ctrl_c(process):
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    status = process.wait(timeout=30)
    took = time.monotonic() - start
    said = process.stderr.read()
    assert status == 130, said
    assert "interrupted; no file was left half-written" in said
    assert took < (1 if os.getloadavg()[0] < 2 * (os.cpu_count() or 1) else 3)  # a crowded machine is slow to wake us
