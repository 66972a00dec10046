"""Supports of given itemsets. In dependency order:

candidates         candidate itemsets as arrays, and those of the next length
protocol           what a search asks of an engine that counts
_counting_kernels  candidates counted in one pass
supports           itemset_supports, subset_supports: any candidates, in one pass
level_kernels      rows and columns of frequent items, and counting in them
record_shares      records in parts, one a core, counted side by side
memory_counts      the engine for records in memory
batches            the engine for records in batches, and for a counting function
"""
