"""Ctrl-C while a command or a notebook computes: a real process, a real signal, kernels in whatever thread."""

import signal
import subprocess
import sys
import time

import pytest
from tests.patience import LONG, PROMPT, wait_for_work

COMMANDS = {
    "rules": ["mine", "rules", "connect/connect.dat.gz", "-s", "60%", "-c", "1%", "-o", "OUT/rules.csv"],
    "publish": ["publish", "transactions", "connect/connect.dat.gz", "--k", "500", "--p", "8", "-o", "OUT/x.csv"],
}


@pytest.mark.data
@pytest.mark.parametrize("name", COMMANDS)
def test_ctrl_c_ends_a_command_soon(data, tmp_path, name):
    words = [word.replace("OUT", str(tmp_path)) for word in COMMANDS[name]]
    command = [sys.executable, "-m", "confide", *(str(data / w) if w.startswith("connect/") else w for w in words)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    try:
        assert "67,557 records" in process.stderr.readline()
        wait_for_work(process, 2)
        _ends_by_ctrl_c(process)
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
    assert not list(tmp_path.iterdir())


MADE = {
    "table": ["publish", "table", "people.csv", "--schema", "people.schema.toml", "--k", "5", "--explore"],
    "generate": ["share", "generate", "tree.json", "--rows", "50000000", "-o", "OUT/rows.parquet"],
    "simulate": ["join", "simulate", "join.toml", "-o", "OUT/tree.json"],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A registry, a tree learned from it, and tables that join, large enough to keep a command busy."""
    folder = tmp_path_factory.mktemp("made")
    for words in (
        ["sample", "people", "-o", "people.csv", "--rows", "20000"],
        ["share", "domains", "people.csv", "--class", "diagnosis", "-o", "domains.toml"],
        ["share", "train", "people.csv", "--domains", "domains.toml", "--k", "50", "-o", "tree.json"],
        ["sample", "chain", ".", "--tables", "3", "--rows", "120000"],
    ):
        subprocess.run([sys.executable, "-m", "confide", *words], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.mark.parametrize("name", MADE)
def test_ctrl_c_ends_every_long_command_soon(made, tmp_path, name):
    words = [word.replace("OUT", str(tmp_path)) for word in MADE[name]]
    command = [sys.executable, "-m", "confide", *words]
    process = subprocess.Popen(command, cwd=made, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    try:
        wait_for_work(process, 1.5)
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
from confide.cli.endings.interrupts import answering_interrupts
from confide.core.files import atomic_write
from confide.core.runtime.jit import kernel

@kernel
def spin(rounds):
    total = 0
    for i in range(rounds):
        total ^= i * total + i
    return total

spin(1)
with answering_interrupts(), atomic_write(Path(sys.argv[1]) / "x.csv") as file:
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
    status = process.wait(timeout=LONG)
    took = time.monotonic() - start
    said = process.stderr.read()
    assert status == 130, said
    assert "interrupted; no file was left half-written" in said
    assert took < PROMPT


# What a notebook calls: the interrupt comes as KeyboardInterrupt, and the process goes on.
LIBRARY = """
import itertools, os, signal, sys, threading, time
import numpy as np
from confide import Coherence, Transactions, verify
from confide.collect import GammaDiagonal, Mask
from confide.mining import DecisionTree, association_rules, frequent_itemsets, itemset_supports
from confide.publish import suppress

random = np.random.default_rng(1)
X, y = random.random((1_500_000, 4)), random.integers(0, 3, 1_500_000)
labels = [f"i{j}" for j in range(20)]
held = np.tile(np.arange(20, dtype=np.int32), 1_000_000)
tx = Transactions.from_arrays(np.arange(0, 20_000_001, 20, dtype=np.int64), held, labels)
sets = [list(four) for four in itertools.combinations(labels, 4)]
scheme = GammaDiagonal(domains={f"f{i}": list("abcdefgh") for i in range(6)}, gamma=19)
items = Mask(p=0.9, items=labels)
cells = random.integers(0, 8**6, 40_000_000)
few = Transactions.from_arrays(np.arange(0, 6_000_001, 20, dtype=np.int64), held[:6_000_000], labels)
suppress(few, Coherence(h=1, k=2, p=1)).write(sys.argv[1] + "/few.dat")
dense = Transactions.from_lists([np.flatnonzero(row).tolist() for row in random.random((30_000, 60)) < 0.5])
subsets = frequent_itemsets([list(range(16))] * 4, min_support=1)
calls = {
    "association_rules": lambda: association_rules(subsets, min_confidence=0.1),
    "suppress": lambda: suppress(dense, Coherence(h=1, k=20, p=5)),
    "verify": lambda: verify(sys.argv[1] + "/few.dat.passport.json"),
    "itemset_supports": lambda: itemset_supports(tx, sets * 5),
    "perturb": lambda: scheme.perturb(cells),
    "perturb items": lambda: items.perturb(tx),
    "mine": lambda: items.mine(tx, min_support=0.01),
    "fit": lambda: DecisionTree().fit(X, y),
}
for name, call in calls.items():
    sent = []
    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)
    timer = threading.Timer(0.3, interrupt)
    try:
        timer.start()
        call()
        timer.cancel()
        print(name, "ended by itself", flush=True)
    except KeyboardInterrupt:
        print(name, time.monotonic() - sent[0], flush=True)
"""


def test_ctrl_c_comes_back_to_a_notebook_soon(tmp_path):
    done = subprocess.run([sys.executable, "-c", LIBRARY, str(tmp_path)], capture_output=True, text=True, timeout=LONG)
    assert done.returncode == 0, done.stderr
    took = {name: float(seconds) for name, _, seconds in (line.rpartition(" ") for line in done.stdout.splitlines())}
    called = {"fit", "itemset_supports", "perturb", "perturb items", "mine", "association_rules", "suppress", "verify"}
    assert set(took) == called
    assert max(took.values()) < PROMPT, took


# Numba calls Python while it packs a named tuple; an interrupt raised there ended the process with a fault of memory.
PACKING = """
import os, signal, threading, time
from typing import NamedTuple
import numpy as np
from confide.core.runtime.jit import kernel
from confide.core.runtime.threads import answers_ctrl_c

class Halves(NamedTuple):
    low: np.ndarray
    high: np.ndarray

@kernel
def halves(whole, count):
    return Halves(whole.low[:count], whole.low[count:])

@answers_ctrl_c
def halve_for_ever():
    begun.set()
    while True:
        halves(whole, 7)

whole = Halves(np.arange(50), np.arange(3))
halves(whole, 3)
begun = threading.Event()

def interrupt(seconds):
    begun.wait()  # only then: Python swallows an interrupt that hits it while it looks after its threads
    time.sleep(seconds)
    os.kill(os.getpid(), signal.SIGINT)

for i in range(60):
    begun.clear()
    threading.Thread(target=interrupt, args=(i / 10_000,)).start()
    try:
        halve_for_ever()
    except KeyboardInterrupt:
        pass
assert threading.active_count() <= 4, threading.enumerate()
print(len(halves(whole, 3).low))
"""


def test_an_interrupt_between_python_and_a_kernel_is_no_fault_of_memory():
    done = subprocess.run([sys.executable, "-c", PACKING], capture_output=True, text=True, timeout=LONG)
    assert (done.returncode, done.stdout) == (0, "3\n"), done.stderr
