"""Publishing data about people.

transactions   baskets and histories under (h, k, p)-coherence

Names are imported when first used: `import confide.publish` loads neither numba nor pyarrow.
"""

from typing import TYPE_CHECKING

from confide.core.runtime.lazy import exports

if TYPE_CHECKING:
    from confide.publish.transactions.choice import Wishes
    from confide.publish.transactions.experiment_items import copy_private_items, draw_private_items
    from confide.publish.transactions.exploration import (
        Exploration,
        ExplorationRequest,
        explore,
        explore_transactions,
    )
    from confide.publish.transactions.moles.collection import MinimalMoles
    from confide.publish.transactions.moles.minimal import minimal_moles
    from confide.publish.transactions.publication import (
        PrivateItems,
        Publication,
        PublicationRequest,
        publish_transactions,
    )
    from confide.publish.transactions.suppress import suppress

__all__ = [
    "Exploration",
    "ExplorationRequest",
    "MinimalMoles",
    "PrivateItems",
    "Publication",
    "PublicationRequest",
    "Wishes",
    "copy_private_items",
    "draw_private_items",
    "explore",
    "explore_transactions",
    "minimal_moles",
    "publish_transactions",
    "suppress",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "Wishes": "confide.publish.transactions.choice",
        "MinimalMoles": "confide.publish.transactions.moles.collection",
        "copy_private_items": "confide.publish.transactions.experiment_items",
        "draw_private_items": "confide.publish.transactions.experiment_items",
        **dict.fromkeys(
            ("Exploration", "ExplorationRequest", "explore", "explore_transactions"),
            "confide.publish.transactions.exploration",
        ),
        **dict.fromkeys(
            ("PrivateItems", "Publication", "PublicationRequest", "publish_transactions"),
            "confide.publish.transactions.publication",
        ),
        "minimal_moles": "confide.publish.transactions.moles.minimal",
        "suppress": "confide.publish.transactions.suppress",
    },
)
