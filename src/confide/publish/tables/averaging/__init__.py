"""Numbers that stay numbers: the mean, the median or the midpoint of each group in place of a range.

group_numbers      put one number for each group into a recoding
_centre_kernels    cuts where squared error falls most; moves of rows to nearer centres
microaggregation   the algorithm for tables whose quasi-identifiers are all numbers, as users call it
"""
