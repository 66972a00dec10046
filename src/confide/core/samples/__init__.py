"""Invented data for the demo, the tests and the benchmarks: seeded, fast, the same on every machine.

_draws            random draws that no library version changes
_quest_kernels    filling transactions with patterns
quest             the Quest generator of baskets (T10I4D100K)    quest, QuestName
invented_baskets  a shop with private items                      baskets
_population       what the invented people are like
people            a registry with roles and hierarchies          people, people_schema, people_hierarchies
people_files      the same as files                              write_people
chain             tables that join in a chain                    chain_tables, ChainTables
chain_sites       the same as files for join sites
invented_documents  texts on a person's interests              documents, interests, figure_30

None of it protects anybody, so a plain seeded generator will do. Noise that does comes from
`core.randomness`.
"""

from confide.core.samples.chain import ChainTables, chain_tables
from confide.core.samples.invented_baskets import baskets
from confide.core.samples.invented_documents import documents, figure_30, interests
from confide.core.samples.people import people, people_hierarchies, people_schema
from confide.core.samples.quest import QuestName, quest

__all__ = [
    "ChainTables",
    "QuestName",
    "baskets",
    "chain_tables",
    "documents",
    "figure_30",
    "interests",
    "people",
    "people_hierarchies",
    "people_schema",
    "quest",
]
