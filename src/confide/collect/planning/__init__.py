"""Choosing a scheme, and how much it protects. In dependency order:

privacy_measures   how much is hidden on average, and what is bounded for everyone
_breach_kernels    frequent itemsets seen in each perturbed record
reinterrogation    what is left once the mining result is known too
strict_plans       parameters for a strict promise: gamma, Mask, Cut-and-Paste, a matrix a field
emask_goals        what is asked of a plan for Emask
emask_curve        what p and q of Emask attain
emask_plan         p and q of Emask for goals on breach, error and slowdown
sample_fields      fields taken from a sample
held_shares        how many records of a sample hold a part of an itemset
scheme_choice      which scheme fits a file
charts             charts of the promise, and of estimates beside the truth
perturber          a scheme as the likelihood auditor wants it
"""
