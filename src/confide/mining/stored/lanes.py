"""One large state that several threads fill: it is cut into lanes, each with a lock, and every thread brings its batch
to every lane, beginning where nobody else is. So the state is in memory once, however many threads there are.
"""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from confide.core.errors import ConfideError
from confide.core.runtime.threads import cores

__all__ = ["Lanes", "Overflow", "bounded_cuts", "even_cuts"]

_A_THREAD = 2


class Overflow(ConfideError):  # so that it crosses from a task to the driver
    """More different entries than memory has room for."""


@dataclass
class Lanes:
    """Numbers 0 .. n - 1 in lanes: `ends[i]` to `ends[i + 1]` are those of lane i."""

    ends: list[int]
    locks: list[threading.Lock] = field(init=False)

    def __post_init__(self) -> None:
        self.locks = [threading.Lock() for _ in self.ends[1:]]

    def __reduce__(self) -> "tuple[type[Lanes], tuple[list[int]]]":
        return Lanes, (self.ends,)  # locks stay where they are

    @classmethod
    def over(cls, work: list[float]) -> "Lanes":
        """As many lanes as keep all threads busy, each with about the same work."""
        return cls(even_cuts(work, _A_THREAD * cores(most=16)))

    def visit(self, bring: Callable[[int, int, int], None]) -> None:
        """Call bring(lane, first, last) for every lane, one thread in a lane at a time."""
        left = list(range(len(self.locks)))
        while left:
            for lane in left:
                if self.locks[lane].acquire(blocking=False):
                    break
            else:
                lane = left[0]
                self.locks[lane].acquire()
            try:
                bring(lane, self.ends[lane], self.ends[lane + 1])
            finally:
                self.locks[lane].release()
            left.remove(lane)


def even_cuts(work: list[float], parts: int) -> list[int]:
    """Where to cut so many numbers so that each part has about the same work.

    >>> even_cuts([4, 1, 1, 1, 1], 2)
    [0, 1, 5]
    """
    total, ends, done = sum(work), [0], 0.0
    for number, one in enumerate(work):
        done += one
        if done * parts >= total * len(ends) and len(ends) < parts:
            ends.append(number + 1)
    return [*dict.fromkeys(ends), len(work)] if ends[-1] != len(work) else list(dict.fromkeys(ends))


def bounded_cuts(work: Iterable[int], most: int) -> list[int]:
    """Where to cut a list so that no piece has more than `most`, unless one entry has; begins with 0.

    >>> bounded_cuts([4, 1, 1, 9, 1], 6)
    [0, 3, 4, 5]
    """
    ends, sum, n = [0], 0, 0
    for n, own in enumerate(work, 1):
        if sum and sum + own > most:
            ends.append(n - 1)
            sum = 0
        sum += own
    return [*ends, n]
