"""How much of a long series the suite runs: a part, spread out; all with CONFIDE_ALL=1, which takes far longer."""

import os
from collections.abc import Sequence
from typing import TypeVar

__all__ = ["some"]

T = TypeVar("T")


def some(series: Sequence[T], *, every: int, first: int = 0) -> Sequence[T]:
    """Every so many of the series, from the `first` on."""
    return series if "CONFIDE_ALL" in os.environ else series[first % every :: every]
