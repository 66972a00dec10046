"""Publishing transactions under (h, k, p)-coherence. Modules in dependency order:

suppression            what a suppressing algorithm answers: items in order, with their scores
declared               which items are private, and whether anything can be published
_mole_kernels          records in ranks, counting
_mole_sparse_kernels   minimal moles from lists of records
_mole_dense_kernels    minimal moles from bitmaps
moles                  minimal moles, exactly                                        minimal_moles
_greedy_kernels        greedy choice over moles; groups of records
item_utility           Tree-Cohesion: keep items
borders                borders of itemsets, counted
zdd, _zdd_*            families of itemsets as decision diagrams, counted
walk, _walk_kernels    the moles of sparse data, visited
itemset_families       moles and nuggets as borders, diagrams and walks
itemset_utility        Border-Cohesion: keep itemsets
baselines              remove-all and k-anonymizer
_worst_kernels         the rarest itemset and the surest guess that are left
worst                  the worst k and h an attacker still meets
losses                 what a release gave up
suppressing            the policy: from transactions to a release                    suppress
exploring              loss against protection, for choosing k, h and p              explore
private_items          private items for experiments                                 copy_private_items
"""

from typing import TYPE_CHECKING

from confide.core.lazy import exports

if TYPE_CHECKING:
    from confide.publish.exploring import explore
    from confide.publish.moles import MinimalMoles, minimal_moles
    from confide.publish.private_items import copy_private_items, draw_private_items
    from confide.publish.suppressing import suppress

__all__ = ["MinimalMoles", "copy_private_items", "draw_private_items", "explore", "minimal_moles", "suppress"]

__getattr__, __dir__ = exports(
    __name__,
    {
        "MinimalMoles": "confide.publish.moles",
        "copy_private_items": "confide.publish.private_items",
        "draw_private_items": "confide.publish.private_items",
        "explore": "confide.publish.exploring",
        "minimal_moles": "confide.publish.moles",
        "suppress": "confide.publish.suppressing",
    },
)
