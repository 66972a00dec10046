"""The noise of a run as an adversary models it: a part that stays, a part that moves with the records, a fresh part."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from confide.core.streams.header import KeyedLaws, LawWeights, StreamHeader

__all__ = ["NoiseModel"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class NoiseModel:
    """Variances of the noise of one published support: `stays` for ever, `moves` with the `blocks` blocks of a window,
    and `fresh` in every release (the paper's schemes, taken at their word)."""

    stays: float
    moves: float
    fresh: float
    blocks: int

    @classmethod
    def of(cls, header: StreamHeader) -> "NoiseModel":
        """From the first line of a run."""
        noise = header.noise
        if isinstance(noise, LawWeights):
            every = 1 if header.records is None or not header.every else max(1, header.records // header.every)
            return cls(stays=0.0, moves=0.0, fresh=_variance(noise), blocks=every)
        assert isinstance(noise, KeyedLaws)
        stays = 0.0 if noise.permanent is None else _variance(noise.permanent)
        drawn = noise.draws * _variance(noise.block)
        if header.requirement.span == "release":
            return cls(stays=stays, moves=0.0, fresh=drawn, blocks=noise.blocks)
        return cls(stays=stays, moves=drawn, fresh=0.0, blocks=noise.blocks)

    @property
    def variance(self) -> float:
        """Of one reading."""
        return self.stays + self.moves + self.fresh

    def overlaps(self, numbers: "NDArray[np.int64]") -> Floats:
        """The share of blocks that the windows with these (newest) block numbers have in common, two by two."""
        apart = np.abs(numbers[:, None] - numbers[None, :])
        shared: Floats = np.clip(1.0 - apart / self.blocks, 0.0, None)
        return shared

    def covariance(self, numbers: "NDArray[np.int64]") -> Floats:
        """Of the noise of one itemset in these windows."""
        return self.stays + self.moves * self.overlaps(numbers) + self.fresh * np.eye(len(numbers))


def _variance(law: LawWeights) -> float:
    total = sum(law.weights)
    mean = Fraction(sum(i * w for i, w in enumerate(law.weights, law.first)), total)
    return float(Fraction(sum(i * i * w for i, w in enumerate(law.weights, law.first)), total) - mean**2)
