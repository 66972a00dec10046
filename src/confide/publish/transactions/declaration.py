"""What the owner declares: which items are private; and whether anything can be published at all (Theorem 3)."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError, UsageError
from confide.core.requirements import Coherence
from confide.core.transactions.container import Transactions

if TYPE_CHECKING:
    from confide.core.datasets.stored_transactions import StoredTransactions
    from confide.publish.jobs.transactions import Wishes
    from confide.publish.transactions.moles.collection import MinimalMoles
    from confide.publish.transactions.moles.stored_moles import DeclaredFiles

__all__ = [
    "Declared",
    "DeclaredItems",
    "Labelled",
    "WholeRecords",
    "list_allowed_private",
    "check_eligible",
    "codes_of",
    "declare",
]

_MOST_COUNTED = 200  # more items than this have too many moles of any size to be counted


class Labelled(Protocol):
    """What has items with labels, in memory or not."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, in code order."""
        ...

    @property
    def n_items(self) -> int:
        """Number of labels."""
        ...

    @property
    def codes(self) -> dict[str, int]:
        """The code of each label."""
        ...

    def __len__(self) -> int: ...


@dataclass(frozen=True)
class WholeRecords:
    """The different records, how many there are of each, and how many entries all of them hold; see `whole_records`."""

    declared: "Declared"
    counts: NDArray[np.int64]
    entries: int


class DeclaredItems(Protocol):
    """Records whose private items are declared, in memory or not: what a choice asks of them."""

    @property
    def transactions(self) -> "Transactions | StoredTransactions":
        """The records."""
        ...

    @property
    def private(self) -> NDArray[np.int32]:
        """The codes of private items."""
        ...

    @property
    def supports(self) -> NDArray[np.int64]:
        """The support of every item."""
        ...

    @property
    def is_private(self) -> NDArray[np.bool_]:
        """A mask over all codes."""
        ...

    def refuse(self, wishes: "Wishes", requirement: Coherence) -> None:
        """Raise `UsageError` for wishes that these records cannot serve, with what would do."""
        ...

    def without(self, unwanted: NDArray[np.int32]) -> tuple[Self, NDArray[np.int32]]:
        """The same without some items, and the code, here, of each item there."""
        ...

    def find_moles(self, requirement: Coherence) -> "MinimalMoles":
        """Every minimal mole."""
        ...

    def knows_whole_records(self, requirement: Coherence) -> bool:
        """Whether p reaches the longest record and no private item is bounded, so that whole records decide."""
        ...

    def whole_records(self, requirement: Coherence) -> WholeRecords:
        """The records as `suppress_by_records` takes them; items in fewer than k records may be missing."""
        ...

    def prefers_records(self, requirement: Coherence, left: NDArray[np.bool_]) -> bool:
        """Whether judging whole records beats counting the moles of the public items `left`, where both can be done."""
        ...

    def can_count_moles(self, requirement: Coherence, left: NDArray[np.bool_]) -> bool:
        """Whether all moles of the public items `left` can be counted."""
        ...

    def count_nuggets(self, kept: NDArray[np.bool_], least: int, length: int | None) -> tuple[int, int]:
        """How many itemsets of at most `length` items are in `least` records: of all items, and of those `kept`."""
        ...


def declare(tx: "Transactions | StoredTransactions", private: Iterable[str]) -> "Declared | DeclaredFiles":
    """The records with their private items, wherever they are; labels that never occur are refused."""
    if tx.in_memory:
        return Declared.of(tx, private)
    from confide.publish.transactions.moles.stored_moles import DeclaredFiles

    return DeclaredFiles.of(tx, private)


@dataclass(frozen=True)
class Declared:
    """Transactions with the codes of their private items (ascending) and the support of every item."""

    transactions: Transactions
    private: NDArray[np.int32]
    supports: NDArray[np.int64]

    @classmethod
    def of(cls, tx: Transactions, private: Iterable[str]) -> "Declared":
        """Check the labels of the private items: each must occur, and some item must be left that is public."""
        from confide.publish.transactions.moles.mole_kernels import item_counts

        codes = codes_of(tx, private, role="private")
        supports = item_counts(tx.indices, tx.n_items)
        absent = codes[supports[codes] == 0]
        if len(absent):
            raise UsageError(_never_occurs("private", tx.labels[absent[0]]))
        check_some_public(codes, tx.n_items)
        return cls(tx, codes, supports)

    @property
    def is_private(self) -> NDArray[np.bool_]:
        """A mask over all codes."""
        return mask_of(self.private, self.transactions.n_items)

    def refuse(self, wishes: "Wishes", requirement: Coherence) -> None:
        """Nothing: in memory every wish can be served."""

    def without(self, unwanted: NDArray[np.int32]) -> "tuple[Declared, NDArray[np.int32]]":
        """The same without some items, and the code, here, of each item there."""
        tx = self.transactions
        stays = ~mask_of(unwanted, tx.n_items)
        code_of = np.flatnonzero(stays).astype(np.int32)
        if not len(unwanted):
            return self, code_of
        reduced = tx.keep_items(stays)
        private = np.flatnonzero(self.is_private[code_of]).astype(np.int32)
        return Declared(reduced, private, self.supports[code_of]), code_of

    def find_moles(self, requirement: Coherence) -> "MinimalMoles":
        """Every minimal mole."""
        from confide.publish.transactions.moles.minimal import find_moles

        return find_moles(self, requirement)

    def knows_whole_records(self, requirement: Coherence) -> bool:
        """Whether p reaches the longest record and no private item is bounded, so that whole records decide."""
        if requirement.h < 1 and len(self.private):
            return False
        tx = self.transactions
        public = ~self.is_private[tx.indices]
        held = np.diff(np.concatenate([[0], np.cumsum(public)])[tx.indptr])
        return bool(requirement.p >= held.max(initial=0))

    def whole_records(self, requirement: Coherence) -> WholeRecords:
        """The records as they are, each once."""
        tx = self.transactions
        return WholeRecords(self, np.ones(len(tx), dtype=np.int64), tx.entries)

    def prefers_records(self, requirement: Coherence, left: NDArray[np.bool_]) -> bool:
        """Where p is unbounded and the items are many: their moles are too many to be counted."""
        return requirement.p == math.inf and int(left.sum()) > _MOST_COUNTED

    def can_count_moles(self, requirement: Coherence, left: NDArray[np.bool_]) -> bool:
        """Where the items are few, or all moles can be visited."""
        from confide.publish.transactions.families.moles_and_nuggets import MoleSource

        if left.sum() <= _MOST_COUNTED:
            return True
        return MoleSource(self.transactions, requirement, self.is_private, left | self.is_private).can_walk()

    def count_nuggets(self, kept: NDArray[np.bool_], least: int, length: int | None) -> tuple[int, int]:
        """By mining the records before and after."""
        from confide.mining import count_itemsets

        tx = self.transactions
        both = (count_itemsets(some, min_support=least, max_length=length) for some in (tx, tx.keep_items(kept)))
        total, left = (sum(counts.values()) for counts in both)
        return total, left


def check_some_public(private: NDArray[np.int32], n_items: int) -> None:
    """Refuse data of which every item is private."""
    if n_items and len(private) == n_items:
        raise UsageError("all items are private, so an attacker can know no public item; leave some public")


def mask_of(codes: NDArray[np.int32], n_items: int) -> NDArray[np.bool_]:
    """A mask over all codes, true at these."""
    mask = np.zeros(n_items, dtype=np.bool_)
    mask[codes] = True
    return mask


def codes_of(tx: Labelled, labels: Iterable[str], *, role: str) -> NDArray[np.int32]:
    """The codes of these labels, ascending; one that never occurs is an error."""
    if isinstance(labels, str):
        raise UsageError(f"{role} takes a list of labels, not one text; write [{labels!r}]")
    found = set()
    for label in labels:
        code = tx.codes.get(str(label))
        if code is None:
            raise UsageError(_never_occurs(role, str(label)))
        found.add(code)
    return np.array(sorted(found), dtype=np.int32)


def _never_occurs(role: str, label: str) -> str:
    return f"{role} item {label!r} never occurs in the data; check the spelling, or take it off the list"


def list_allowed_private(requirement: Coherence, most: int) -> NDArray[np.int64]:
    """`requirement.most_private(s)` for every s from 0 to `most`, exactly."""
    from fractions import Fraction

    h = Fraction(repr(requirement.h))
    if h.numerator * most < 1 << 62:
        return np.arange(most + 1, dtype=np.int64) * h.numerator // h.denominator
    return np.array([requirement.most_private(s) for s in range(most + 1)], dtype=np.int64)


def check_eligible(declared: DeclaredItems, requirement: Coherence) -> None:
    """Raise if the empty itemset, which nothing can suppress, is a mole (thesis, Theorem 3)."""
    tx, n = declared.transactions, len(declared.transactions)
    if n < requirement.k:
        raise CannotMeetError(
            f"k={requirement.k} is larger than the database of {n:,} records, so nobody can hide among k",
            parameter="k",
            value=requirement.k,
        )
    if not len(declared.private):
        return
    counts = declared.supports[declared.private]
    worst = int(counts.argmax())
    if counts[worst] <= requirement.most_private(n):
        return
    label = tx.labels[declared.private[worst]]
    raise CannotMeetError(
        f"h={requirement.h:g} cannot be met: private item {label!r} stands in {counts[worst] / n:.1%} of all records, "
        "which is known without knowing any item of a person",
        parameter="h",
        value=requirement.h,
        cures=[{"h": _nearest_share(int(counts[worst]), n)}],
    )


def _nearest_share(count: int, n: int) -> float:
    """count/n rounded up to the first number of digits, three or more, that stays below 1 if count/n does."""
    for digits in range(3, 16):
        scaled = -(-count * 10**digits // n)
        if scaled < 10**digits or count == n:
            return scaled / 10**digits
    return 1.0
