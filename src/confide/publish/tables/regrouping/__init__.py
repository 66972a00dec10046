"""GroupRows of rows regrouped while that loses less. In dependency order:

_span_kernels        what a group costs a row that spans some leaves of a column
_pool_kernels        rows of a few groups put together anew
_regrouping_kernels  a block of groups, regrouped again and again
spans                the quasi-identifiers in an order in which labels are runs of leaves
rounds               all groups in blocks, pass by pass
best_regrouping      the search, from the best groups that other methods made
"""
