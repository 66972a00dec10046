"""Borders: exponentially many moles or nuggets, held by their smallest and largest members (thesis, section 4.4).

A border [U, L] stands for every itemset between some alpha in the upper bound U (the minimal ones) and some beta in
the lower bound L (the maximal ones):

    U       ae    af    ag    be    bfg            the minimal moles of the running example, Figure 17
            |   / |     |   /  |    |  \\           a line is an edge <alpha, beta>: alpha within beta
    L     abef    abfg      befg    ...            the records, so that what is covered also occurs

One edge covers 2**|beta - alpha| itemsets and is counted by a formula. An itemset may be covered by several edges; it
is counted once by walking through the edges and leaving out what edges before covered: `disjoint`.

Itemsets here are bit masks (Python integers), so that union, intersection and size are one operation each.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import comb, inf
from typing import NamedTuple

__all__ = ["Border", "BorderPair", "covered", "difference", "disjoint", "intersection", "maximal", "members"]


class BorderPair(NamedTuple):
    """<alpha, beta>: all itemsets that contain alpha and are contained in beta. Not empty: alpha is within beta."""

    alpha: int
    beta: int


def members(mask: int) -> Iterator[int]:
    """The numbers of the bits that are set, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def intersection(first: BorderPair, second: BorderPair) -> BorderPair | None:
    """What both edges cover, again an edge, or None (Theorem 4)."""
    alpha, beta = first.alpha | second.alpha, first.beta & second.beta
    return None if alpha & ~beta else BorderPair(alpha, beta)


def difference(first: BorderPair, second: BorderPair) -> list[BorderPair]:
    """Edges that cover what `first` covers and `second` does not; the two must overlap (Theorem 5).

    An itemset is not in `second` if it lacks an item of its alpha, or has one that is not in its beta.
    """
    lacking = [BorderPair(first.alpha, first.beta & ~(1 << v)) for v in members(second.alpha & ~first.alpha)]
    having = [BorderPair(first.alpha | 1 << v, first.beta) for v in members(first.beta & ~second.beta)]
    return lacking + having


def covered(edge: BorderPair, within: int, longest: float) -> int:
    """W: how many itemsets of at most `longest` items that contain `within` the edge covers.

    They are alpha and `within`, and some of the other items of beta. None if beta does not contain `within` (the
    print forgets that case).
    """
    if within & ~edge.beta:
        return 0
    fixed = edge.alpha | within
    return _choices((edge.beta & ~fixed).bit_count(), longest - fixed.bit_count())


def _choices(n: int, most: float) -> int:
    """In how many ways at most `most` of n items can be chosen."""
    return 1 << n if most >= n else sum(comb(n, i) for i in range(int(most) + 1))


def disjoint(unexamined: Sequence[BorderPair], examined: Iterable[BorderPair] = ()) -> Iterator[tuple[int, BorderPair]]:
    """What `unexamined` covers and `examined` does not, as edges with signs: an itemset is in the sum of the signs of
    the edges that cover it, which is 1 or 0. Any count over the itemsets is the signed sum of counts over edges.

    This is Figure 18 with its errata: counts add up in all cases, and the recursion has its own list of examined
    edges. It ends because |beta| - |alpha| falls with each recursion.
    """
    examined = list(examined)
    for edge in unexamined:
        overlaps = [(other, shared) for other in examined if (shared := intersection(edge, other)) is not None]
        if len(overlaps) <= 1:  # cases 1 and 2
            yield 1, edge
            for _, shared in overlaps:
                yield -1, shared
        else:  # case 3: cut the first one out and leave the others to the recursion
            (first, _), *others = overlaps
            yield from disjoint(difference(edge, first), [other for other, _ in others])
        examined.append(edge)


def maximal(itemsets: Iterable[int]) -> list[int]:
    """Those that are within no other, the largest first."""
    kept: list[int] = []
    for itemset in sorted(set(itemsets), key=lambda mask: (-mask.bit_count(), mask)):
        if not any(itemset & ~other == 0 for other in kept):
            kept.append(itemset)
    return kept


@dataclass
class Border:
    """A border that is counted, and that shrinks as items are suppressed.

    `upper` and `lower` are antichains; `longest` bounds the size of the itemsets that count (p, or infinity).
    """

    upper: list[int]
    lower: list[int]
    longest: float = inf

    def __post_init__(self) -> None:
        self._prune()

    def edges(self, item: int | None = None) -> list[BorderPair]:
        """All edges, or those whose beta has `item`."""
        return [
            BorderPair(alpha, beta)
            for beta in self.lower
            if item is None or beta >> item & 1
            for alpha in self.upper
            if alpha & ~beta == 0
        ]

    def count(self, within: int = 0) -> int:
        """W over the whole border: how many itemsets contain `within`; of those that count, each once."""
        return sum(sign * covered(edge, within, self.longest) for sign, edge in disjoint(self.edges()))

    def deltas(self, item: int | None = None) -> dict[int, int]:
        """How many itemsets hold both `item` and v, for every other item v (thesis: delta). Without `item`: how many
        hold v."""
        found: dict[int, int] = {}
        held = 0 if item is None else 1 << item
        for sign, edge in disjoint(self.edges(item)):
            if held & ~edge.beta:
                continue
            # Only whether v is fixed already matters for the count, so two counts do for all items of the edge.
            fixed = edge.alpha | held
            free = (edge.beta & ~fixed).bit_count()
            room = self.longest - fixed.bit_count()
            among_fixed, among_free = _choices(free, room), _choices(free - 1, room - 1) if free else 0
            for v in members(edge.beta & ~held):
                found[v] = found.get(v, 0) + sign * (among_fixed if fixed >> v & 1 else among_free)
        return found

    def suppress(self, item: int) -> dict[int, int]:
        """Remove all itemsets with `item` from the border; give what every other item loses (steps 2 to 5)."""
        lost = self.deltas(item)
        bit = 1 << item
        self.upper = [alpha for alpha in self.upper if not alpha & bit]
        self.lower = maximal(beta & ~bit for beta in self.lower)
        self._prune()
        return lost

    def _prune(self) -> None:
        """Drop bounds without an edge; step 5 forgets a beta that lost all its alphas."""
        self.lower = [beta for beta in self.lower if any(alpha & ~beta == 0 for alpha in self.upper)]
        self.upper = [alpha for alpha in self.upper if any(alpha & ~beta == 0 for beta in self.lower)]
