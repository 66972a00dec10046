"""What a miner asks of a scheme, and what the scheme's search gives back."""

from dataclasses import dataclass
from typing import Any, Protocol

from confide.collect.estimating.item_search import Found, Wanted
from confide.collect.fields.fields import Fields
from confide.core.errors import InputError
from confide.core.transactions.support import support_count
from confide.mining.counting.memory_counts import Way
from confide.mining.counting.supports import CandidateCounter

__all__ = ["MinedLevels", "Minable", "Question"]


@dataclass(frozen=True, kw_only=True)
class Question:
    """What to search for, before the number of records is known; the entries are those of `reconstruction.mine`."""

    min_support: int | float
    near: float = 0.0
    max_length: int | None = None
    record_length: int | None = None
    counter: CandidateCounter | None = None
    way: Way = "auto"

    def wanted(self, records: int) -> Wanted:
        """The same with the threshold as a count of records."""
        if records == 0:
            raise InputError("there are no perturbed records to mine")
        return Wanted(threshold=support_count(self.min_support, records), near=self.near, max_length=self.max_length)


@dataclass(frozen=True, kw_only=True)
class MinedLevels:
    """The levels found among so many records, with the label of each item."""

    levels: Found
    wanted: Wanted
    labels: tuple[str, ...]
    records: int


class Minable(Protocol):
    """What mining needs of a scheme."""

    @property
    def universe(self) -> tuple[str, ...] | None:
        """The items a perturbed record may hold; None if any."""
        ...

    @property
    def fields(self) -> Fields | None:
        """The fields whose values the items are, of which a true record has one each."""
        ...

    def search(self, perturbed: Any, question: Question) -> MinedLevels:
        """Search perturbed records for itemsets that are frequent among the true ones."""
        ...
