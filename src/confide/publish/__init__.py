"""Publishing transactions under (h, k, p)-coherence. Modules in dependency order:

suppression            what a suppressing algorithm answers: items in order, with their scores
declared               which items are private, and whether anything can be published
_mole_kernels          rows in ranks, counting
_mole_sparse_kernels   minimal moles from lists of records
_mole_dense_kernels    minimal moles from bitmaps
moles                  minimal moles, exactly                                        minimal_moles
private_items          private items for experiments                                 copy_private_items
"""

from typing import TYPE_CHECKING

from confide.core.lazy import exports

if TYPE_CHECKING:
    from confide.publish.moles import MinimalMoles, minimal_moles
    from confide.publish.private_items import copy_private_items, draw_private_items

__all__ = ["MinimalMoles", "copy_private_items", "draw_private_items", "minimal_moles"]

__getattr__, __dir__ = exports(
    __name__,
    {
        "MinimalMoles": "confide.publish.moles",
        "copy_private_items": "confide.publish.private_items",
        "draw_private_items": "confide.publish.private_items",
        "minimal_moles": "confide.publish.moles",
    },
)
