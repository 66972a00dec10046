"""The size of a private intersection, and nothing else: which values are shared, neither side learns.

    A: a*H(x), shuffled                     --- start --->
                                            <--- answer ---     B: b*H(y), shuffled
    A: a*(b*H(y)), shuffled again           --- finish --->     B: counts those that are among its b*(a*H(x))

B never returns A's points, so A cannot tell which are shared; A shuffles B's points, so B cannot. Both learn how many
values the other has. A learns the size if B tells it.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from confide.core.errors import UsageError
from confide.core.randomness import Randomness
from confide.join.intersection.party import Answer, IntersectionParty, cut_into_points
from confide.join.intersection.ristretto import POINT

__all__ = ["SizeParty", "private_intersection_size"]


class SizeParty(IntersectionParty):
    """One side; the steps and their names are those of `IntersectionParty`. After `conclude`, B has the `size`."""

    _size: int | None = None

    def answer(self, started: bytes) -> Answer:
        """B's message: its own points alone."""
        return Answer(doubled=b"", blinded=super().answer(started).blinded)

    def finish(self, answer: Answer) -> bytes:
        """A's last message: B's points doubly encrypted, in an order of A's own."""
        self._advance("started", "finished")
        made = np.frombuffer(self._take(answer.blinded, "answer"), dtype=np.uint8).reshape(-1, POINT)
        return made[Randomness.system().permutation(len(made))].tobytes()

    def conclude(self, finished: bytes) -> None:
        """B takes A's last message; from here B knows the size."""
        self._advance("answered", "finished")
        own = cut_into_points(finished, "last message")
        self._check(own, "last message")
        self._size = len(set(own) & set(cut_into_points(self._doubled, "first message")))

    @property
    def size(self) -> int:
        """How many values both sides have."""
        if self._size is None:
            raise UsageError("the size is not known here: start, answer, finish, conclude; then B knows it")
        return self._size


def private_intersection_size(
    left: Iterable[Any], right: Iterable[Any], *, context: str = "", workers: int | None = None
) -> int:
    """How many values both sides have, found as two sites find it, with both sides in this process.

    >>> private_intersection_size(["ada", "bob", "cyd"], ["bob", "cyd", "dan", "bob"])
    2
    """
    a = SizeParty(left, context=context, workers=workers)
    b = SizeParty(right, context=context, workers=workers)
    b.conclude(a.finish(b.answer(a.start())))
    return b.size
