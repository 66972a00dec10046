"""Every interest of a profile as a list that can be filtered: the page draws only the heaviest as a tree.

share    of the documents
effect   how far its words move an ordinary result: how far each stands out, times the share of results that hold it
"""

from typing import Any

from confide.core.errors import InputError
from confide.search.local.ranker import LocalRanker
from confide.search.page.shown_tree import ShownTree
from confide.search.profile.profile import Profile

__all__ = ["list_interests"]

_MOST_LISTED = 100


def list_interests(profile: Profile, tree: ShownTree, ranker: LocalRanker, *, filter: str, by: str) -> dict[str, Any]:
    """The interests whose words hold these letters, the largest first, at most a hundred; and how many there are."""
    if by not in ("share", "effect"):
        raise InputError(f"interests are listed by share or by effect, not by {by[:20]!r}")
    letters, whole = filter.strip().casefold(), profile.root.units
    rows: list[dict[str, Any]] = [
        {
            "id": tree.id_of(interest),
            "label": interest.label,
            "words": list(interest.words),
            "branch": tree.branch(tree.id_of(interest)),
            "share": interest.units / whole,
            "effect": ranker.effect(interest.terms),
            "hidden": interest.hidden,
        }
        for interest in profile.root.walk()
        if interest.terms and (letters in interest.label.casefold() or any(letters in w for w in interest.words))
    ]
    rows.sort(key=lambda row: (-row[by], row["label"]))
    return {"count": len(rows), "interests": rows[:_MOST_LISTED]}
