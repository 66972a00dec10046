"""How many cores this process may use, and work shared among that many threads.

Kernels run without the interpreter's lock, so threads use all cores. A container or `taskset` may allow fewer cores
than the machine has: only the allowed ones count.
"""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["cores", "in_threads"]

T = TypeVar("T")
R = TypeVar("R")


def cores(*, most: int | None = None) -> int:
    """Cores this process may use, at least 1 and at most `most`.

    >>> cores(most=1)
    1
    """
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, allowed if most is None else min(allowed, most))


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
