"""The verifier of (h, k, p)-coherence. In dependency order:

_cohort_kernels     counts and bitmaps of the records that hold one item
_coherence_kernels  the walk over itemsets that occur, and its bounds
_whole_row_kernels  whole records that too few others contain
_pair_kernels       pairs and records of a release in parts
mole_search         one mole of transactions in memory
stored_coherence    the same of a release in parts that does not fit into memory
coherence           coherence of a release
"""
