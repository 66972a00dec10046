"""Requirements of tables (and, through `trees`, of published decision trees). In dependency order:

telling         figures and headline, as far as they follow from the table
stored          a table in parts: its different rows, and how often each is there
form            roles that fit the columns; identifiers gone, or pseudonyms
look            a table seen through the roles of its columns: groups, persons, counts of sensitive values
parted          the same of a table with more different rows than there is memory for
groups          k-anonymity and (alpha, k)-anonymity
diversity       simple, distinct, entropy and recursive diversity
closeness       t-closeness, beta-likeness and delta-disclosure
fitting         who of a population fits each group
counted_people  k-map and delta-presence: people of a population, counted or estimated
combination     several at once, and with other sensitive values known
strength        without a passport: the largest k and l, the smallest t and so on that a table keeps
"""

from confide.audit.verifiers.tables.closeness import (
    verify_beta_likeness,
    verify_delta_disclosure,
    verify_t_closeness,
)
from confide.audit.verifiers.tables.combination import verify_all_of, verify_others_known
from confide.audit.verifiers.tables.counted_people import (
    verify_delta_presence,
    verify_k_map,
    verify_k_map_by_size,
    verify_k_map_by_weight,
)
from confide.audit.verifiers.tables.diversity import (
    verify_distinct_diversity,
    verify_entropy_diversity,
    verify_recursive_diversity,
    verify_simple_diversity,
)
from confide.audit.verifiers.tables.groups import verify_alpha_k, verify_k_anonymity

__all__ = [
    "verify_all_of",
    "verify_alpha_k",
    "verify_beta_likeness",
    "verify_delta_disclosure",
    "verify_delta_presence",
    "verify_distinct_diversity",
    "verify_entropy_diversity",
    "verify_k_anonymity",
    "verify_k_map",
    "verify_k_map_by_size",
    "verify_k_map_by_weight",
    "verify_others_known",
    "verify_recursive_diversity",
    "verify_simple_diversity",
    "verify_t_closeness",
]
