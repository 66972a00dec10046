"""Moles: public itemsets that identify somebody or give a private item away. In dependency order:

mole_kernels             counting, rows rewritten in ranks, moles as they are found
_row_count_kernels       counting over lists of rows
_sparse_kernels          minimal moles of sparse data
_small_database_kernels  the records of a few items as bits
_dense_judging_kernels   one itemset's extensions: moles, kept, open
_dense_kernels           minimal moles of dense data
collection               minimal moles as they are handed out
supersets                moles that contain a smaller one are dropped
stored_moles             minimal moles of transactions that stay in their files
minimal                  minimal_moles
_worst_kernels           the rarest itemset, the surest guess
worst_case               the worst that a release leaves to the attacker
"""
