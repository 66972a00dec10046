"""Groups of neighbours on one line through all columns.

_curve_kernels   the Hilbert curve, and distances to reference points
curves           rows on a line, so that neighbours are alike
_group_kernels   groups of different sensitive values, and the smallest nodes that hold a group
one_dimensional  the algorithm, as users call it
"""
