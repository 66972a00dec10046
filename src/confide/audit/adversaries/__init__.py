"""Adversaries: what someone who knows a little learns from a release. In dependency order:

_linkage_kernels   records that match what is known
labels             which values a released label stands for
linkage            who knows a few items, or the quasi-identifiers
people             who knows a person's quasi-identifiers, and what the person does not have
likelihood         any perturber, sampled: a lower bound of the gamma it really has
paths              who follows people to the leaves of published trees, one or several
reinterrogation    a collector who asks again once the frequent itemsets are known
lattice            itemsets and all sets inside them, for inclusion and exclusion
intra_window       rare patterns from the itemsets of one window, raw or sanitised
inter_window       what the window before settles
releases           averaging over releases, and who appears or vanishes
run_view           what an adversary makes of a run, release by release
runs               whoever knows every rule of a whole run
together           what several releases about the same people say together
exposures          whose an exposed profile is, among people one knows something of
"""
