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
    """Branches by name: hidden, deleted, and renamed to; and terms that were taken out for good."""

    hidden: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)


def edited(root: Interest, edits: Edits) -> Interest:
    """The tree with all edits made."""
    bare = rewrite(root, lambda interest, above: _without(interest, set(edits.dropped)))
    deleted = [_meant(bare, name) for name in edits.deleted]
    left = rewrite(bare, lambda interest, above: None if _any(deleted, interest, above) else interest)
    hidden = [_meant(left, name) for name in edits.hidden]
    renamed = [(_meant(left, what), name) for what, name in edits.renamed.items()]

    def change(interest: Interest, above: tuple[Interest, ...]) -> Interest:
        names = [name for means, name in renamed if means(interest, above)]
        return replace(interest, hidden=_any(hidden, interest, above), name=names[-1] if names else None)

    return rewrite(left, change)


def _without(interest: Interest, dropped: set[str]) -> Interest | None:
    """The interest without marks and dropped terms; None if it had no other terms."""
    pairs = [pair for pair in zip(interest.terms, interest.words, strict=True) if pair[0] not in dropped]
    if interest.terms and not pairs:
        return None
    terms, words = (tuple(pair[i] for pair in pairs) for i in (0, 1))
    return replace(interest, hidden=False, name=None, terms=terms, words=words)


def _any(meanings: list[Named], interest: Interest, above: tuple[Interest, ...]) -> bool:
    return any(means(interest, above) for means in meanings)


def _meant(root: Interest, name: str) -> Named:
    means = named(name)
    if any(means(interest, above) for interest, above in paths(root)):
        return means
    last = [named(term) for term in name.rpartition(" > ")[2].split("/")]
    return lambda interest, above: _any(last, interest, above)
