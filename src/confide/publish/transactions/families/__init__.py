"""Families of itemsets too large to list. In dependency order:

_diagram_kernels         zero-suppressed decision diagrams on flat arrays
_diagram_count_kernels   counting on a finished diagram
diagrams                 families as diagrams: exact counts
borders                  families held by their smallest and largest members
counters                 a family counted while items are suppressed
_visit_kernels           every itemset of at most p items, visited once
visits                   all moles of sparse data, counted by visiting them
moles_and_nuggets        all moles and all nuggets of a database
"""
