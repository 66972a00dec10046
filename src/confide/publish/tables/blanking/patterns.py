"""Patterns: the values a row keeps, with some columns blank. Rows of one pattern look alike.

    age  sex  race                 pattern {sex}:  age 30, race white        two rows with sex blank look alike,
    30   M    white   1 row                                                  and neither like (30, F, white)
    30   F    white   1 row

A pattern is of use to a combination that too few rows have; combinations with rows to spare can lend some.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Pattern", "list_patterns"]

_MOST = 200_000  # patterns that are looked at


@dataclass(frozen=True, slots=True)
class Pattern:
    """The columns that are blank, what a blank row costs, and the combinations that fit: `rare` ones, and
    `lenders`, which have enough rows."""

    blank: tuple[int, ...]
    cost: float
    rare: tuple[int, ...]
    lenders: tuple[int, ...]


def list_patterns(combos: NDArray[np.int64], rare: NDArray[np.bool_], weights: Sequence[float]) -> list[Pattern]:
    """The patterns that a rare combination fits. `combos` are different rows of codes; a column of weight 0 is never
    blank. Sets of few columns come first; where there are too many, larger ones are left out, all columns but stay."""
    columns = [column for column, weight in enumerate(weights) if weight > 0]
    found: list[Pattern] = []
    for size in range(1, len(columns) + 1):
        if len(found) > _MOST and size < len(columns):
            continue
        for blank in combinations(columns, size):
            cost = sum(weights[column] for column in blank)
            kept = np.delete(combos, blank, axis=1)
            key = (
                np.unique(kept, axis=0, return_inverse=True)[1].reshape(-1) if kept.shape[1] else np.zeros(len(combos))
            )
            useful = np.isin(key, np.unique(key[rare]))
            order = np.flatnonzero(useful)
            order = order[np.argsort(key[order], kind="stable")]
            for part in np.split(order, np.flatnonzero(np.diff(key[order])) + 1):
                if len(part):
                    own, lent = part[rare[part]].tolist(), part[~rare[part]].tolist()
                    found.append(Pattern(blank, cost, tuple(own), tuple(lent)))
    return found
