"""What hiding items would have kept of the same records under the same requirement, beside what broader names keep.

Hidden items are a choice of names too: each item is published as itself, or not at all. So both are measured alike.
"""

from dataclasses import replace

import numpy as np

from confide.core.errors import CannotMeetError
from confide.core.figures import Figure, Figures, Unit
from confide.core.requirements import Coherence
from confide.publish.jobs.transactions import Wishes
from confide.publish.transactions.generalisation.descents import Generalisation, measure, share_gone
from confide.publish.transactions.generalisation.name_choice import NameChoice
from confide.publish.transactions.generalisation.name_loss import find_median_group
from confide.publish.transactions.suppression_choice import SuppressionChoice

__all__ = ["compare_with_hiding", "note_hiding"]

_HIDING, _NAMES = "hiding items", "broader names"
_UNITS: dict[str, Unit] = {
    "as they are": "share",
    "under a broader name": "share",
    "gone": "share",
    "NCP": "number",
    "bits": "number",
    "items per name, median": "count",
}


def compare_with_hiding(found: Generalisation, names: NameChoice, requirement: Coherence, loss: Figures) -> Figures:
    """One figure, a table of two rows, for everybody: all entries of public items by hiding, and by the names `found`,
    whose other figures are `loss`. No figure where hiding would take too long to work out.
    """
    hidden = _hide(found, names, requirement)
    if hidden is None:
        return Figures()
    broader = {
        "as they are": loss["share_exact"],
        "under a broader name": round(loss["share_generalised"] + loss["share_at_top"], 3),
        "gone": loss["share_gone"],
        "NCP": loss["ncp"],
        "bits": loss["bits"],
        "items per name, median": loss["median_group"],
    }
    rows = {_HIDING: _describe(hidden, requirement.k), _NAMES: broader}
    return Figures(
        Figure("beside_hiding", rows, dict(_UNITS), "hiding items beside broader names, of all entries of public items")
    )


def note_hiding(loss: Figures) -> tuple[str, ...]:
    """What hiding would have kept, in a sentence for the owner; none where it was not worked out."""
    if "beside_hiding" not in loss:
        return ()
    hiding = loss["beside_hiding"][_HIDING]
    return (
        f"hiding items instead would keep {hiding['as they are']:.1%} of these entries and lose {hiding['gone']:.1%}",
    )


def _hide(found: Generalisation, names: NameChoice, requirement: Coherence) -> Generalisation | None:
    """The items that a release by hiding would publish, as names of the same tree; None where that is too hard."""
    declared, tree = names.declared, found.tree
    keep = tuple(declared.transactions.labels[code] for code in names.kept)
    try:
        chosen = SuppressionChoice.of(declared, Wishes(keep=keep)).make(requirement)
    except CannotMeetError as error:
        if error.parameter == "p":  # more combinations than can be searched
            return None
        return replace(found, owner=np.zeros_like(found.owner), top=False)  # no public item would be left
    kept = chosen.mask_kept(declared.transactions.n_items)[tree.code]
    return replace(found, owner=np.where(kept, tree.node, 0), top=False)


def _describe(hidden: Generalisation, k: int) -> dict[str, float]:
    """Its row. Fewer than k entries that would go count as k - 1, and shares are rounded, as in other public figures.

    What is hidden costs all of its NCP, which would say the share again, with more digits; so it is that share.
    """
    entries = int(hidden.supports[hidden.tree.code].sum())
    lost = round(share_gone(hidden) * entries)
    gone = round(min(max(lost, k - 1) if lost else 0, entries) / entries, 3)
    return {
        "as they are": round(1 - gone, 3),
        "under a broader name": 0.0,
        "gone": gone,
        "NCP": gone,
        "bits": round(measure(hidden)["bits"], 1),
        "items per name, median": find_median_group(hidden),
    }
