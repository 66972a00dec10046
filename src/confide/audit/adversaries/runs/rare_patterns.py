"""The rare patterns of a run, and how wrong guesses of supports are about them.

A pattern of n absent items is a sum and difference of 2^n supports, so those of one absent item, X without XY, carry
the least noise: they are looked at by themselves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from confide.audit.adversaries.runs.noise_model import NoiseModel
from confide.audit.adversaries.runs.smoothing import smooth_series
from confide.audit.adversaries.windows.intra_window import RarePattern, estimate_patterns, infer_patterns
from confide.core.itemsets.container import Itemsets

__all__ = ["PatternGuesses", "RunPatterns"]

Floats = NDArray[np.float64]
Sets = Mapping[frozenset[str], float]
_LONGEST_PATTERN = 8
_MOST_SERIES = 300


@dataclass(frozen=True, kw_only=True, eq=False)
class PatternGuesses:
    """The true `counts` of patterns beside guesses of them; `simple` are the patterns that fewest supports give."""

    counts: Floats
    guesses: Floats
    simple: NDArray[np.bool_]

    @property
    def error(self) -> float | None:
        """The mean squared error; None if there is no pattern."""
        squares = self._squares
        return float(squares.mean()) if len(squares) else None

    @property
    def spread(self) -> float | None:
        """Half the width of a 95% interval of the error, over patterns taken as independent."""
        squares = self._squares
        return float(1.96 * squares.std() / len(squares) ** 0.5) if len(squares) else None

    @property
    def simple_error(self) -> float | None:
        """The mean squared error of the simplest patterns."""
        squares = self._squares[self.simple]
        return float(squares.mean()) if len(squares) else None

    @property
    def explained(self) -> float | None:
        """The share of the variance of the simplest patterns' counts that the best line through the guesses explains:
        what is left to learn by whoever knows that all of them are rare."""
        counts, guesses = self.counts[self.simple], self.guesses[self.simple]
        if len(counts) < 3 or counts.std() == 0 or guesses.std() == 0:
            return None
        return float(np.corrcoef(counts, guesses)[0, 1] ** 2)

    @property
    def _squares(self) -> Floats:
        squares: Floats = (self.guesses - self.counts) ** 2
        return squares


@dataclass(frozen=True, kw_only=True)
class RunPatterns:
    """The patterns of 1 to `vulnerable` records that follow from the true supports of published sets, by window;
    `records` are the sizes of the windows."""

    by_window: Mapping[int, tuple[RarePattern, ...]]
    vulnerable: int
    records: Sequence[int]

    @classmethod
    def find(
        cls, true: Sequence[Itemsets], published: Sequence[Itemsets], *, vulnerable: int, every: int
    ) -> "RunPatterns":
        """Look into every `every`-th window."""
        found = {}
        for i in range(0, len(true), every):
            known = true[i].as_dict()
            pairs = [(tuple(items), known[items]) for items in published[i].as_dict()]
            part = Itemsets.from_pairs(pairs, n_transactions=true[i].n_transactions)
            patterns = infer_patterns(part, vulnerable=vulnerable, max_length=_LONGEST_PATTERN).patterns
            found[i] = patterns if pairs else ()
        return cls(by_window=found, vulnerable=vulnerable, records=[one.n_transactions for one in true])

    @property
    def fewest_absent(self) -> int:
        """How many items are absent from the simplest patterns."""
        return min((len(x.without) for patterns in self.by_window.values() for x in patterns), default=0)

    def judge(self, guesses: Sequence[Sets]) -> PatternGuesses:
        """What guesses of supports, window by window, say of the patterns; of those that they do say something of."""
        counts, found, simple = [np.zeros(0)], [np.zeros(0)], [np.zeros(0, dtype=np.bool_)]
        for i, patterns in self.by_window.items():
            if patterns:
                linear = estimate_patterns(
                    patterns, guesses[i], vulnerable=self.vulnerable, n_records=self.records[i]
                ).linear
                there = np.isfinite(linear)
                counts.append(np.array([float(x.count) for x in patterns])[there])
                found.append(linear[there])
                simple.append(np.array([len(x.without) == self.fewest_absent for x in patterns])[there])
        return PatternGuesses(
            counts=np.concatenate(counts), guesses=np.concatenate(found), simple=np.concatenate(simple)
        )

    def judge_knowing(self, read: Sequence[tuple[int, Sets]], noise: NoiseModel) -> PatternGuesses:
        """What whoever knows that a pattern is rare makes of it, smoothing its own series over all releases; of some of
        the simplest patterns."""
        least = self.fewest_absent
        wanted: dict[tuple[frozenset[str], frozenset[str]], dict[int, int]] = {}
        for i, patterns in self.by_window.items():
            for x in patterns:
                if len(x.without) == least:
                    wanted.setdefault((x.items, x.without), {})[i] = x.count
        several = replace(noise, **{part: 2**least * getattr(noise, part) for part in ("stays", "moves", "fresh")})
        counts, guesses = [], []
        chosen = list(wanted.items())[:: max(1, len(wanted) // _MOST_SERIES)]
        for (items, without), true in chosen:
            pattern = RarePattern(items=items, without=without, count=0)
            shown = [
                float(estimate_patterns([pattern], values, vulnerable=self.vulnerable, n_records=n).linear[0])
                for (_, values), n in zip(read, self.records, strict=True)
            ]
            at = np.flatnonzero(np.isfinite(shown))
            numbers = np.array([read[i][0] for i in at.tolist()], dtype=np.int64)
            found = smooth_series(numbers, np.array(shown)[at], several, mean=self.vulnerable / 2)
            for i, guess in zip(at.tolist(), found.tolist(), strict=True):
                if i in true:
                    counts.append(float(true[i]))
                    guesses.append(guess)
        return PatternGuesses(
            counts=np.array(counts), guesses=np.array(guesses), simple=np.ones(len(counts), dtype=np.bool_)
        )
