"""From an exposed part to its release: the pairs as a file, and what its owner can verify."""

from typing import Any

from confide.core.figures import Figure, Figures
from confide.core.release import Release
from confide.search.profile.exposing import Exposed

__all__ = ["issue"]

CAVEATS = (
    "reading supports off the weights: a weight tells, to three digits, which share of the documents an interest has",
    "harm: expRatio measures how much is said, not how much it matters",
)


def issue(exposed: Exposed, evidence: dict[str, Any], *, by_query: bool = False) -> Release[dict[str, Any]]:
    """The release of an exposed part, checked against `evidence`, the profile of its owner."""
    ratio = exposed.exp_ratio
    count = len(exposed.pairs)
    loss = Figures(
        Figure("interests", count, "count", f"interest{'s' * (count != 1)} exposed"),
        Figure("exp_ratio", round(ratio, 6), "share", "of the profile's information exposed (expRatio)"),
    )
    return Release.issue(
        exposed.profile.to_dict(),
        exposed.requirement,
        stage="search",
        algorithm="minDetail, for one query" if by_query else "minDetail",
        parameters={"min_detail": exposed.requirement.min_detail},
        loss=loss,
        headline=f"{count:,} interest{'s' * (count != 1)} would leave the machine: "
        f"{100 * ratio:.0f}% of what the profile says.",
        key_figures=("interests", "exp_ratio"),
        caveats=CAVEATS,
        evidence=evidence,
    )
