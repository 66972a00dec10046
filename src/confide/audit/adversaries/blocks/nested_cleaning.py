"""Every block's noisy count, cleaned for sets inside each other together: a rare pattern in the eyes of Bayes' rule.

A pattern X without y has n(X) - n(Xy) records in a block. Whoever knows that a block's records are whole, and that Xy
lies inside X, rules out most noise where blocks are small: n(X) = 0 and a noisy count of Xy of -1 can only be noise.
With a further item z the counts of Xz and Xyz bear witness, too. All noise that fits is gone through:

    cells of the block     only X | Xz | Xy | Xyz     Poisson, with known means; the pattern's own is K/2 a window
    noisy counts           of X, Xy, Xz, Xyz          the counts that the cells add up to, and noise by the run's law

This is knowledge that sets are nested, which the promise does not cover; it is measured, beside one reading of the
pattern itself by somebody who knows as much of its mean.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from confide.audit.adversaries.runs.handed_blocks import BlockCounts
from confide.audit.adversaries.runs.rare_patterns import PatternGuesses, RunPatterns
from confide.audit.adversaries.windows.intra_window import RarePattern
from confide.core.streams.header import KeyedLaws, LawWeights

__all__ = ["NestedGuess", "clean_nested", "guess_nested", "guess_one_reading"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Sets = Mapping[frozenset[str], float]
_MOST_PATTERNS = 200
_FURTHER_ITEMS = 4  # tried for each pattern; the one that leaves least is believed
_RARE = 1e-4  # noise is gone through down to this share of the commonest
_LEAST_RATE = 1e-3  # records a window that a cell is taken to have at least


@dataclass(frozen=True, kw_only=True)
class NestedGuess:
    """What Bayes' rule makes of a pattern's count in a window: its mean, and the variance that is left."""

    count: float
    variance: float


def clean_nested(seen: Ints, rates: Sequence[float], law: LawWeights) -> NestedGuess:
    """The records of a pattern X without y in all blocks, from noisy counts.

    `seen` has a row for each of X, Xy, or X, Xy, Xz, Xyz, and a column for each block; `rates` are the mean counts of
    the cells (only X, Xy) or (only X, Xy without z, Xz without y, Xyz) in a block.
    """
    chances = np.array(law.weights, dtype=np.float64) / sum(law.weights)
    values = law.first + np.arange(len(chances))
    common = chances > _RARE * chances.max()
    noise = np.array([*product(values[common].tolist(), repeat=len(seen))])
    likely = np.array([math.prod(part) for part in product(chances[common].tolist(), repeat=len(seen))])
    counts = seen[None, :, :] - noise[:, :, None]
    if len(seen) == 2:
        cells = np.stack([counts[:, 0] - counts[:, 1], counts[:, 1]], axis=1)
        pattern = cells[:, 0]
    else:
        whole, with_y, with_z, both = (counts[:, row] for row in range(4))
        cells = np.stack([whole - with_y - with_z + both, with_y - both, with_z - both, both], axis=1)
        pattern = whole - with_y
    fits = np.logical_and.reduce(cells >= 0, axis=1)
    held = np.where(fits[:, None, :], cells, 0)
    logs = np.log(np.array(rates))[None, :, None] * held - _log_factorials(int(held.max(initial=0)))[held]
    weights = np.where(fits, likely[:, None] * np.exp(logs.sum(axis=1)), 0.0)
    total = weights.sum(axis=0)
    known = total > 0
    own = rates[0] if len(seen) == 2 else rates[0] + rates[2]
    safe = np.where(known, total, 1.0)
    mean = np.where(known, (weights * pattern).sum(axis=0) / safe, own)
    square = np.where(known, (weights * pattern**2).sum(axis=0) / safe, own + own**2)
    return NestedGuess(count=float(mean.sum()), variance=float((square - mean**2).sum()))


def guess_nested(
    laws: KeyedLaws,
    blocks: BlockCounts,
    rare: RunPatterns,
    published: Sequence[Sets],
    chance: np.random.Generator,
    *,
    apart: int,
) -> PatternGuesses:
    """Some of the rare patterns that two supports give, by their blocks, with noise drawn from `chance`. Mean counts
    are those of three windows: this one, and those `apart` releases before and after it."""
    counts, guesses = [], []
    for i, patterns in _by_window(rare).items():
        sets = sorted({items for x in patterns for items in _lattice_sets(x, published[i])}, key=sorted)
        near = [j for j in (i - apart, i, i + apart) if 0 <= j < len(published)]
        noisy = {j: _noisy(blocks(j, sets), laws.block, chance) for j in near}
        means = np.mean([one.sum(axis=1) for one in noisy.values()], axis=0)
        seen, rates = dict(zip(sets, noisy[i], strict=True)), dict(zip(sets, means.tolist(), strict=True))
        for x in patterns:
            counts.append(float(x.count))
            guesses.append(_guess(x, seen, rates, laws, rare.vulnerable).count)
    return _all_simple(counts, guesses)


def guess_one_reading(rare: RunPatterns, variance: float, chance: np.random.Generator) -> PatternGuesses:
    """The same patterns in the eyes of whoever has one reading of each with an error of this variance, and knows that
    they have K/2 records on average."""
    true = np.array([float(x.count) for patterns in _by_window(rare).values() for x in patterns])
    read = true + chance.normal(0, variance**0.5, size=true.shape)
    mean = rare.vulnerable / 2
    counts = np.arange(math.ceil(mean + 12 * math.sqrt(mean) + 40))
    prior = counts * math.log(mean) - _log_factorials(len(counts))[counts]
    logs = prior[None, :] - (read[:, None] - counts[None, :]) ** 2 / (2 * variance)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True)) if len(true) else logs
    return _all_simple(true.tolist(), ((weights @ counts) / weights.sum(axis=1)).tolist())


def _guess(
    x: RarePattern, seen: Mapping[frozenset[str], Ints], means: Sets, laws: KeyedLaws, vulnerable: int
) -> NestedGuess:
    """The guess that leaves least: from X and Xy alone, or with one of some further items."""
    (y,) = x.without
    inner, own = x.items | {y}, vulnerable / 2
    least = _LEAST_RATE

    def clean(sets: Sequence[frozenset[str]], window: Sequence[float]) -> NestedGuess:
        rates = [max(rate, least) / laws.blocks for rate in window]
        return clean_nested(np.array([seen[items] for items in sets]), rates, laws.block)

    found = [clean([x.items, inner], [own, means[inner]])]
    for z in _further_items(x, seen):
        with_z, both = x.items | {z}, inner | {z}
        share = min(max(means[with_z] / max(means[x.items], 1.0), 0.05), 0.95)
        cells = [own * (1 - share), means[inner] - means[both], own * share, means[both]]
        found.append(clean([x.items, inner, with_z, both], cells))
    return min(found, key=lambda guess: guess.variance)


def _further_items(x: RarePattern, shown: Mapping[frozenset[str], object]) -> list[str]:
    """Items z for which Xz and Xyz were published, too."""
    (y,) = x.without
    inner = x.items | {y}
    items = sorted(
        {item for items in shown if len(items) == len(inner) + 1 and inner < items for item in items - inner}
    )
    return [z for z in items if x.items | {z} in shown][:_FURTHER_ITEMS]


def _lattice_sets(x: RarePattern, shown: Sets) -> list[frozenset[str]]:
    inner = x.items | x.without
    further = [(x.items | {z}, inner | {z}) for z in _further_items(x, shown)]
    return [x.items, inner, *(items for pair in further for items in pair)]


def _by_window(rare: RunPatterns) -> dict[int, list[RarePattern]]:
    """Some of the patterns X without y of published X, by window, spread over all windows."""
    chosen = [(i, x) for i, patterns in rare.by_window.items() for x in patterns if len(x.without) == 1 and x.items]
    out: dict[int, list[RarePattern]] = {}
    for i, x in chosen[:: max(1, math.ceil(len(chosen) / _MOST_PATTERNS))]:
        out.setdefault(i, []).append(x)
    return out


def _noisy(counts: Ints, law: LawWeights, chance: np.random.Generator) -> Ints:
    chances = np.array(law.weights, dtype=np.float64) / sum(law.weights)
    return np.asarray(counts + law.first + chance.choice(len(chances), size=counts.shape, p=chances))


def _all_simple(counts: Sequence[float], guesses: Sequence[float]) -> PatternGuesses:
    return PatternGuesses(
        counts=np.array(counts), guesses=np.array(guesses), simple=np.ones(len(counts), dtype=np.bool_)
    )


def _log_factorials(most: int) -> Floats:
    return np.array([math.lgamma(n + 1) for n in range(most + 1)])
