"""Requirements of tables: rows that look alike are many, and their sensitive values tell little.

Rows that agree in all quasi-identifiers form a group. Where the schema names a column of persons, a group counts
persons instead of rows (`confide.audit.verifiers.tables.look` says how). In dependency order:

terms          what a release calls groups, members and values: rows, people, or the records of a leaf
base           what they share: `&`, sentences in the terms of a release, and what is left open
logarithms     a logarithm against a bound, decided exactly
groups         k-anonymity, (alpha, k)-anonymity: how many look alike
diversity      simple, distinct, entropy and recursive diversity: how many sensitive values there are
closeness      t-closeness, beta-likeness, delta-disclosure: how far a group differs from the whole release
of_population  k-map and delta-presence: how many people of the population fit; estimates of that
combination    several at once, and the case that other sensitive values are known
weaker         weaker versions of a requirement, for a refusal that proposes what would work
"""

from confide.core.requirements.tables import closeness, combination, diversity, groups
from confide.core.requirements.tables.base import DATES_SHIFTED, IN_TABLE, ORDER_KEPT, PSEUDONYMS, TableRequirement
from confide.core.requirements.tables.closeness import *  # noqa: F403 - the requirements that its `__all__` lists
from confide.core.requirements.tables.combination import *  # noqa: F403
from confide.core.requirements.tables.diversity import *  # noqa: F403
from confide.core.requirements.tables.groups import *  # noqa: F403
from confide.core.requirements.tables.of_population import DeltaPresence, KMap, KMapBySize, KMapByWeight

__all__ = [
    "DATES_SHIFTED",
    "IN_TABLE",
    "ORDER_KEPT",
    "PSEUDONYMS",
    "DeltaPresence",
    "KMap",
    "KMapBySize",
    "KMapByWeight",
    "TableRequirement",
    *closeness.__all__,
    *combination.__all__,
    *diversity.__all__,
    *groups.__all__,
]
