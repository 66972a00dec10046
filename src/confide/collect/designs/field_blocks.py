"""A block: some of the fields, asked together, and the law by which the combination of their values is answered."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from confide.collect.answers.answer_law import AnswerLaw
from confide.collect.answers.answer_laws import MOST_CELLS, PRIME, Hashing, Kary, SubsetLaw, Unary
from confide.collect.fields.fields import Fields
from confide.collect.schemes.scheme import exact
from confide.core.errors import RequirementError

__all__ = ["BLOCK_SCHEMES", "MOST_BLOCKS", "Block", "best_law", "law_for", "subsets_of"]

MOST_BLOCKS = 4096
"""Questions a design may have; each needs people of its own."""

_HALF = Fraction(1, 2)

BLOCK_SCHEMES = ("auto", "k-ary", "unary", "symmetric-unary", "hashing", "subset-selection")
"""How a block may be answered; "auto" takes what errs least."""


@dataclass(frozen=True)
class Block:
    """The fields at these positions, the law of their combined value, and a whole number: how often it is drawn."""

    positions: tuple[int, ...]
    law: AnswerLaw
    weight: int = 1

    def join(self, sizes: Sequence[int], codes: NDArray[np.int32]) -> NDArray[np.int64]:
        """The combined value of each record, the last field fastest."""
        found = np.zeros(len(codes), dtype=np.int64)
        for i in self.positions:
            found = found * sizes[i] + codes[:, i]
        return found

    @cached_property
    def places(self) -> frozenset[int]:
        """The positions as a set."""
        return frozenset(self.positions)


def cells_of(fields: Fields, positions: Sequence[int]) -> int:
    """How many combinations of values these fields have; refused where a count for each would not fit."""
    cells = math.prod(fields.sizes[i] for i in positions)
    if cells > MOST_CELLS:
        names = ", ".join(fields.names[i] for i in positions)
        raise RequirementError(
            f"the subset {names} has {cells:,} combinations, more than {MOST_CELLS:,}: too large for one answer; use "
            "fewer fields in it, or coarser bins"
        )
    return cells


def law_for(name: str, *, size: int, gamma: float) -> AnswerLaw:
    """The law of this name over `size` values, its parameters the best for one value."""
    g = exact(gamma)
    if name == "k-ary" or (name == "subset-selection" and size == 2):
        return Kary(size=size, gamma=g)
    if name in ("unary", "symmetric-unary"):
        return Unary(size=size, gamma=g, symmetric=name == "symmetric-unary")
    if name == "hashing":
        return Hashing(size=size, gamma=g, buckets=min(max(2, int(g + _HALF) + 1), MOST_CELLS), prime=PRIME)
    if name == "subset-selection":
        return SubsetLaw(size=size, gamma=g, chosen=min(max(1, int(size / (g + 1) + _HALF)), size - 1))
    raise RequirementError(
        f"scheme={name!r} is not a way to answer; use one of: {', '.join(BLOCK_SCHEMES)}",
        parameter="scheme",
        value=name,
    )


def best_law(sizes: Sequence[int], *, gamma: float) -> AnswerLaw:
    """The law with the least error for fields of these sizes asked together: k-ary, unary or subset selection.

    Judged by the product of the variances of all margins, the block itself among them, at even shares. Of laws that
    come within 2% of the best the one with the shortest answers is taken.
    """
    size = math.prod(sizes)
    laws = [law_for(name, size=size, gamma=gamma) for name in ("k-ary", "unary", "subset-selection")]
    g = exact(gamma)
    usual = getattr(laws[2], "chosen", 1)
    laws += [SubsetLaw(size=size, gamma=g, chosen=w) for w in sorted({2, 3, usual // 4, usual // 2}) if 1 < w < usual]
    scores = [_log_variance(law, sizes) for law in laws]
    margins = 2 ** len(sizes) - 1
    near = [law for law, score in zip(laws, scores, strict=True) if score <= min(scores) + margins * math.log(1.02)]
    return min(near, key=lambda law: law.mean_length)


def _log_variance(law: AnswerLaw, sizes: Sequence[int]) -> float:
    total = 0.0
    for length in range(1, len(sizes) + 1):
        for chosen in combinations(sizes, length):
            margin = math.prod(chosen)
            total += math.log(law.moments.variance(law.size / margin, 1 / margin))
    return total


def subsets_of(fields: Fields, size: int) -> list[tuple[int, ...]]:
    """All subsets of `size` fields, of all fields where there are no more."""
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise RequirementError(f"size={size} is not a number of fields; use 1 or more", parameter="size", value=size)
    width = min(size, len(fields))
    number = math.comb(len(fields), width)
    if number > MOST_BLOCKS:
        raise RequirementError(
            f"size={size} of {len(fields)} fields makes {number:,} subsets, more than {MOST_BLOCKS:,}; use a smaller "
            "size, or list the subsets you need",
            parameter="size",
            value=size,
        )
    return list(combinations(range(len(fields)), width))
