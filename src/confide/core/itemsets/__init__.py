"""Itemsets with their supports. In dependency order:

container      Itemsets, columnar
itemset_files  itemsets from and to files
"""

from typing import TYPE_CHECKING

from confide.core.runtime.lazy import exports

if TYPE_CHECKING:
    from confide.core.itemsets.container import Itemsets

__all__ = ["Itemsets"]

__getattr__, __dir__ = exports(__name__, {"Itemsets": "confide.core.itemsets.container"})
