"""Pruning a tree, or a set of rules, until every leaf may be published. In dependency order:

leaf_kernels       whether a leaf may be published, by mode
_merit_kernels     scores of a leaf that a merge adds up; larger is better
_sibling_kernels   the siblings a failed leaf may be merged with, those that resemble each other together
_search_kernels    the first of them that mends it, in the order of the rules
pruning_kernels    pruning a whole tree
leaf_tests         a requirement as those kernels read it
flat_tree          a published tree as arrays
rebuilding         what pruning leaves of it, as a published tree again
shares             shares of all records instead of counts
truth              what leaves made by estimates really hold
"""
