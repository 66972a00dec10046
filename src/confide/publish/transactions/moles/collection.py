"""Minimal moles as they are handed out: by size, as arrays for millions of them or as objects to read."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.core.figures import ShownFields
from confide.core.requirements import Coherence

__all__ = ["MoleLevel", "MinimalMoles", "MinimalMole"]


@dataclass(frozen=True)
class MinimalMole:
    """One minimal mole: its labels, how many records hold it, and whether it is too rare or breaches h."""

    items: tuple[str, ...]
    support: int
    why: Literal["support", "breach"]


@dataclass(frozen=True)
class MoleLevel:
    """The moles of one size, a row each: item codes ascending, support, and whether it is a breach (else too rare)."""

    items: NDArray[np.int32]
    supports: NDArray[np.int32]
    breach: NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class MinimalMoles(ShownFields):
    """All minimal moles of a database under one requirement, by size; iteration gives `MinimalMole` objects.

    `level(n)` gives the arrays of one size, for code that handles millions of them. `why` is "support" for a mole that
    is in fewer than k records, whatever its breach.
    """

    levels: dict[int, MoleLevel]
    labels: tuple[str, ...]
    n_transactions: int
    requirement: Coherence

    def __len__(self) -> int:
        return sum(len(level.supports) for level in self.levels.values())

    def __iter__(self) -> Iterator[MinimalMole]:
        for level in self.levels.values():
            for codes, support, breach in zip(level.items, level.supports, level.breach, strict=True):
                yield MinimalMole(tuple(self.labels[c] for c in codes), int(support), "breach" if breach else "support")

    def __repr__(self) -> str:
        by_size = ", ".join(f"{size}: {count:,}" for size, count in self.counts().items())
        return f"<MinimalMoles {len(self):,} in {self.n_transactions:,} transactions; by size {by_size or 'none'}>"

    def counts(self) -> dict[int, int]:
        """How many there are of each size."""
        return {size: len(level.supports) for size, level in self.levels.items()}

    def breaches(self) -> int:
        """How many are common enough, but breach h."""
        return sum(int(level.breach.sum()) for level in self.levels.values())

    def level(self, size: int) -> NDArray[np.int32]:
        """The codes of the moles of this size, one row each, ascending; the order of the rows is deterministic."""
        found = self.levels.get(size)
        return np.empty((0, size), dtype=np.int32) if found is None else found.items

    def as_sets(self) -> set[frozenset[str]]:
        """The moles as sets of labels. Needs some 300 bytes each; meant for small results."""
        return {frozenset(mole.items) for mole in self}

    def without(self, codes: NDArray[np.int32]) -> "MinimalMoles":
        """Those that contain none of these items."""
        levels = {}
        for size, level in self.levels.items():
            mask = ~np.isin(level.items, codes).any(axis=1)
            if mask.any():
                levels[size] = MoleLevel(level.items[mask], level.supports[mask], level.breach[mask])
        return MinimalMoles(levels, self.labels, self.n_transactions, self.requirement)

    def holding(self, item: str) -> "MinimalMoles":
        """Those that contain one item."""
        if item not in self.labels:
            raise UsageError(f"no item {item!r} in these transactions")
        code = self.labels.index(item)
        kept = {}
        for size, level in self.levels.items():
            mask = (level.items == code).any(axis=1)
            if mask.any():
                kept[size] = MoleLevel(level.items[mask], level.supports[mask], level.breach[mask])
        return MinimalMoles(kept, self.labels, self.n_transactions, self.requirement)
