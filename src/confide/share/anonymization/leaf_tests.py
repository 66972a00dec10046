"""A requirement as the pruning kernels read it, and what a whole tree could keep where it is refused."""

from fractions import Fraction
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError, RequirementError
from confide.core.requirements import KAnonymity, RecursiveDiversity, Requirement, SimpleDiversity
from confide.core.requirements.base import exact
from confide.core.requirements.tables import TableRequirement
from confide.core.requirements.tables.weaker import weaken, weakenings

__all__ = ["LARGEST", "LeafTest", "Mode", "mode_code", "refuse_whole", "said"]

Mode = Literal["exact", "estimated", "sound"]
"""exact: by the count of each class; estimated: by hit and miss as in the paper; sound: by hit and miss, worst case."""

LARGEST = 1 << 62  # of any number of the kernels


def mode_code(mode: Mode) -> int:
    """The kernels' number for a mode; refuses what is none."""
    if mode not in get_args(Mode):
        raise RequirementError(f"no mode {mode!r}; modes are: {', '.join(get_args(Mode))}")
    return get_args(Mode).index(mode)


class LeafTest(NamedTuple):
    """The test of a leaf, as kernels take it: `mode`, `kind` of requirement, and its k, l and c = p / q.

    What a kind of requirement does not have is 1, which every leaf of somebody keeps.
    """

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

        return bool(kernels.passes(total, x, np.empty_like(x), self))


def _at_most(c: Fraction) -> Fraction:
    """c, or where its digits are too many for the kernels the nearest smaller number that fits: the stricter side."""
    if c.numerator < LARGEST and c.denominator < LARGEST:
        return c
    if c >= 1 << 31:
        return Fraction(min(int(c), LARGEST - 1))
    return Fraction(int(c * (1 << 30)), 1 << 30) or Fraction(1, LARGEST - 1)


def refuse_whole(
    requirement: Requirement, mode: Mode, total: int, x: NDArray[np.int64], *, what: str
) -> CannotMeetError:
    """The error where even all records together fail, with each parameter's nearest value under which they pass."""

    def cures(asked: TableRequirement) -> list[dict[str, float]]:
        def passes(cure: dict[str, float]) -> bool:
            ((name, value),) = cure.items()
            return LeafTest.of(weaken(asked, name, value), mode).passes(total, x)

        return [cure for step in weakenings(asked, rows=total) for cure in step.cures(passes)]

    assert isinstance(requirement, TableRequirement)
    found = cures(requirement)
    if not found and isinstance(requirement, RecursiveDiversity) and requirement.l > 2:
        found = [{"l": 2, **cure} for cure in cures(weaken(requirement, "l", 2))]
    name = "k" if isinstance(requirement, KAnonymity) else "l"
    return CannotMeetError(
        f"{what} do not keep {said(requirement)}",
        parameter=name,
        value=getattr(requirement, name),
        cures=found,
    )


def said(requirement: Requirement) -> str:
    """The requirement in an error: kind and parameters."""
    values = ", ".join(f"{name}={value}" for name, value in requirement.to_dict().items() if name != "kind")
    return f"{requirement.kind} ({values})"
