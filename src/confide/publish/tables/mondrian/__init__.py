"""Mondrian: local recoding by cutting the table into regions.

_region_kernels      the region of a group: what its columns are called, and free ways to narrow it
_cut_kernels         the best cut of a column: into children of a node, or in two ranges
_partition_kernels   cuts until none is left
columns              the columns of a table as the kernels read them
mondrian             the algorithm, as users call it
"""
