"""Exact draws for many records at once: random words from `core.Randomness`, laws in whole numbers.

Every law here has rational probabilities. Let U be uniform on [0, 1) and C_1 <= C_2 <= ... the law's cumulative
probabilities; the outcome is the number of C_k at or below U. A 64-bit word w says that U lies in [w, w+1)/2^64, and
with T_k = floor(2^64 C_k)

    w < T_k   puts all of that interval below C_k,
    w > T_k   puts all of it at or above C_k,
    w = T_k   is a tie: the word alone does not decide.

So comparing whole numbers gives the outcome, exactly, unless a tie occurs (fewer than one word in 10^15 for the tables
below), and then `resolve` draws further words until U is known well enough. No rounded number ever decides.

Inserted items are found by skips: the number of absent items passed over before one enters is geometric, so the cost
of a perturbed record follows its length, not the universe's. The table of skips ends after B items; a word beyond it
means "B passed, none entered", and the law begins anew, being memoryless.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from confide.core.randomness import Randomness

__all__ = [
    "SkipTable",
    "cut_rows",
    "flip_row",
    "flip_rows",
    "keep_or_uniform",
    "resolve",
    "stay_or_move",
    "thresholds_of",
]

_WORD = 1 << 64
_CHUNK = 1 << 15  # 64-bit words drawn at a time: they stay in L2
_TABLE = 1 << 18  # entries of a table of all cells, at most
LARGEST = 1 << 20
"""Of a field drawn from one 32-bit word: fewer than one word in 4,000 must be refused."""

_SKIPS = 1024  # thresholds of a table of skips, at most


def thresholds_of(cumulative: Sequence[Fraction]) -> NDArray[np.uint64]:
    """T_k = floor(2^64 C_k) for cumulative probabilities below 1."""
    return np.array([c.numerator * _WORD // c.denominator for c in cumulative], dtype=np.uint64)


def resolve(cumulative: Sequence[Fraction], word: int, randomness: "Randomness") -> int:
    """The number of cumulative probabilities at or below U, given U's first 64 bits; draws more where they tie."""
    low, width = Fraction(word, _WORD), Fraction(1, _WORD)
    while True:
        outcome = bisect_right(cumulative, low)
        if outcome == bisect_left(cumulative, low + width):
            return outcome
        width /= _WORD
        low += int(randomness.words(1)[0]) * width


# -- categorical records ----------------------------------------------------------------------------------------------


def keep_or_uniform(
    codes: NDArray[Any], sizes: Sequence[int], keep: Fraction, randomness: "Randomness"
) -> NDArray[Any]:
    """Keep each row of codes with probability `keep`, else draw it uniformly from all rows there are.

    One 64-bit word serves a record: 32 bits are compared with the probability, 32 pick the cell as the high half of
    word * n (Lemire 2019), refused where the low half shows a value that would come too often. Where there are too
    many cells for a table, each field has 32 bits of its own. A refused record is drawn anew, without its old bits; a
    tied one is settled by the next bits.
    """
    from confide.collect.schemes._perturb_kernels import uniform_by_field, uniform_by_table

    table = _cells(tuple(sizes))
    if table is None:
        call, law, words_each = uniform_by_field, np.array(sizes, dtype=np.int64), len(sizes) + 1
        given = np.ascontiguousarray(codes, dtype=np.int32)
    else:
        # two 32-bit codes are moved as one word where their number is even
        paired = codes.dtype == np.int32 and len(sizes) % 2 == 0
        call, law, words_each = uniform_by_table, table.view(np.int64) if paired else table.astype(np.int64), 2
        given = np.ascontiguousarray(codes).view(np.int64) if paired else np.ascontiguousarray(codes, dtype=np.int64)
    out = np.empty_like(given)
    truth, drawn = (part.view(np.int32) if part.shape[1] < len(sizes) else part for part in (given, out))
    scaled = keep * (1 << 32)
    step = 2 * _CHUNK // words_each
    pending = np.empty(step, dtype=np.int64)
    buffer = np.empty((step, words_each), dtype=np.uint32)
    for start in range(0, len(given), step):
        words = buffer[: len(given) - start]
        randomness.fill(words)
        some = words.view(np.uint64).reshape(-1) if table is not None else words
        stop = start + step
        for i in pending[
            : call(given[start:stop], some, np.uint64(int(scaled)), law, out[start:stop], pending)
        ].tolist():
            if i < 0:
                drawn[start + ~i] = _open_record(truth[start + ~i], sizes, keep, randomness)
            elif randomness.bernoulli(scaled - int(scaled), 1)[0]:
                drawn[start + i] = truth[start + i]
    return drawn.astype(codes.dtype, copy=False)


def _open_record(
    codes: NDArray[Any], sizes: Sequence[int], keep: Fraction, randomness: "Randomness"
) -> NDArray[Any] | list[int]:
    if randomness.bernoulli(keep, 1)[0]:
        return codes
    return [int(randomness.integers(size, 1)[0]) for size in sizes]


@lru_cache(maxsize=4)
def _cells(sizes: tuple[int, ...]) -> NDArray[np.int32] | None:
    """The codes of every cell, if they are few enough to look up."""
    cells = 1
    for size in sizes:
        cells *= size
    if cells * len(sizes) > _TABLE:
        return None
    grids = np.meshgrid(*(np.arange(size, dtype=np.int32) for size in sizes), indexing="ij")
    return np.ascontiguousarray(np.stack(grids, axis=-1).reshape(cells, len(sizes)))


def stay_or_move(
    codes: NDArray[np.int32], sizes: Sequence[int], low: Fraction, high: Fraction, randomness: "Randomness"
) -> NDArray[np.int32]:
    """RAN-GD: each record draws its own chance to stay, between `low` and `high`, else moves to one of the others.

    That chance takes 2^32 values, low + (high - low)(2t + 1)/2^33, all equally likely; their mean is exactly the
    middle. Given t, the record stays with probability `low`, moves with 1 - high, and between them stays if a uniform
    33-bit number is below 2t + 1.
    """
    n = len(codes)
    own = randomness.integers(1 << 32, n)
    stays = randomness.bernoulli(low, n)
    between = ~stays & randomness.bernoulli((high - low) / (1 - low) if low < 1 else Fraction(0), n)
    stays |= between & (randomness.integers(1 << 33, n) < 2 * own + 1)
    out = codes.copy()
    moving = np.flatnonzero(~stays)
    while len(moving):  # uniform among all, drawn again where it is the record itself
        for j, size in enumerate(sizes):
            out[moving, j] = randomness.integers(size, len(moving))
        moving = moving[(out[moving] == codes[moving]).all(axis=1)]
    return out


def choose(
    columns: NDArray[np.int64], laws: Sequence[Sequence[Fraction]], randomness: "Randomness"
) -> NDArray[np.int64]:
    """For each entry u of `columns` one draw from law u, given by its cumulative probabilities without the last 1."""
    words = randomness.words(len(columns))
    found = np.zeros(len(columns), dtype=np.int64)
    order = np.argsort(columns, kind="stable")
    bounds = np.searchsorted(columns[order], np.arange(len(laws) + 1))
    for u, law in enumerate(laws):
        rows = order[bounds[u] : bounds[u + 1]]
        if len(rows) == 0:
            continue
        thresholds, drawn = thresholds_of(law), words[rows]
        found[rows] = np.searchsorted(thresholds, drawn, side="right")
        ties = np.flatnonzero(np.searchsorted(thresholds, drawn, side="left") != found[rows])
        for i in rows[ties].tolist():
            found[i] = resolve(law, int(words[i]), randomness)
    return found


# -- sets of items ----------------------------------------------------------------------------------------------------


class SkipTable:
    """How many absent items are passed over before one enters, when each enters with probability `enters`."""

    def __init__(self, enters: Fraction):
        stays = 1 - enters
        size, left = 1, float(stays)
        while left > 2**-8 and size < _SKIPS:
            left *= float(stays)
            size += 1
        self.enters = enters
        self.thresholds = np.empty(size, dtype=np.uint64)
        top, bottom = 1, 1
        for k in range(size):
            top *= stays.numerator
            bottom *= stays.denominator
            # floor(2^64 (1 - x)) = 2^64 - ceil(2^64 x)
            self.thresholds[k] = _WORD + (-top * _WORD) // bottom
        starts = np.arange(1 << 14, dtype=np.uint64) << np.uint64(50)
        self.guide = np.searchsorted(self.thresholds, starts, side="left").astype(np.uint16)

    @cached_property
    def cumulative(self) -> list[Fraction]:
        """The exact law: C_k = 1 - (1 - enters)^(k + 1). Long numbers; only a tie asks for them."""
        stays = 1 - self.enters
        return [1 - stays ** (k + 1) for k in range(len(self.thresholds))]


@lru_cache(maxsize=8)
def _skips(enters: Fraction) -> SkipTable:
    return SkipTable(enters)


def flip_rows(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    n: int,
    keep: Fraction,
    enters: Fraction,
    randomness: "Randomness",
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Keep every held item with probability `keep`; every other of the n items enters with probability `enters`.

    Rows are compressed, ascending; so are those that come back. `keep` may be 1.
    """
    from confide.collect.schemes._perturb_kernels import DONE, FULL, SHORT, Rates, flip

    table = _skips(enters)
    rows = len(indptr) - 1
    longest = int(np.diff(indptr).max()) if rows else 0
    words = np.empty(max(_CHUNK, 4 * (n + longest + 2)), dtype=np.uint64)
    randomness.fill(words)
    mean = len(indices) * float(keep) + (rows * n - len(indices)) * float(enters)
    out = np.empty(int(mean + 8 * mean**0.5) + n + 64, dtype=np.int32)
    out_indptr = np.zeros(rows + 1, dtype=np.int64)
    state = np.zeros(3, dtype=np.int64)
    bound = np.uint64(0 if keep == 1 else keep.numerator * _WORD // keep.denominator)
    rates = Rates(bound, table.thresholds, table.guide)
    while True:
        status = flip(indptr, indices, n, rates, words, out_indptr, out, state)
        if status == DONE:
            return out_indptr, out[: state[2]].copy() if len(out) > 1.2 * state[2] + 1024 else out[: state[2]]
        if status == SHORT:
            _refill(words, state, randomness)
        elif status == FULL:
            out = np.concatenate([out, np.empty(len(out) // 2 + n, dtype=np.int32)])
        else:
            _finish_row(indptr, indices, n, keep, table, words, out_indptr, out, state, randomness)


def _refill(words: NDArray[np.uint64], state: NDArray[np.int64], randomness: "Randomness") -> None:
    """Move the unused words to the front and draw the rest anew: a used word is never seen again."""
    left = len(words) - int(state[1])
    words[:left] = words[state[1] :].copy()
    randomness.fill(words[left:])
    state[1] = 0


def _finish_row(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    n: int,
    keep: Fraction,
    table: SkipTable,
    words: NDArray[np.uint64],
    out_indptr: NDArray[np.int64],
    out: NDArray[np.int32],
    state: NDArray[np.int64],
    randomness: "Randomness",
) -> None:
    """One row with a tie, from the same words, in exact arithmetic."""
    row, at, end = (int(value) for value in state)
    held = indices[indptr[row] : indptr[row + 1]].tolist()
    drawn, used = flip_row(held, n, keep, table, words[at:], randomness)
    out[end : end + len(drawn)] = drawn
    state[:] = row + 1, at + used, end + len(drawn)
    out_indptr[row + 1] = state[2]


def flip_row(
    held: list[int], n: int, keep: Fraction, table: SkipTable, words: NDArray[np.uint64], randomness: "Randomness"
) -> tuple[list[int], int]:
    """One row of `flip_rows`, exactly and slowly: the items that come out, and how many words it took."""
    law = table.cumulative
    drawn: list[int] = []
    used, passed, entering, i = 0, 0, -1, 0
    absent = n - len(held)
    while entering < absent:
        skip = resolve(law, int(words[used]), randomness)
        used += 1
        if skip == len(law) and passed + skip < absent:
            passed += skip
            continue
        entering = passed + skip if skip < len(law) else absent
        passed = entering + 1
        while i < len(held) and (entering >= absent or held[i] <= entering + i):
            if keep == 1 or resolve([keep], int(words[used]), randomness) == 0:
                drawn.append(held[i])
            used += keep != 1
            i += 1
        if entering < absent:
            drawn.append(entering + i)
    return drawn, used


def cut_rows(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], most: int, randomness: "Randomness"
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Cut-and-Paste's cut: j uniform on 0..most, and min(j, length) entries of each row, every choice as likely."""
    from confide.collect.schemes._perturb_kernels import cut

    lengths = np.diff(indptr)
    wanted = np.minimum(randomness.integers(most + 1, len(lengths)), lengths)
    out_indptr = np.zeros(len(indptr), dtype=np.int64)
    np.cumsum(wanted, out=out_indptr[1:])
    out = np.empty(int(out_indptr[-1]), dtype=np.int32)
    words = np.empty(len(indices), dtype=np.uint32)
    randomness.fill(words)
    pending = np.empty(len(lengths), dtype=np.int64)
    count = cut(indptr, indices, out_indptr, words, out, pending)
    for i in pending[:count].tolist():  # a refused word: the row is chosen again from the start
        row = indices[indptr[i] : indptr[i + 1]]
        chosen = np.sort(randomness.permutation(len(row))[: wanted[i]])
        out[out_indptr[i] : out_indptr[i + 1]] = row[chosen]
    return out_indptr, out
