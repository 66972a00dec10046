"""Who puts the published windows of a stream together. In dependency order:

itemset_lattice  itemsets and all sets inside them, for inclusion and exclusion
intra_window     rare patterns from the itemsets of one window, raw or sanitised
inter_window     what the window before settles
averaging        averaging over releases, and who appears or vanishes
run_view         what an adversary makes of a run, release by release
"""
