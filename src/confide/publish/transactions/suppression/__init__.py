"""Which items to suppress. In dependency order:

decision            Suppression: which items go, in which order, on what score
greedy_kernels      greedy suppression, top-down specialisation
_record_kernels     admission of items, whole records judged
whole_records       p without bound and h = 1: no mole need be searched
_optimal_kernels    branch and bound
optimal             the best choice, with a bound on any other
_exchange_kernels   suppressed items exchanged against kept ones
item_utility        keep items (Tree-Cohesion, then exchange)
put_back            what the greedy rule for itemsets need not have taken
itemset_utility     keep frequent itemsets (Border-Cohesion)
baselines           remove-all and k-anonymizer, which the thesis compares with
"""
