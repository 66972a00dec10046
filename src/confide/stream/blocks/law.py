"""The noise of a run by blocks: what stays, what comes and goes, how far it reaches, and what is published.

    T' = T + A(X) + sum of z(X, b) over the blocks b of the window,   cut at -u and u

A block is the records between two releases. With s = delta K^2 and B blocks a window:

- `run`: A, which never changes, has variance s/2; the z of a window together have kappa s/2 (`factor`). A rare pattern
  is a sum and difference of two published supports or more, so its error has twice that.
- `release`: one draw of variance s for each itemset and release, and no A: for whoever publishes once.
- `stretch`: A, and a binary tree over the blocks with one draw of variance s for each node. A window is a sum of nodes,
  and so is every stretch of blocks between two releases.

*The cut.* u is four standard deviations, rounded up: noise passes it about six times in 100,000, and is then taken to
be u. That costs less than a thousandth of the variance, which A (or the one draw) is widened by, so what is promised is
the variance after the cut.

*Membership* is by the published value alone: T' from `threshold` to `ceiling`. Nothing rare is published by itself,
since threshold - u is above K; and no support whose complement is rare, since ceiling + u is below H - K, with H
records in the window. `mining_support` is the least T that noise can lift to the threshold: mine down to there.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from confide.core.bounds import at_most
from confide.core.errors import RequirementError
from confide.core.requirements import OutputPrivacy
from confide.core.requirements.base import check_count, exact
from confide.stream.blocks.factor import block_factor
from confide.stream.blocks.gaussian import discrete_gaussian
from confide.stream.noise import NoiseLaw

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["RunNoise", "least_block_epsilon", "tree_nodes"]

_MOST_BLOCKS = 1 << 20
_FINEST = 10**6  # what the cut costs is rounded up to millionths


@dataclass(frozen=True, kw_only=True)
class RunNoise:
    """A requirement (whose `span` is run, release or stretch), and laws that meet it for so many blocks a window.

    `permanent` is the law of A, None without one; `block` that of each z; `factor` is kappa, None where there is a
    tree or one draw alone; `draws` how many of z are in a window at most; `reach` is u. `RunNoise.of` works them out.

    >>> requirement = OutputPrivacy(epsilon=0.02, delta=0.4, min_support=25, vulnerable=5)
    >>> noise = RunNoise.of(requirement, blocks=20)
    >>> noise.reach, noise.threshold, noise.mining_support
    (13, 30, 17)
    """

    requirement: OutputPrivacy
    blocks: int
    factor: Fraction | None
    permanent: NoiseLaw | None
    block: NoiseLaw
    draws: int
    reach: int

    @classmethod
    def of(cls, requirement: OutputPrivacy, *, blocks: int) -> "RunNoise":
        """The least noise that keeps the promise; RequirementError if it is too much for epsilon."""
        if not isinstance(requirement, OutputPrivacy):
            raise RequirementError(f"an OutputPrivacy is needed here, not {type(requirement).__name__}")
        check_count("blocks", blocks, least=1, why="is no number of blocks in a window")
        if blocks > _MOST_BLOCKS:
            raise RequirementError(
                f"blocks={blocks} are more than a window can have; use at most {_MOST_BLOCKS:,}",
                parameter="blocks",
                value=blocks,
            )
        noise = _least_noise(requirement, blocks)
        most = exact(requirement.epsilon) * requirement.min_support**2
        if noise.variance > most:
            raise RequirementError(
                f"epsilon={requirement.epsilon} is too small for delta={requirement.delta} at "
                f"min_support={requirement.min_support} with {blocks:,} blocks a window",
                parameter="epsilon",
                value=requirement.epsilon,
                cures=_cures(requirement, blocks, noise.variance),
            )
        return noise

    @cached_property
    def variance(self) -> Fraction:
        """The variance of the noise before the cut, in the window that has most of it."""
        stays = Fraction(0) if self.permanent is None else self.permanent.variance
        return stays + self.draws * self.block.variance

    @cached_property
    def threshold(self) -> int:
        """The least value that is published: C and half again the standard deviation; above K + u in any case."""
        requirement = self.requirement
        return max(
            requirement.min_support + _root_above(Fraction(9, 4) * self.variance),
            requirement.vulnerable + self.reach + 1,
        )

    @property
    def mining_support(self) -> int:
        """The least support that noise can lift to the threshold."""
        return self.threshold - self.reach

    def ceiling(self, records: int) -> int:
        """The largest value that is published of a window of so many records."""
        return records - self.requirement.vulnerable - self.reach - 1

    @cached_property
    def chances(self) -> "NDArray[np.float64]":
        """The law of the noise after the cut, from -u to u."""
        return cut_chances(self.permanent, self.block, self.draws, self.reach)

    def nodes(self, newest: int) -> list[tuple[int, int]]:
        """The draws in a window whose newest block has this number, as (level, number); level 0 are blocks."""
        if self.requirement.span == "release":
            return [(0, newest)]
        first = newest - self.blocks + 1
        if self.requirement.span == "stretch":
            return tree_nodes(first, newest + 1)
        return [(0, number) for number in range(first, newest + 1)]


def tree_nodes(start: int, stop: int) -> list[tuple[int, int]]:
    """The fewest nodes of a binary tree that cover blocks start to stop - 1: node (level, i) covers [i 2^level, ...).

    >>> tree_nodes(3, 8)
    [(0, 3), (2, 1)]
    """
    nodes = []
    while start < stop:
        level = (start & -start).bit_length() - 1 if start else stop.bit_length()
        while 1 << level > stop - start:
            level -= 1
        nodes.append((level, start >> level))
        start += 1 << level
    return nodes


def least_block_epsilon(requirement: OutputPrivacy, blocks: int) -> float:
    """The smallest epsilon that the noise of this promise leaves possible, whatever the requirement's own is."""
    return float(at_most(float(_least_noise(requirement, blocks).variance / requirement.min_support**2)))


def cut_chances(permanent: NoiseLaw | None, block: NoiseLaw, draws: int, reach: int) -> "NDArray[np.float64]":
    """The law of A and so many z together, from -reach to reach, where what lies beyond is counted at the ends."""
    import numpy as np

    total, square = np.ones(1), _chances(block)
    while draws:  # by squaring: a window may have thousands of blocks
        total = _trimmed(np.convolve(total, square)) if draws & 1 else total
        square = _trimmed(np.convolve(square, square)) if draws > 1 else square
        draws >>= 1
    if permanent is not None:
        total = np.convolve(total, _chances(permanent))
    beyond = len(total) // 2 - reach
    if beyond <= 0:
        return np.pad(total, -beyond)
    kept: NDArray[np.float64] = total[beyond:-beyond].copy()
    kept[0] += total[:beyond].sum()
    kept[-1] += total[-beyond:].sum()
    return kept


@lru_cache(maxsize=64)
def _least_noise(requirement: OutputPrivacy, blocks: int) -> RunNoise:
    s = requirement.noise_variance()
    factor, draws = None, 1
    if requirement.span == "run" or (requirement.span == "stretch" and blocks == 1):
        factor = block_factor(s, requirement.min_support, blocks)
        stays, each, draws = s / 2, factor * s / (2 * blocks), blocks
    elif requirement.span == "release":
        stays, each = Fraction(0), s
    elif requirement.span == "stretch":
        stays, each, draws = s / 2, s, _most_nodes(blocks)
    else:
        raise RequirementError(
            f"span={requirement.span!r} promises nothing that blocks could keep; use run, release or stretch",
            parameter="span",
            value=requirement.span,
        )
    wanted = stays + draws * each
    reach, cost = _root_above(16 * wanted), Fraction(0)
    for _ in range(4):
        permanent = discrete_gaussian(stays + cost) if stays else None
        block = discrete_gaussian(each if stays else each + cost)
        lacking = wanted - Fraction(_variance_of(cut_chances(permanent, block, draws, reach)))
        if lacking <= 0:
            break
        cost += Fraction(math.ceil(lacking * _FINEST * Fraction(11, 10)), _FINEST)
    return RunNoise(
        requirement=requirement,
        blocks=blocks,
        factor=factor,
        permanent=permanent,
        block=block,
        draws=draws,
        reach=reach,
    )


@lru_cache(maxsize=64)
def _most_nodes(blocks: int) -> int:
    """The most nodes of the tree that a window of so many blocks takes, wherever it lies."""
    turn = 1 << blocks.bit_length()
    return max(len(tree_nodes(start, start + blocks)) for start in range(turn, 2 * turn))


def _cures(requirement: OutputPrivacy, blocks: int, variance: Fraction) -> list[dict[str, Any]]:
    """An epsilon, a min_support and a delta, each of which works alone."""
    cures: list[dict[str, Any]] = [{"epsilon": least_block_epsilon(requirement, blocks)}]
    support = math.isqrt(math.ceil(variance / exact(requirement.epsilon)) - 1) + 1

    def works(**change: Any) -> bool:
        changed = replace(requirement, **change)
        return _least_noise(changed, blocks).variance <= exact(requirement.epsilon) * changed.min_support**2

    while not works(min_support=support):  # kappa grows a little with C
        support += 1
    cures.append({"min_support": support})
    low, high = 0, math.ceil(exact(requirement.delta) * 1000)
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (middle, high) if works(delta=middle / 1000) else (low, middle)
    return [*cures, {"delta": low / 1000}] if low else cures


def _root_above(square: Fraction) -> int:
    """The least whole number whose square is this or more."""
    return math.isqrt(math.ceil(square) - 1) + 1


def _variance_of(chances: "NDArray[np.float64]") -> float:
    import numpy as np

    reach = len(chances) // 2
    return float((chances * np.arange(-reach, reach + 1) ** 2).sum())


def _chances(law: NoiseLaw) -> "NDArray[np.float64]":
    import numpy as np

    return np.array([weight / law.total for weight in law.weights])


def _trimmed(chances: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Without the outermost values, as long as those have no more than 1e-30 together: they only cost time."""
    import numpy as np

    rare = int(np.searchsorted(np.cumsum(chances[: len(chances) // 2]), 1e-30))
    return chances[rare : len(chances) - rare]
