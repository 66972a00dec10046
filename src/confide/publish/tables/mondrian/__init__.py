"""Mondrian: local recoding by cutting the table into regions.

_region_kernels      the region of a group: what its columns are called, and free ways to narrow it
_tally_kernels       the rows of a group, room to work in, and how members are counted
_child_kernels       the cut along a hierarchy, into the children of a node
_range_kernels       the cut in two ranges
_partition_kernels   cuts until none is left
columns              the columns of a table as the kernels read them
mondrian             the algorithm, as users call it
"""
