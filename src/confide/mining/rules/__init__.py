"""Rules, and sets inside sets. In dependency order:

_subset_kernels     sets looked up by hash, and their subsets
subsets             all subsets of given itemsets; positions of many sets at once
_rule_kernels       rules out of itemsets
association         association_rules
comparison          how far estimated itemsets are from the true ones
"""
