"""How many cores this process may use, work shared among that many threads, and Ctrl-C while they work.

Kernels run without the interpreter's lock, so threads use all cores. A container or `taskset` may allow fewer cores
than the machine has: only the allowed ones count.

Python hands Ctrl-C to the main thread, and only between two of its own steps: never while that thread runs a kernel.
So where a kernel can take long it runs in another thread, and the main one waits, ready to be interrupted.
"""

import contextvars
import ctypes
import functools
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

__all__ = [
    "ahead",
    "answers_ctrl_c",
    "cores",
    "end_if_interrupted",
    "in_threads",
    "interruptible",
    "limited_cores",
    "searches_stopped",
    "stoppable",
]

_PATIENCE = 0.5  # seconds that an interrupted call waits for its threads to see that they are to stop
_LOOK = 0.1  # seconds between two looks at the progress
_SHORTLY = 0.01  # seconds between two looks at a thread that must not be disturbed yet

T = TypeVar("T")
R = TypeVar("R")
P = ParamSpec("P")

# Kept beside the calls: a task of Spark's limits every kernel it comes to, and those know nothing of tasks.
_limit: contextvars.ContextVar[int | None] = contextvars.ContextVar("confide_cores", default=None)


def cores(*, most: int | None = None) -> int:
    """Cores this process may use, at least 1 and at most `most`.

    >>> cores(most=1)
    1
    """
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    allowed = min(allowed, _limit.get() or allowed)
    return max(1, allowed if most is None else min(allowed, most))


@contextmanager
def limited_cores(most: int) -> Iterator[None]:
    """Let `cores` say at most so many in this block: for one of several processes that share a machine.

    >>> with limited_cores(1):
    ...     cores()
    1
    """
    token = _limit.set(most)
    try:
        yield
    finally:
        _limit.reset(token)


def ahead(work: Callable[[], R]) -> Callable[[], R]:
    """Begin `work` in a thread of its own; the function returned waits for its end and gives its result, or its error.

    >>> later = ahead(lambda: 6 * 7)
    >>> later()
    42
    """
    results: list[R] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # raised where the result is asked for
            failures.append(error)

    worker = threading.Thread(target=run, daemon=True, name="confide-ahead")
    worker.start()

    def result() -> R:
        worker.join()
        if failures:
            raise failures[0]
        return results[0]

    return result


def in_threads(
    work: Callable[[T], R],
    parts: Iterable[T],
    *,
    threads: int | None = None,
    step: Callable[[int], None] | None = None,
) -> list[R]:
    """`work` done on every part, in as many threads as there are cores; results in the order of the parts.

    One part, or one thread, runs here. The first error ends the call once running parts are done, and so does Ctrl-C,
    which does not wait for them longer than a moment. `step` is called here, now and then, with how many more parts
    are done: what `progress.task` gives takes it.

    >>> in_threads(len, ["a", "bb", "ccc"])
    [1, 2, 3]
    """
    given = list(parts)
    size = min(len(given), cores() if threads is None else threads)
    results: dict[int, R] = {}
    reported = 0

    def report() -> None:
        nonlocal reported
        done = len(results)  # read once: it grows meanwhile
        if step is not None and done > reported:
            more, reported = done - reported, done
            step(more)

    if size <= 1:
        for number, part in enumerate(given):
            results[number] = work(part)
            report()
        return list(results.values())
    numbers = iter(range(len(given)))  # handed out under the interpreter's lock, each once
    stopped = threading.Event()

    def share(_: int) -> None:
        while not stopped.is_set() and (number := next(numbers, None)) is not None:
            results[number] = work(given[number])

    interruptible(share, threads=size, stop=stopped.set, look=report)
    report()
    return [results[number] for number in range(len(given))]


def interruptible(
    work: Callable[[int], R], *, threads: int, stop: Callable[[], None], look: Callable[[], None] | None = None
) -> list[R]:
    """`work(0)`, `work(1)`, ... at once, a thread each; results in this order. Ctrl-C ends the call within a second.

    When this thread, which waits, is interrupted, or when one of the others fails, `stop` is called; it must make every
    `work` return soon. `look` is called ten times a second, in this thread: from there progress can be reported.
    """
    results: dict[int, R] = {}
    failures: list[BaseException] = []
    ended = [threading.Event() for _ in range(threads)]  # see `answers_ctrl_c`

    def run(number: int) -> None:
        try:
            results[number] = work(number)
        except BaseException as error:  # the waiting thread raises it
            failures.append(error)
            stop()
        finally:
            ended[number].set()

    # Daemons: a kernel that is being compiled cannot be stopped, and must not keep the process from ending.
    workers = [
        threading.Thread(target=run, args=(number,), daemon=True, name=f"confide-{number}") for number in range(threads)
    ]
    try:
        for worker in workers:
            worker.start()
        for end in ended:
            while not end.wait(_LOOK):
                if look is not None:
                    look()
    except BaseException:
        stop()
        until = time.monotonic() + _PATIENCE
        for worker, end in zip(workers, ended, strict=True):
            if worker.ident is not None:
                end.wait(max(0.0, until - time.monotonic()))
        raise
    if failures:
        raise failures[0]
    return [results[number] for number in range(threads)]


def answers_ctrl_c(function: Callable[P, R]) -> Callable[P, R]:
    """Have a function answer Ctrl-C at once, whatever kernels it calls, when it is called in the main thread.

    It then runs in a thread of its own. On Ctrl-C the caller gets its KeyboardInterrupt, and that thread ends soon
    after the kernel it is in.

    >>> @answers_ctrl_c
    ... def double(x): return 2 * x
    >>> double(21)
    42
    """

    @functools.wraps(function)
    def answering(*args: P.args, **kwargs: P.kwargs) -> R:
        if threading.current_thread() is not threading.main_thread():
            return function(*args, **kwargs)
        here = contextvars.copy_context()  # progress is reported to whom it was
        results: list[R] = []
        failures: list[BaseException] = []
        ended = threading.Event()  # a join that is interrupted takes its thread for dead in Python 3.11 and 3.12

        def run() -> None:
            _here.ended = ended
            try:
                results.append(here.run(function, *args, **kwargs))
            except BaseException as error:  # the waiting thread raises it
                failures.append(error)
            finally:
                ended.set()

        worker = threading.Thread(target=run, daemon=True, name=f"confide-{function.__name__}")
        try:
            worker.start()
            _wait(ended)
        except BaseException:
            if worker.ident is not None and not ended.is_set():
                threading.Thread(target=_interrupt, args=(worker.ident, ended), daemon=True).start()
                ended.wait(_PATIENCE)
            raise
        if failures:
            raise failures[0]
        return results[0]

    return answering


def _wait(ended: threading.Event) -> None:
    """Wait for a call to end; a Ctrl-C while it is in a `stoppable` block stops that block alone."""
    while True:
        try:
            while not ended.wait(_LOOK):
                pass
        except KeyboardInterrupt:
            stop = _stoppable.pop(ended, None)
            if stop is None:
                raise
            _stopped.append(stop)
            stop.set()
        else:
            return


def searches_stopped() -> int:
    """How many times a Ctrl-C stopped a `stoppable` block, and nothing else."""
    return len(_stopped)


@contextmanager
def stoppable() -> Iterator[threading.Event]:
    """While this block runs, a first Ctrl-C sets the event that it is given, and a second one ends the call.

    For a search that can be cut short with the best it has. Where `answers_ctrl_c` did not begin the thread, Ctrl-C
    ends the call at once.
    """
    stop, ended = threading.Event(), getattr(_here, "ended", None)
    if ended is None:
        yield stop
        return
    around = _stoppable.get(ended)
    _stoppable[ended] = stop
    try:
        yield stop
    finally:
        if _stoppable.pop(ended, None) is None:
            stop.wait(_LOOK)  # an interrupt has taken it, and sets it in a moment: it must not be lost
        elif around is not None:
            _stoppable[ended] = around


def _interrupt(thread: int, ended: threading.Event) -> None:
    """Raise KeyboardInterrupt in another thread, at one of its next steps in Python or at its next kernel.

    Not while it imports: half a module stays behind, and the next call fails on it. Nor while it starts a thread: until
    that one runs, Python knows it by the number of the first, and raises the interrupt there. The first would then wait
    for ever for it to start, with locks that every pool of threads needs. Nor on its way into a kernel or out of it:
    numba calls Python there and does not look whether that failed, so an error ends the process with a fault of memory.
    """
    _interrupted.add(ended)
    try:
        while _undisturbed(thread) and not ended.wait(_SHORTLY):
            pass
        if not ended.is_set():
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt))
        ended.wait()
    finally:
        _interrupted.discard(ended)


def end_if_interrupted() -> None:
    """Raise KeyboardInterrupt in a thread whose caller was interrupted. Every kernel begins with this."""
    if _interrupted and getattr(_here, "ended", None) in _interrupted:
        raise KeyboardInterrupt


def _undisturbed(thread: int) -> bool:
    """Whether a thread imports, starts another, or is in a kernel."""
    frame = sys._current_frames().get(thread)
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>" or frame.f_code in UNDISTURBED:
            return True
        frame = frame.f_back
    return False


UNDISTURBED = {threading.Thread.start.__code__, ThreadPoolExecutor.submit.__code__}
"""What must not be interrupted half-way, beside imports; calling a kernel is added by who makes kernels."""

_here = threading.local()  # the event that this thread sets when it ends, where `answers_ctrl_c` began it
_stoppable: dict[threading.Event, threading.Event] = {}  # for each such event, what stops the search of that thread
_stopped: list[threading.Event] = []  # those that were stopped
_interrupted: set[threading.Event] = set()  # those that are to end; their numbers would be given to other threads soon
