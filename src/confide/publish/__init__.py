"""Publishing data about people.

transactions   baskets and histories under (h, k, p)-coherence

Names are imported when first used: `import confide.publish` loads neither numba nor pyarrow.
"""

from typing import TYPE_CHECKING

from confide.core.runtime.lazy import exports

if TYPE_CHECKING:
    from confide.publish.transactions.experiment_items import copy_private_items, draw_private_items
    from confide.publish.transactions.exploration import explore
    from confide.publish.transactions.moles.minimal import MinimalMoles, minimal_moles
    from confide.publish.transactions.suppress import suppress

__all__ = ["MinimalMoles", "copy_private_items", "draw_private_items", "explore", "minimal_moles", "suppress"]

__getattr__, __dir__ = exports(
    __name__,
    {
        "MinimalMoles": "confide.publish.transactions.moles.minimal",
        "copy_private_items": "confide.publish.transactions.experiment_items",
        "draw_private_items": "confide.publish.transactions.experiment_items",
        "explore": "confide.publish.transactions.exploration",
        "minimal_moles": "confide.publish.transactions.moles.minimal",
        "suppress": "confide.publish.transactions.suppress",
    },
)
