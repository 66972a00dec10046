"""U[exp]: the part of a profile that may leave the machine, and what that says in numbers (thesis, 5.2.2).

An interest is exposed if its share of the documents is at least minDetail, its parent is exposed, and nobody hid it.
Children never outweigh parents, so without hiding the second follows from the first. What is not exposed merges, under
each parent, into a nameless leaf "others".
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from confide.core.figures import Shown
from confide.core.requirements import Exposure
from confide.core.requirements.base import exact
from confide.search.entropy import entropy, self_information
from confide.search.exposed import ExposedProfile, Pair
from confide.search.profile.branches import Named
from confide.search.profile.interests import Interest

__all__ = ["DECIMALS", "Exposed", "expose"]

DECIMALS = 3
"""Of a weight: as the chapter prints it. More would tell supports more exactly, and change hardly a ranking."""


@dataclass(frozen=True, kw_only=True)
class Exposed(Shown):
    """What a search wrapper would get of a profile, and how much that is.

    `profile` holds the pairs, which are all that leaves the machine. For the owner: `exp_ratio` from 0 (nothing) to 1
    (everything); `entropy` H(U[exp]) and `full_entropy` H(U), base 10; `interests` the exposed ones, parents first.
    """

    requirement: Exposure
    profile: ExposedProfile
    interests: tuple[Interest, ...]
    entropy: float
    full_entropy: float
    hidden: tuple[str, ...] = ()

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs <t, w_t>: exactly what would be sent, besides the query."""
        return self.profile.pairs

    @property
    def exp_ratio(self) -> float:
        """expRatio = H(U[exp]) / H(U); 1 where the profile says nothing at all."""
        return min(1.0, self.entropy / self.full_entropy) if self.full_entropy else 1.0

    def headline(self) -> str:
        """One line for the owner: how much it is."""
        return f"{len(self.pairs):,} interests exposed, expRatio {self.exp_ratio:.3f}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What the owner should know before any of this leaves the machine."""
        if self.requirement.min_detail > 0:
            return ()
        return ("warning: with a min_detail of 0 the whole profile is exposed, but for what is hidden",)

    def to_dict(self) -> dict[str, Any]:
        return {
            "min_detail": self.requirement.min_detail,
            "exp_ratio": self.exp_ratio,
            "entropy": self.entropy,
            "full_entropy": self.full_entropy,
            "pairs": [{"term": "/".join(pair.words), "weight": pair.weight} for pair in self.pairs],
        }


def expose(
    root: Interest,
    requirement: Exposure,
    *,
    hide: Iterable[Named] = (),
    related: Callable[[Interest], bool] | None = None,
    hidden: tuple[str, ...] = (),
) -> Exposed:
    """The exposed part of a tree; `hide` says what stays here, `related`, if given, what alone may go."""
    chosen = tuple(_exposed(root, exact(requirement.min_detail) * root.units, tuple(hide), related))
    inside = {id(interest) for interest in chosen}
    pairs = tuple(
        Pair(interest.words, round(self_information(interest.units, root.units), DECIMALS)) for interest in chosen
    )
    return Exposed(
        requirement=requirement,
        profile=ExposedProfile(pairs),
        interests=chosen,
        entropy=entropy(_leaves(root, inside), root.units),
        full_entropy=entropy(root.leaves(), root.units),
        hidden=hidden,
    )


def _exposed(
    root: Interest, least: Fraction, hide: tuple[Named, ...], related: Callable[[Interest], bool] | None
) -> Iterator[Interest]:
    waiting: list[tuple[Interest, tuple[Interest, ...]]] = [(child, ()) for child in reversed(root.children)]
    while waiting:
        interest, above = waiting.pop()
        if interest.units < least or interest.hidden or any(means(interest, above) for means in hide):
            continue
        if related is not None and not related(interest):
            continue
        yield interest
        waiting += [(child, (*above, interest)) for child in reversed(interest.children)]


def _leaves(root: Interest, inside: set[int]) -> Iterator[int]:
    waiting = [root]
    while waiting:
        interest = waiting.pop()
        children = [child for child in interest.children if id(child) in inside]
        rest = interest.units - sum(child.units for child in children)
        if rest:
            yield rest  # the interest itself where no child is exposed, else "others"
        waiting += children
