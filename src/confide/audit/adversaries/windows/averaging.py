"""Adversaries who average, within a release or over many, and who watch what appears or vanishes.

*Averaging.* Noise that is drawn again for a count that stays, or drifts slowly, averages out. The adversary takes the
mean of the last few published values for the present count, or, about a past count, of those around it. With drift a
wider stretch brings an error of its own, so several widths are tried.

*Equal supports.* The same within one release: an adversary who knows that itemsets have equal supports averages what
was published for them. That helps where each itemset has noise of its own, and not where equal supports share a draw.

*Membership.* Where an itemset is published as soon as its count reaches C, one that appears as the window slides by a
record has count C, and one that vanishes C - 1.

True supports are needed to say how right the adversary is: this is the owner's own test.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from confide.core.errors import InputError, UsageError
from confide.core.figures import ShownFields
from confide.core.itemsets.container import Itemsets

__all__ = ["Averaging", "MembershipClaims", "average_equal_supports", "average_releases", "claim_by_membership"]

WIDTHS = (1, 3, 5, 9, 15, 21)


@dataclass(frozen=True, kw_only=True)
class Averaging(ShownFields):
    """The mean squared error of a count, by how many values are averaged.

    `errors[1]` is that of a single value; `best` the smallest. Biases are not taken off.
    """

    errors: dict[int, float]
    counts: int

    @property
    def best(self) -> tuple[int, float]:
        """(number of releases, error) where the error is least."""
        return min(self.errors.items(), key=lambda found: (found[1], found[0]))


def average_releases(
    true: Sequence[Itemsets], published: Sequence[Itemsets], *, widths: Sequence[int] = WIDTHS, past: bool = False
) -> Averaging:
    """How much averaging over consecutive releases helps against counts that stay or drift.

    `true` and `published` are windows in order. With `past` the adversary asks for the count in the middle of the
    releases averaged, not at their end; widths are then odd. Every width is judged on the same counts: itemsets
    published throughout the widest stretch that fits.
    """
    if len(true) != len(published) or not published:
        raise UsageError(f"{len(published)} releases for {len(true)} windows; give one for each, and at least one")
    fitting = sorted({width for width in widths if 1 <= width <= len(published) and (width % 2 or not past)})
    if not fitting:
        raise UsageError(f"no width from 1 to {len(published)}, the number of releases; give one")
    said, real = [one.as_dict() for one in published], [one.as_dict() for one in true]
    squares: dict[int, list[float]] = {width: [] for width in fitting}
    widest = fitting[-1]
    for start in range(len(said) - widest + 1):
        stretch = said[start : start + widest]
        asked = widest // 2 if past else widest - 1
        truth = real[start + asked]
        for itemset in set(stretch[0]).intersection(*stretch[1:]):
            if itemset not in truth:
                raise InputError("an itemset was published that is not among the true ones; give the same windows")
            values = [one[itemset] for one in stretch]
            for width in fitting:
                stop = asked + width // 2 + 1 if past else widest
                guess = sum(values[stop - width : stop]) / width
                squares[width].append((guess - truth[itemset]) ** 2)
    counts = len(squares[widest])
    if not counts:
        raise InputError(f"no itemset is published in {widest} releases in a row; use smaller widths")
    return Averaging(errors={width: float(np.mean(found)) for width, found in squares.items()}, counts=counts)


def average_equal_supports(true: Itemsets, published: Itemsets) -> Averaging:
    """How much averaging over itemsets of equal support helps, within one release.

    The adversary is given which itemsets have equal supports. `errors[n]` is the mean squared error over the classes of
    n published itemsets; with noise drawn for each itemset it falls as 1/n, with one draw for a class it does not.
    """
    real, said = true.as_dict(), published.as_dict()
    classes: dict[int, list[int]] = {}
    for itemset, value in said.items():
        if itemset not in real:
            raise InputError("an itemset was published that is not among the true ones; give the same window")
        classes.setdefault(real[itemset], []).append(value)
    if not classes:
        raise InputError("nothing was published, so there is nothing to average")
    squares: dict[int, list[float]] = {}
    for support, values in classes.items():
        squares.setdefault(len(values), []).append((sum(values) / len(values) - support) ** 2)
    return Averaging(errors={n: float(np.mean(squares[n])) for n in sorted(squares)}, counts=len(classes))


@dataclass(frozen=True, kw_only=True)
class MembershipClaims(ShownFields):
    """Counts claimed from who appeared (`min_support`) and who vanished (one less), and how many were right."""

    appeared: int
    appeared_right: int
    vanished: int
    vanished_right: int


def claim_by_membership(
    true: Sequence[Itemsets], published: Sequence[Itemsets], *, min_support: int
) -> MembershipClaims:
    """Claim the count of every itemset that appears or vanishes between neighbouring releases.

    `true` must hold the supports of sets down to min_support - 1, to tell whether claims are right.
    """
    if len(true) != len(published):
        raise UsageError(f"{len(published)} releases for {len(true)} windows; give one for each")
    said, real = [set(one.as_dict()) for one in published], [one.as_dict() for one in true]
    came, went = [], []
    for i in range(1, len(said)):
        came += [real[i].get(itemset) == min_support for itemset in said[i] - said[i - 1]]
        went += [real[i].get(itemset) == min_support - 1 for itemset in said[i - 1] - said[i]]
    return MembershipClaims(appeared=len(came), appeared_right=sum(came), vanished=len(went), vanished_right=sum(went))
