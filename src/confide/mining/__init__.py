"""Plain mining, which every stage builds on. In dependency order:

counting   supports of given itemsets
stored     counts in records that stay in their files
databases  records as the search for itemsets takes them
itemsets   frequent itemsets: all, closed or maximal
rules      association rules, and sets inside sets
trees      decision trees
window     the closed frequent itemsets of a sliding window
jobs       what `confide mine` asks for

Names are imported when first used: `import confide.mining` loads neither numba nor pyarrow.
"""

from typing import TYPE_CHECKING

from confide.core.runtime.lazy import exports

if TYPE_CHECKING:
    from confide.mining.counting.supports import itemset_supports, subset_supports
    from confide.mining.itemsets.frequent import count_itemsets, frequent_itemsets
    from confide.mining.rules.association import association_rules
    from confide.mining.rules.comparison import Comparison, compare_itemsets
    from confide.mining.rules.subsets import expand_closed
    from confide.mining.trees.learner import DecisionTree
    from confide.mining.window.sliding import SlidingWindow
    from confide.mining.window.timed import TimeWindow

__all__ = [
    "Comparison",
    "DecisionTree",
    "SlidingWindow",
    "TimeWindow",
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
        "DecisionTree": "confide.mining.trees.learner",
        "SlidingWindow": "confide.mining.window.sliding",
        "TimeWindow": "confide.mining.window.timed",
        "association_rules": "confide.mining.rules.association",
        **dict.fromkeys(("Comparison", "compare_itemsets"), "confide.mining.rules.comparison"),
        "count_itemsets": "confide.mining.itemsets.frequent",
        "expand_closed": "confide.mining.rules.subsets",
        "frequent_itemsets": "confide.mining.itemsets.frequent",
        "itemset_supports": "confide.mining.counting.supports",
        "subset_supports": "confide.mining.counting.supports",
    },
)
