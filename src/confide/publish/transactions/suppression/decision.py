"""What a suppressing algorithm decides: which items go, in which order, and on what score.

Every algorithm of the stage (item utility, itemset utility, the baselines) answers with one `Suppression`; `suppress`
turns it into a release. Items are codes of the transactions it was made for.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from confide.publish.transactions.moles.collection import MinimalMoles

__all__ = ["Reason", "Step", "Suppression"]

Reason = Literal["never", "alone", "greedy", "option", "all", "records", "optimal"]
"""Why an item went: the owner marked it never to be published; it is a mole on its own; the greedy rule chose it; an
option (the ICDM deletion of items that are in no nugget) removed it; a baseline removed it without a score; with it,
some whole record would be unlike the others; it is in the best choice that was found."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One suppressed item. The score is `gain / cost`: moles broken for each unit of what is lost.

    `gain` is |MM(v)| (minimal moles, item utility) or |M(v)| (all moles, itemset utility) at that moment; `cost` is
    IL(v) or |N(v)|, 0 when nothing is lost (an infinite score). Steps without a score have gain and cost 0.
    """

    item: int
    reason: Reason
    gain: int = 0
    cost: int | Fraction = 0


@dataclass(frozen=True, kw_only=True)
class Suppression:
    """Suppressed items in order, with the score of each, and totals.

    `totals` holds counts by name; those with a fixed meaning are "moles" and "minimal_moles" (before any step),
    "nuggets" and "nuggets_kept" (before and after), "above_least" and "priced" (by how much another choice might lose
    less at most, and all that could be lost, in the same units). Counts nobody made are absent. `moles` are the minimal
    moles, where the algorithm had to find them; whoever explains a decision never searches for them again.
    """

    steps: tuple[Step, ...]
    method: str
    totals: Mapping[str, int] = field(default_factory=dict)
    moles: MinimalMoles | None = None

    @property
    def items(self) -> tuple[int, ...]:
        """The suppressed codes, in order."""
        return tuple(step.item for step in self.steps)

    def mask_kept(self, n_items: int) -> NDArray[np.bool_]:
        """A mask over all codes: true where the item stays."""
        mask = np.ones(n_items, dtype=np.bool_)
        mask[list(self.items)] = False
        return mask
