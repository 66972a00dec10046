"""A requirement as the pruning kernels read it, and what a whole tree could keep where it is refused."""

from fractions import Fraction
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError, RequirementError
from confide.core.requirements import KAnonymity, RecursiveDiversity, Requirement, SimpleDiversity
from confide.core.requirements.base import exact
from confide.core.requirements.tables import TableRequirement
from confide.core.requirements.tables.weaker import simple_parts, weaken, weakenings

__all__ = ["LARGEST", "LeafTest", "Mode", "mode_code", "parts_asked", "refuse_whole", "requirement_text"]

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
        found = cls(code, 0, 1, 1, 1, 1)
        for part in parts_asked(requirement):
            if isinstance(part, KAnonymity):
                found = found._replace(k=max(found.k, min(part.k, LARGEST)))
            elif found.kind:
                raise RequirementError("a tree keeps one diversity, beside k-anonymity if you like; use one of them")
            elif isinstance(part, SimpleDiversity):
                found = found._replace(kind=1, l=min(part.l, LARGEST))
            else:
                assert isinstance(part, RecursiveDiversity)
                c = _at_most(exact(part.c))
                found = found._replace(kind=2, l=min(part.l, LARGEST), p=c.numerator, q=c.denominator)
        return found

    def passes(self, total: int, x: NDArray[np.int64]) -> bool:
        """Whether a leaf with so many records, and these numbers of the classes, may be published."""
        from confide.share.pruning import leaf_kernels as kernels

        return bool(kernels.passes(total, x, np.empty_like(x), self))


def parts_asked(requirement: Requirement) -> tuple[TableRequirement, ...]:
    """The requirements that a tree is to keep; refuses what no tree can."""
    parts = simple_parts(requirement) if isinstance(requirement, TableRequirement) else ()
    for part in parts or (requirement,):
        if not isinstance(part, KAnonymity | SimpleDiversity | RecursiveDiversity):
            raise RequirementError(
                f"a tree cannot be anonymised under {part.kind!r}; use k-anonymity, simple or recursive diversity"
            )
        if part.plain.column is not None:
            raise RequirementError(
                f"column={part.plain.column!r} is for tables; a tree has one class: leave it out",
                parameter="column",
                value=part.plain.column,
            )
    return parts


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
    failing = [part for part in parts_asked(requirement) if not LeafTest.of(part, mode).passes(total, x)]
    if not found and any(isinstance(part, RecursiveDiversity) and part.l > 2 for part in failing):
        found = [{"l": 2, **cure} for cure in cures(weaken(requirement, "l", 2))]
    name = "k" if isinstance(failing[0], KAnonymity) else "l"
    return CannotMeetError(
        f"{what} do not keep {requirement_text(requirement)}",
        parameter=name,
        value=getattr(failing[0], name),
        cures=found,
    )


def requirement_text(requirement: Requirement) -> str:
    """The requirement in an error: kind and parameters."""
    parts = simple_parts(requirement) if isinstance(requirement, TableRequirement) else (requirement,)
    told = [
        (part.kind, ", ".join(f"{name}={value}" for name, value in part.to_dict().items() if name != "kind"))
        for part in parts
    ]
    return " and ".join(f"{kind} ({values})" for kind, values in told)
