"""Work shared among threads: as many as the process may use, results in order, errors passed on."""

import os
import subprocess
import sys
import threading

import pytest

from confide.core.runtime.threads import cores, in_threads


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
