"""Verifiers and adversaries: they import `core` and nothing else of ours, least of all what they check.

In dependency order:

verifiers     one verifier per requirement
comparisons   what is released, compared with what was read
adversaries   what someone who knows a little learns from a release
claims        what a passport says beside its promise: compared, or named as unchecked
release_chain  releases that are built on one another: whether all are there, and none is built on twice
verify        a passport, its artefact, its signature, and the promise itself
signing       a signature under a passport that holds
examination   a table without a passport: what it keeps, and whether that is enough
jobs          the job `verify`

Names are imported when first used: `import confide.audit` loads neither numba nor pyarrow. The function `verify` is
`confide.verify`; here the name is that of its module.
"""

from typing import TYPE_CHECKING

from confide.core.runtime.lazy import exports
from confide.core.stages import STAGES

if TYPE_CHECKING:
    from confide.audit.adversaries.exposures import Identification, identify_exposures
    from confide.audit.adversaries.known_people import TableAttack, attack_table
    from confide.audit.adversaries.likelihood import LikelihoodAudit, audit_perturber
    from confide.audit.adversaries.linkage import TableLinkage, TransactionLinkage, link_table, link_transactions
    from confide.audit.adversaries.paths import PathRisk, SeveralTrees, follow_paths, follow_several
    from confide.audit.adversaries.reinterrogation import Reinterrogation, reinterrogate
    from confide.audit.adversaries.windows.averaging import (
        Averaging,
        MembershipClaims,
        average_equal_supports,
        average_releases,
        claim_by_membership,
    )
    from confide.audit.adversaries.windows.inter_window import (
        SupportRange,
        bound_between_windows,
        infer_between_windows,
    )
    from confide.audit.adversaries.windows.intra_window import (
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
    from confide.audit.examination import Examination, examine
    from confide.audit.verifiers.amplification import scheme_gamma, verify_amplification
    from confide.audit.verifiers.exchange import verify_exchange
    from confide.audit.verifiers.exposure import verify_exposure
    from confide.audit.verifiers.tables.closeness import (
        verify_beta_likeness,
        verify_delta_disclosure,
        verify_t_closeness,
    )
    from confide.audit.verifiers.tables.combination import verify_all_of, verify_others_known
    from confide.audit.verifiers.tables.diversity import (
        verify_distinct_diversity,
        verify_entropy_diversity,
        verify_recursive_diversity,
        verify_simple_diversity,
    )
    from confide.audit.verifiers.tables.groups import verify_alpha_k, verify_k_anonymity
    from confide.audit.verifiers.tables.strength import TableStrength, measure_table
    from confide.audit.verifiers.transactions.coherence import verify_coherence
    from confide.audit.verifiers.transactions.mole_search import Mole, find_mole

__all__ = [
    "Averaging",
    "Examination",
    "Identification",
    "LikelihoodAudit",
    "MembershipClaims",
    "Mole",
    "PathRisk",
    "PatternEstimates",
    "RarePattern",
    "Reinterrogation",
    "SeveralTrees",
    "SupportIntervals",
    "SupportRange",
    "TableAttack",
    "TableLinkage",
    "TableStrength",
    "TransactionLinkage",
    "WindowInference",
    "attack_table",
    "audit_perturber",
    "average_equal_supports",
    "average_releases",
    "bound_between_windows",
    "claim_by_membership",
    "complete_supports",
    "estimate_patterns",
    "examine",
    "find_mole",
    "follow_paths",
    "follow_several",
    "identify_exposures",
    "infer_between_windows",
    "infer_patterns",
    "link_table",
    "link_transactions",
    "measure_table",
    "reinterrogate",
    "scheme_gamma",
    "support_bounds",
    "tighten_supports",
    "verify_all_of",
    "verify_alpha_k",
    "verify_amplification",
    "verify_beta_likeness",
    "verify_coherence",
    "verify_delta_disclosure",
    "verify_distinct_diversity",
    "verify_entropy_diversity",
    "verify_exchange",
    "verify_exposure",
    "verify_k_anonymity",
    "verify_others_known",
    "verify_recursive_diversity",
    "verify_simple_diversity",
    "verify_t_closeness",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        **dict.fromkeys(("TableStrength", "measure_table"), "confide.audit.verifiers.tables.strength"),
        **dict.fromkeys(("Mole", "find_mole"), "confide.audit.verifiers.transactions.mole_search"),
        "verify_coherence": "confide.audit.verifiers.transactions.coherence",
        **dict.fromkeys(("Identification", "identify_exposures"), "confide.audit.adversaries.exposures"),
        **dict.fromkeys(("TableAttack", "attack_table"), "confide.audit.adversaries.known_people"),
        **dict.fromkeys(("Examination", "examine"), "confide.audit.examination"),
        "verify_exchange": "confide.audit.verifiers.exchange",
        "verify_exposure": "confide.audit.verifiers.exposure",
        **{at.partition(":")[2]: at.partition(":")[0] for at in STAGES["publish table"].verifiers.values()},
        **dict.fromkeys(("LikelihoodAudit", "audit_perturber"), "confide.audit.adversaries.likelihood"),
        **dict.fromkeys(("scheme_gamma", "verify_amplification"), "confide.audit.verifiers.amplification"),
        **dict.fromkeys(
            ("PathRisk", "SeveralTrees", "follow_paths", "follow_several"), "confide.audit.adversaries.paths"
        ),
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
            "confide.audit.adversaries.windows.intra_window",
        ),
        **dict.fromkeys(
            (
                "SupportRange",
                "bound_between_windows",
                "infer_between_windows",
            ),
            "confide.audit.adversaries.windows.inter_window",
        ),
        **dict.fromkeys(
            (
                "Averaging",
                "MembershipClaims",
                "average_equal_supports",
                "average_releases",
                "claim_by_membership",
            ),
            "confide.audit.adversaries.windows.averaging",
        ),
    },
)
