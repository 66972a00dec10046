"""What an owner changed in a profile, kept beside it so that it holds when the profile is built again.

They are kept as names by terms (`branches.lasting_names`). After a rebuild an interest may be somewhere else; a path
that no longer leads anywhere is then widened to any of its last terms, wherever: a hidden branch that moved must stay
hidden.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from confide.search.profile.branches import Named, named, paths, rewrite
from confide.search.profile.interests import Interest

__all__ = ["Edits", "edited"]


@dataclass(frozen=True, kw_only=True)
class Edits:
    """Branches by name: hidden, deleted, and renamed to."""

    hidden: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)


def edited(root: Interest, edits: Edits) -> Interest:
    """The tree with all edits made."""
    bare = rewrite(root, lambda interest, above: replace(interest, hidden=False, name=None))
    deleted = [_meant(bare, name) for name in edits.deleted]
    left = rewrite(bare, lambda interest, above: None if _any(deleted, interest, above) else interest)
    hidden = [_meant(left, name) for name in edits.hidden]
    renamed = [(_meant(left, what), name) for what, name in edits.renamed.items()]

    def change(interest: Interest, above: tuple[Interest, ...]) -> Interest:
        names = [name for means, name in renamed if means(interest, above)]
        return replace(interest, hidden=_any(hidden, interest, above), name=names[-1] if names else None)

    return rewrite(left, change)


def _any(meanings: list[Named], interest: Interest, above: tuple[Interest, ...]) -> bool:
    return any(means(interest, above) for means in meanings)


def _meant(root: Interest, name: str) -> Named:
    means = named(name)
    if any(means(interest, above) for interest, above in paths(root)):
        return means
    last = [named(term) for term in name.rpartition(" > ")[2].split("/")]
    return lambda interest, above: _any(last, interest, above)
