"""The verifier of (h, k, p)-coherence. In dependency order:

_cohort_kernels       counts and bitmaps of the records that hold one item
_coherence_kernels    the walk over itemsets that occur, and its bounds
_pair_kernels         pairs and records of a release in parts
stored_coherence      coherence of a release in parts that does not fit into memory
coherence             coherence of transactions
"""
