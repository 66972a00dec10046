"""Amplification at most gamma, for answers that people perturb themselves."""

import math
import sys
from dataclasses import dataclass

from confide.core.bounds import at_most, share_at_most
from confide.core.errors import RequirementError
from confide.core.requirements.base import Requirement, exact, is_number

__all__ = ["FROM_RECORDS", "NO_ALPHA", "ORDER_KEPT", "PER_ITEM", "WEAK", "WHOLE_RECORDS", "Amplification"]

ORDER_KEPT = "linking by order: row i of the release is about the same person as row i of the input (keep_order)"
"""What a passport of perturbed records must say where they were not shuffled."""

FROM_RECORDS = {
    "items": "learning which items people hold: the list of items was taken from the records (labels_from_data)",
    "max_length": "learning how long the longest record is: it was taken from the records (labels_from_data)",
}
"""What it must say where a part of the scheme was not declared but taken from the true records."""

NO_ALPHA = "alpha adds no privacy that can be promised: each client draws its own r, unseen, so r averages out"
"""What it says of a gamma-diagonal scheme with alpha."""

WHOLE_RECORDS = "telling whole records apart: epsilon {} does not protect a whole record"
"""What it says of a weak scheme, with its epsilon; where one item weighs less, that follows."""

PER_ITEM = "; gamma for one item swapped for another is {}"

WEAK = 1000.0
"""A gamma above this bounds next to nothing: a suspicion of 5% may become one of 98%."""

_SQUARED = 1e100  # a factor above this is not worth working out


@dataclass(frozen=True, kw_only=True)
class Amplification(Requirement):
    """Amplification at most gamma: no perturbed record is gamma times likelier under one true record than another.

    A smaller gamma protects better; 1 would erase the data. It is local differential privacy with
    epsilon = ln(gamma), and holds per submission: t fresh submissions of one person give gamma ** t.

    >>> Amplification.from_breach(0.05, 0.5)
    Amplification(gamma=19.0)
    """

    kind = "amplification"
    caveats = (ORDER_KEPT, *FROM_RECORDS.values(), NO_ALPHA, WHOLE_RECORDS, WHOLE_RECORDS + PER_ITEM)

    gamma: float

    def __post_init__(self) -> None:
        if not is_number(self.gamma) or self.gamma <= 1:
            raise RequirementError(
                f"gamma={self.gamma} erases the data or sets no bound; use a number above 1, such as 19",
                parameter="gamma",
                value=self.gamma,
            )

    @classmethod
    def from_breach(cls, rho1: float, rho2: float) -> "Amplification":
        """The gamma under which a property of prior at most rho1 never gets a posterior above rho2."""
        if not (is_number(rho1) and is_number(rho2) and 0 < rho1 < rho2 < 1):
            raise RequirementError(
                f"rho1={rho1}, rho2={rho2}: use 0 < rho1 < rho2 < 1, for example 0.05 and 0.5",
                parameter="rho1",
                value=rho1,
            )
        low, high = exact(rho1), exact(rho2)
        gamma = high * (1 - low) / (low * (1 - high))
        if gamma > sys.float_info.max:
            raise RequirementError(
                f"rho1={rho1}, rho2={rho2} bound nothing: their gamma is beyond all numbers",
                parameter="rho1",
                value=rho1,
            )
        return cls(gamma=float(gamma))

    @property
    def epsilon(self) -> float:
        """ln(gamma), the parameter of local differential privacy."""
        return math.log(self.gamma)

    def posterior(self, prior: float) -> float:
        """The largest posterior a property of this prior can reach."""
        return self.gamma * prior / (1 + (self.gamma - 1) * prior)

    @property
    def is_weak(self) -> bool:
        """Whether the promise bounds next to nothing; it must then be shown as a warning."""
        return self.gamma > WEAK * (1 + 1e-9)

    def promise(self) -> str:
        share = share_at_most(self.posterior(0.05))
        if self.is_weak:
            rises = "may become all but certain" if share == "100%" else f"may become {share}"
            return (
                "Next to no protection for whole records: an answer may shift anyone's odds by a factor of "
                f"{at_most(self.gamma)}, and a suspicion of 5% {rises}."
            )
        rises = "may become all but certain" if share == "100%" else f"never rises above {share}"
        return (
            f"An answer shifts anyone's odds by at most a factor of {at_most(self.gamma)}; a suspicion of 5% {rises}."
        )

    @property
    def stops(self) -> tuple[str, ...]:
        who = (
            "a collector, or anyone else who reads its records, shifting the odds of anything about a person by more "
            f"than a factor of {at_most(self.gamma)}, whatever they already know"
        )
        return (who,)

    @property
    def does_not_stop(self) -> tuple[str, ...]:
        two = f" (two: {at_most(self.gamma**2)})" if self.gamma < _SQUARED else ""
        return (
            "a device that does not draw its noise as the scheme says",
            f"several fresh answers from one person: their factors multiply{two}",
            "learning what is true of everybody, which also holds for people who never answered",
            "learning that a person took part",
        )

    def in_other_terms(self) -> dict[str, str]:
        rises = ", ".join(f"{x:.0%} to {share_at_most(self.posterior(x))}" for x in (0.05, 0.01))
        return {
            "gamma": f"{at_most(self.gamma)}: an answer is at most so many times likelier for one truth than another",
            "epsilon": f"{at_most(self.epsilon, 5)}: the same bound in local differential privacy (ln gamma)",
            "(rho1, rho2)": f"{rises}: how far a suspicion can rise",
        }
