"""What would work where nothing can be published: settings near those asked for, each of them tried.

An item can stay alone if k records hold it and no private item is too common among them; methods that choose leave at
least one such item, so whether anything can be published under another k or h is known from counts of single items.
What those allow is then decided in full, unless the records are very many.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError, ConfideError
from confide.core.requirements import Coherence
from confide.core.requirements.base import exact
from confide.core.requirements.weakening import Weakening, nearest_place
from confide.publish.transactions.declaration import DeclaredItems
from confide.publish.transactions.suppression.decision import Suppression
from confide.publish.transactions.suppression_choice import SuppressionChoice

__all__ = ["choose_or_refuse"]

_MOST_ENTRIES = 2_000_000  # of records on which a proposal is decided in full
_MOST_KEPT = 20  # items of `keep` that are tried without


def choose_or_refuse(choice: SuppressionChoice, requirement: Coherence) -> Suppression:
    """What `choice.make` decides; a refusal names settings that were tried and work."""
    try:
        return choice.make(requirement)
    except CannotMeetError as error:
        raise _propose(error, choice, requirement) from None


def _propose(error: CannotMeetError, choice: SuppressionChoice, requirement: Coherence) -> CannotMeetError:
    """The refusal with settings that work.

    A p or method that was refused for what it would cost comes with one whose cost is known: to try that in full would
    take as long as to ask for it.
    """
    if error.parameter in ("p", "method"):
        return error
    tried = _Tries(choice, requirement)
    cures: list[dict[str, Any]] = []
    for cure in (*error.cures, *tried.candidates()):
        if cure not in cures and tried.works(cure):
            cures.append(dict(cure))
    return CannotMeetError(error.what, parameter=error.parameter, value=error.value, cures=cures, advice=error.advice)


class _Tries:
    """A request, and what becomes of it with other settings."""

    def __init__(self, choice: SuppressionChoice, requirement: Coherence) -> None:
        self.choice, self.requirement = choice, requirement
        declared = choice.declared
        self.n = len(declared.transactions)
        self.public = ~declared.is_private & (declared.supports > 0)
        self.supports = declared.supports

    @cached_property
    def worst(self) -> NDArray[np.int64] | None:
        """For each item in how many of its records the commonest private item stands; None where files are not read."""
        declared = self.choice.declared
        return _commonest_private(declared) if declared.transactions.in_memory else None

    def candidates(self) -> Iterator[dict[str, Any]]:
        """One setting at a time; two at once where no single one is enough."""
        asked = self.requirement
        smaller = Weakening("k", range(min(asked.k - 1, self.n), 1, -1))
        larger = Weakening("h", range(int(exact(asked.h) * 1000) + 1, 1001), 1000)
        near = smaller.nearest(lambda k: self._could({"k": int(k)}))
        k = None if near is None else int(near)
        h = larger.nearest(lambda h: self._could({"h": h}))
        if k is not None:
            yield {"k": k} if self.works({"k": k}) else {"k": 2}
        if h is not None:
            yield {"h": h} if self.works({"h": h}) else {"h": 1.0}
        if k is None and h is None and len(smaller) and len(larger):
            near = smaller.nearest(lambda k: self.possible(int(k), 1.0))
            if near is not None:
                h = larger.nearest(lambda h: self.possible(int(near), h))
                yield {"k": int(near), "h": 1.0 if h is None else h}
        yield from self._other_wishes()

    def _other_wishes(self) -> Iterator[dict[str, Any]]:
        wishes, tx = self.choice.wishes, self.choice.declared.transactions
        private = self.choice.declared.private
        if len(private):
            counts = self.supports[private]
            common = [tx.labels[code] for code in private[counts > self.requirement.most_private(self.n)]]
            if common:
                yield {"never": [*wishes.labels("never"), *common]}
        keep = wishes.labels("keep")
        fewer = [[other for other in keep if other != label] for label in keep[:_MOST_KEPT]]
        yield from [{"keep": rest} for rest in fewer if self.works({"keep": rest})] or ([{"keep": []}] if keep else [])
        if wishes.method != "auto":
            yield {"method": "auto"}
        if wishes.method == "remove-all" and self.requirement.p > 1:
            longest = self.choice.declared.transactions.n_items
            most = int(min(self.requirement.p, longest))
            place = nearest_place(most - 1, lambda place: self.works({"p": most - 1 - place}))
            if place is not None:
                yield {"p": most - 1 - place}

    def _could(self, cure: dict[str, Any]) -> bool:
        """Whether this may work: by the counts of single items, or in full where more than these decides."""
        now = replace(self.requirement, **cure)
        if not self.possible(now.k, now.h):
            return False
        wishes = self.choice.wishes
        alone = wishes.method not in ("remove-all", "k-anonymizer") and not wishes.labels("keep")
        return alone or not self._small(self.choice) or self.works(cure)

    def possible(self, k: int, h: float) -> bool:
        """Whether some public item could stay alone."""
        if k > self.n:
            return False
        allowed = exact(h)
        private = self.choice.declared.private
        if len(private) and int(self.supports[private].max()) > allowed * self.n:
            return False
        fine: NDArray[np.bool_] = self.public & (self.supports >= k)
        if self.worst is not None:
            fine &= self.worst * allowed.denominator <= self.supports * allowed.numerator
        return bool(fine.any())

    def works(self, cure: Any) -> bool:
        """Whether something is published with these settings in place of those asked for."""
        asked = {name: value for name, value in cure.items() if name in ("h", "k", "p")}
        others = {name: value for name, value in cure.items() if name not in asked}
        try:
            requirement = replace(self.requirement, **asked)
            choice = self._wishing(others)
            if self._small(choice):
                choice.make(requirement)
                return True
            return not others and self._decide_by_counts(requirement)
        except ConfideError:
            return False

    def _wishing(self, others: dict[str, Any]) -> SuppressionChoice:
        if not others:
            return self.choice
        return SuppressionChoice.of(self.choice.original, replace(self.choice.wishes, **others))

    def _small(self, choice: SuppressionChoice) -> bool:
        return int(choice.declared.supports.sum()) <= _MOST_ENTRIES

    def _decide_by_counts(self, requirement: Coherence) -> bool:
        """Whether counts of single items decide it: nothing must be kept, and the method chooses."""
        wishes = self.choice.wishes
        chooses = wishes.method not in ("remove-all", "k-anonymizer") and not wishes.labels("keep")
        return chooses and requirement.p <= 3 and self.possible(requirement.k, requirement.h)


def _commonest_private(declared: DeclaredItems) -> NDArray[np.int64]:
    """For each item, in how many of its records the commonest private item stands."""
    worst = np.zeros(len(declared.supports), dtype=np.int64)
    if not len(declared.private):
        return worst
    from confide.core.transactions.frames import to_sparse

    held = to_sparse(declared.transactions.to_transactions()).astype(np.int64).tocsc()
    together = (held.T @ held[:, declared.private]).tocoo()
    np.maximum.at(worst, together.row, together.data)
    return worst
