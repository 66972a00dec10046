"""From an exposed part to its release: the pairs as a file, and what its owner can verify."""

from typing import Any

from confide.core.figures import Chart, Column, Figure, Figures, Table
from confide.core.release import OwnerPart, Release
from confide.core.requirements import Exposure
from confide.search.entropy import self_information
from confide.search.profile.exposing import Exposed, expose
from confide.search.profile.interests import Interest

__all__ = ["issue", "owner_part"]

_DETAILS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
_MOST_ROWS = 200


def owner_part(root: Interest, exposed: Exposed) -> OwnerPart:
    """What the owner alone may see: each exposed interest with its share, and how expRatio falls with minDetail."""
    columns = (
        Column("exposed interest", "text"),
        Column("share of the documents", "share"),
        Column("self-information", "number"),
    )
    rows = tuple(
        (interest.label, interest.units / root.units, round(self_information(interest.units, root.units), 3))
        for interest in exposed.interests[:_MOST_ROWS]
    )
    ratios = tuple(expose(root, Exposure(min_detail=detail)).exp_ratio for detail in _DETAILS)
    return OwnerPart(
        facts=Figures(
            Figure("documents", root.documents, "count", "documents in the profile"),
            Figure("all_interests", sum(1 for _ in root.walk()) - 1, "count", "interests in the profile"),
            Figure("branches_hidden", len(exposed.hidden), "count", "branches hidden for this exposure"),
        ),
        tables={"What is exposed": Table(columns, rows)},
        charts=(
            Chart(
                title="How much is exposed at each minDetail",
                x=tuple(f"{100 * detail:g}%" for detail in _DETAILS),
                series={"expRatio": ratios},
                y_unit="share",
                kind="bar",
                x_label="minDetail",
                note="Nothing hidden by hand for this exposure is left out here.",
            ),
        ),
    )


def issue(
    exposed: Exposed, evidence: dict[str, Any], *, by_query: bool = False, owner: OwnerPart | None = None
) -> Release[dict[str, Any]]:
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
        owner=owner,
        evidence=evidence,
    )
