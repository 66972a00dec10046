"""Adversaries: what someone who knows a little learns from a release. In dependency order:

_linkage_kernels  records that match what is known
attacker_columns  which values a released label stands for
linkage           who knows a few items, or the quasi-identifiers
known_people      who knows a person's quasi-identifiers, and what the person does not have
likelihood        any perturber, sampled: a lower bound of the gamma it really has
paths             who follows people to the leaves of published trees, one or several
reinterrogation   a collector who asks again once the frequent itemsets are known
windows           who puts the published windows of a stream together
runs              whoever knows every rule of a whole run
blocks            whoever has the noisy count of every block of a stream
together          what several releases about the same people say together
exposures         whose an exposed profile is, among people one knows something of
"""
