"""The intra-window adversary: rare patterns from the itemsets of one window, by inclusion and exclusion.

A pattern is "all of these items, none of those". Where the supports of all sets between I and J are known, the pattern
"I without the rest of J" follows exactly. The size of the window is public, so I may be empty. Sets that were not
published can be bounded from those that were; where both bounds meet, they are as good as published.

On sanitised supports the same sums give estimates, and intervals when the bounds of the noise are used (Prior Knowledge
5.5). Paper: Wang and Liu 2011, sections 3.1, 3.2 and 5.2.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from confide.audit.adversaries.windows.itemset_lattice import Lattices, exact_cells, interval_cells, lattices
from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.figures import ShownFields
from confide.core.itemsets.container import Itemsets

__all__ = [
    "PatternEstimates",
    "RarePattern",
    "SupportIntervals",
    "WindowInference",
    "complete_supports",
    "estimate_patterns",
    "infer_patterns",
    "support_bounds",
    "tighten_supports",
]

LONGEST = 16

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class RarePattern:
    """All of `items` and none of `without`, found in `count` records."""

    items: frozenset[str]
    without: frozenset[str]
    count: int

    def terms(self) -> Iterator[tuple[int, frozenset[str]]]:
        """(sign, itemset) of the supports whose sum the count is."""
        rest = sorted(self.without)
        for n in range(len(rest) + 1):
            for more in combinations(rest, n):
                yield (-1) ** n, self.items.union(more)


@dataclass(frozen=True, kw_only=True)
class WindowInference(ShownFields):
    """The rare patterns that follow from a window; `not_covered` itemsets were longer than looked at."""

    patterns: tuple[RarePattern, ...] = field(repr=False)
    not_covered: int

    def by_count(self) -> dict[int, int]:
        """How many patterns there are of each count."""
        counts = [pattern.count for pattern in self.patterns]
        return {count: counts.count(count) for count in sorted(set(counts))}


def infer_patterns(
    itemsets: Itemsets, *, vulnerable: int, max_length: int = 12, n_records: int | None = None
) -> WindowInference:
    """Every pattern of 1 to `vulnerable` records that follows exactly from these supports.

    `max_length` is the longest itemset looked into, at most 16: an itemset of n items has 2^n subsets. `n_records` is
    the size of the window, by default what `itemsets` says. Use `complete_supports` first to bring in sets that were
    not published, and expand closed itemsets.

    >>> window = Itemsets.from_pairs([("c", 8), ("ac", 5), ("bc", 5), ("abc", 3)], n_transactions=8)
    >>> [(sorted(p.items), sorted(p.without)) for p in infer_patterns(window, vulnerable=1).patterns]
    [(['c'], ['a', 'b'])]
    """
    known = _checked(itemsets, max_length)
    supports = _with_empty(known, n_records)
    found: list[RarePattern] = []
    for part in lattices(known, known, max_length=max_length):
        cells = exact_cells(_looked_up(supports, part))
        cells[:, -1] = np.nan  # the itemset itself is no pattern of absent items
        rows, masks = np.nonzero((cells >= 1) & (cells <= vulnerable))
        found += [
            _pattern(known, part, r, m, int(cells[r, m])) for r, m in zip(rows.tolist(), masks.tolist(), strict=True)
        ]
    longer = int((known.lengths > max_length).sum())
    return WindowInference(patterns=tuple(found), not_covered=longer)


def complete_supports(itemsets: Itemsets, *, min_support: int | None = None, max_length: int = 12) -> Itemsets:
    """The itemsets, and those that are not among them but whose supports follow: both bounds meet.

    Looked at are sets all of whose subsets one item smaller are known, level by level. `min_support`: what is not
    published is known to be rarer than that; only right where every frequent itemset was published.
    """
    known = _checked(itemsets, max_length)
    length = 2
    while length <= min(max_length, int(known.lengths.max(initial=0)) + 1):
        candidates = _candidates(known, length)
        supports = _with_empty(known, None)
        sets, values = [], []
        for part in lattices(known, candidates, max_length=max_length):
            held = _looked_up(supports, part)
            low, high = _bounds(held, held)
            if min_support is not None:
                high = np.minimum(high, min_support - 1)
            for r in np.flatnonzero(low == high):
                sets.append(part.codes[r])
                values.append(int(low[r]))
        known = _joined(known, sets, values)
        length += 1
    return known


def support_bounds(itemsets: Itemsets, wanted: Sequence[str]) -> tuple[float, float]:
    """The least and the most records that can hold all of `wanted`, from the supports of sets inside it.

    >>> window = Itemsets.from_pairs([("c", 8), ("ac", 5), ("bc", 5)], n_transactions=8)
    >>> support_bounds(window, ["a", "b", "c"])
    (2.0, 5.0)
    """
    asked = sorted(set(wanted))
    known = _checked(itemsets, len(asked))
    code = {label: i for i, label in enumerate(known.labels)}
    if not asked or not set(asked) <= set(code):
        return 0.0, float(known.n_transactions)
    one = _joined(known, [], []).take(np.zeros(0, dtype=np.int64))
    one = _joined(one, [np.array(sorted(code[x] for x in asked), dtype=np.int32)], [0])
    part = next(lattices(known, one, max_length=LONGEST))
    held = _looked_up(_with_empty(known, None), part)
    low, high = _bounds(held, held)
    return float(low[0]), float(min(high[0], known.n_transactions))


# -- on sanitised supports ----------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class PatternEstimates(ShownFields):
    """What the adversary makes of each pattern; NaN where a set it needs was not published.

    `linear` adds and subtracts; `bounded` also knows that a rare pattern has 0 to K records.
    """

    linear: Floats
    bounded: Floats


def estimate_patterns(
    patterns: Sequence[RarePattern], known: Mapping[frozenset[str], float], *, vulnerable: int, n_records: int
) -> PatternEstimates:
    """Estimate patterns from sanitised supports.

    `known` maps itemsets to supports: what was published, or that less its bias for an adversary who knows the shifts,
    with true supports in place of those it knows from elsewhere (knowledge points, Prior Knowledge 5.8).
    """
    supports = {**known, frozenset[str](): float(n_records)}
    linear = np.empty(len(patterns))
    for i, pattern in enumerate(patterns):
        linear[i] = sum(sign * supports.get(items, np.nan) for sign, items in pattern.terms())
    return PatternEstimates(linear=linear, bounded=np.clip(linear, 0, vulnerable))


@dataclass(frozen=True, kw_only=True, eq=False)
class SupportIntervals(ShownFields):
    """Between which numbers each true support must lie; `certain` are the rare patterns that surely occur.

    `width` is the mean number of values left to a support, `before` what the noise alone leaves.
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    before: float
    width: float
    certain: tuple[RarePattern, ...]


def tighten_supports(
    itemsets: Itemsets, *, most_added: int, most_taken: int, vulnerable: int, max_length: int = 12, rounds: int = 20
) -> SupportIntervals:
    """Narrow down true supports: published value minus noise, then every bound that subsets and supersets give.

    Noise and shift together added at most `most_added` and took at most `most_taken`. Rounds are repeated until nothing
    narrows. Finding the tightest is DP-complete (the paper's Theorem 5.7): these are bounds, not the best ones.
    """
    known = _checked(itemsets, max_length)
    values = known.supports.astype(np.float64)
    n = float(known.n_transactions)
    low = np.append(np.clip(values - most_added, 0, n), n)
    high = np.append(np.clip(values + most_taken, 0, n), n)
    before = float((high - low)[:-1].mean() + 1) if len(known) else 0.0
    parts = list(lattices(known, known, max_length=max_length))
    for _ in range(rounds):
        total = float((high - low).sum())
        for part in parts:
            own = part.at[:, -1]
            least, most = _bounds(_looked_up(low, part), _looked_up(high, part))
            low[own] = np.maximum(low[own], least)
            high[own] = np.minimum(high[own], most)
            inside = part.at >= 0  # a subset is in at least as many records
            np.maximum.at(low, part.at[inside], np.broadcast_to(low[own][:, None], part.at.shape)[inside])
        if (low > high).any():
            raise InputError("no records can have such supports within these bounds of the noise; check the bounds")
        if float((high - low).sum()) == total:
            break
    certain: list[RarePattern] = []
    for part in parts:
        least, most = interval_cells(_looked_up(low, part), _looked_up(high, part))
        least[:, -1] = np.nan
        rows, masks = np.nonzero((least >= 1) & (most <= vulnerable))
        certain += [
            _pattern(known, part, r, m, int(least[r, m])) for r, m in zip(rows.tolist(), masks.tolist(), strict=True)
        ]
    return SupportIntervals(
        low=low[:-1].astype(np.int64),
        high=high[:-1].astype(np.int64),
        before=before,
        width=float((high - low)[:-1].mean() + 1) if len(known) else 0.0,
        certain=tuple(certain),
    )


# -- parts --------------------------------------------------------------------------------------------------------


def _checked(itemsets: Itemsets, max_length: int) -> Itemsets:
    if not isinstance(itemsets, Itemsets):
        raise UsageError(f"itemsets are needed here, not {type(itemsets).__name__}")
    if not 1 <= max_length <= LONGEST:
        raise RequirementError(
            f"max_length={max_length} is not from 1 to {LONGEST}; use one of these",
            parameter="max_length",
            value=max_length,
        )
    return itemsets.take(np.flatnonzero(itemsets.lengths > 0)).sorted()


def _with_empty(known: Itemsets, n_records: int | None) -> Floats:
    return np.append(known.supports.astype(np.float64), float(known.n_transactions if n_records is None else n_records))


def _looked_up(supports: Floats, part: Lattices) -> Floats:
    return np.where(part.at >= 0, supports[part.at], np.nan)


def _bounds(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Bounds on the support of each whole itemset, from all I whose lattice is known but for the whole.

    With T(J) taken as 0, the records with exactly I of J would be cell(I); with it they are
    cell(I) + (-1)^|J - I| T(J), which is not negative.
    """
    low, high = low.copy(), high.copy()
    low[:, -1] = high[:, -1] = 0.0
    _, most = interval_cells(low, high)
    masks = low.shape[1]
    absent = (int(masks).bit_length() - 1) - np.bitwise_count(np.arange(masks))
    below = np.fmax.reduce(np.where(absent % 2 == 0, -most, np.nan)[:, :-1], axis=1, initial=0.0)
    above = np.fmin.reduce(np.where(absent % 2 == 1, most, np.nan)[:, :-1], axis=1, initial=np.inf)
    return below, above


def _candidates(known: Itemsets, length: int) -> Itemsets:
    """Sets of this length that are not known although all their subsets one item smaller are."""
    sets = [tuple(row) for row in known.level(length - 1).coded()[1].reshape(-1, length - 1).tolist()]
    there, have = set(sets), {tuple(row) for row in known.level(length).coded()[1].reshape(-1, length).tolist()}
    ends: dict[tuple[int, ...], list[int]] = {}
    for one in sets:
        ends.setdefault(one[:-1], []).append(one[-1])
    found = []
    for start, last in ends.items():
        for a, b in combinations(sorted(last), 2):
            made = (*start, a, b)
            if made not in have and all(made[:i] + made[i + 1 :] in there for i in range(length - 2)):
                found.append(np.array(made, dtype=np.int32))
    empty = known.take(np.zeros(0, dtype=np.int64))
    return _joined(empty, found, [0] * len(found))


def _joined(known: Itemsets, sets: list[NDArray[np.int32]], supports: list[int]) -> Itemsets:
    """The itemsets and further ones, given as codes."""
    offsets, items = known.coded()
    more = np.cumsum([len(one) for one in sets], dtype=np.int64) + offsets[-1]
    return Itemsets.from_arrays(
        np.concatenate([offsets, more]),
        np.concatenate([items, *sets]).astype(np.int32),
        np.concatenate([known.supports.astype(np.int64), np.array(supports, dtype=np.int64)]),
        labels=known.labels,
        n_transactions=known.n_transactions,
    )


def _pattern(known: Itemsets, part: Lattices, row: int, mask: int, count: int) -> RarePattern:
    labels = [known.labels[code] for code in part.codes[row].tolist()]
    items = frozenset(label for bit, label in enumerate(labels) if mask >> bit & 1)
    return RarePattern(items=items, without=frozenset(labels) - items, count=count)
