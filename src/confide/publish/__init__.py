"""Publishing data about people.

jobs           what can be asked for, as requests
transactions   baskets and histories under (h, k, p)-coherence
tables         tables under k-anonymity, diversity, closeness

Names are imported when first used: `import confide.publish` loads neither numba nor pyarrow.
"""

from typing import TYPE_CHECKING

from confide.core.runtime.lazy import exports

if TYPE_CHECKING:
    from confide.publish.jobs.tables import PublishSchema, PublishTable
    from confide.publish.jobs.transactions import PublishTransactions
    from confide.publish.tables.averaging.microaggregation import Microaggregation
    from confide.publish.tables.blanking.blank_cells import Blank
    from confide.publish.tables.incognito.incognito import Incognito
    from confide.publish.tables.k_optimize.k_optimize import KOptimize
    from confide.publish.tables.loss.utility import TableUtility, compare_tables
    from confide.publish.tables.mapping import GlobalMapping
    from confide.publish.tables.mondrian.mondrian import Mondrian
    from confide.publish.tables.one_dimensional.one_dimensional import OneDimensional
    from confide.publish.tables.proposal.proposal import SchemaProposal, propose_schema, read_hierarchies
    from confide.publish.tables.risk.column_risk import UniqueRows, unique_rows
    from confide.publish.tables.risk.groups import GroupRisk, group_risk
    from confide.publish.tables.risk.population import PopulationRisk, population_risk
    from confide.publish.tables.risk.special_uniques import SpecialUniques, special_uniques
    from confide.publish.tables.specialization.top_down import TopDownSpecialization
    from confide.publish.tables.table_exploration import TableExploration, TableSetting, explore_table
    from confide.publish.tables.table_publication import TablePublication, publish_table
    from confide.publish.transactions.basket_exploration import Exploration, explore, explore_transactions
    from confide.publish.transactions.generalisation.taxonomy_proposal import propose_taxonomy
    from confide.publish.transactions.generalise import generalise
    from confide.publish.transactions.moles.collection import MinimalMoles
    from confide.publish.transactions.moles.minimal import minimal_moles
    from confide.publish.transactions.publication import Publication, publish_transactions
    from confide.publish.transactions.suppress import suppress

__all__ = [
    "Blank",
    "Exploration",
    "GlobalMapping",
    "GroupRisk",
    "Incognito",
    "KOptimize",
    "Microaggregation",
    "MinimalMoles",
    "Mondrian",
    "OneDimensional",
    "PopulationRisk",
    "Publication",
    "PublishSchema",
    "PublishTable",
    "PublishTransactions",
    "SchemaProposal",
    "SpecialUniques",
    "TableExploration",
    "TablePublication",
    "TableSetting",
    "TableUtility",
    "TopDownSpecialization",
    "UniqueRows",
    "compare_tables",
    "explore",
    "explore_table",
    "explore_transactions",
    "generalise",
    "group_risk",
    "minimal_moles",
    "population_risk",
    "propose_schema",
    "propose_taxonomy",
    "publish_table",
    "publish_transactions",
    "read_hierarchies",
    "special_uniques",
    "suppress",
    "unique_rows",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        **dict.fromkeys(
            ("SchemaProposal", "propose_schema", "read_hierarchies"), "confide.publish.tables.proposal.proposal"
        ),
        **dict.fromkeys(("PublishSchema", "PublishTable"), "confide.publish.jobs.tables"),
        **dict.fromkeys(("TableUtility", "compare_tables"), "confide.publish.tables.loss.utility"),
        **dict.fromkeys(("UniqueRows", "unique_rows"), "confide.publish.tables.risk.column_risk"),
        **dict.fromkeys(("GroupRisk", "group_risk"), "confide.publish.tables.risk.groups"),
        **dict.fromkeys(("PopulationRisk", "population_risk"), "confide.publish.tables.risk.population"),
        **dict.fromkeys(("SpecialUniques", "special_uniques"), "confide.publish.tables.risk.special_uniques"),
        "PublishTransactions": "confide.publish.jobs.transactions",
        "MinimalMoles": "confide.publish.transactions.moles.collection",
        **dict.fromkeys(
            ("Exploration", "explore", "explore_transactions"),
            "confide.publish.transactions.basket_exploration",
        ),
        **dict.fromkeys(("Publication", "publish_transactions"), "confide.publish.transactions.publication"),
        "Blank": "confide.publish.tables.blanking.blank_cells",
        "GlobalMapping": "confide.publish.tables.mapping",
        "Incognito": "confide.publish.tables.incognito.incognito",
        "KOptimize": "confide.publish.tables.k_optimize.k_optimize",
        "Microaggregation": "confide.publish.tables.averaging.microaggregation",
        "Mondrian": "confide.publish.tables.mondrian.mondrian",
        "OneDimensional": "confide.publish.tables.one_dimensional.one_dimensional",
        "TopDownSpecialization": "confide.publish.tables.specialization.top_down",
        **dict.fromkeys(
            ("TablePublication", "publish_table"),
            "confide.publish.tables.table_publication",
        ),
        **dict.fromkeys(
            ("TableExploration", "TableSetting", "explore_table"),
            "confide.publish.tables.table_exploration",
        ),
        "generalise": "confide.publish.transactions.generalise",
        "propose_taxonomy": "confide.publish.transactions.generalisation.taxonomy_proposal",
        "minimal_moles": "confide.publish.transactions.moles.minimal",
        "suppress": "confide.publish.transactions.suppress",
    },
)
