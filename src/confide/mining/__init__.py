"""Plain mining, which every stage builds on. Modules in dependency order:

itemsets    frequent itemsets: all, closed, maximal; delivered, or only counted
counting    supports of given itemsets: database in, candidates in, counts out
subsets     all subsets of itemsets; all frequent sets from the closed ones
rules       association rules from frequent itemsets
compare     how far estimated itemsets are from true ones
window      the closed itemsets of the last records of a stream
splits      the best split, from counts of attribute value by class
pruning     pessimistic pruning
tree        a C4.5-like decision tree

Nothing here protects anybody: mined patterns of few people can point at them.
"""

from typing import TYPE_CHECKING

from confide.core.lazy import exports

if TYPE_CHECKING:
    from confide.mining.compare import compare_itemsets
    from confide.mining.counting import itemset_supports, subset_supports
    from confide.mining.itemsets import count_itemsets, frequent_itemsets
    from confide.mining.rules import association_rules
    from confide.mining.subsets import expand_closed
    from confide.mining.tree import DecisionTree
    from confide.mining.window import SlidingWindow

__all__ = [
    "DecisionTree",
    "SlidingWindow",
    "association_rules",
    "compare_itemsets",
    "count_itemsets",
    "expand_closed",
    "frequent_itemsets",
    "itemset_supports",
    "subset_supports",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "DecisionTree": "confide.mining.tree",
        "SlidingWindow": "confide.mining.window",
        "association_rules": "confide.mining.rules",
        "compare_itemsets": "confide.mining.compare",
        "count_itemsets": "confide.mining.itemsets",
        "expand_closed": "confide.mining.subsets",
        "frequent_itemsets": "confide.mining.itemsets",
        "itemset_supports": "confide.mining.counting",
        "subset_supports": "confide.mining.counting",
    },
)
