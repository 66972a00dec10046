"""Moles: public itemsets that identify somebody or give a private item away. In dependency order:

_mole_kernels     counting, and rows rewritten in ranks
_sparse_kernels   minimal moles of sparse data
_dense_kernels    minimal moles of dense data
minimal           minimal_moles
_visit_kernels    every itemset of at most p items, visited once
visits            all moles of sparse data, counted by visiting them
_worst_kernels    the rarest itemset, the surest guess
worst_case        the worst that a release leaves to the attacker
"""
