"""Every block's noisy count of an itemset, worked out from the releases alone.

From one release to the next the block that came takes the place of the one that went, so a published value moves by
y(b + B) - y(b), where y(b) is the count of block b with its noise, and B the blocks of a window. Added up, that gives y
of every B-th block but for one whole number. It follows from the law of counts (Poisson) and noise: of small counts
most are 0, and only one number fits all of a chain. What a window's value has beyond its blocks is A.

Blocks of few records are found without an error after some windows. So A protects counts that never change, or that
are followed for less than that; what a long run leaves of counts that move is the noise of its blocks.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.core.streams.header import KeyedLaws

__all__ = ["RecoveredBlocks", "recover_blocks"]

Ints = NDArray[np.int64]
_ROUNDS = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class RecoveredBlocks:
    """The count with its noise of each block, from the oldest block of the first window on, and A."""

    counts: Ints
    stays: int


def recover_blocks(values: Ints, laws: KeyedLaws) -> RecoveredBlocks:
    """The blocks behind one itemset's `values` in releases one after another."""
    blocks = laws.blocks
    moved = np.zeros(len(values) + blocks - 1, dtype=np.int64)  # y(b) less y of the first block of its chain
    for t, change in enumerate(np.diff(values).tolist()):
        moved[t + blocks] = moved[t] + change
    chances = np.array(laws.block.weights, dtype=np.float64) / sum(laws.block.weights)
    counts, stays = moved, 0
    for _ in range(_ROUNDS):  # A moves the mean, and the mean decides what fits
        rate = max((float(values.mean()) - stays) / blocks, 1e-3)
        counts = _shifted(moved, blocks, _log_law(rate, chances), laws.block.first)
        stays = int(values[0] - counts[:blocks].sum())
    return RecoveredBlocks(counts=counts, stays=stays)


def _shifted(moved: Ints, blocks: int, logs: NDArray[np.float64], first: int) -> Ints:
    """The chains, each moved to where its counts are likeliest."""
    found = moved.copy()
    for chain in range(blocks):
        own = moved[chain::blocks]
        shifts = np.arange(first - own.max(), first + len(logs) - own.min())
        at = shifts[:, None] + own[None, :] - first
        inside = (at >= 0) & (at < len(logs))
        likely = np.where(inside, logs[np.clip(at, 0, len(logs) - 1)], -40.0).sum(axis=1)
        found[chain::blocks] += shifts[likely.argmax()]
    return found


def _log_law(rate: float, chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithms of the chances of a Poisson count and noise."""
    counts = np.arange(math.ceil(rate + 10 * math.sqrt(rate)) + 10)
    logs = counts * math.log(rate) - rate - np.array([math.lgamma(n + 1) for n in counts.tolist()])
    found: NDArray[np.float64] = np.log(np.convolve(np.exp(logs), chances) + 1e-12)
    return found
