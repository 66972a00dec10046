"""Work shared among threads: as many as the process may use, results in order, errors passed on."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from tests.patience import LONG, wait_until

from confide.core.runtime.progress import reporting, task
from confide.core.runtime.threads import _stoppable, answers_ctrl_c, cores, in_threads, interruptible, stoppable


@pytest.fixture
def ctrl_c():
    """Sends this process Ctrl-C; what a command run here by another test may have set up must not hear it."""
    heard = signal.set_wakeup_fd(-1)
    # a shell starts what runs in the background with Ctrl-C ignored
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield lambda: os.kill(os.getpid(), signal.SIGINT)
    signal.signal(signal.SIGINT, before)
    signal.set_wakeup_fd(heard)


def test_results_come_in_the_order_of_the_parts():
    assert in_threads(lambda n: n * n, range(100), threads=4) == [n * n for n in range(100)]
    assert in_threads(len, []) == []


def test_one_part_runs_here():
    assert in_threads(lambda _: threading.get_ident(), [1]) == [threading.get_ident()]


@pytest.mark.parametrize("threads", [1, 3])
def test_every_part_done_is_reported_once_and_by_the_caller(threads):
    here, told = threading.get_ident(), []

    def step(more):
        assert threading.get_ident() == here
        told.append(more)

    def work(part):
        if threads > 1 and part == 19:
            wait_until(lambda: told)  # the last part ends only after something was reported
        return part

    assert in_threads(work, range(20), threads=threads, step=step) == [*range(20)]
    assert sum(told) == 20
    assert len(told) > 1


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
        wait.wait(LONG)
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
        assert stop.wait(LONG)

    with pytest.raises(ValueError, match="broken"):
        interruptible(work, threads=3, stop=stop.set)
    assert stop.is_set()


def test_ctrl_c_reaches_the_caller_while_a_kernel_runs_and_its_thread_ends_after_the_kernel(ctrl_c):
    done = []

    @answers_ctrl_c
    def long():
        for _ in range(200):
            time.sleep(0.5)  # in C, as a kernel is: nothing of Python's runs in this thread meanwhile
            done.append(threading.current_thread())
            if len(done) == 1:
                ctrl_c()

    with pytest.raises(KeyboardInterrupt):
        long()
    wait_until(lambda: not [t for t in threading.enumerate() if t.name == "confide-long"], seconds=90)
    assert len(done) < 100, "the thread went on after the kernel it was in"


STARTING = """
import os, random, signal, threading, time
random.seed(7)
from concurrent.futures import ThreadPoolExecutor
from confide.core.runtime.threads import answers_ctrl_c

@answers_ctrl_c
def starting():
    end = time.monotonic() + 300
    while time.monotonic() < end:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(abs, range(4)))

for _ in range(12):
    waits = 0.01 + 0.02 * random.random(), 20
    soon, again = (threading.Timer(wait, os.kill, (os.getpid(), signal.SIGINT)) for wait in waits)
    try:
        again.start()  # an interrupt that arrives while Python drops an object is lost
        soon.start()
        starting()
    except KeyboardInterrupt:
        again.cancel()
with ThreadPoolExecutor(1) as pool:
    print(pool.submit(abs, -1).result())
"""


def test_ctrl_c_while_threads_are_being_started_leaves_none_that_waits_for_ever():
    """Twelve interrupts in calls that start threads all the time: each used to end in a deadlock."""
    done = subprocess.run([sys.executable, "-c", STARTING], capture_output=True, text=True, timeout=LONG)
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr


def test_a_function_that_answers_ctrl_c_is_otherwise_as_it_was():
    @answers_ctrl_c
    def divided(a, *, by):
        """A over b."""
        with task("dividing", total=1) as step:
            step(1)
        return a / by, threading.current_thread() is threading.main_thread()

    heard = []
    with reporting(lambda *said: heard.append(said)):
        assert divided(6, by=3) == (2.0, False)
    assert heard[-1] == ("dividing", 1, 1)
    assert divided.__doc__ == "A over b."
    with pytest.raises(ZeroDivisionError):
        divided(1, by=0)
    here = []
    other = threading.Thread(target=lambda: here.append((divided(4, by=2), threading.active_count())))
    before = threading.active_count()
    other.start()
    other.join()
    assert here == [((2.0, False), before + 1)], "only the main thread hears Ctrl-C; others need no second thread"


def test_ctrl_c_ends_work_shared_among_threads_before_the_parts_that_were_not_begun(ctrl_c):
    begun = []

    def part(number):
        begun.append(number)
        if number == 2:
            ctrl_c()
        time.sleep(0.3)

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        in_threads(part, range(1000), threads=2)
    wait_until(lambda: threading.active_count() <= before)
    assert len(begun) < 200


def test_an_interrupt_that_comes_while_a_search_ends_is_not_lost():
    """Whoever interrupts takes the search from the list, and tells it a moment later."""

    @answers_ctrl_c
    def work():
        with stoppable() as outer:
            with stoppable() as inner:
                assert list(_stoppable.values()) == [inner]
            assert list(_stoppable.values()) == [outer]
            (ended,) = _stoppable
            late = _stoppable.pop(ended)
            threading.Timer(0.02, late.set).start()
        return outer.is_set(), dict(_stoppable)

    assert work() == (True, {})
