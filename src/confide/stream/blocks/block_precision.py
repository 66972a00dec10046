"""How far off published values are: from the law of the noise, not from true supports.

A support T is published when T + noise reaches the threshold. Far above it, 95 of 100 are within `within` records. Near
it, only high noise is seen: published values lean upwards. Given a published value, nothing leans by the noise; but
there are more sets of small supports than of large ones, so what lies behind a value is a little less than it on
average. `likely_supports` says between which supports 95 of 100 lie, with the slope of supports taken from the values
themselves.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from confide.stream.blocks.law import RunNoise, cut_chances
from confide.stream.noise import NoiseLaw

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from confide.core.streams.header import KeyedLaws

__all__ = [
    "PublishedPrecision",
    "chance_ahead",
    "likely_supports",
    "noise_chances",
    "published_precision",
    "support_slope",
]

SHARE = 0.95
_MULTIPLES = (1, 2, 4, 8)
_STEEPEST = 8.0


@dataclass(frozen=True, kw_only=True)
class PublishedPrecision:
    """Of sets in `support` records: the share that is `published`; of those, 95 of 100 are off by at most `within`
    records, and they lean upwards by `lean` records on average."""

    support: int
    published: float
    within: int
    lean: float


def published_precision(noise: RunNoise) -> tuple[PublishedPrecision, ...]:
    """At C, 2 C, 4 C and 8 C.

    >>> from confide import OutputPrivacy
    >>> requirement = OutputPrivacy(epsilon=0.02, delta=0.4, min_support=25, vulnerable=5)
    >>> [(at.support, at.within) for at in published_precision(RunNoise.of(requirement, blocks=20))]
    [(25, 9), (50, 6), (100, 6), (200, 6)]
    """
    import numpy as np

    values = np.arange(-noise.reach, noise.reach + 1)
    rows = []
    for support in (times * noise.requirement.min_support for times in _MULTIPLES):
        seen = np.where(support + values >= noise.threshold, noise.chances, 0.0)
        share = float(seen.sum())
        off = np.bincount(np.abs(values), weights=seen)
        within = int(np.searchsorted(np.cumsum(off), SHARE * share))
        lean = float((seen * values).sum() / share)
        rows.append(PublishedPrecision(support=support, published=share, within=within, lean=lean))
    return tuple(rows)


def noise_chances(laws: "KeyedLaws", windows: int = 1) -> "NDArray[np.float64]":
    """The law of the noise of a published run, from -reach to reach; or of the sum of `windows` values of one set,
    whose windows do not overlap: A comes as often as there are windows."""
    import numpy as np

    permanent = None if laws.permanent is None else NoiseLaw(first=laws.permanent.first, weights=laws.permanent.weights)
    block = NoiseLaw(first=laws.block.first, weights=laws.block.weights)
    reach = windows * laws.reach
    if windows == 1 or permanent is None:
        return cut_chances(permanent, block, windows * laws.draws, reach)
    moving = cut_chances(None, block, windows * laws.draws, reach)
    stays = np.zeros(windows * (len(permanent.weights) - 1) + 1)
    stays[::windows] = np.array(permanent.weights, dtype=np.float64) / permanent.total
    whole = np.convolve(moving, stays)
    middle = len(whole) // 2
    kept = whole[middle - reach : middle + reach + 1]
    return np.asarray(kept / kept.sum())  # what each window cuts is less than a thousandth


def support_slope(values: "NDArray[np.int64]") -> float:
    """The exponent a with which sets get fewer as supports grow, T^-a: from published values alone (Hill 1975)."""
    import numpy as np

    if len(values) < 2:
        return 0.0
    spread = float(np.log(values / (values.min() - 0.5)).mean())
    return min(_STEEPEST, 1.0 + 1.0 / spread)


def likely_supports(
    value: int, chances: "NDArray[np.float64]", *, slope: float, least: int, records: int
) -> tuple[int, int]:
    """Between which supports, `least` to `records`, 95 of 100 lie that are published with this value: as close to each
    other as can be."""
    import numpy as np

    reach = len(chances) // 2
    supports = np.arange(max(least, value - reach), min(records, value + reach) + 1)
    weights = chances[value - supports + reach] * np.exp(-slope * np.log(supports / max(value, 1)))
    below = np.append(0.0, np.cumsum(weights) / weights.sum())
    # From each support on, the least end that encloses enough: the shortest of these, and of equals the likeliest.
    ends = np.searchsorted(below, below[:-1] + SHARE - 1e-12, side="left")
    starts = np.flatnonzero(ends < len(below))
    widths = ends[starts] - starts
    inside = below[ends[starts]] - below[starts]
    first = int(starts[np.lexsort((-inside, widths))[0]])
    return int(supports[first]), int(supports[ends[first] - 1])


def chance_ahead(difference: int, chances: "NDArray[np.float64]") -> float:
    """The chance that X has more records than Y, with half of a tie, when X was published `difference` above Y."""
    import numpy as np

    reach = len(chances) // 2
    both = np.convolve(chances, chances[::-1])  # the law of the noise of Y less that of X, from -2 reach to 2 reach
    ahead = np.arange(-2 * reach, 2 * reach + 1) + difference
    return math.fsum(both[ahead > 0].tolist()) + 0.5 * math.fsum(both[ahead == 0].tolist())
