"""Which names are published, as declared: what `generalise` and an exploration of settings share."""

from dataclasses import dataclass
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import CannotMeetError
from confide.core.requirements import Coherence
from confide.core.tables.taxonomy import Taxonomy
from confide.publish.jobs.loss_names import NameCost
from confide.publish.jobs.transactions import Wishes
from confide.publish.transactions.declaration import Declared, check_eligible
from confide.publish.transactions.generalisation.descents import Generalisation, choose_names
from confide.publish.transactions.generalisation.merging import merge_items
from confide.publish.transactions.generalisation.tree import Tree, build_tree
from confide.publish.transactions.suppression_choice import find_wished_codes

__all__ = ["NameChoice"]


@dataclass(frozen=True, eq=False)
class NameChoice:
    """Records as declared, and what is wished about names, before any requirement is asked for.

    `declared` is without the items never to be published; `kept` are its items that must stay as they are.
    """

    declared: Declared
    kept: NDArray[np.int64]
    taxonomy: Taxonomy | None
    cost: NameCost

    @classmethod
    def of(
        cls,
        original: Declared,
        wishes: Wishes,
        *,
        taxonomy: Taxonomy | str | PathLike[str] | None,
        cost: NameCost,
    ) -> "NameChoice":
        """Look the labels up, and read the taxonomy where it is a file."""
        wanted, unwanted = find_wished_codes(original, wishes)
        declared, code_of = original.without(unwanted)
        given = taxonomy if isinstance(taxonomy, Taxonomy) or taxonomy is None else Taxonomy.read(taxonomy)
        return cls(declared, np.flatnonzero(np.isin(code_of, wanted)), given, cost)

    def make(self, requirement: Coherence) -> Generalisation:
        """The name of each item; raises `CannotMeetError` where nothing can be published, or not what must be."""
        check_eligible(self.declared, requirement)
        found = choose_names(self.declared, self._tree(requirement.k), requirement, cost=self.cost, keep=self.kept)
        if found.gone.all():
            raise CannotMeetError(
                f"k={requirement.k}, h={requirement.h:g}, p={requirement.p:g} would leave no public item at all",
                parameter="k",
                value=requirement.k,
            )
        failed = np.flatnonzero(np.isin(found.tree.code, self.kept) & ~found.exact)
        if len(failed):
            label = self.declared.transactions.labels[found.tree.code[failed[0]]]
            raise CannotMeetError(
                f"item {label!r} cannot be published as it is", parameter="keep", value=label, cures=[{"keep": []}]
            )
        return found

    def _tree(self, k: int) -> Tree:
        """The tree above the public items that occur."""
        declared = self.declared
        codes = np.flatnonzero(~declared.is_private & (declared.supports > 0)).tolist()
        labels = declared.transactions.labels
        if not codes:
            raise CannotMeetError("without the items never to be published no public item is left", parameter="never")
        if self.taxonomy is None:
            return merge_items(codes, declared, k=k, cost=self.cost)
        self.taxonomy.require((labels[code] for code in codes), (labels[code] for code in declared.private))
        return build_tree(self.taxonomy, codes, labels, declared.supports)
