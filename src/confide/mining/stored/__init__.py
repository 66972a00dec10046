"""Counts in transactions that stay in their files (`StoredTransactions`), exactly, in few passes. In dependency order:

lanes              one large state that several threads fill
_cell_kernels      pairs and triples counted in one cell each
pairs              counts of all pairs of some items
triples            counts of all triples of some items
_set_kernels       candidates counted record by record
sets               counts of given candidates
beside_kernels     given pairs counted with anchors; triples of given pairs
beside             counts of given pairs with each of some other items
occurring          triples that occur, all of whose pairs are given
_distinct_kernels  different rows, and how often each stands there
distinct_records   the different records, as far as some items go
counts             the engine of a level-wise search (`ItemsetCounts`)
"""
