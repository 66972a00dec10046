"""The Quest generator: synthetic baskets with patterns in them, under names such as T10I4D100K.

Agrawal and Srikant, "Fast Algorithms for Mining Association Rules", VLDB 1994, section 2.4.3. People tend to
buy sets of things together; such a set is a *pattern* (their "potentially large itemset"). A transaction is
filled with patterns, most of them incomplete:

    patterns      [bread butter jam]   [butter jam tea]   ...   L of them, neighbours alike, some far commoner
    corrupted      bread butter                tea              items lost on the way
    transaction  { bread butter tea }                           until about T items are in

Two things the paper leaves open are settled so that the result is like the T10I4D100K that everybody uses: a
size is 1 plus a Poisson number of mean one less, so that nothing is empty; and an item "picked at random" is
picked by a weight of its own, exponentially distributed, so that some items are rare. Over five seeds,
against that file:

                             mean length  deviation  items    frequent at 1 %  0.5 %      0.1 %
    that file                10.10        3.67       870      385              1073       27532
    the defaults             10.07-10.10  3.66-3.69  825-851  423-540          1909-2681  26799-31970
    correlation 0.25 and     10.06-10.10  3.64-3.68  858-875  370-387          1026-1410  28734-35906
    corruption variance 0.01

so the file seems to be of the last kind.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import RequirementError, UsageError
from confide.core.samples._draws import Draws, key, poisson_weights
from confide.core.transactions.container import Transactions

__all__ = ["QuestName", "quest", "quest_batches", "write_quest"]

_NUMBER = r"(\d+(?:\.\d+)?)([KM]?)"
_NAME = re.compile(rf"T{_NUMBER}I{_NUMBER}D{_NUMBER}(?:N{_NUMBER})?(?:L{_NUMBER})?", re.ASCII | re.IGNORECASE)
_SCALE = {"": 1, "K": 1_000, "M": 1_000_000}
_MOST_ENTRIES = 2**31  # 8 GB of items
_MOST_ITEMS = 10_000_000
_CHUNK = 1 << 18  # transactions a kernel call: the working arrays stay small however large D is


@dataclass(frozen=True, kw_only=True)
class QuestName:
    """What a name such as T10I4D100KN1KL2K says; `items` and `patterns` are None where it is silent.

    >>> QuestName.parse("T10I4D100K")
    QuestName(transaction_size=10.0, pattern_size=4.0, transactions=100000, items=None, patterns=None)
    """

    transaction_size: float  # T, the mean
    pattern_size: float  # I, the mean
    transactions: int  # D
    items: int | None = None  # N
    patterns: int | None = None  # L

    @classmethod
    def parse(cls, name: str) -> "QuestName":
        """Read a name; K and M stand for thousands and millions."""
        match = _NAME.fullmatch(name.strip())
        if match is None:
            raise RequirementError(
                f"{name!r} is not a Quest name; write T<items a transaction>I<items a pattern>D<transactions>"
                ", then N<items> and L<patterns> if wanted, K or M for thousands or millions: T10I4D100KN1K"
            )
        numbers, suffixes = match.groups()[::2], match.groups()[1::2]
        size, pattern_size, *counts = (
            float(number) * _SCALE[suffix.upper()] if number else None
            for number, suffix in zip(numbers, suffixes, strict=True)
        )
        transactions, items, patterns = (_whole(letter, n) for letter, n in zip("DNL", counts, strict=True))
        # the expression does not match without the first three
        assert size is not None
        assert pattern_size is not None
        assert transactions is not None
        return cls(
            transaction_size=size,
            pattern_size=pattern_size,
            transactions=transactions,
            items=items,
            patterns=patterns,
        )


def quest(
    name: str,
    *,
    items: int | None = None,
    patterns: int | None = None,
    correlation: float = 0.5,
    corruption: float = 0.5,
    corruption_variance: float = 0.1,
    seed: int = 1,
) -> Transactions:
    """Generate the transactions that a Quest name describes.

    `items` (N, 1000 if neither it nor the name says so): more items make each rarer. `patterns` (L, 2000
    likewise): more patterns make each rarer, so fewer long itemsets are frequent. `correlation` (0 or more):
    the mean part of a pattern taken over from the one before. `corruption` (0 up to, not including, 1) and
    `corruption_variance`: mean and variance of a pattern's corruption level c; an item is dropped, and
    another, as long as a uniform number is below c, so a larger level leaves shorter itemsets. `seed`: the
    same seed gives the same transactions on any machine.

    Items are labelled 0 to N - 1; those that no transaction holds are left out. A million transactions of ten
    items take about a second. No pattern is longer than half the items.

    >>> quest("T5I2D1K", items=100, seed=7)
    <Transactions 1,000 records, 94 items, 5,129 entries>
    """
    pieces = list(
        quest_batches(
            name,
            items=items,
            patterns=patterns,
            correlation=correlation,
            corruption=corruption,
            corruption_variance=corruption_variance,
            seed=seed,
        )
    )
    lengths = np.concatenate([piece.lengths for piece in pieces])
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    indices = np.concatenate([piece.indices for piece in pieces])
    return Transactions(indptr, indices, pieces[0].labels).without_unused()


def quest_batches(
    name: str,
    *,
    items: int | None = None,
    patterns: int | None = None,
    correlation: float = 0.5,
    corruption: float = 0.5,
    corruption_variance: float = 0.1,
    seed: int = 1,
) -> Iterator[Transactions]:
    """The transactions of `quest`, some hundred thousand at a time: as many as a disk holds.

    All batches have the same labels, those of items that no transaction holds included.
    """
    asked = QuestName.parse(name)
    n_items = _agreed("items", items, "N", asked.items, 1000)
    n_patterns = _agreed("patterns", patterns, "L", asked.patterns, 2000)
    _check(asked, n_items, n_patterns, correlation, corruption, corruption_variance)
    table = _patterns(
        asked.pattern_size,
        n_items=n_items,
        n_patterns=n_patterns,
        correlation=correlation,
        levels=_levels(n_patterns, corruption, corruption_variance, Draws(seed, "quest corruption")),
        draws=Draws(seed, "quest patterns"),
    )
    labels = tuple(map(str, range(n_items)))
    for indptr, indices in _transactions(asked, table, n_items=n_items, seed=seed):
        yield Transactions(indptr, indices, labels)


def write_quest(name: str, folder: str | PathLike[str], *, part_records: int = 1 << 20, seed: int = 1) -> int:
    """Write the transactions that a name describes into a new folder of Parquet files; give how many there are."""
    target = Path(folder)
    if target.exists():
        raise UsageError(f"{target} exists; give the name of a folder that does not")
    target.mkdir(parents=True)
    written = 0
    waiting: list[Transactions] = []

    def write() -> None:
        indptr = np.concatenate([[0], np.cumsum(np.concatenate([piece.lengths for piece in waiting]))])
        whole = Transactions(
            indptr.astype(np.int64), np.concatenate([piece.indices for piece in waiting]), waiting[0].labels
        )
        whole.write(target / f"part-{written // part_records:05d}.parquet")
        waiting.clear()

    for piece in quest_batches(name, seed=seed):
        for start in range(0, len(piece), part_records):
            part = piece.take(np.arange(start, min(start + part_records, len(piece))))
            waiting.append(part)
            if sum(map(len, waiting)) >= part_records:
                write()
                written += part_records
    if waiting:
        rest = sum(map(len, waiting))
        write()
        written += rest
    return written


@dataclass(frozen=True, kw_only=True)
class _Patterns:
    """Pattern j is `items[starts[j]:starts[j + 1]]`, with its weight and its corruption level."""

    starts: NDArray[np.int64]
    items: NDArray[np.int32]
    weights: NDArray[np.float64]
    levels: NDArray[np.float64]


def _patterns(
    mean_size: float,
    *,
    n_items: int,
    n_patterns: int,
    correlation: float,
    levels: NDArray[np.float64],
    draws: Draws,
) -> _Patterns:
    popularity = np.cumsum(_exponential(draws, n_items))
    longest = (n_items + 1) // 2
    sizes = np.minimum(1 + draws.pick(poisson_weights(mean_size - 1), n_patterns), longest)
    items: list[int] = []
    previous: list[int] = []
    for size in sizes.tolist():
        share = -correlation * math.log1p(-draws.uniform()) if previous else 0.0
        pattern = _sample(previous, min(len(previous), size, int(share * size + 0.5)), draws)
        held = set(pattern)
        while len(pattern) < size:
            item = int(np.searchsorted(popularity, draws.uniform() * popularity[-1], side="right"))
            if item not in held:
                held.add(item)
                pattern.append(item)
        items += pattern
        previous = pattern
    return _Patterns(
        starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        items=np.array(items, dtype=np.int32),
        weights=_exponential(draws, n_patterns),
        levels=levels,
    )


def _levels(n: int, mean: float, variance: float, draws: Draws) -> NDArray[np.float64]:
    """Normally distributed corruption levels; from 1 up a pattern is lost, below 0 it is always whole."""
    if not variance:
        return np.full(n, mean)
    # the inverse is defined on the open interval; the half step keeps a draw of 0 inside it
    normal = NormalDist(mean, math.sqrt(variance))
    levels = np.array([normal.inv_cdf(u + 2.0**-54) for u in draws.uniforms(n).tolist()])
    if levels.min() >= 1:
        raise RequirementError("every pattern loses all its items; lower corruption or have more patterns")
    return levels


def _transactions(
    asked: QuestName, table: _Patterns, *, n_items: int, seed: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
    from confide.core.samples._quest_kernels import Patterns, fill

    draws = Draws(seed, "quest sizes")
    size_weights = poisson_weights(asked.transaction_size - 1)
    n = asked.transactions
    patterns = Patterns(table.starts, table.items, np.cumsum(table.weights), table.levels)
    longest = int(np.diff(table.starts).max())
    hand, moved = np.empty(longest, dtype=np.int32), np.zeros(1, dtype=np.int64)
    state = np.array([key(seed, "quest transactions")], dtype=np.uint64)
    for start in range(0, n, _CHUNK):
        sizes = 1 + draws.pick(size_weights, min(_CHUNK, n - start))
        rows = np.zeros(len(sizes) + 1, dtype=np.int64)
        room = np.empty(int(sizes.sum()) + len(sizes) * longest, dtype=np.int32)
        holder = np.full(n_items, -1, dtype=np.int64)
        fill(sizes, patterns, holder, hand, moved, state, rows, room)
        yield rows, room[: rows[-1]].copy()


def _exponential(draws: Draws, n: int) -> NDArray[np.float64]:
    return -np.log1p(-draws.uniforms(n))


def _sample(pool: list[int], n: int, draws: Draws) -> list[int]:
    """`n` different members of `pool`, in random order."""
    left = pool.copy()
    return [left.pop(int(draws.uniform() * len(left))) for _ in range(n)]


def _whole(letter: str, value: float | None) -> int | None:
    if value is not None and value != int(value):
        raise RequirementError(f"{letter}{value:g} is not a whole number")
    return None if value is None else int(value)


def _agreed(option: str, given: int | None, letter: str, named: int | None, default: int) -> int:
    """One number that may be said twice, in the name and as an option."""
    if given is not None and named is not None and given != named:
        raise RequirementError(f"the name says {letter}{named} but {option}={given}; say it once")
    return given if given is not None else named if named is not None else default


def _check(
    asked: QuestName, n_items: int, n_patterns: int, correlation: float, corruption: float, variance: float
) -> None:
    size, pattern_size, n = asked.transaction_size, asked.pattern_size, asked.transactions
    for letter, value in (("T", size), ("I", pattern_size), ("D", n)):
        if value < 1:
            raise RequirementError(f"{letter}{value:g} is below 1: nothing could be generated")
    for option, count in (("items", n_items), ("patterns", n_patterns)):
        if not 1 <= count <= _MOST_ITEMS:
            raise RequirementError(f"{option}={count} is outside 1 to {_MOST_ITEMS:,}", parameter=option, value=count)
    if size * n > _MOST_ENTRIES:
        raise RequirementError(
            f"T times D is {size * n:,.0f} entries, more than {_MOST_ENTRIES:,}; ask for fewer transactions"
        )
    if max(size, pattern_size) > n_items:
        raise RequirementError(
            f"T and I must not pass the number of items (T={size:g}, I={pattern_size:g}, N={n_items})"
        )
    if not 0 <= correlation < math.inf:
        raise RequirementError(
            f"correlation={correlation} must be 0 or more", parameter="correlation", value=correlation
        )
    if not 0 <= corruption < 1:
        raise RequirementError(
            f"corruption={corruption} must be at least 0 and below 1", parameter="corruption", value=corruption
        )
    if not 0 <= variance < math.inf:
        raise RequirementError(
            f"corruption_variance={variance} must be 0 or more", parameter="corruption_variance", value=variance
        )
