"""Choosing the parameters of a stream. In dependency order:

tradeoff      what epsilon a delta needs, and what it leaves
scheme_worth  what each scheme keeps of a sample: order, ratios, itemsets published
noise_plan    both in one answer, for the paper's schemes
run_plan      a promise by blocks, tried on a sample
"""
