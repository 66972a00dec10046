"""Confide: mine and share data about people in confidence.

    core      containers, requirements, releases, passports, randomness       what every stage imports
    mining    frequent itemsets, rules, counting, sliding window, trees       plain mining
    collect   records perturbed by the people themselves, and still mined
    publish   transactions that identify nobody
    join      one tree for organisations that may not pool their tables
    audit     verifiers and adversaries                                       never imports what it checks
    report    one self-contained page per release
    cli       the `confide` command

Names below are imported when first used, so that `import confide` costs nothing.
"""

from typing import TYPE_CHECKING

from confide.core.runtime.lazy import exports

if TYPE_CHECKING:
    from confide.audit.verify import verify
    from confide.core.datasets.stored_table import StoredTable
    from confide.core.datasets.stored_transactions import StoredTransactions
    from confide.core.errors import ConfideError
    from confide.core.itemsets.container import Itemsets
    from confide.core.passport import Passport
    from confide.core.randomness import Randomness
    from confide.core.release import Release
    from confide.core.requirements import (
        AllOf,
        AlphaK,
        Amplification,
        BetaLikeness,
        Coherence,
        DeltaDisclosure,
        DeltaPresence,
        DistinctDiversity,
        EntropyDiversity,
        Exposure,
        KAnonymity,
        KMap,
        KMapBySize,
        KMapByWeight,
        LimitedExchange,
        OthersKnown,
        OutputPrivacy,
        RecursiveDiversity,
        SimpleDiversity,
        TCloseness,
    )
    from confide.core.tables.hierarchy import Hierarchy
    from confide.core.tables.schema import Schema
    from confide.core.transactions.container import Transactions
    from confide.core.trees.published import PublishedTree
    from confide.core.trees.rules import RuleSet

__version__ = "0.1.0"

__all__ = [
    "AllOf",
    "AlphaK",
    "Amplification",
    "BetaLikeness",
    "Coherence",
    "ConfideError",
    "DeltaDisclosure",
    "DeltaPresence",
    "DistinctDiversity",
    "EntropyDiversity",
    "Exposure",
    "Hierarchy",
    "Itemsets",
    "KAnonymity",
    "KMap",
    "KMapBySize",
    "KMapByWeight",
    "LimitedExchange",
    "OthersKnown",
    "OutputPrivacy",
    "Passport",
    "PublishedTree",
    "Randomness",
    "RecursiveDiversity",
    "Release",
    "RuleSet",
    "Schema",
    "SimpleDiversity",
    "StoredTable",
    "StoredTransactions",
    "TCloseness",
    "Transactions",
    "verify",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "ConfideError": "confide.core.errors",
        "Hierarchy": "confide.core.tables.hierarchy",
        "Itemsets": "confide.core.itemsets.container",
        "Passport": "confide.core.passport",
        "PublishedTree": "confide.core.trees.published",
        "RuleSet": "confide.core.trees.rules",
        "Randomness": "confide.core.randomness",
        "Release": "confide.core.release",
        "Schema": "confide.core.tables.schema",
        "StoredTable": "confide.core.datasets.stored_table",
        "StoredTransactions": "confide.core.datasets.stored_transactions",
        "Transactions": "confide.core.transactions.container",
        "verify": "confide.audit.verify",
        **dict.fromkeys(
            (
                "AllOf",
                "AlphaK",
                "Amplification",
                "BetaLikeness",
                "Coherence",
                "DeltaDisclosure",
                "DeltaPresence",
                "DistinctDiversity",
                "EntropyDiversity",
                "Exposure",
                "KAnonymity",
                "KMap",
                "KMapBySize",
                "KMapByWeight",
                "LimitedExchange",
                "OthersKnown",
                "OutputPrivacy",
                "RecursiveDiversity",
                "SimpleDiversity",
                "TCloseness",
            ),
            "confide.core.requirements",
        ),
    },
)
