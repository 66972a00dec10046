"""MASK and EMASK: their law, their gamma by enumeration, the numbers of the paper."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import perturbing as oracle

from confide import Randomness, Transactions
from confide.collect import Emask, Fields, Mask
from confide.core.errors import InputError, RequirementError, UsageError

LABELS = ("a", "b", "c", "d")
chances = st.integers(1, 19).map(lambda i: i / 20)


def exact(value):
    return Fraction(repr(value))


# -- gamma ------------------------------------------------------------------------------------------------------------


@given(chances, chances, st.integers(1, 5), st.integers(1, 5))
def test_gamma_is_what_enumeration_finds(p, q, n, longest):
    if p + q == 1 or longest > n:
        return
    scheme = Emask(p=p, q=q, items=tuple("abcde")[:n], max_length=longest)
    laws = [oracle.flipping(u, n, exact(p), exact(q)) for u in oracle.subsets(n, longest)]
    assert scheme.amplification().gamma == pytest.approx(float(oracle.gamma(laws)), rel=1e-12)


@given(chances, st.lists(st.integers(2, 3), min_size=1, max_size=2))
def test_gamma_of_boolean_columns_is_what_enumeration_finds(p, sizes):
    if p == 0.5:
        return
    n = sum(sizes)
    laws = [oracle.flipping(u, n, exact(p), exact(p)) for u in oracle.one_of_each(sizes)]
    found = Mask(p=p, fields=Fields.of(sizes)).amplification()
    assert found.gamma == pytest.approx(float(oracle.gamma(laws)), rel=1e-12)
    assert found.max_length == len(sizes)


@pytest.mark.parametrize(("fields", "p"), [(6, 0.5610), (7, 0.5524)])
def test_the_paper_s_settings_for_gamma_19(fields, p):  # section 4.6: p of MASK for six and seven attributes
    def gamma(p):
        return Mask(p=p, fields=Fields.of([2] * fields)).amplification().gamma

    assert gamma(p) == pytest.approx((p / (1 - p)) ** (2 * fields))
    assert gamma(p - 0.00005) <= 19 <= gamma(p + 0.00005)  # the printed p is rounded; 0.5524 gives 19.01


@pytest.mark.parametrize(("p", "q", "swapped"), [(0.5051, 0.9696, 33), (0.5673, 0.9877, 105), (0.5350, 0.9958, 273)])
def test_table_3_1_swaps_one_item(p, q, swapped):  # erratum 9
    assert round(Emask(p=p, q=q).amplification(max_length=1).per_item) == swapped


def test_gamma_beyond_all_numbers_is_infinite_and_epsilon_is_not():
    found = Emask(p=0.5350, q=0.9958).amplification(max_length=161)
    assert found.gamma == math.inf
    assert found.epsilon == pytest.approx(161 * math.log(found.per_item))


def test_gamma_without_a_longest_record_is_that_of_the_universe():
    assert Mask(p=0.9, items=("a", "b", "c")).amplification().gamma == pytest.approx(9**3)
    with pytest.raises(UsageError, match="give max_length"):
        Mask(p=0.9).amplification()


# -- matrices ---------------------------------------------------------------------------------------------------------


@settings(max_examples=20)
@given(chances, chances, st.integers(1, 4))
def test_the_matrix_is_the_law(p, q, length):
    if p + q == 1:
        return
    matrix = Emask(p=p, q=q).matrix(length)
    for u, v in itertools.product(range(1 << length), repeat=2):
        sets = [frozenset(i for i in range(length) if pattern >> (length - 1 - i) & 1) for pattern in (u, v)]
        law = oracle.flipping(sets[0], length, exact(p), exact(q))
        assert matrix[v, u] == pytest.approx(float(law.get(sets[1], 0)))


@given(chances, chances, st.integers(1, 4))
def test_the_condition_number_is_that_of_the_matrix(p, q, length):
    if p + q == 1:
        return
    scheme = Emask(p=p, q=q)
    assert scheme.condition_number(length) == pytest.approx(np.linalg.cond(scheme.matrix(length)), rel=1e-6)


def test_mask_s_condition_number_passes_ten_to_the_fifth_on_six_items():  # section 4.2
    assert Mask(p=0.561).condition_number(6) == pytest.approx(0.122**-6)
    assert 1e5 < Mask(p=0.561).condition_number(6) < 1e6


def test_matrices_too_large_to_write_out_are_refused():
    with pytest.raises(UsageError, match="1 to 12"):
        Mask(p=0.9).matrix(13)


# -- draws ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", [Mask(p=0.7), Emask(p=0.6, q=0.85), Emask(p=0.2, q=0.3)], ids=repr)
@pytest.mark.parametrize("truth", ["", "c", "abcd", "bd"])
def test_a_batch_follows_the_law(scheme, truth):  # false-alarm rate one in a million for each
    bound = scheme.for_items(LABELS)
    rows = Transactions.from_lists([list("abcd"), *[list(truth)] * 40_000])
    drawn = bound.perturb(rows, randomness=Randomness.seeded(1))
    assert len(drawn) == len(rows)
    law = oracle.flipping(frozenset(map("abcd".index, truth)), 4, *bound.keeps())
    oracle.assert_follows((frozenset(map("abcd".index, row)) for row in itertools.islice(drawn, 1, None)), law)


def test_one_by_one_follows_the_law_of_the_batch():  # false-alarm rate one in a million
    scheme = Emask(p=0.6, q=0.7, items=LABELS)
    randomness = Randomness.seeded(2)
    drawn = (scheme.perturb(["a", "c"], randomness=randomness) for _ in range(6000))
    law = oracle.flipping(frozenset({0, 2}), 4, Fraction(3, 5), Fraction(7, 10))
    oracle.assert_follows((frozenset(map("abcd".index, row)) for row in drawn), law)


def test_boolean_columns_follow_the_law():  # false-alarm rate one in a million
    fields = Fields.of({"x": ["p", "q"], "y": ["r", "s"]})
    scheme = Mask(p=0.6, fields=fields)
    drawn = scheme.perturb([{"x": "q", "y": "r"}] * 40_000, randomness=Randomness.seeded(3))
    assert drawn.items == fields.columns
    law = oracle.flipping(frozenset({1, 2}), 4, Fraction(3, 5), Fraction(3, 5))
    oracle.assert_follows((frozenset(map(fields.columns.index, row)) for row in drawn), law)


def test_a_long_universe_gets_the_right_number_of_items_everywhere():
    """Each item's count is binomial; none of 2,000 strays further than 6 standard deviations (rate 4 in a million)."""
    n, records = 2000, 20_000
    held = Transactions.from_lists([["7", "1999"]] * records)
    scheme = Emask(p=0.25, q=0.99).for_items([str(i) for i in range(n)])
    counts = scheme.perturb(held, randomness=Randomness.seeded(4)).supports().astype(float)
    mean = np.full(n, 0.01 * records)
    mean[[7, 1999]] = 0.25 * records
    spread = np.sqrt(mean * (1 - mean / records))
    assert np.all(np.abs(counts - mean) < 6 * spread)
    assert abs(counts.sum() - mean.sum()) < 5 * np.sqrt((spread**2).sum())


def test_a_matrix_of_zeros_and_ones_comes_back_as_one():
    given = np.array([[1, 0, 1], [0, 0, 0]], dtype=np.int8)
    drawn = Mask(p=0.9, items=("x", "y", "z")).perturb(given, randomness=Randomness.seeded(5))
    assert drawn.dtype == np.int8
    assert drawn.shape == (2, 3)
    assert set(np.unique(drawn)) <= {0, 1}
    assert Mask(p=0.9).perturb(given[0], randomness=Randomness.seeded(5)).shape == (3,)
    with pytest.raises(InputError, match="records, line 2: a cell is neither 0 nor 1"):
        Mask(p=0.9).perturb(np.array([[0, 1], [2, 0]]))
    with pytest.raises(InputError, match="neither 0 nor 1"):
        Mask(p=0.9, items=("x", "y")).perturb({"x": 1, "y": 2})
    assert set(Mask(p=0.9, items=("x", "y")).perturb({"x": 1, "y": 0})) == {"x", "y"}


def test_the_universe_keeps_its_own_order():
    """Wire positions are those of the scheme, whatever order labels have in transactions."""
    scheme = Mask(p=0.999999999, items=("z", "10", "a", "9"))
    rows = [["9", "z"], ["10"], [], ["a", "z", "9", "10"]]
    assert list(scheme.perturb(Transactions.from_lists(rows))) == [["9", "z"], ["10"], [], ["9", "10", "a", "z"]]
    assert scheme.encode(["9", "z"]) == [0, 3]
    assert scheme.perturb(["9", "z"]) == ["z", "9"]
    assert scheme.perturb([["9", "z"], ["10"]]) == [["9", "z"], ["10"]]


# -- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Emask(p=0.3, q=0.7), r"p \+ q = 1 \(p=0.3, q=0.7\) erases the data"),
        (lambda: Emask(p=0.1, q=0.9), "erases"),  # 0.1 + 0.9 as decimals, whatever binary makes of it
        (lambda: Mask(p=0.5), "erases"),
        (lambda: Mask(p=1), "strictly between 0 and 1"),
        (lambda: Mask(p=True), "strictly between 0 and 1"),
        (lambda: Emask(p=0.5, q=1.0), "strictly between 0 and 1"),
        (lambda: Mask(p=float("nan")), "strictly between 0 and 1"),
        (lambda: Mask(p=0.9, items=()), "no items"),
        (lambda: Mask(p=0.9, items=("a", "a")), "same label"),
        (lambda: Mask(p=0.9, items="abc"), "not one text"),
        (lambda: Mask(p=0.9, items=("a",), fields=[2]), "not both"),
        (lambda: Mask(p=0.9, items=("a",), max_length=2), "longer than the universe"),
        (lambda: Mask(p=0.9, max_length=0), "1 or more"),
        (lambda: Mask(p=0.9, fields=[2, 2], max_length=1), "every record holds 2"),
        (lambda: Mask(p=0.9, fields={"a": ["b=c", "d"], "a=b": ["c", "d"]}), "read the same"),
    ],
)
def test_bad_parameters_get_one_line(make, message):
    with pytest.raises(RequirementError, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.perturb(["e"]), "not in the scheme's universe"),
        (lambda s: s.perturb(Transactions.from_lists([["a"], ["b", "e"]])), "records, line 2: an item is not in"),
        (lambda s: s.perturb(["a", "b", "c"]), "longer than max_length=2"),
        (lambda s: s.perturb(Transactions.from_lists([["a"], list("abc")])), "records, line 2: a record is longer"),
        (lambda s: s.perturb("abc"), "list of items"),
        (lambda s: s.perturb([["a"], 3]), "not list"),
        (lambda s: s.perturb(np.zeros((2, 3))), "4 columns"),
    ],
)
def test_bad_records_get_one_line(call, message):
    with pytest.raises(InputError, match=message) as caught:
        call(Mask(p=0.9, items=LABELS, max_length=2))
    assert "\n" not in str(caught.value)


def test_one_record_needs_a_universe():
    with pytest.raises(UsageError, match="for_items"):
        Mask(p=0.9).perturb(["a"])
