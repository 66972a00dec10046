"""One run at one site: what each neighbour could tell for certain, counted before a summary leaves, and the other way.

    before_classes, before_sides   what leaves: counted, and stopped above the share that is allowed
    heard_classes, heard_sides     what arrived: counted from the message alone, to be compared with its sender's count

The share comes from the owner of the target. It travels with the class summaries, from site to site, and never through
the coordinator, who could raise it.
"""

import logging
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.join.graph.certainty import NeighbourCount, single_class
from confide.join.protocol.policy import Policy
from confide.join.protocol.verbs import CertainTold

__all__ = ["CertainWatch"]

Flags = NDArray[np.bool_]
I64 = NDArray[np.int64]


class CertainWatch:
    """The counts of the site `owner` for all its neighbours.

    `codes` and `shared` are the join values as in `SharedValues`; `splits` says whether the site has a column to split
    on. At the target the policy's own `certain_classes` holds, elsewhere what the first class summary brings.
    """

    def __init__(
        self,
        owner: str,
        policy: Policy,
        *,
        is_target: bool,
        codes: Mapping[str, NDArray[np.int32]],
        shared: Mapping[str, int],
        splits: bool,
    ):
        self._owner, self._policy, self._is_target = owner, policy, is_target
        self._codes, self._shared, self._splits = codes, shared, splits
        self._classes_from: str | None = None
        self._allowed = policy.allowed_classes(None) if is_target else None
        self._sent: dict[str, NeighbourCount] = {}
        self._seen_classes = {name: np.zeros(number, dtype=np.bool_) for name, number in shared.items()}
        self._seen_sides = {name: np.zeros(number, dtype=np.bool_) for name, number in shared.items()}

    @property
    def allowed(self) -> float:
        """The share of classes that a neighbour may tell in this run, as this site applies it and passes it on."""
        if self._allowed is None:
            raise UsageError(f"{self._owner} is to send class summaries before it got one")
        return self._allowed

    # -- what leaves ----------------------------------------------------------------------------------------------

    def before_classes(self, receiver: str, summary: I64, taking_part: Flags) -> None:
        """Count a class summary to a neighbour; stop it if the neighbour could tell too much."""
        first = receiver not in self._sent
        if first:
            knows = receiver == self._classes_from
            codes, shared = self._codes[receiver], self._shared[receiver]
            self._sent[receiver] = NeighbourCount(codes, shared, hidden=self._splits, knows_classes=knows)
        self._sent[receiver].add_classes(summary, taking_part)
        if first:
            line = self._sent[receiver].result(self._owner, receiver).line
            logging.getLogger("confide.join").info("from summaries of %s, %s", self._owner, line)
        self._check(receiver)

    def before_sides(self, receiver: str, keys: Flags) -> None:
        """Count join values that a split summary shows on one side; stop it if these are too many."""
        self._sent[receiver].add_sides(keys)
        self._check(receiver)

    def _check(self, receiver: str) -> None:
        found = self._sent[receiver].result(self._owner, receiver)
        self._policy.check_certain(found, classes=self.allowed, at_target=self._is_target)

    # -- what arrived ---------------------------------------------------------------------------------------------

    def heard_classes(self, sender: str, summary: I64, allowed: float) -> None:
        """Count what a class summary tells this site; the first one also brings the share that is allowed."""
        if self._allowed is None:
            self._classes_from, self._allowed = sender, self._policy.allowed_classes(allowed)
        if sender == self._classes_from:
            self._seen_classes[sender] |= single_class(summary)

    def heard_sides(self, sender: str, keys: Flags) -> None:
        """Count join values that a split summary showed this site on one side."""
        self._seen_sides[sender] |= keys

    # -- the end --------------------------------------------------------------------------------------------------

    def results(self) -> list[CertainTold]:
        """The counts for every neighbour, both ways, for the ledger."""
        told = []
        for name, tally in self._sent.items():
            counts = tally.result(self._owner, name).as_dict()
            told.append(
                CertainTold(
                    neighbour=name,
                    allowed_classes=self.allowed,
                    allowed_sides=self._policy.allowed_sides(self.allowed),
                    **{key: value for key, value in counts.items() if key not in ("from", "to")},
                    seen_class_keys=int(self._seen_classes[name].sum()),
                    seen_side_keys=int(self._seen_sides[name].sum()),
                )
            )
        return told
