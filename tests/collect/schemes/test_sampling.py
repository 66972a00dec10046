"""The exact draws: kernels against their slow twin word for word, ties, refusals, seeds, cost."""

import itertools
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from confide import Randomness, Transactions
from confide.collect import CutAndPaste, Emask, GammaDiagonal, Mask, MatrixScheme
from confide.collect.schemes.sampling import (
    SkipTable,
    choose,
    cut_rows,
    flip_row,
    flip_rows,
    keep_or_uniform,
    resolve,
    thresholds_of,
)

WORD = 1 << 64


class Scripted(Randomness):
    """A stream that begins with given 64-bit words and goes on seeded: to meet what happens once in 2^64 draws."""

    def __init__(self, *words, seed=1):
        super().__init__(seed)
        self.script = np.array(words, dtype=np.uint64).tobytes()
        self.given = 0

    def fill(self, buffer):
        view = buffer.reshape(-1).view(np.uint8)
        part = self.script[self.given : self.given + len(view)]
        view[: len(part)] = np.frombuffer(part, dtype=np.uint8)
        self.given += len(part)
        if len(part) < len(view):
            rest = np.empty(len(view) - len(part), dtype=np.uint8)
            super().fill(rest)
            view[len(part) :] = rest


# -- resolve ----------------------------------------------------------------------------------------------------------


@given(
    st.lists(st.fractions(0, 1), min_size=1, max_size=5).map(sorted),
    st.lists(st.integers(0, WORD - 1), min_size=6, max_size=6),
)
def test_resolve_counts_what_lies_at_or_below_u(cumulative, words):
    """U to 384 bits, which settles every case drawn here, against the words one at a time."""
    found = resolve(cumulative, words[0], Scripted(*words[1:]))
    u = sum(Fraction(word, WORD ** (i + 1)) for i, word in enumerate(words))
    assert found == sum(c <= u for c in cumulative)


def test_a_tie_is_settled_by_the_next_word():
    third = [Fraction(1, 3)]
    tied = int(thresholds_of(third)[0])
    rest = (Fraction(1, 3) * WORD - tied) * WORD  # of 1/3, beyond its first 64 bits
    assert resolve(third, tied, Scripted(int(rest) - 1)) == 0
    assert resolve(third, tied, Scripted(int(rest) + 1)) == 1
    assert resolve(third, tied - 1, Scripted()) == 0
    assert resolve(third, tied + 1, Scripted()) == 1


def test_what_words_can_express_never_ties():
    source = Scripted(0)
    assert resolve([Fraction(1, 4)], WORD // 4, source) == 1
    assert source.given == 0


# -- skips ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("enters", [Fraction(1, 2), Fraction(42, 10_000), Fraction(1, 10**9), Fraction(999, 1000)])
def test_thresholds_of_skips_are_the_geometric_law_rounded_down(enters):
    table = SkipTable(enters)
    assert table.thresholds.tolist() == thresholds_of(table.cumulative).tolist()
    assert table.cumulative[:2] == [enters, enters + (1 - enters) * enters][: len(table.thresholds)]
    words = np.concatenate([table.thresholds, table.thresholds - np.uint64(1), Randomness.seeded(1).words(1000)])
    below = np.searchsorted(table.thresholds, words, side="right")
    assert np.all(table.guide[words >> np.uint64(50)] <= below)  # looking begins early enough


TABLES = [SkipTable(Fraction(*chance)) for chance in ((1, 2), (3, 100), (99, 100), (1, 512), (1, 7))]


@st.composite
def databases(draw):
    n = draw(st.integers(1, 40))
    rows = draw(st.lists(st.sets(st.integers(0, n - 1)).map(sorted), max_size=12))
    return n, rows


@settings(max_examples=150)
@given(
    databases(),
    st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(535, 1000), Fraction(1, 1000)]),
    st.sampled_from(TABLES),
    st.integers(0, 1000),
)
def test_the_kernel_does_what_its_slow_twin_does_word_for_word(database, keep, table, seed):
    n, rows = database
    indptr = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    indices = np.array(list(itertools.chain(*rows)), dtype=np.int32)
    out_indptr, out = flip_rows(indptr, indices, n, keep, table.enters, Randomness.seeded(seed))
    words = Randomness.seeded(seed).words(5000)
    at = 0
    for i, held in enumerate(rows):
        drawn, used = flip_row(held, n, keep, table, words[at:], Randomness.seeded(0))
        at += used
        assert out[out_indptr[i] : out_indptr[i + 1]].tolist() == drawn
    assert out_indptr[-1] == len(out)


@pytest.mark.parametrize("beyond", [0, 1])
def test_a_tied_skip_is_settled_exactly(beyond):
    """Row 2 of three meets a word equal to a threshold; the word after all others settles it."""
    enters = Fraction(1, 7)
    table = SkipTable(enters)
    k = 3
    tie = int(table.thresholds[k])
    rest = int((table.cumulative[k] * WORD - tie) * WORD)
    far = WORD - 1  # a skip beyond the table, hence beyond the universe of 6
    source = Scripted(far, tie, far, far)
    # the buffer of words is drawn first; the settling word is the next one the stream gives
    first = flip_rows(*_rows([[], [], []]), 6, Fraction(1), enters, source)
    settled = _settling_word(source, 4, beyond=rest + beyond)
    again = flip_rows(*_rows([[], [], []]), 6, Fraction(1), enters, settled)
    expected = [[], [3] if beyond == 0 else [4], []]
    assert [again[1][a:b].tolist() for a, b in itertools.pairwise(again[0])] == expected
    assert first[0][-1] == 1


def _rows(rows):
    return np.cumsum([0, *map(len, rows)]).astype(np.int64), np.array([*itertools.chain(*rows)], dtype=np.int32)


def _settling_word(source, scripted, *, beyond):
    """The same script, followed by filler for the first buffer and then by the word that settles the tie."""
    buffer = 1 << 15
    words = np.frombuffer(source.script, dtype=np.uint64).tolist()
    return Scripted(*words, *[WORD - 1] * (buffer - scripted), beyond)


@pytest.mark.parametrize("beyond", [-1, 1])
def test_a_tied_keep_is_settled_exactly(beyond):
    keep = Fraction(1, 3)
    tie = int(thresholds_of([keep])[0])
    rest = int((keep * WORD - tie) * WORD)
    script = Scripted(WORD - 1, tie, seed=2)
    source = _settling_word(script, 2, beyond=rest + beyond)
    indptr, drawn = flip_rows(*_rows([[2]]), 5, keep, Fraction(1, 2), source)
    assert drawn.tolist() == ([2] if beyond < 0 else [])
    assert indptr.tolist() == [0, len(drawn)]


def test_words_and_room_are_topped_up_within_a_long_batch():
    """More words and more output than the first buffers hold: nothing is lost, nothing used twice."""
    rows = 3000
    indptr, indices = np.arange(0, 2 * rows + 1, 2, dtype=np.int64), np.tile(np.array([5, 90], np.int32), rows)
    out_indptr, out = flip_rows(indptr, indices, 100, Fraction(1), Fraction(1, 2), Randomness.seeded(3))
    words = Randomness.seeded(3).words(400_000)
    at = 0
    for i in (0, 1):
        drawn, used = flip_row([5, 90], 100, Fraction(1), SkipTable(Fraction(1, 2)), words[at:], Randomness.seeded(0))
        at += used
        assert out[out_indptr[i] : out_indptr[i + 1]].tolist() == drawn
    lengths = np.diff(out_indptr)
    assert abs(lengths.mean() - 51) < 6 * np.sqrt(98 / 4 / rows)
    assert len({out[a:b].tobytes() for a, b in itertools.pairwise(out_indptr)}) == rows  # 2^98 sets: no repeats


def test_room_that_proves_too_small_grows():
    """Every word 0 lets every item enter: far more than expected."""

    class Zeros(Randomness):
        def fill(self, buffer):
            buffer[...] = 0

    indptr, out = flip_rows(*_rows([[] for _ in range(300)]), 50, Fraction(1), Fraction(1, 100), Zeros(1))
    assert np.diff(indptr).tolist() == [50] * 300
    assert out.tolist() == list(range(50)) * 300


# -- cutting ----------------------------------------------------------------------------------------------------------


def test_a_cut_row_with_a_refused_word_is_chosen_again():
    """Of three entries a low half of 0 must be refused (2^32 mod 3 = 1); such a row is finished by other means."""

    class Refusing(Randomness):
        def fill(self, buffer):
            super().fill(buffer)
            if buffer.dtype == np.uint32 and len(buffer) == 6000:
                buffer[::6] = 0

    indptr, indices = np.arange(0, 6001, 3, dtype=np.int64), np.tile(np.arange(3, dtype=np.int32), 2000)
    out_indptr, out = cut_rows(indptr, indices, 2, Refusing(4))
    kept = np.diff(out_indptr)
    assert set(kept.tolist()) == {0, 1, 2}
    ones = out[out_indptr[:-1][kept == 1]]
    assert np.all(np.abs(np.bincount(ones, minlength=3) - len(ones) / 3) < 6 * np.sqrt(len(ones) * 2 / 9))
    for a, b in itertools.pairwise(out_indptr):
        assert np.all(np.diff(out[a:b]) > 0)


# -- records ----------------------------------------------------------------------------------------------------------


def test_a_tied_record_is_settled_by_further_bits():
    keep = Fraction(1, 3)
    high = int(keep * (1 << 32))
    codes = np.ones((1, 2), dtype=np.int32)
    word = high << 32 | 1  # the low half picks cell 0 and is not refused
    assert keep_or_uniform(codes, [2, 2], keep, Scripted(word, 0)).tolist() == [[1, 1]]  # further bits 0: below
    assert keep_or_uniform(codes, [2, 2], keep, Scripted(word, WORD - 1)).tolist() == [[0, 0]]
    assert keep_or_uniform(codes, [2, 2], keep, Scripted((high - 1) << 32 | 1)).tolist() == [[1, 1]]
    assert keep_or_uniform(codes, [2, 2], keep, Scripted((high + 1) << 32 | 1)).tolist() == [[0, 0]]


def test_a_refused_record_is_drawn_anew():
    codes = np.ones((1, 1), dtype=np.int32)
    for source, expected in ((Scripted(0, 0), 1), (Scripted(0, WORD - 1, WORD - 1), 2)):
        # of 3 cells, a low half of 0 is refused; then U = 0 keeps, and U near 1 draws the last cell
        assert keep_or_uniform(codes, [3], Fraction(1, 10), source).tolist() == [[expected]]


def test_choose_settles_ties():
    law = [[Fraction(1, 3), Fraction(2, 3)]]
    tie = int(thresholds_of(law[0])[1])
    rest = int((Fraction(2, 3) * WORD - tie) * WORD)
    for beyond, expected in ((-1, 1), (1, 2)):
        source = Scripted(tie, 0, rest + beyond)
        assert choose(np.zeros(2, dtype=np.int64), law, source).tolist() == [expected, 0]


# -- every scheme -----------------------------------------------------------------------------------------------------

ITEMS = Transactions.from_lists([["a", "b"], ["c"], [], ["a", "c", "d"]] * 50)
CODES = np.random.default_rng(1).integers(0, 2, (200, 3)).astype(np.int32)
THIRD = [[0.75, 0.3], [0.25, 0.7]]
CASES = [
    (Mask(p=0.8), ITEMS),
    (Emask(p=0.6, q=0.9), ITEMS),
    (CutAndPaste(K=2, rho=0.3), ITEMS),
    (GammaDiagonal(domains=[2, 2, 2], gamma=5), CODES),
    (GammaDiagonal(domains=[2, 2, 2], gamma=5, alpha=0.5), CODES),
    (MatrixScheme(domains=[2, 2, 2], matrices=[THIRD] * 3), CODES),
    (Mask(p=0.8, fields=[2, 2, 2]), CODES),
]
cases = pytest.mark.parametrize(("scheme", "records"), CASES, ids=lambda x: getattr(x, "kind", ""))


def plain(records):
    return list(records) if isinstance(records, Transactions) else records.tolist()


@cases
def test_the_same_seed_gives_the_same_records(scheme, records):
    first, again, other = (plain(scheme.perturb(records, randomness=Randomness.seeded(s))) for s in (1, 1, 2))
    assert first == again
    assert first != other


@cases
def test_the_system_never_repeats_itself(scheme, records):
    assert plain(scheme.perturb(records)) != plain(scheme.perturb(records))


@cases
def test_no_records_give_no_records(scheme, records):
    none = Transactions.from_lists([]) if isinstance(records, Transactions) else records[:0]
    if isinstance(records, Transactions):
        none = Transactions(np.zeros(1, np.int64), np.zeros(0, np.int32), records.labels)
    assert len(scheme.perturb(none)) == 0


def test_memory_follows_the_output_not_the_universe():
    """A million records over 100,000 items: the boolean matrix would take 100 GB, what leaves takes 12 MB."""
    records, n = 1_000_000, 100_000
    held = np.random.default_rng(2).integers(0, n, records).astype(np.int32)
    tx = Transactions(np.arange(records + 1, dtype=np.int64), held, tuple(sorted(map(str, range(n)), key=int)))
    scheme = Emask(p=0.5, q=0.99998)
    scheme.perturb(tx.take(np.arange(10)))
    tracemalloc.start()
    drawn = scheme.perturb(tx, randomness=Randomness.seeded(5))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert abs(len(drawn.indices) - 2_500_000) < 20_000
    assert peak < 60_000_000
