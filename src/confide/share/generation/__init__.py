"""Pseudo-data: rows that a published tree could have been learned from.

_generation_kernels   drawing values for many rows
templates             the paths of a tree as templates: what each row of a path may hold
marginal_draws        values that a path does not ask about, from published marginals
pseudo_data           generate (PGEN)
baseline              generate_baseline (BASEGEN): random rows, labelled by the tree
"""
