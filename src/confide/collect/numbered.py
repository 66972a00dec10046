"""A scheme over a small domain, its true records and answers numbered: what an auditor who samples it needs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError

if TYPE_CHECKING:
    from confide.core.randomness import Randomness

__all__ = ["MOST_OUTPUTS", "NumberedRecords", "check_size"]

MOST_OUTPUTS = 1 << 14
"""A larger domain cannot be audited cell by cell in a sensible number of draws; audit a smaller one of its kind."""

Shown = list[str] | dict[str, str]
"""A record as its owner writes it: items, or fields with their values."""


@dataclass(frozen=True, kw_only=True)
class NumberedRecords:
    """`truths` true records and `answers` perturbed ones, each called by a number from 0.

    `draw(truth, times, randomness)` perturbs that record so often; `truth(number)` and `answer(number)` say which
    record a number stands for.
    """

    truths: int
    answers: int
    draw: Callable[[int, int, "Randomness | None"], NDArray[np.int64]]
    truth: Callable[[int], Shown]
    answer: Callable[[int], Shown]

    def named(self, worst: tuple[int, int, int]) -> Mapping[str, Any]:
        """What the numbers (u1, u2, v) of an audit stand for: two possible truths, and an answer that tells them
        apart."""
        u1, u2, v = worst
        return {"likelier_truth": self.truth(u1), "less_likely_truth": self.truth(u2), "answer": self.answer(v)}


def check_size(outputs: int) -> None:
    """Refuse a domain that is too large to audit."""
    if outputs > MOST_OUTPUTS:
        raise UsageError(
            f"the domain has {outputs:,} possible answers, too many to audit one by one (at most {MOST_OUTPUTS:,}); "
            "audit the same scheme over fewer items or fields"
        )
