"""How many cores this process may use, and work shared among that many threads.

Kernels run without the interpreter's lock, so threads use all cores. A container or `taskset` may allow fewer cores
than the machine has: only the allowed ones count.
"""

import os
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["ahead", "cores", "in_threads", "interruptible"]

_PATIENCE = 0.5  # seconds that an interrupted call waits for its threads to see that they are to stop
_LOOK = 0.1  # seconds between two looks at the progress

T = TypeVar("T")
R = TypeVar("R")


def cores(*, most: int | None = None) -> int:
    """Cores this process may use, at least 1 and at most `most`.

    >>> cores(most=1)
    1
    """
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, allowed if most is None else min(allowed, most))


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


def in_threads(work: Callable[[T], R], parts: Iterable[T], *, threads: int | None = None) -> list[R]:
    """`work` done on every part, in as many threads as there are cores; results in the order of the parts.

    One part, or one thread, runs here without a pool. The first error ends the call once running parts are done.

    >>> in_threads(len, ["a", "bb", "ccc"])
    [1, 2, 3]
    """
    given = list(parts)
    size = min(len(given), cores() if threads is None else threads)
    if size <= 1:
        return [work(part) for part in given]
    with ThreadPoolExecutor(size) as pool:
        return list(pool.map(work, given))


def interruptible(
    work: Callable[[int], R], *, threads: int, stop: Callable[[], None], look: Callable[[], None] | None = None
) -> list[R]:
    """`work(0)`, `work(1)`, ... at once, a thread each; results in this order. Ctrl-C ends the call within a second.

    Python hands Ctrl-C to the main thread, and only between two of its own steps: never while that thread runs a
    kernel. So kernels run in other threads here, and this one waits. When it is interrupted, or when one of the
    threads fails, `stop` is called; it must make every `work` return soon. `look` is called ten times a second, in this
    thread: from there progress can be reported.
    """
    results: dict[int, R] = {}
    failures: list[BaseException] = []

    def run(number: int) -> None:
        try:
            results[number] = work(number)
        except BaseException as error:  # the waiting thread raises it
            failures.append(error)
            stop()

    # Daemons: a kernel that is being compiled cannot be stopped, and must not keep the process from ending.
    workers = [
        threading.Thread(target=run, args=(number,), daemon=True, name=f"confide-{number}") for number in range(threads)
    ]
    try:
        for worker in workers:
            worker.start()
        for worker in workers:
            while worker.is_alive():
                worker.join(_LOOK)
                if look is not None:
                    look()
    except BaseException:
        stop()
        end = time.monotonic() + _PATIENCE
        for worker in workers:
            if worker.ident is not None:
                worker.join(max(0.0, end - time.monotonic()))
        raise
    if failures:
        raise failures[0]
    return [results[number] for number in range(threads)]
