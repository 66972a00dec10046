"""(h, k, p)-coherence, for records that are sets of items."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from confide.core.bounds import at_most, share_at_most
from confide.core.errors import RequirementError
from confide.core.requirements.base import PassportWords, Requirement, check_count, exact, is_number
from confide.core.requirements.earlier_releases import with_joint_items

__all__ = ["NAMES_FROM_RECORDS", "ORDER_KEPT", "Coherence"]

ORDER_KEPT = "someone who knows a person's place in the original file: the records stand in its order"
"""What a passport must say where records were not shuffled."""

NAMES_FROM_RECORDS = "what follows from which items share a broader name: the records decided it"
"""What a passport must say where items were merged by how often they occur, not by a taxonomy."""

_SEVERAL = "someone who compares several releases about the same people"


@dataclass(frozen=True, kw_only=True)
class Coherence(Requirement):
    """(h, k, p)-coherence: any p or fewer public items a person is known by match no transaction or at least k of
    them, and no private item is in more than a share h of those.

    A larger k hides each person among more; a smaller h gives away less about private items; a larger p covers an
    attacker who knows more (`math.inf`: any number of items).

    >>> Coherence(h=0.6, k=3, p=4).is_mole(support=5, private=4)
    True
    >>> Coherence(h=0.6, k=3, p=4).is_mole(support=5, private=3)
    False
    """

    kind = "coherence"
    caveats = (ORDER_KEPT, NAMES_FROM_RECORDS)

    h: float
    k: int
    p: int | float

    def __post_init__(self) -> None:
        check_count("k", self.k, least=2, why="protects nobody")
        if not is_number(self.h) or not 0 < self.h <= 1:
            raise RequirementError(
                f"h={self.h} is not a share; use a number above 0 and up to 1 (1: no bound on private items)",
                parameter="h",
                value=self.h,
            )
        if self.p != math.inf:
            check_count("p", self.p, least=1, why="is not a number of items an attacker could know (inf for any)")

    def most_private(self, support: int) -> int:
        """How many of `support` transactions may hold one private item: floor(h * support), in exact arithmetic."""
        return math.floor(exact(self.h) * support)

    def is_mole(self, *, support: int, private: int) -> bool:
        """Whether an itemset of at most p public items, in `support` transactions of which `private` hold the
        commonest private item, must be broken."""
        return support > 0 and (support < self.k or private > self.most_private(support))

    @property
    def _known_items(self) -> str:
        return {math.inf: "any number of public items", 1: "one public item"}.get(
            self.p, f"up to {self.p} public items"
        )

    def promise(self) -> str:
        private = "" if self.h == 1 else f"; no private item is in more than {share_at_most(self.h)} of those"
        known = self._known_items
        return f"Someone who knows {known} of a person finds at least {self.k} matching records, or none{private}."

    @property
    def stops(self) -> tuple[str, ...]:
        found = (f"someone who knows {self._known_items} of a person and looks for that person's record",)
        if self.h == 1:
            return found
        right = share_at_most(self.h)
        return (
            *found,
            f"someone who knows {self._known_items} and guesses a private item: right with a chance of at most {right}",
        )

    @property
    def does_not_stop(self) -> tuple[str, ...]:
        more = () if self.p == math.inf else (f"someone who knows more than {_items(int(self.p))} of a person",)
        guess = ("someone who guesses a private item from known items: h = 1 sets no bound",) if self.h == 1 else ()
        return (
            *more,
            *guess,
            "someone who knows private items of a person, items the person does not have, or how long the record is",
            _SEVERAL,
            "someone who reasons backwards from how the algorithm chooses what to hide (minimality)",
        )

    def words(self, artefact: str, context: Mapping[str, Any]) -> PassportWords:
        """With what is promised together with earlier releases, where it is built on some."""
        return with_joint_items(super().words(artefact, context), context, several=_SEVERAL)

    def in_other_terms(self) -> dict[str, str]:
        p = "any number" if self.p == math.inf else f"{self.p}"
        return {
            "k": f"{self.k}: the fewest records that match what an attacker knows",
            "h": f"{at_most(self.h)}: the largest chance of guessing a private item from known items",
            "p": f"{p}: how many public items an attacker may know",
            "chance to pick the right record": f"at most {share_at_most(1 / self.k)} (1/{self.k})",
        }


def _items(n: int) -> str:
    return "1 public item" if n == 1 else f"{n} public items"
