"""Output privacy, for patterns published from a stream."""

import math
from dataclasses import dataclass
from fractions import Fraction

from confide.core.bounds import at_least, at_most
from confide.core.errors import RequirementError
from confide.core.requirements.base import Requirement, check_count, exact, is_number

__all__ = ["OutputPrivacy"]


@dataclass(frozen=True, kw_only=True)
class OutputPrivacy(Requirement):
    """Butterfly's (epsilon, delta) over a stream: supports are off by at most epsilon relative squared error, and any
    pattern of support up to `vulnerable` is inferred with relative squared error at least delta.

    `min_support` is C, the least support published; `vulnerable` is K. Larger delta protects better, smaller epsilon
    keeps supports closer. Refused here is what no noise at all can meet; how much epsilon a law of noise needs, the
    stream's `Setting` says.
    """

    kind = "output-privacy"

    epsilon: float
    delta: float
    min_support: int
    vulnerable: int

    def __post_init__(self) -> None:
        for name in ("epsilon", "delta"):
            if not is_number(getattr(self, name)) or getattr(self, name) <= 0:
                raise RequirementError(f"{name}={getattr(self, name)} sets no bound; use a number above 0")
        check_count("vulnerable", self.vulnerable, least=1, why="names no rare pattern")
        check_count("min_support", self.min_support, least=self.vulnerable + 1, why="would publish vulnerable patterns")
        least = self.noise_variance(alpha="paper") / self.min_support**2
        if exact(self.epsilon) < least:
            raise RequirementError(
                f"epsilon={self.epsilon} is too small for delta={self.delta}, whatever the noise",
                parameter="epsilon",
                value=self.epsilon,
                cures=[{"epsilon": self._sufficient_epsilon()}],
            )

    def _sufficient_epsilon(self) -> float:
        """An epsilon that every law of noise leaves room for: the variance of the narrowest one, and a mean of 1/2."""
        needed = self.noise_variance()
        uniform = math.isqrt(math.ceil(12 * needed + 1) - 1) + 1
        steps = math.isqrt(math.ceil(4 * needed) - 1) + 1
        triangular = math.isqrt(math.ceil(6 * needed + 1) - 1) + 1
        variance = max(Fraction(uniform**2 - 1, 12), Fraction(triangular**2 - 1, 6), Fraction(steps**2, 4))
        return float(at_most(float((variance + Fraction(1, 4)) / self.min_support**2) * (1 + 1e-9)))

    def noise_variance(self, *, alpha: str = "safe") -> Fraction:
        """The variance each published support needs: delta K^2; by the paper's argument (`alpha="paper"`) half of it.

        The paper counts on two noisy values in each inference. The size of a window is public, so one may do.
        """
        whole = exact(self.delta) * self.vulnerable**2
        return whole / 2 if alpha == "paper" else whole

    def promise(self) -> str:
        return (
            f"Anyone who infers a pattern found in {self.vulnerable} records or fewer is wrong by a relative squared "
            f"error of at least {at_least(self.delta)}; published supports are off by at most {at_most(self.epsilon)}."
        )

    @property
    def stops(self) -> tuple[str, ...]:
        rare = f"a pattern found in {self.vulnerable} records or fewer"
        return (f"inferring {rare} from the published supports of one window",)

    @property
    def does_not_stop(self) -> tuple[str, ...]:
        return (
            f"an attacker who guesses a count between 0 and {self.vulnerable} without using the supports",
            "averaging over several windows while the counts drift: the promise is for each release",
            "noticing that a published value has not changed, or that two are equal",
        )

    def in_other_terms(self) -> dict[str, str]:
        return {
            "delta": f"{at_least(self.delta)}: the smallest relative squared error of an inferred rare pattern",
            "epsilon": f"{at_most(self.epsilon)}: the largest relative squared error of a published support (not the "
            "epsilon of differential privacy)",
            "K": f"{self.vulnerable}: patterns of up to this many records count as rare",
            "C": f"{self.min_support}: patterns of at least this many records are published",
        }
