"""Output privacy, for patterns published from a stream."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal, get_args

from confide.core.bounds import at_least, at_most
from confide.core.errors import RequirementError
from confide.core.requirements.base import Requirement, check_count, exact, is_number

__all__ = ["OutputPrivacy", "Span"]

Span = Literal["run", "release", "stretch", "none"]

_COVERED = {
    "run": "all releases of a run, by whatever rule,",
    "release": "the supports of one release, by whatever rule,",
    "stretch": "all releases of a run, or the records between any two of them, by whatever rule,",
}
_NESTED = (
    "knowledge that supports are nested and counts not negative, where many sets lie inside each other or releases are "
    "few records apart"
)
_UNDONE = (
    "someone who knows the rule by which supports are shifted, and undoes it",
    "someone who learns from many releases which value stands for which support",
    "averaging over several windows while the counts drift",
    "noticing that a published value has not changed, or that two are equal",
)


@dataclass(frozen=True, kw_only=True)
class OutputPrivacy(Requirement):
    """(epsilon, delta) over a stream: what is learnt about any pattern of support up to `vulnerable` is no more than
    one reading whose error has variance s = delta K^2; supports have a mean squared relative error of at most epsilon.

    `min_support` is C, near which publishing begins; `vulnerable` is K. Larger delta protects better, smaller epsilon
    keeps supports closer. epsilon bounds the mean over all supports, before those that are large enough are selected.

    `span` is what s covers: all releases of a "run" together; one "release"; the run and every "stretch" of records
    between two releases; or "none", the schemes of the paper, whose noise is undone by whoever knows their rules.

    Refused here is what no noise at all can meet; how much epsilon the noise of a run needs, the stream says.
    """

    kind = "output-privacy"
    left_out: ClassVar[Mapping[str, Any]] = {"span": "none"}

    epsilon: float
    delta: float
    min_support: int
    vulnerable: int
    span: Span = "run"

    def __post_init__(self) -> None:
        for name in ("epsilon", "delta"):
            if not is_number(getattr(self, name)) or getattr(self, name) <= 0:
                raise RequirementError(
                    f"{name}={getattr(self, name)} sets no bound; use a number above 0",
                    parameter=name,
                    value=getattr(self, name),
                )
        if self.span not in get_args(Span):
            raise RequirementError(
                f"span={self.span!r} is unknown; use one of {', '.join(get_args(Span))}",
                parameter="span",
                value=self.span,
            )
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
        precise = f"supports have a mean squared relative error of at most {at_most(self.epsilon)} before selection."
        if self.span == "none":
            return (
                f"No promise about patterns found in {self.vulnerable} records or fewer: whoever knows the "
                f"scheme's rules undoes its noise; {precise}"
            )
        return (
            f"Whoever adds, subtracts and averages {_COVERED[self.span]} learns no more about a pattern found in "
            f"{self.vulnerable} records or fewer than one reading with an error of variance "
            f"{at_least(float(self.noise_variance()))}; {precise}"
        )

    @property
    def stops(self) -> tuple[str, ...]:
        if self.span == "none":
            return ("reading the exact count of a rare pattern off the published supports of one window",)
        rare = f"a pattern found in {self.vulnerable} records or fewer"
        return (f"inferring {rare} by adding, subtracting and averaging {_COVERED[self.span]}",)

    @property
    def does_not_stop(self) -> tuple[str, ...]:
        guess = f"an attacker who guesses a count between 0 and {self.vulnerable} without using the supports"
        if self.span == "none":
            return (guess, *_UNDONE)
        several = ("averaging several releases, each of which has noise of its own",) if self.span == "release" else ()
        moment = (
            () if self.span == "stretch" else ("someone who knows when a record came, and watches that block alone",)
        )
        return (
            guess,
            *several,
            *moment,
            _NESTED,
            "someone who knows the true support of an itemset and follows that itemset",
            "that a set is closed, where only closed sets are released",
        )

    @property
    def not_kept(self) -> str:
        return "whoever knows the rules of this scheme undoes its noise" if self.span == "none" else ""

    def in_other_terms(self) -> dict[str, str]:
        return {
            "delta": f"{at_least(self.delta)}: the variance of that reading, as a share of K squared",
            "epsilon": f"{at_most(self.epsilon)}: the bound on the mean squared relative error of a support before "
            "selection (not the epsilon of differential privacy)",
            "K": f"{self.vulnerable}: patterns of up to this many records count as rare",
            "C": f"{self.min_support}: patterns of at least about this many records are published",
        }
