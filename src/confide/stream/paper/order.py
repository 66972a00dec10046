"""The order scheme: shifts that keep the order of supports as likely as the bound on precision allows.

Classes i < j invert with a probability that depends on the distance of their estimators alone and is zero from D (the
`reach` of the law) on. The cost is the sum over pairs of (itemsets in i + itemsets in j) times that probability, as in
section 6.1. Estimators keep strictly ascending order: the paper's Lemma 6.6 would allow no other, but its exchange can
break the bound on precision, so this is a condition of the method, not a theorem.

*Depth.* Each class is weighed against the `depth` classes before it. D - 1 is full depth: farther ones cannot overlap.

*Few places, none lost.* A bound on precision of 900 leaves 1,800 places for a class; hardly any matters. Let
L_n = t_n and L_j = min(t_j, L_(j+1) - D). Raise every estimator below L_j to L_j: raised ones stand D apart; one
raised and one that was not stand farther apart than before, or D apart. So no cost grows, and nothing below L_j is
needed. The same from above with U_j = max(t_j, U_(j-1) + D). A class with room on both sides has one place: its
support.

*Values that are already said* are fixed numbers, not estimators: a new class is charged its chance to end up on the
wrong side of each. That pulls it, so L_j is also at most where the pull of the values above begins; likewise U_j.

Among settings of equal cost the one of least total squared shift is taken.
"""

from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import RequirementError

if TYPE_CHECKING:
    from confide.stream.noise import NoiseLaw
    from confide.stream.setting import Setting

__all__ = ["Kept", "order_cost", "order_shifts"]

_MOST_STATES = 1 << 16
_MOST_CELLS = 1 << 28  # of 4 bytes each

Ints = NDArray[np.int64]
Kept = tuple[Ints, Ints, Ints]
"""(supports, values, sizes) of classes whose values are already said."""


def order_shifts(supports: Ints, sizes: Ints, *, setting: "Setting", depth: int, kept: Kept | None = None) -> Ints:
    """The shift of each class; `supports` ascending, each once; `sizes` is how many itemsets each class has."""
    from confide.stream.paper import _order_kernels as kernels

    if not len(supports):
        return np.zeros(0, dtype=np.int64)
    law = setting.law
    near, after = states(law.reach, min(depth, max(law.reach - 1, 1)))
    low, high = places(supports, setting, kept)
    cells = int((high - low + 1).sum()) * len(near)
    if cells > _MOST_CELLS:
        raise RequirementError(
            f"depth={depth} needs {cells:,} cells for these supports; use a smaller depth",
            parameter="depth",
            value=depth,
        )
    starts = np.concatenate([[0], np.cumsum(high - low + 1)])
    classes = kernels.Classes(low, high, supports, sizes.astype(np.float64))
    room = kernels.OrderRoom(np.zeros(starts[-1]), starts)
    if kept is not None and len(kept[0]):
        total = float(law.total)  # inversions of two draws are counted in total^2, of one draw in total
        tails = total * np.concatenate([np.cumsum(np.array(law.weights, dtype=np.float64)[::-1])[::-1], [0.0]])
        fixed = kernels.FixedValues(kept[0], kept[1], kept[2].astype(np.float64))
        kernels.pull_of_kept(classes, fixed, law.first, tails, room)
    room.pulls[:] += _precision(low, high, supports)
    estimators: Ints = kernels.place(classes, law.inversions(), near, after, room)
    return estimators - supports


def _precision(low: Ints, high: Ints, supports: Ints) -> NDArray[np.float64]:
    """Squared shifts, scaled so that all together weigh less than the smallest cost there is, which is 1."""
    widths = high - low + 1
    place = np.arange(widths.sum()) - np.repeat(np.cumsum(widths) - widths, widths) + np.repeat(low, widths)
    squares = (place - np.repeat(supports, widths)).astype(np.float64) ** 2
    return squares * (0.5 / (1.0 + float((np.maximum(supports - low, high - supports).astype(np.float64) ** 2).sum())))


def places(supports: Ints, setting: "Setting", kept: Kept | None = None) -> tuple[Ints, Ints]:
    """The lowest and the highest estimator worth a look, class by class."""
    reach, law = setting.law.reach, setting.law
    least, most = setting.all_shifts(supports)
    begins, ends = supports, supports
    if kept is not None and len(kept[0]):
        order = np.argsort(kept[0], kind="stable")
        said, values = kept[0][order], kept[1][order]
        at = np.searchsorted(said, supports)
        far = np.iinfo(np.int64).max // 4
        above = np.concatenate([np.minimum.accumulate(values[::-1])[::-1], [far]])[at]
        below = np.concatenate([[-far], np.maximum.accumulate(values)])[at]
        begins = np.minimum(supports, above - law.last - 1)
        ends = np.maximum(supports, below - law.first + 1)
    # L_j = min over i >= j of begins_i - (i - j) D, and U_j alike
    rank = reach * np.arange(len(supports))
    down = np.minimum.accumulate((begins - rank)[::-1])[::-1] + rank
    up = np.maximum.accumulate(ends - rank) + rank
    return np.maximum(supports + least, down), np.minimum(supports + most, up)


def states(reach: int, depth: int) -> tuple[Ints, Ints]:
    """(near, after) as the kernel takes them: all sets of at most depth - 1 distances below `reach`."""
    count, number = 1, 1
    for k in range(1, depth):
        number = number * (reach - k) // k
        count += number
        if count > _MOST_STATES:
            raise RequirementError(
                f"depth={depth} needs more than {_MOST_STATES:,} states; use a smaller depth",
                parameter="depth",
                value=depth,
            )
    return _states(reach, depth)


@lru_cache(maxsize=8)
def _states(reach: int, depth: int) -> tuple[Ints, Ints]:
    sets = [chosen for k in range(depth) for chosen in combinations(range(1, reach), k)]
    number = {chosen: i for i, chosen in enumerate(sets)}
    near = np.zeros((len(sets), max(depth - 1, 1)), dtype=np.int64)
    after = np.zeros((len(sets), reach), dtype=np.int64)
    for i, chosen in enumerate(sets):
        near[i, : len(chosen)] = chosen
        for g in range(1, reach):
            moved = tuple(d for d in (g, *(d + g for d in chosen)) if d < reach)
            after[i, g] = number[moved[: depth - 1]]
    return near, after


def order_cost(estimators: Ints, sizes: Ints, law: "NoiseLaw") -> float:
    """The expected number of itemsets in inverted pairs of classes, over all pairs."""
    apart = estimators[None, :] - estimators[:, None]
    table = law.inversions() / float(law.total) ** 2
    upper = np.triu_indices(len(estimators), 1)
    gaps = np.clip(apart[upper], 0, law.reach)
    weights = (sizes[:, None] + sizes[None, :])[upper]
    return float((weights * table[gaps]).sum())
