"""What sites ask and answer outside the growing of a tree. In dependency order:

overlap      the join values that two sites share, or how many these are
walking      a tree tried on held-out records, at one site
evaluation   the same, at the coordinator
"""
