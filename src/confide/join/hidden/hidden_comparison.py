"""A party's place in hidden comparisons: opened, introduced to the others, used level by level, closed."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError

if TYPE_CHECKING:
    from confide.join.hidden.winner import ComparisonCredentials, HiddenComparison
    from confide.join.protocol.ledger import Ledger

__all__ = ["Comparing"]

# A gain is below 2**52 units and is compared in quanta of 2**12 (`mining.splits`); fewer bits compare faster.
_LARGEST_SCORE = 1 << 41


class Comparing:
    """Wraps `HiddenComparison` for a site, the coordinator or a helper: `host` is where the others find it.

    Without credentials only parties on this machine can take part.
    """

    def __init__(self, name: str):
        self.name = name
        self.host = "127.0.0.1"
        self.credentials: ComparisonCredentials | None = None
        self.deadline = 60.0
        self._party: HiddenComparison | None = None

    def open(self) -> str:
        """Start this party; where it listens."""
        from confide.join.hidden.winner import HiddenComparison

        self.close()
        self._party = HiddenComparison(self.name, host=self.host, credentials=self.credentials, deadline=self.deadline)
        return self._party.address

    def connect(self, order: Mapping[str, Any]) -> None:
        """Link with the others."""
        if self._party is None:
            raise UsageError(f"{self.name} has not opened a hidden comparison")
        self._party.connect(order["addresses"], sites=order["sites"], session=order["session"], largest=_LARGEST_SCORE)

    def winners(self, scores: NDArray[np.int64], ledger: "Ledger") -> NDArray[np.int32]:
        """The winner at every node. A score of 0 means no split.

        Shares go through the comparison's own connections; how many bytes they took is known afterwards.
        """
        from confide.join.hidden.winner import NOBODY

        if self._party is None:
            raise UsageError(f"{self.name} has not opened a hidden comparison")
        before = self._party.sent
        found = self._party.winners(np.where(scores > 0, scores, NOBODY))
        for other, sent in self._party.sent.items():
            ledger.note(self.name, other, "hidden-scores", entries=len(scores), bytes=sent - before.get(other, 0))
        return found

    def close(self) -> None:
        """End this party."""
        if self._party is not None:
            self._party.close()
            self._party = None
