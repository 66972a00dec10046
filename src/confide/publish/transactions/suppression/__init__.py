"""Which items to suppress. In dependency order:

decision            Suppression: which items go, in which order, on what score
_greedy_kernels     greedy suppression, top-down specialisation
item_utility        keep items (Tree-Cohesion)
itemset_utility     keep frequent itemsets (Border-Cohesion)
baselines           remove-all and k-anonymizer, which the thesis compares with
"""
