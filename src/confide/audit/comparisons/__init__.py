"""What is released, compared with what was read: faithful, not only safe. In dependency order:

_digest_kernels  sums that two sets of rows have in common if they are the same
_pair_kernels    equal texts numbered alike, and which pairs of a value and a label there are
_walk_kernels    the leaf that each record reaches
_basket_kernels  what came into baskets, and what went although it is published
values           a column as numbers and texts
digests          values and rows as numbers that are equal where they are
label_fit        whether a released label stands for a value
averages         whether released numbers are means, medians or midpoints of what was read
compared_table   each cell covers that of its row; untouched columns are equal; rows left out are counted
compared_parts   the same of a table in files, without saying which row is which
baskets          of each basket only items went, and none came
compared_tree    class counts of a tree, recounted from its records or from the tree that was pruned

Called by `Release.issue` with what the owner read, before anything leaves; a passport's reader cannot repeat it.
"""
