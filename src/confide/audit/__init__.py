"""Verifiers and adversaries: they import `core` and nothing else of ours, least of all what they check.

In dependency order:

verifiers     one verifier per requirement
adversaries   what someone who knows a little learns from a release
verify        a passport, its artefact, its signature, and the promise itself

Names are imported when first used: `import confide.audit` loads neither numba nor pyarrow. The function `verify` is
`confide.verify`; here the name is that of its module.
"""

from typing import TYPE_CHECKING

from confide.core.runtime.lazy import exports

if TYPE_CHECKING:
    from confide.audit.adversaries.inter_window import (
        SupportRange,
        bound_between_windows,
        infer_between_windows,
    )
    from confide.audit.adversaries.intra_window import (
        PatternEstimates,
        RarePattern,
        SupportIntervals,
        WindowInference,
        complete_supports,
        estimate_patterns,
        infer_patterns,
        support_bounds,
        tighten_supports,
    )
    from confide.audit.adversaries.likelihood import LikelihoodAudit, audit_perturber
    from confide.audit.adversaries.linkage import TableLinkage, TransactionLinkage, link_table, link_transactions
    from confide.audit.adversaries.reinterrogation import Reinterrogation, reinterrogate
    from confide.audit.adversaries.releases import (
        Averaging,
        MembershipClaims,
        average_releases,
        claim_by_membership,
    )
    from confide.audit.verifiers.amplification import scheme_gamma, verify_amplification
    from confide.audit.verifiers.coherence import Mole, find_mole, verify_coherence
    from confide.audit.verifiers.exchange import verify_exchange
    from confide.audit.verifiers.tables import verify_k_anonymity, verify_recursive_diversity, verify_simple_diversity

__all__ = [
    "Averaging",
    "LikelihoodAudit",
    "MembershipClaims",
    "Mole",
    "PatternEstimates",
    "RarePattern",
    "Reinterrogation",
    "SupportIntervals",
    "SupportRange",
    "TableLinkage",
    "TransactionLinkage",
    "WindowInference",
    "audit_perturber",
    "average_releases",
    "bound_between_windows",
    "claim_by_membership",
    "complete_supports",
    "estimate_patterns",
    "find_mole",
    "infer_between_windows",
    "infer_patterns",
    "link_table",
    "link_transactions",
    "reinterrogate",
    "scheme_gamma",
    "support_bounds",
    "tighten_supports",
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
        **dict.fromkeys(("Mole", "find_mole", "verify_coherence"), "confide.audit.verifiers.coherence"),
        "verify_exchange": "confide.audit.verifiers.exchange",
        **dict.fromkeys(
            ("verify_k_anonymity", "verify_recursive_diversity", "verify_simple_diversity"),
            "confide.audit.verifiers.tables",
        ),
        **dict.fromkeys(("LikelihoodAudit", "audit_perturber"), "confide.audit.adversaries.likelihood"),
        **dict.fromkeys(("scheme_gamma", "verify_amplification"), "confide.audit.verifiers.amplification"),
        **dict.fromkeys(("Reinterrogation", "reinterrogate"), "confide.audit.adversaries.reinterrogation"),
        **dict.fromkeys(
            ("TableLinkage", "TransactionLinkage", "link_table", "link_transactions"),
            "confide.audit.adversaries.linkage",
        ),
        **dict.fromkeys(
            (
                "PatternEstimates",
                "RarePattern",
                "SupportIntervals",
                "WindowInference",
                "complete_supports",
                "estimate_patterns",
                "infer_patterns",
                "support_bounds",
                "tighten_supports",
            ),
            "confide.audit.adversaries.intra_window",
        ),
        **dict.fromkeys(
            (
                "SupportRange",
                "bound_between_windows",
                "infer_between_windows",
            ),
            "confide.audit.adversaries.inter_window",
        ),
        **dict.fromkeys(
            (
                "Averaging",
                "MembershipClaims",
                "average_releases",
                "claim_by_membership",
            ),
            "confide.audit.adversaries.releases",
        ),
    },
)
