"""Average precision: how near the top of a list the relevant results are."""

from collections.abc import Sequence

__all__ = ["average_precision"]


def average_precision(relevant: Sequence[bool], total: int | None = None) -> float:
    """The mean, over relevant results, of the share of relevant ones down to each; 1 if they all come first.

    `total` of them exist; by default those that are listed. Without any it is 0.

    >>> round(average_precision([True, False, True]), 4)
    0.8333
    """
    found, summed = 0, 0.0
    for place, is_relevant in enumerate(relevant, start=1):
        if is_relevant:
            found += 1
            summed += found / place
    count = found if total is None else total
    return summed / count if count else 0.0
