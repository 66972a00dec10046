"""A requirement as plain arrays that a kernel can read.

What a requirement allows is worked out in exact arithmetic: the largest allowed count of the commonest value in a group
of n rows, and so on, is a fraction of n, `(factor n - less) // over`. Where that could pass 64 bits it is worked out
here for every n, and looked up by the kernel (`most[at + n]`). A kernel decides with floats only where a logarithm is
asked for, and then in doubt against the group.

A histogram holds the counts of all values of the first sensitive column, then of the second, and so on; a requirement
that other sensitive values are known (`OthersKnown`) adds a column of their combinations. Where people of the
population are counted, their number comes last, then the sum of each column of weights.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, exp, floor, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.core.requirements.base import exact
from confide.core.requirements.tables import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    KMap,
    KMapBySize,
    KMapByWeight,
    OthersKnown,
    RecursiveDiversity,
    SimpleDiversity,
    TableRequirement,
    TCloseness,
)

__all__ = ["PEOPLE", "WEIGHT_UNITS", "Counted", "Rules", "counted_by", "made_rules", "parts_of"]

SIZE, TOP, DISTINCT, ENTROPY, RECURSIVE, EQUAL, ORDERED, RATIO, ENOUGH, NOT_TOO_MANY = range(10)

Counted = KMap | DeltaPresence | KMapByWeight
"""Requirements that ask how many people of the population fit."""

PEOPLE = ""
"""What is counted for those that ask a table of the population; others name a column of weights."""

WEIGHT_UNITS = 1024
"""Weights are added up in such parts of a person, rounded down."""

_WIDEST = 1 << 31  # a numerator or denominator up to this is compared in whole numbers


_Bounds = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]


class Rules(NamedTuple):
    """One entry per rule: what kind it is, where its values stand in a histogram, and what it allows.

    `number` is k or l. `first` and `last` bound the values of its column. `factor`, `less` and `over` say what it
    allows; with 0 for `over`, a table does. `at` is the place in `most` where that begins, and in `low`, `high`,
    `above`, `below` where its bounds do, one for each value (`above / below` is `high`, exactly, where that is known).
    `total` are the rows of the reference, and `reference` the rows of each value, for all columns. `order` puts the
    values of a column in theirs.
    `segment`, `value` and `entry` describe combinations: entry i of them, sorted by what the others are, is value
    `value[i]` with others `segment[i]` and stands at `entry[i]` of the histogram; -1 in `known` if not asked for.
    """

    histogram: bool
    persons: bool
    kind: NDArray[np.int64]
    number: NDArray[np.int64]
    real: NDArray[np.float64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    at: NDArray[np.int64]
    factor: NDArray[np.int64]
    less: NDArray[np.int64]
    over: NDArray[np.int64]
    most: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    above: NDArray[np.int64]
    below: NDArray[np.int64]
    total: int
    reference: NDArray[np.int64]
    order: NDArray[np.int64]
    known: NDArray[np.int64]
    segment: NDArray[np.int64]
    value: NDArray[np.int64]
    entry: NDArray[np.int64]


def parts_of(requirement: TableRequirement) -> tuple[TableRequirement, ...]:
    """The requirements that `&` joined, or the one there is; k-map by the size of the population asks for rows."""
    return tuple(
        KAnonymity(k=part.k_prime) if isinstance(part, KMapBySize) else part for part in requirement.parts_asked
    )


def counted_by(part: TableRequirement) -> str | None:
    """What a requirement needs counted beside rows and sensitive values: `PEOPLE`, a column of weights, or nothing."""
    if isinstance(part, KMapByWeight):
        return part.weight
    return PEOPLE if part.counts_population else None


class _Share(NamedTuple):
    """What a rule allows in a group of n rows: (factor n - less) // over; if over is 0, a table from `at` on."""

    factor: int
    less: int
    over: int
    at: int


class _Maker:
    """Collects the entries of `Rules` one by one."""

    def __init__(self, counts: Sequence[NDArray[np.int64]], orders: Sequence[NDArray[np.int64]], rows: int):
        self.counts, self.orders, self.rows = counts, orders, rows
        self.starts = np.concatenate([[0], np.cumsum([len(column) for column in counts])]).astype(np.int64)
        self.entries: list[tuple[int, int, float, int, int, int, int]] = []
        self.shares: list[_Share] = []
        self.tables: list[NDArray[np.int64]] = []
        self.bounds: list[_Bounds] = []
        self.filled = self.bounded = 0

    def table(self, allowed: NDArray[np.int64]) -> int:
        self.tables.append(allowed)
        self.filled += len(allowed)
        return self.filled - len(allowed)

    def bound(
        self, low: NDArray[np.float64], high: NDArray[np.float64], factor: Fraction, exactly: NDArray[np.bool_]
    ) -> int:
        """Bounds for each value; where `exactly` says so, the upper one is this factor and not a rounding of it."""
        small = max(factor.numerator, factor.denominator) < _WIDEST
        above, below = (np.where(exactly & small, part, 0) for part in (factor.numerator, factor.denominator))
        self.bounds.append((low, high, above.astype(np.int64), below.astype(np.int64)))
        self.bounded += len(low)
        return self.bounded - len(low)

    def share(self, each: Fraction, *, strict: bool = False) -> "_Share":
        """floor(each n), or with `strict` the largest whole number below each n, for groups of n rows."""
        if abs(each.numerator) * (self.rows + 1) < 1 << 62 and each.denominator < 1 << 62:
            return _Share(each.numerator, int(strict), each.denominator, 0)
        return _Share(0, 0, 0, self.table(-_floors(-each, self.rows) - 1 if strict else _floors(each, self.rows)))

    def add(
        self,
        kind: int,
        *,
        column: int = -1,
        number: int = 0,
        real: float = 0.0,
        at: int = 0,
        share: "_Share | None" = None,
        known: int,
    ) -> None:
        first, last = (0, 0) if column < 0 else (int(self.starts[column]), int(self.starts[column + 1]))
        allowed = _Share(0, 0, 0, at) if share is None else share
        self.entries.append((kind, number, real, first, last, allowed.at, known))
        self.shares.append(allowed)

    def part(self, part: TableRequirement, column: int, known: int) -> None:
        """The rules of one requirement about one sensitive column."""
        counts = self.counts[column]
        if isinstance(part, SimpleDiversity):
            self.add(TOP, column=column, share=self.share(Fraction(1, part.l)), known=known)
        elif isinstance(part, AlphaK):
            self.add(TOP, column=column, share=self.share(exact(part.alpha)), known=known)
            if known >= 0:  # k is asked of the rows that agree in the other columns too
                self.add(SIZE, column=column, number=part.k, known=known)
        elif isinstance(part, DistinctDiversity):
            self.add(DISTINCT, column=column, number=part.l, known=known)
        elif isinstance(part, EntropyDiversity):
            ratio = exact(part.l)
            small = max(ratio.numerator, ratio.denominator) < _WIDEST
            at = self.table(np.array([ratio.numerator, ratio.denominator] if small else [0, 0], dtype=np.int64))
            self.add(ENTROPY, column=column, real=log(part.l), at=at, known=known)
        elif isinstance(part, RecursiveDiversity):
            # f1 < c * tail: the largest whole f1 is one below the smallest that is not allowed
            allowed = self.share(exact(part.c), strict=True)
            self.add(RECURSIVE, column=column, number=part.l, share=allowed, known=known)
        elif isinstance(part, TCloseness):
            self._closeness(part, column, known)
        elif isinstance(part, BetaLikeness):
            self._beta(part, counts, column, known)
        elif isinstance(part, DeltaDisclosure):
            size = len(counts)
            low, high = np.full(size, exp(-part.delta)), np.full(size, exp(part.delta))
            at = self.bound(low, high, Fraction(0), np.zeros(size, dtype=np.bool_))
            self.add(RATIO, column=column, at=at, known=known)
        else:
            raise UsageError(f"tables cannot be made to keep {part.kind}; use k-anonymity, a diversity or a closeness")

    def people(self, part: Counted, slot: int) -> None:
        """The rules about the number, or the weight, of people who fit, which stands at `slot` of a histogram."""
        if isinstance(part, DeltaPresence):
            if part.high < 1:
                self.count(ENOUGH, slot, -_floors(-1 / exact(part.high), self.rows))
            if part.low > 0:
                self.count(NOT_TOO_MANY, slot, _floors(1 / exact(part.low), self.rows))
        elif isinstance(part, KMap):
            self.count(ENOUGH, slot, np.array([0, part.k], dtype=np.int64))
        else:
            least = [ceil(part.least_weight(rows) * WEIGHT_UNITS) for rows in range(1, min(part.k, self.rows) + 1)]
            self.count(ENOUGH, slot, np.array([0, *least], dtype=np.int64))

    def count(self, kind: int, slot: int, bounds: NDArray[np.int64]) -> None:
        """A rule about the count at a slot: its bound for a group of n rows, the last one for all larger groups."""
        self.entries.append((kind, len(bounds) - 1, 0.0, slot, slot + 1, self.table(bounds), -1))
        self.shares.append(_Share(0, 0, 0, 0))

    def _closeness(self, part: TCloseness, column: int, known: int) -> None:
        """sum |f N - n F| <= 2 t n N, or with order, sum of cumulative ones <= t (m - 1) n N."""
        n, values = self.rows, int((self.counts[column] > 0).sum())
        each = exact(part.t) * n * (max(values - 1, 1) if part.ordered else 2)
        self.add(ORDERED if part.ordered else EQUAL, column=column, share=self.share(each), known=known)

    def _beta(self, part: BetaLikeness, counts: NDArray[np.int64], column: int, known: int) -> None:
        factor = 1 + exact(part.beta)
        high = np.full(len(counts), float(factor))
        exactly = np.ones(len(counts), dtype=np.bool_)
        if part.enhanced:
            with np.errstate(divide="ignore"):
                by_share = 1 - np.log(counts / self.rows)
            exactly = by_share > high * (1 + 1e-12)
            high = np.minimum(high, by_share)
            high[counts == self.rows] = np.inf  # everybody has it: nothing is gained
        at = self.bound(np.zeros(len(counts)), high, factor, exactly)
        self.add(RATIO, column=column, at=at, known=known)


def made_rules(
    requirement: TableRequirement | None,
    *,
    names: Sequence[str],
    counts: Sequence[NDArray[np.int64]],
    orders: Sequence[NDArray[np.int64]],
    combinations: NDArray[np.int32] | None,
    rows: int,
    persons: bool,
    slots: Mapping[str, int],
) -> Rules:
    """The rules of a requirement.

    `names` are the sensitive columns; `counts` are the rows of each value, for every one of them, among the `rows` that
    are released; `orders` the order of the values; `combinations` the different combinations of values, a row each, if
    they are asked about; `slots` where what `counted_by` names stands in a histogram. Without a requirement there are
    no rules.
    """
    maker = _Maker(counts, orders, rows)
    parts = () if requirement is None else parts_of(requirement)
    fewest = max((part.k for part in parts if isinstance(part, KAnonymity | AlphaK)), default=0)
    if fewest:
        maker.add(SIZE, number=fewest, known=-1)
    for part in parts:
        if isinstance(part, KAnonymity):
            continue
        if isinstance(part, Counted):
            maker.people(part, slots[counted_by(part) or PEOPLE])
            continue
        for column, name in enumerate(names):
            if part.plain.column not in (None, name):
                continue
            if isinstance(part, OthersKnown):
                maker.part(part.of, column, column)
            else:
                maker.part(part, column, -1)
    entries = maker.entries
    low, high, above, below = _joined(maker.bounds)
    segment, value, entry = _segments(combinations, int(maker.starts[-1]), len(counts))
    return Rules(
        histogram=any(kind != SIZE for kind, *_ in entries),
        persons=persons,
        kind=np.array([e[0] for e in entries], dtype=np.int64),
        number=np.array([e[1] for e in entries], dtype=np.int64),
        real=np.array([e[2] for e in entries], dtype=np.float64),
        first=np.array([e[3] for e in entries], dtype=np.int64),
        last=np.array([e[4] for e in entries], dtype=np.int64),
        at=np.array([e[5] for e in entries], dtype=np.int64),
        factor=np.array([share.factor for share in maker.shares], dtype=np.int64),
        less=np.array([share.less for share in maker.shares], dtype=np.int64),
        over=np.array([share.over for share in maker.shares], dtype=np.int64),
        most=np.concatenate([*maker.tables, np.zeros(1, dtype=np.int64)]),
        low=low,
        high=high,
        above=above,
        below=below,
        total=rows,
        reference=np.concatenate([*counts, np.zeros(1, dtype=np.int64)]).astype(np.int64),
        order=np.concatenate([*orders, np.zeros(1, dtype=np.int64)]).astype(np.int64),
        known=np.array([e[6] for e in entries], dtype=np.int64),
        segment=segment,
        value=value,
        entry=entry,
    )


def _floors(each: Fraction, most: int) -> NDArray[np.int64]:
    """floor(each * n) for n = 0 .. most, exactly."""
    if abs(each.numerator) * (most + 1) < 1 << 62:
        return np.arange(most + 1, dtype=np.int64) * each.numerator // each.denominator
    cap = (1 << 62) - 1
    return np.array([max(-cap, min(cap, floor(each * n))) for n in range(most + 1)], dtype=np.int64)


def _joined(bounds: list[_Bounds]) -> _Bounds:
    low = np.concatenate([*(part[0] for part in bounds), np.zeros(1)])
    high = np.concatenate([*(part[1] for part in bounds), np.zeros(1)])
    above = np.concatenate([*(part[2] for part in bounds), np.zeros(1, dtype=np.int64)])
    below = np.concatenate([*(part[3] for part in bounds), np.zeros(1, dtype=np.int64)])
    return low, high, above, below


def _segments(
    combinations: NDArray[np.int32] | None, start: int, columns: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """For every column in turn, the combinations sorted by what the other columns are."""
    if combinations is None:
        nothing = np.zeros((1, 1), dtype=np.int64)
        return nothing, nothing, nothing
    rows = len(combinations)
    segment, value, entry = (np.zeros((columns, rows), dtype=np.int64) for _ in range(3))
    for column in range(columns):
        others = np.delete(combinations, column, axis=1)
        number = np.unique(others, axis=0, return_inverse=True)[1].reshape(-1) if columns > 1 else np.zeros(rows)
        sorted_ = np.argsort(number, kind="stable")
        segment[column], value[column] = number[sorted_], combinations[sorted_, column]
        entry[column] = start + sorted_
    return segment, value, entry
