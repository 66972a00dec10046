"""Supports of given itemsets. In dependency order:

candidates          candidate itemsets as two flat arrays
_counting_kernels   candidates counted in one pass
supports            count_itemsets, itemset_supports
_level_kernels      rows and columns of frequent items, and counting in them
levels              single items, pairs, candidates: counted level by level
"""
