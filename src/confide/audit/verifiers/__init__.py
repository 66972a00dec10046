"""Verifiers, one module per requirement. In dependency order:

transactions          (h, k, p)-coherence of transactions
grouping              rows of a table that look alike, and the values within
trees                 k-anonymity and diversity of published trees
shared_trees          trees that `share` released: the same, by mode, and the limits a passport names
shared_rules          sets of disjoint rules that `share` released
grids                 ranges that lie on the grid that a passport tells
tables                anonymity, diversity and closeness of tables
collected             schemes and answers of `collect` as an auditor reads them
scheme_claims         the other claims of a passport about a scheme, worked out anew
amplification         perturbed records: gamma worked out anew, records that fit their scheme
streams               what a stream publishes, release by release and as a whole run
certain_exchange      who could tell what about people from the summaries of a secure tree
exchange              a secure decision tree, and the ledger of what crossed between sites
exposure              an exposed profile: its form for anybody, all of it for its owner
"""
