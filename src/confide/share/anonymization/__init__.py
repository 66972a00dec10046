"""Trees that may be published, pruned or grown so. In dependency order:

_growth_kernels  growing a tree under a requirement, split by split
tree_release     from a tree, or rules, to a release
leaf_growth      growing a tree under a requirement, as a published tree
validation       how strongly to prune a tree that was grown so
diverse_tree     DiverseTree
regrowing        growing leaves again that swallowed a subtree
disjoint_rules   rules that may be published, from rules that may not
anonymize        anonymize_tree
"""
