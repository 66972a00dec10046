"""Mining the true records out of perturbed ones. In dependency order:

item_estimates        weights of perturbed records, estimates, variances: items
cell_estimates        the same for categorical records
forecasts             how far off a support would be, before anything is collected
item_search           Apriori whose supports are estimates: items
field_search          the same for categorical records
miner_questions       what a miner asks of a scheme, and what it gets back
_consistency_kernels  the nearest supports that are consistent
consistency           estimates made consistent
selection             intervals that hold although only what looked frequent is shown
rule_errors           how sure the confidence of a rule is
reconstruction        itemsets and rules of the true records
perturbed_tree        a decision tree from gamma-diagonal records
"""
