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
from confide.core.requirements.tables.base import ALIKE, SEVERAL, TableRequirement
from confide.core.requirements.tables.logarithms import log_at_most

__all__ = ["BetaLikeness", "DeltaDisclosure", "TCloseness"]

_EVERYBODY = "learning what is true of everybody in the release"
_LARGEST_DELTA = 700  # e to that is still a number


@dataclass(frozen=True, kw_only=True)
class TCloseness(TableRequirement):
    """t-closeness: the sensitive values of each group are at most a distance t from those of the whole release.

    The distance is the earth mover's: what must be moved, times how far. With `ordered=False` all values are equally
    far apart, so it is half the sum of |q - p|. With `ordered=True` the values that occur in the release stand in a
    row, neighbours 1/(m - 1) apart for m values, so it is the sum over the first m - 1 values of |Q - P| (cumulative
    shares) divided by m - 1; numbers stand in their order, other values need a declared one. A smaller t, from 0 to 1,
    gives away less (Li et al. 2007).
    """

    kind = "t-closeness"

    t: float
    ordered: bool = False

    def __post_init__(self) -> None:
        if not is_number(self.t) or not 0 <= self.t < 1:
            raise RequirementError(f"t={self.t} is not a distance below 1, the largest; use a number from 0 to 1")
        if not isinstance(self.ordered, bool):
            raise RequirementError(f"ordered={self.ordered} is neither; use True or False")

    @property
    def fewest(self) -> int:
        return 1

    @property
    def _moved(self) -> str:
        if self.ordered:
            return f"its sensitive values would have to move by {share_at_most(self.t)} of their whole order on average"
        return f"{share_at_most(self.t)} of its rows would have to change their sensitive value"

    def promise(self) -> str:
        return f"For each group of rows that look alike, at most {self._moved} to match the whole release."

    @property
    def stops(self) -> tuple[str, ...]:
        return ("learning from a person's group much more about sensitive values than the whole release tells",)

    @property
    def does_not_stop(self) -> tuple[str, ...]:
        rare = "learning much about one rare sensitive value: the distance is a sum over all values"
        near = "telling which of two neighbours in the order a person has" if self.ordered else ALIKE
        return (rare, near, _EVERYBODY, SEVERAL)

    def in_other_terms(self) -> dict[str, str]:
        kind = "ordered" if self.ordered else "equal"
        return {
            "t": f"{at_most(self.t)}: the largest distance of a group from the whole release ({kind} distance)",
            "what must change": f"at most {self._moved}",
        }


@dataclass(frozen=True, kw_only=True)
class BetaLikeness(TableRequirement):
    """beta-likeness: no sensitive value is much commoner in a group than in the whole release.

    Basic: (q - p)/p <= beta for each value with q > p. Enhanced: at most min(beta, -ln p), which also binds common
    values: a value that everybody could have must not become certain. A value that is rarer in a group than in the
    release, or absent from it, is never a fault. A smaller beta gives away less (Cao and Karras 2012).
    """

    kind = "beta-likeness"

    beta: float
    enhanced: bool = False

    def __post_init__(self) -> None:
        if not is_number(self.beta) or self.beta <= 0:
            raise RequirementError(f"beta={self.beta} can be met by no table of use; use a number above 0")
        if not isinstance(self.enhanced, bool):
            raise RequirementError(f"enhanced={self.enhanced} is neither; use True or False")

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

    def promise(self) -> str:
        common = "; of common values even less (1 - ln of their share)" if self.enhanced else ""
        return (
            "No sensitive value is, in any group of rows that look alike, more than "
            f"{at_most(1 + self.beta)} times as common as in the whole release{common}."
        )

    @property
    def stops(self) -> tuple[str, ...]:
        return (
            (
                "raising the chance of a sensitive value by more than a factor of "
                f"{at_most(1 + self.beta)} through a person's quasi-identifiers"
            ),
        )

    @property
    def does_not_stop(self) -> tuple[str, ...]:
        certain = "" if self.enhanced else "being certain of a common sensitive value: a large beta allows that"
        absent = "learning that a person does not have a sensitive value that is rare or absent in their group"
        return (*([certain] if certain else []), absent, ALIKE, _EVERYBODY, SEVERAL)

    def in_other_terms(self) -> dict[str, str]:
        return {
            "beta": f"{at_most(self.beta)}: the largest relative gain of a sensitive value in a group",
            "factor": f"{at_most(1 + self.beta)}: how much commoner a sensitive value may be in a group",
        }


@dataclass(frozen=True, kw_only=True)
class DeltaDisclosure(TableRequirement):
    """delta-disclosure privacy: a sensitive value that occurs in a group is about as common there as in the release.

    |ln(q/p)| < delta for each value with q > 0. Values absent from a group are passed over, as in ARX and pycanon: what
    is absent can then be ruled out, and joining two groups that pass can make one that fails. A smaller delta gives
    away less; ARX takes the logarithm to base 2, so its delta is this one divided by ln 2 (Brickell, Shmatikov 2008).
    """

    kind = "delta-disclosure"

    delta: float

    def __post_init__(self) -> None:
        if not is_number(self.delta) or not 0 < self.delta <= _LARGEST_DELTA:
            raise RequirementError(
                f"delta={self.delta} bounds nothing or everything; use a number above 0, up to {_LARGEST_DELTA}"
            )

    def allows(self, *, group: Fraction, release: Fraction) -> bool:
        """Whether a value may have the share `group` in a group and `release` in the whole, in exact arithmetic."""
        ratio = group / release
        # the two sides are never equal, since e to a decimal is no fraction: < and <= are the same
        return ratio == 0 or log_at_most(max(ratio, 1 / ratio), exact(self.delta))

    @property
    def fewest(self) -> int:
        return 1

    @property
    def _factor(self) -> str:
        return at_most(math.exp(self.delta) * (1 + 1e-12))

    def promise(self) -> str:
        return (
            "A sensitive value that occurs in a group of rows that look alike is there at most "
            f"{self._factor} times as common, or as rare, as in the whole release."
        )

    @property
    def stops(self) -> tuple[str, ...]:
        return (
            (
                f"raising the chance of a sensitive value by a factor of {self._factor} or more through a person's "
                "quasi-identifiers"
            ),
        )

    @property
    def does_not_stop(self) -> tuple[str, ...]:
        absent = "learning that a person does not have a sensitive value that is absent from their group"
        return (absent, ALIKE, _EVERYBODY, SEVERAL)

    def in_other_terms(self) -> dict[str, str]:
        return {
            "delta": f"{at_most(self.delta)}: the bound on |ln(share in a group / share in the release)|",
            "delta in ARX": f"{at_most(self.delta / math.log(2))}: the same bound with logarithms to base 2",
            "factor": f"{self._factor}: how much commoner or rarer a sensitive value may be in a group",
            "smallest factor": f"{at_least(math.exp(-self.delta) * (1 - 1e-12))}: how much rarer it may be, as a share",
        }
