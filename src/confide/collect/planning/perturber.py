"""A scheme as the likelihood auditor wants it: true records and answers are numbers, drawn by the scheme itself."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from confide.collect.schemes.scheme import Scheme

if TYPE_CHECKING:
    from confide.core.randomness import Randomness

__all__ = ["perturber_of"]


def perturber_of(
    scheme: Scheme, *, randomness: "Randomness | None" = None
) -> tuple[Callable[[int, int], NDArray[np.int64]], int, int]:
    """(draw, number of true records, number of answers) of a scheme over a small domain.

    `draw(truth, times)` perturbs that record so often, through `scheme.perturb`; `scheme.numbered()` says what the
    numbers stand for, and `scheme.smaller()` is the same law over a domain that is small enough.
    """
    domain = scheme.numbered()

    def draw(truth: int, times: int) -> NDArray[np.int64]:
        return domain.draw(truth, times, randomness)

    return draw, domain.truths, domain.answers
