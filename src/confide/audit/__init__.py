"""Verifiers and adversaries: they import `core` and nothing else of ours, least of all what they check.

In dependency order:

_cohort_kernels       counts and bitmaps of the records that hold one item
_coherence_kernels    the walk over itemsets that occur, and its bounds
coherence             (h, k, p)-coherence of transactions; the mole that breaks it
grouping              rows of a table that look alike, and the values within
tables                k-anonymity, simple and recursive diversity of tables
trees                 the same of published decision trees
linkage               adversaries who know a few items, or the quasi-identifiers
scheme_claims         what else a passport states of a scheme, worked out anew
perturbation          amplification of perturbed records: gamma worked out anew, records that fit their scheme
likelihood            any perturber, audited by sampling: a lower bound of the gamma it really has
reinterrogation       a collector who asks again once the frequent itemsets are known
exchange              a secure decision tree, and the ledger of what crossed between sites
verify                a passport, its artefact, its signature, and the promise itself

Names are imported when first used: `import confide.audit` loads neither numba nor pyarrow. The function `verify` is
`confide.verify`; here the name is that of its module.
"""

from typing import TYPE_CHECKING

from confide.core.lazy import exports

if TYPE_CHECKING:
    from confide.audit.coherence import Mole, find_mole, verify_coherence
    from confide.audit.exchange import verify_exchange
    from confide.audit.likelihood import LikelihoodAudit, audit_perturber
    from confide.audit.linkage import TableLinkage, TransactionLinkage, link_table, link_transactions
    from confide.audit.perturbation import scheme_gamma, verify_amplification
    from confide.audit.reinterrogation import Reinterrogation, reinterrogate
    from confide.audit.tables import verify_k_anonymity, verify_recursive_diversity, verify_simple_diversity

__all__ = [
    "LikelihoodAudit",
    "Mole",
    "Reinterrogation",
    "TableLinkage",
    "TransactionLinkage",
    "audit_perturber",
    "find_mole",
    "link_table",
    "link_transactions",
    "reinterrogate",
    "scheme_gamma",
    "verify_amplification",
    "verify_coherence",
    "verify_exchange",
    "verify_k_anonymity",
    "verify_recursive_diversity",
    "verify_simple_diversity",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        **dict.fromkeys(("Mole", "find_mole", "verify_coherence"), "confide.audit.coherence"),
        "verify_exchange": "confide.audit.exchange",
        **dict.fromkeys(
            ("verify_k_anonymity", "verify_recursive_diversity", "verify_simple_diversity"), "confide.audit.tables"
        ),
        **dict.fromkeys(("LikelihoodAudit", "audit_perturber"), "confide.audit.likelihood"),
        **dict.fromkeys(("scheme_gamma", "verify_amplification"), "confide.audit.perturbation"),
        **dict.fromkeys(("Reinterrogation", "reinterrogate"), "confide.audit.reinterrogation"),
        **dict.fromkeys(
            ("TableLinkage", "TransactionLinkage", "link_table", "link_transactions"), "confide.audit.linkage"
        ),
    },
)
