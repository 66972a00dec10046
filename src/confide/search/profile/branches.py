"""Branches by name: which interests a word or a path means, and a tree rewritten there.

    "soccer"              every interest with this word in its label, wherever it is
    "sports > soccer"     those below an interest with the word sports

Names are compared without regard to case, with the words, the stems and the owner's own name of an interest.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from confide.core.errors import UsageError
from confide.search.profile.interests import Interest

__all__ = ["Named", "find", "lasting_names", "named", "paths", "rewrite"]

Named = Callable[[Interest, tuple[Interest, ...]], bool]
"""Whether an interest, below these others, is meant."""

_STEP = " > "


def named(what: str) -> Named:
    """The interests a word or path means."""
    steps = [step.strip().casefold() for step in what.split(_STEP)] if isinstance(what, str) else []
    if not steps or not all(steps):
        raise UsageError(f"{what!r} names no branch; write a word, or a path such as 'sports > soccer'")

    def means(interest: Interest, above: tuple[Interest, ...]) -> bool:
        if steps[-1] not in _names(interest):
            return False
        waiting = steps[:-1]
        for ancestor in reversed(above):
            if waiting and waiting[-1] in _names(ancestor):
                waiting = waiting[:-1]
        return not waiting

    return means


def _names(interest: Interest) -> set[str]:
    own = {interest.name.casefold()} if interest.name else set()
    words = {word.casefold() for word in (*interest.terms, *interest.words)}
    return own | words | {"/".join(interest.words).casefold(), "/".join(interest.terms).casefold()}


def paths(root: Interest) -> Iterator[tuple[Interest, tuple[Interest, ...]]]:
    """Every interest but the root with those above it, the root left out."""
    waiting: list[tuple[Interest, tuple[Interest, ...]]] = [(child, ()) for child in reversed(root.children)]
    while waiting:
        interest, above = waiting.pop()
        yield interest, above
        waiting += [(child, (*above, interest)) for child in reversed(interest.children)]


def find(root: Interest, what: str) -> list[tuple[Interest, tuple[Interest, ...]]]:
    """The interests a name means, each with those above it; an error when there are none.

    A name that means nothing is never passed over: whoever misspells what is to be hidden would expose it.
    """
    means = named(what)
    found = [(interest, above) for interest, above in paths(root) if means(interest, above)]
    if not found:
        near = _closest(root, what)
        hint = f"; did you mean {', '.join(near)}?" if near else "; confide search profile show lists them"
        raise UsageError(f"the profile has no interest {what!r}{hint}")
    return found


def lasting_names(root: Interest, what: str) -> tuple[str, ...]:
    """Names by terms for what a name means here and now: they still fit when words change, or the owner's names do.

    A single word is to hold wherever it turns up, so it becomes its term; anything else becomes full paths.
    """
    found = find(root, what)
    word = what.strip().casefold()
    terms = [
        {
            term
            for term, shown in zip(interest.terms, interest.words, strict=True)
            if word in (term.casefold(), shown.casefold())
        }
        for interest, _ in found
    ]
    if all(terms):
        return tuple(sorted(set().union(*terms)))
    return tuple(_STEP.join("/".join(step.terms) for step in (*above, interest)) for interest, above in found)


def _closest(root: Interest, what: str) -> list[str]:
    """Labels that are spelled much like a name."""
    from difflib import get_close_matches

    labels: Iterable[str] = dict.fromkeys(word for interest, _ in paths(root) for word in interest.words)
    return get_close_matches(what.rpartition(_STEP)[2].strip().casefold(), labels, n=3, cutoff=0.7)


def rewrite(
    root: Interest,
    change: Callable[[Interest, tuple[Interest, ...]], Interest | None],
    above: tuple[Interest, ...] = (),
) -> Interest:
    """The tree with every interest but the root replaced by what `change` gives; None drops it with all below it.

    What is dropped adds to the "others" of its parent, since weights stay as they are.
    """
    inner = above if not root.terms else (*above, root)
    children = []
    for child in root.children:
        changed = change(child, inner)
        if changed is not None:
            children.append(rewrite(changed, change, inner))
    return replace(root, children=tuple(children))
