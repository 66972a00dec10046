"""How many have answered, how near estimates are now, and when to stop: of all answers together, never of one."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from confide.core.errors import RequirementError

if TYPE_CHECKING:
    from confide.collect.schemes.scheme import Scheme

__all__ = ["FEWEST_SHOWN", "SurveyProgress", "check_within", "measure_progress"]

FEWEST_SHOWN = 5
"""Fewer answers than this are not counted out: whoever knows when one person answered would learn nothing more."""

_SUPPORT = 0.2  # of an answer of interest, as in plans
_INTERVAL = 1.96


@dataclass(frozen=True, kw_only=True)
class SurveyProgress:
    """`margins` are half 95% intervals in points, by number of questions looked at together: as forecast for now.

    `needed` is how many answers keep `within`; None where nothing was asked for, or nothing can be forecast.
    """

    answers: int
    state: str
    margins: Mapping[int, float]
    within: Mapping[int, float]
    needed: int | None

    @property
    def enough(self) -> bool:
        """Whether as many have answered as the wanted margins need."""
        return self.needed is not None and self.answers >= self.needed

    def advice(self) -> str:
        """When to stop, as a sentence."""
        if self.needed is None:
            return "No margin was asked for (within=), so nothing says when to stop."
        if self.enough:
            return f"Enough: {self.needed:,} answers keep the wanted margins. You can close the survey."
        if self.answers < FEWEST_SHOWN:
            return f"{self.needed:,} answers are needed for the wanted margins."
        return f"{self.needed - self.answers:,} more answers are needed for the wanted margins: {self.needed:,} in all."

    def to_dict(self) -> dict[str, Any]:
        """For JSON; a few answers are only called a few."""
        few = self.answers < FEWEST_SHOWN
        return {
            "state": self.state,
            "answers": f"fewer than {FEWEST_SHOWN}" if few else self.answers,
            "margin_points_now": {} if few else {str(n): float(f"{x:.3g}") for n, x in self.margins.items()},
            "margin_points_wanted": {str(n): x for n, x in self.within.items()},
            "answers_needed": self.needed,
            "advice": self.advice(),
        }


def check_within(within: Sequence[float]) -> dict[int, float]:
    """The wanted margins in points, for single answers, pairs and so on."""
    for x in within:
        if isinstance(x, bool) or not isinstance(x, int | float) or not 0 < x <= 100:
            line = f"within={x} is not a number of points; use one above 0, such as 2"
            raise RequirementError(line, parameter="within", value=x)
    return dict(enumerate(map(float, within), start=1))


def measure_progress(
    scheme: "Scheme", answers: int, *, state: str = "open", within: Sequence[float] = ()
) -> SurveyProgress:
    """Forecast the margins for so many answers, and how many the wanted ones need. No answer is looked at."""
    wanted = check_within(within)
    one = {n: _margin(scheme, n) for n in sorted({1, 2} | set(wanted))}
    known = {n: x for n, x in one.items() if math.isfinite(x)}
    needed = max((math.ceil((known[n] / x) ** 2) for n, x in wanted.items() if n in known), default=None)
    margins = {n: x / math.sqrt(answers) for n, x in known.items()} if answers else {}
    return SurveyProgress(answers=answers, state=state, margins=margins, within=wanted, needed=needed)


def _margin(scheme: "Scheme", length: int) -> float:
    """Half a 95% interval in points, if one person had answered."""
    if scheme.fields is None or length > len(scheme.fields):
        return math.inf
    gamma = scheme.amplification().gamma
    if not math.isfinite(gamma):
        return math.inf
    error = scheme.standard_error_at(gamma, length=length, support=_SUPPORT, records=1)
    return 100 * _INTERVAL * error if math.isfinite(error) else math.inf
