"""A requirement as the pruning kernels read it, and the largest k or l that a whole tree can have."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import RequirementError
from confide.core.requirements import KAnonymity, RecursiveDiversity, Requirement, SimpleDiversity
from confide.core.requirements.base import exact

__all__ = ["LARGEST", "LeafTest", "Mode", "largest_possible", "mode_code", "said"]

Mode = Literal["exact", "estimated", "sound"]
"""exact: by the count of each class; estimated: by hit and miss as in the paper; sound: by hit and miss, worst case."""

LARGEST = 1 << 62  # of any number of the kernels


def mode_code(mode: Mode) -> int:
    """The kernels' number for a mode; refuses what is none."""
    if mode not in get_args(Mode):
        raise RequirementError(f"no mode {mode!r}; modes are: {', '.join(get_args(Mode))}")
    return get_args(Mode).index(mode)


@dataclass(frozen=True)
class LeafTest:
    """`kind` of requirement, and its k, l and c = p / q; what a kind does not have is harmless."""

    mode: int
    kind: int
    k: int
    l: int  # noqa: E741 - the paper's letter
    p: int
    q: int

    @classmethod
    def of(cls, requirement: Requirement, mode: Mode) -> "LeafTest":
        """The test of a leaf under this requirement; nobody's leaf never passes."""
        code = mode_code(mode)
        if isinstance(requirement, KAnonymity):
            return cls(code, 0, min(requirement.k, LARGEST), 1, 1, 1)
        if isinstance(requirement, SimpleDiversity):
            return cls(code, 1, 1, min(requirement.l, LARGEST), 1, 1)
        if isinstance(requirement, RecursiveDiversity):
            c = _at_most(exact(requirement.c))
            return cls(code, 2, 1, min(requirement.l, LARGEST), c.numerator, c.denominator)
        raise RequirementError(
            f"a tree cannot be anonymised under {requirement.kind!r}; use k-anonymity, simple or recursive diversity"
        )

    def passes(self, total: int, x: NDArray[np.int64]) -> bool:
        """Whether a leaf with so many records, and these numbers of the classes, may be published."""
        from confide.share.anonymization import _leaf_kernels as kernels

        return bool(kernels.passes(total, x, np.empty_like(x), *self.arguments))

    @property
    def arguments(self) -> tuple[int, int, int, int, int, int]:
        """As the kernels take them."""
        return self.mode, self.kind, self.k, self.l, self.p, self.q


def _at_most(c: Fraction) -> Fraction:
    """c, or where its digits are too many for the kernels the nearest smaller number that fits: the stricter side."""
    if c.numerator < LARGEST and c.denominator < LARGEST:
        return c
    if c >= 1 << 31:
        return Fraction(min(int(c), LARGEST - 1))
    return Fraction(int(c * (1 << 30)), 1 << 30) or Fraction(1, LARGEST - 1)


def largest_possible(requirement: Requirement, mode: Mode, total: int, x: NDArray[np.int64]) -> str:
    """What the whole tree as one leaf could promise, for the error that refuses: "the largest k is 12", say."""
    name = "k" if isinstance(requirement, KAnonymity) else "l"

    def holds(value: int) -> bool:
        options: dict[str, Any] = {name: value}
        if isinstance(requirement, RecursiveDiversity):
            options["c"] = requirement.c
        return LeafTest.of(type(requirement)(**options), mode).passes(total, x)

    low, high = 1, getattr(requirement, name)  # `high` fails, and so does whatever is larger
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return f"the largest {name} it allows is {low}" if low > 1 else f"no {name} of 2 or more can be met"


def said(requirement: Requirement) -> str:
    """The requirement in an error: kind and parameters."""
    values = ", ".join(f"{name}={value}" for name, value in requirement.to_dict().items() if name != "kind")
    return f"{requirement.kind} ({values})"
