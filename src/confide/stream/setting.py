"""What a requirement leaves open: the law of the noise, how far each support may be shifted, what is published.

A published value is T' = T + shift + x, with x drawn from the law and shift a whole number chosen by the scheme. Its
bias is shift + mean of the law. Privacy needs the variance, precision bounds variance and bias together:

    variance >= delta K^2            (the paper: half of it)
    variance + bias^2 <= epsilon T^2

*Why not half.* The paper argues that an inference uses two noisy values or more. But the size H of a window is public,
so T(not c) = H - T(c) uses one.

*Membership.* Whoever sees an itemset appear as the window slides by one record, and knows that it appears when T
reaches C, knows T = C. So membership is decided by the published value alone: T' >= C + u, where u is the most that
noise and shift can add at support C. Nothing below C can get there.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from confide.core.bounds import at_most
from confide.core.errors import RequirementError
from confide.core.requirements import OutputPrivacy
from confide.core.requirements.base import exact
from confide.core.requirements.weakening import Weakening
from confide.stream.noise import NoiseLaw

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Alpha", "LAWS", "Setting", "least_law"]

Alpha = Literal["safe", "paper"]
LAWS = ("uniform", "triangular", "rademacher")

_MAKE = {"uniform": NoiseLaw.uniform, "triangular": NoiseLaw.triangular, "rademacher": NoiseLaw.rademacher}
_WIDEST = 2048


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A requirement and a law that meets it: `Setting.of` checks that it does.

    >>> requirement = OutputPrivacy(epsilon=0.016, delta=0.4, min_support=25, vulnerable=5)
    >>> Setting.of(requirement).law.reach  # the paper's alpha + 1
    11
    """

    requirement: OutputPrivacy
    law: NoiseLaw

    @classmethod
    def of(cls, requirement: OutputPrivacy, noise: str | NoiseLaw = "uniform", *, alpha: Alpha = "safe") -> "Setting":
        """The narrowest law of a kind that meets the requirement, or your own; RequirementError if it cannot."""
        if not isinstance(requirement, OutputPrivacy):
            raise RequirementError(f"an OutputPrivacy is needed here, not {type(requirement).__name__}")
        if alpha not in ("safe", "paper"):
            raise RequirementError(
                f"alpha={alpha!r} is unknown; use 'safe', or 'paper' to redo its figures",
                parameter="alpha",
                value=alpha,
            )
        return cls._checked(requirement, noise, alpha, propose=True)

    @classmethod
    def _checked(cls, requirement: OutputPrivacy, noise: str | NoiseLaw, alpha: Alpha, *, propose: bool) -> "Setting":
        def cures(*candidates: dict[str, Any]) -> list[dict[str, Any]]:
            return _cures(requirement, noise, alpha, candidates) if propose else []

        needed = requirement.noise_variance(alpha=alpha)
        try:
            law = noise if isinstance(noise, NoiseLaw) else least_law(noise, needed)
        except RequirementError as error:
            raise RequirementError(error.what, parameter=error.parameter, cures=cures()) from None
        if law.variance < needed:
            raise RequirementError(
                f"this noise has variance {float(law.variance):.6g}, but delta={requirement.delta} and "
                f"vulnerable={requirement.vulnerable} need {at_most(float(needed))}",
                parameter="noise",
                cures=cures(),
            )
        if law.reveals(requirement.vulnerable):
            kind = noise if isinstance(noise, str) else "a law of your own"
            raise RequirementError(
                f"noise={kind!r} in steps of {law.step} reveals counts up to "
                f"vulnerable={requirement.vulnerable} exactly",
                parameter="noise",
                cures=cures(),
            )
        # The mean is within 1/2 of 0, so no shift has a smaller bias than 0 has.
        least = law.variance + law.mean**2
        if exact(requirement.epsilon) * requirement.min_support**2 < least:
            epsilon = at_most(float(least / requirement.min_support**2))
            support = math.isqrt(math.ceil(least / exact(requirement.epsilon)) - 1) + 1
            raise RequirementError(
                f"epsilon={requirement.epsilon} is too small for delta={requirement.delta} at "
                f"min_support={requirement.min_support}",
                parameter="epsilon",
                value=requirement.epsilon,
                cures=cures({"epsilon": float(epsilon)}, {"min_support": support}),
            )
        return cls(requirement=requirement, law=law)

    def shifts(self, support: int) -> tuple[int, int]:
        """The smallest and the largest shift within the bound on precision: |shift + mean|^2 <= epsilon T^2 - var."""
        low, high = self._bounds([support])
        return low[0], high[0]

    def all_shifts(self, supports: "NDArray[np.int64]") -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
        """`shifts` of each support."""
        import numpy as np

        low, high = self._bounds(supports.tolist())
        return np.array(low, dtype=np.int64), np.array(high, dtype=np.int64)

    def _bounds(self, supports: list[int]) -> tuple[list[int], list[int]]:
        p, q, times, minus, bottom = self._terms
        room = [math.isqrt((times * t * t - minus) // bottom) for t in supports]
        return [-((most + p) // q) for most in room], [(most - p) // q for most in room]

    @cached_property
    def _terms(self) -> tuple[int, int, int, int, int]:
        # |shift q + p| <= sqrt(epsilon T^2 - var) q, with mean = p / q: in whole numbers throughout
        p, q = self.law.mean.numerator, self.law.mean.denominator
        slope, less = exact(self.requirement.epsilon) * q * q, self.law.variance * q * q
        times, minus = slope.numerator * less.denominator, less.numerator * slope.denominator
        return p, q, times, minus, slope.denominator * less.denominator

    def threshold(self, *, shifted: bool) -> int:
        """The least value that is published: C + u, by the noise alone or by noise and shift."""
        at_least = self.requirement.min_support
        return at_least + self.law.last + (self.shifts(at_least)[1] if shifted else 0)


def _cures(
    requirement: OutputPrivacy, noise: str | NoiseLaw, alpha: Alpha, candidates: Iterable[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Those of the candidates that work, a smaller delta that does, and another law where nothing else helps."""

    def works(cure: dict[str, Any]) -> bool:
        named = {name: value for name, value in cure.items() if name != "noise"}
        try:
            Setting._checked(replace(requirement, **named), cure.get("noise", noise), alpha, propose=False)
        except RequirementError:
            return False
        return True

    found = [cure for cure in candidates if works(cure)]
    steps = Weakening("delta", range(math.ceil(exact(requirement.delta) * 1000) - 1, 0, -1), 1000)
    delta = steps.nearest(lambda delta: works({"delta": delta}))
    found += [] if delta is None else [{"delta": delta}]
    if not found:
        found = [cure for cure in ({"noise": kind} for kind in LAWS) if works(cure)][:1]
    if not found:
        fewer = Weakening("vulnerable", range(requirement.vulnerable - 1, 0, -1))
        near = fewer.nearest(lambda vulnerable: works({"vulnerable": int(vulnerable)}))
        found = [] if near is None else [{"vulnerable": int(near)}]
    return found


def least_law(kind: str, variance: Fraction) -> NoiseLaw:
    """The narrowest uniform, triangular or rademacher law of at least this variance."""
    if kind not in LAWS:
        raise RequirementError(
            f"noise={kind!r} is unknown; use one of {', '.join(LAWS)}, or a NoiseLaw", parameter="noise", value=kind
        )
    if kind == "uniform":
        size = math.isqrt(math.ceil(12 * variance + 1) - 1) + 1  # size^2 >= 1 + 12 variance
    elif kind == "triangular":
        size = math.isqrt(math.ceil(6 * variance + 1) - 1)  # (size + 1)^2 >= 1 + 6 variance
    else:
        size = math.isqrt(math.ceil(4 * variance) - 1) + 1
    if size > _WIDEST:
        raise RequirementError(
            f"delta and vulnerable ask for noise over {size} values; at most {_WIDEST} are drawn", parameter="delta"
        )
    return _MAKE[kind](size)
