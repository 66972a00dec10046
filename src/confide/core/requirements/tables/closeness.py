"""Closeness: how far the sensitive values of a group may differ from those of the whole release.

The reference is always the release itself: `p` is the share of a value among all released rows, `q` its share within a
group. Logarithms are natural ones.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from confide.core.bounds import at_least, at_most, share_at_most
from confide.core.errors import RequirementError
from confide.core.requirements.base import exact, is_number
from confide.core.requirements.tables.base import (
    ALIKE,
    CERTAIN,
    EVERYBODY,
    FEW_ALIKE,
    ONE_VALUE,
    SensitiveRequirement,
)
from confide.core.requirements.tables.logarithms import log_at_most
from confide.core.requirements.tables.terms import Terms
from confide.core.requirements.weakening import Weakening, raise_share, raise_to

__all__ = ["BetaLikeness", "DeltaDisclosure", "TCloseness"]

_LARGEST_DELTA = 700  # e to that is still a number


@dataclass(frozen=True, kw_only=True, repr=False)
class TCloseness(SensitiveRequirement):
    """t-closeness: the sensitive values of each group are at most a distance t from those of the whole release.

    The distance is the earth mover's: what must be moved, times how far. With `ordered=False` all values are equally
    far apart, so it is half the sum of |q - p|. With `ordered=True` the values that occur in the release stand in a
    row, neighbours 1/(m - 1) apart for m values, so it is the sum over the first m - 1 values of |Q - P| (cumulative
    shares) divided by m - 1; numbers stand in their order, other values need a declared one. A smaller t, from 0 to 1,
    gives away less (Li et al. 2007).
    """

    kind = "t-closeness"
    compares_release = True

    t: float
    ordered: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_number(self.t) or not 0 <= self.t < 1:
            raise RequirementError(
                f"t={self.t} is not a distance below 1, the largest; use a number from 0 to 1",
                parameter="t",
                value=self.t,
            )
        if not isinstance(self.ordered, bool):
            raise RequirementError(
                f"ordered={self.ordered} is neither; use True or False", parameter="ordered", value=self.ordered
            )

    @property
    def fewest(self) -> int:
        return 1

    def weakenings(self, rows: int) -> list[Weakening]:
        return [raise_share("t", self.t)]

    def _moved(self, terms: Terms) -> str:
        if self.ordered:
            return f"its {terms.values} would have to move by {share_at_most(self.t)} of their whole order on average"
        return f"{share_at_most(self.t)} of its {terms.members} would have to change their {terms.value}"

    def promise_in(self, terms: Terms) -> str:
        each = terms.each.replace("In", "For", 1)
        return f"{each}, at most {self._moved(terms)} to match the whole release."

    def stops_in(self, terms: Terms) -> tuple[str, ...]:
        return (f"learning from a person's {terms.group} much more about {terms.values} than the whole release tells",)

    @property
    def leaves_open(self) -> tuple[str, ...]:
        rare = "learning much about one rare {value}: the distance is a sum over all {values}"
        near = "telling which of two neighbours in the order a person has" if self.ordered else ALIKE
        return (rare, CERTAIN, FEW_ALIKE, near, EVERYBODY)

    @property
    def closes(self) -> frozenset[str]:
        return frozenset({CERTAIN, ONE_VALUE}) if self.t == 0 else frozenset()

    def other_terms_in(self, terms: Terms) -> dict[str, str]:
        kind = "ordered" if self.ordered else "equal"
        return {
            "t": f"{at_most(self.t)}: the largest distance of a {terms.group} from the whole release ({kind} distance)",
            "what must change": f"at most {self._moved(terms)}",
        }


@dataclass(frozen=True, kw_only=True, repr=False)
class BetaLikeness(SensitiveRequirement):
    """beta-likeness: no sensitive value is much commoner in a group than in the whole release.

    Basic: (q - p)/p <= beta for each value with q > p. Enhanced: at most min(beta, -ln p), which also binds common
    values: a value that everybody could have must not become certain. A value that is rarer in a group than in the
    release, or absent from it, is never a fault. A smaller beta gives away less (Cao and Karras 2012).
    """

    kind = "beta-likeness"
    compares_release = True

    beta: float
    enhanced: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_number(self.beta) or self.beta <= 0:
            raise RequirementError(
                f"beta={self.beta} can be met by no table of use; use a number above 0",
                parameter="beta",
                value=self.beta,
            )
        if not isinstance(self.enhanced, bool):
            raise RequirementError(
                f"enhanced={self.enhanced} is neither; use True or False", parameter="enhanced", value=self.enhanced
            )

    def allows(self, *, group: Fraction, release: Fraction) -> bool:
        """Whether a value may have the share `group` in a group and `release` in the whole, in exact arithmetic."""
        gain = group / release - 1
        if gain > exact(self.beta):
            return False
        # gain <= -ln p  is  ln p <= -gain
        return not self.enhanced or gain <= 0 or log_at_most(release, -gain)

    @property
    def fewest(self) -> int:
        return 1

    def weakenings(self, rows: int) -> list[Weakening]:
        return [raise_to("beta", self.beta, rows + 1)]

    def promise_in(self, terms: Terms) -> str:
        common = "; of common ones even less (1 - ln of their share)" if self.enhanced else ""
        return (
            f"{terms.each}, no {terms.value} is more than {at_most(1 + self.beta)} times as common as in the whole "
            f"release{common}."
        )

    def stops_in(self, terms: Terms) -> tuple[str, ...]:
        return (f"raising the chance of a {terms.value} by more than a factor of {at_most(1 + self.beta)}",)

    @property
    def leaves_open(self) -> tuple[str, ...]:
        absent = "learning that a person does not have a {value} that is rare or absent in their {group}"
        return (CERTAIN, absent, FEW_ALIKE, ALIKE, EVERYBODY)

    @property
    def closes(self) -> frozenset[str]:
        # enhanced: 1/p - 1 is above -ln p for every share p below 1
        return frozenset({CERTAIN, ONE_VALUE}) if self.enhanced else frozenset()

    def other_terms_in(self, terms: Terms) -> dict[str, str]:
        return {
            "beta": f"{at_most(self.beta)}: the largest relative gain of a {terms.value} in a {terms.group}",
            "factor": f"{at_most(1 + self.beta)}: how much commoner a {terms.value} may be in a {terms.group}",
        }


@dataclass(frozen=True, kw_only=True, repr=False)
class DeltaDisclosure(SensitiveRequirement):
    """delta-disclosure privacy: a sensitive value that occurs in a group is about as common there as in the release.

    |ln(q/p)| < delta for each value with q > 0. Values absent from a group are passed over, as in ARX and pycanon: what
    is absent can then be ruled out, and joining two groups that pass can make one that fails. A smaller delta gives
    away less; ARX takes the logarithm to base 2, so its delta is this one divided by ln 2 (Brickell, Shmatikov 2008).
    """

    kind = "delta-disclosure"
    compares_release = True
    joins = False  # a value that one group lacks may be too rare in both together

    delta: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_number(self.delta) or not 0 < self.delta <= _LARGEST_DELTA:
            raise RequirementError(
                f"delta={self.delta} bounds nothing or everything; use a number above 0, up to {_LARGEST_DELTA}",
                parameter="delta",
                value=self.delta,
            )

    def allows(self, *, group: Fraction, release: Fraction) -> bool:
        """Whether a value may have the share `group` in a group and `release` in the whole, in exact arithmetic."""
        ratio = group / release
        # the two sides are never equal, since e to a decimal is no fraction: < and <= are the same
        return ratio == 0 or log_at_most(max(ratio, 1 / ratio), exact(self.delta))

    @property
    def fewest(self) -> int:
        return 1

    def weakenings(self, rows: int) -> list[Weakening]:
        return [raise_to("delta", self.delta, math.log(rows + 2))]

    @property
    def _factor(self) -> str:
        return at_most(math.exp(self.delta) * (1 + 1e-12))

    def promise_in(self, terms: Terms) -> str:
        return (
            f"{terms.each}, a {terms.value} that occurs is at most {self._factor} times as common, or as rare, as in "
            "the whole release."
        )

    def stops_in(self, terms: Terms) -> tuple[str, ...]:
        return (f"raising the chance of a {terms.value} by a factor of {self._factor} or more",)

    @property
    def leaves_open(self) -> tuple[str, ...]:
        absent = "learning that a person does not have a {value} that is absent from their {group}"
        return (CERTAIN, absent, FEW_ALIKE, ALIKE, EVERYBODY)

    @property
    def closes(self) -> frozenset[str]:
        return frozenset()

    def other_terms_in(self, terms: Terms) -> dict[str, str]:
        return {
            "delta": f"{at_most(self.delta)}: the bound on |ln(share in a {terms.group} / share in the release)|",
            "delta in ARX": f"{at_most(self.delta / math.log(2))}: the same bound with logarithms to base 2",
            "factor": f"{self._factor}: how much commoner or rarer a {terms.value} may be in a {terms.group}",
            "smallest factor": f"{at_least(math.exp(-self.delta) * (1 - 1e-12))}: how much rarer it may be, as a share",
        }
