"""Trees that may be published, from trees that may not. In dependency order:

_leaf_kernels      whether a leaf may be published, by mode
_merit_kernels     what a leaf brings to a merge, as numbers of which more is better
_sibling_kernels   the siblings a failed leaf may be merged with, those that resemble each other together
_search_kernels    the first of them that mends it, in the order of the rules
_pruning_kernels   pruning a whole tree
_growth_kernels    growing a tree under a requirement, split by split
leaf_tests         a requirement as those kernels read it
flat_tree          a published tree as arrays
rebuilding         what pruning leaves of it, as a published tree again
shares             shares of all records instead of counts
truth              what leaves made by estimates really hold
tree_release       from a tree, or rules, to a release
growth             growing a tree under a requirement, as a published tree
validation         how strongly to prune a tree that was grown so
diverse_tree       DiverseTree
regrowing          growing leaves again that swallowed a subtree
disjoint_rules     rules that may be published, from rules that may not
anonymize          anonymize_tree
"""
