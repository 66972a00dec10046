"""Work shared among threads: as many as the process may use, results in order, errors passed on."""

import os
import subprocess
import sys
import threading

import pytest

from confide.core.runtime.threads import cores, in_threads, interruptible


def test_results_come_in_the_order_of_the_parts():
    assert in_threads(lambda n: n * n, range(100), threads=4) == [n * n for n in range(100)]
    assert in_threads(len, []) == []


def test_one_part_runs_here():
    assert in_threads(lambda _: threading.get_ident(), [1]) == [threading.get_ident()]


def test_an_error_is_passed_on():
    with pytest.raises(ZeroDivisionError):
        in_threads(lambda n: 1 // n, [1, 0], threads=2)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no CPU affinity")
def test_cores_that_the_process_may_not_use_do_not_count():
    code = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "from confide.core.runtime.threads import cores; print(cores())"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "1"
    assert cores(most=1) == 1


def test_an_interruptible_call_gives_results_in_order_and_looks_meanwhile():
    looks = []
    wait = threading.Event()

    def look():
        looks.append(1)
        wait.set()

    def work(number):
        wait.wait(10)
        return number, threading.get_ident()

    found = interruptible(work, threads=3, stop=lambda: None, look=look)
    assert [number for number, _ in found] == [0, 1, 2]
    assert threading.get_ident() not in {thread for _, thread in found}
    assert looks


def test_a_failing_thread_stops_the_others_and_its_error_comes_out():
    stop = threading.Event()

    def work(number):
        if number == 1:
            raise ValueError("broken")
        assert stop.wait(10)

    with pytest.raises(ValueError, match="broken"):
        interruptible(work, threads=3, stop=stop.set)
    assert stop.is_set()
