"""Cut-and-Paste: Eq. 4.12 and gamma against enumeration of the operator itself (erratum 8)."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import perturbing as oracle

from confide import Randomness, Transactions
from confide.collect import CutAndPaste, Fields
from confide.core.errors import RequirementError, UsageError

rhos = st.integers(1, 19).map(lambda i: i / 20)


def exact(value):
    return Fraction(repr(value))


@settings(max_examples=30)
@given(st.integers(1, 6), rhos, st.integers(1, 5), st.integers(1, 5))
def test_gamma_is_what_enumeration_finds(most, rho, n, longest):
    """Short records, records as long as the universe, more items kept than a record has: all of it."""
    longest = min(longest, n)
    laws = [oracle.cut_and_paste(u, n, most, exact(rho)) for u in oracle.subsets(n, longest)]
    scheme = CutAndPaste(K=most, rho=rho, items=tuple("abcde")[:n], max_length=longest)
    assert scheme.amplification().gamma == pytest.approx(float(oracle.gamma(laws)), rel=1e-12)


@settings(max_examples=20)
@given(st.integers(1, 4), rhos, st.lists(st.integers(2, 3), min_size=1, max_size=2))
def test_gamma_of_boolean_columns_is_what_enumeration_finds(most, rho, sizes):
    laws = [oracle.cut_and_paste(u, sum(sizes), most, exact(rho)) for u in oracle.one_of_each(sizes)]
    scheme = CutAndPaste(K=most, rho=rho, fields=Fields.of(sizes))
    assert scheme.amplification().gamma == pytest.approx(float(oracle.gamma(laws)), rel=1e-12)


def test_the_paper_s_setting_gives_15_4_and_gamma_19_needs_a_smaller_rho():  # section 4.6, erratum 8
    for scheme in (CutAndPaste(K=3, rho=0.494), CutAndPaste(K=3, rho=0.494, fields=Fields.of([4, 5, 5, 5, 2, 2]))):
        assert round(scheme.amplification().gamma, 1) == 15.4
    assert CutAndPaste(K=3, rho=0.4514).amplification().gamma <= 19 < CutAndPaste(K=3, rho=0.4513).amplification().gamma


def test_short_records_give_away_less():
    gammas = [CutAndPaste(K=3, rho=0.494).amplification(max_length=m).gamma for m in (1, 2, 3, 10)]
    assert gammas[0] < gammas[1] < gammas[2] == gammas[3]


# -- the law ----------------------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(st.integers(1, 5), rhos, st.integers(0, 4), st.integers(0, 4))
def test_a_chance_depends_on_length_and_overlap_alone(most, rho, m, n):
    """P(v | u) = rho^|v| (1-rho)^(n-|v|) g(m, k), as the module says."""
    n = max(m, n)
    scheme, p = CutAndPaste(K=most, rho=rho), exact(rho)
    u = frozenset(range(m))
    for v, chance in oracle.cut_and_paste(u, n, most, p).items():
        assert chance == p ** len(v) * (1 - p) ** (n - len(v)) * scheme.weight(m, len(u & v))


@settings(max_examples=20)
@given(st.integers(1, 4), rhos, st.integers(1, 3), st.integers(1, 4))
def test_equation_4_12_is_what_enumeration_finds(most, rho, m, length):
    """Over all truths of m items, and an itemset of the first `length` of them, exactly."""
    n = 5
    laws = {u: oracle.cut_and_paste(u, n, most, exact(rho)) for u in oracle.subsets(n) if len(u) == m}
    found = CutAndPaste(K=most, rho=rho).partial_supports(length, m)
    for (after, before), chance in oracle.partial_supports(laws, frozenset(range(length))).items():
        assert found[after][before] == chance


@given(st.integers(1, 6), rhos, st.integers(0, 6))
def test_p_m_z_adds_up_to_one(most, rho, m):
    assert sum(CutAndPaste(K=most, rho=rho).stays(m)) == 1


def test_the_matrix_loses_rank_beyond_k():  # erratum 8
    scheme = CutAndPaste(K=3, rho=0.494, fields=Fields.of([4, 5, 5, 5, 2, 2]))
    for length in range(1, 7):
        matrix = scheme.matrix(length)
        assert matrix.shape == (length + 1, length + 1)
        assert np.allclose(matrix.sum(axis=0), 1)
        assert np.linalg.matrix_rank(matrix, tol=1e-9) == min(length, 3) + 1
    numbers = [scheme.condition_number(length) for length in range(1, 7)]
    assert numbers[0] < numbers[1] < numbers[2]
    assert numbers[3:] == [math.inf] * 3
    assert numbers[2] == pytest.approx(np.linalg.cond(scheme.matrix(3)))


def test_a_matrix_needs_the_length_of_records():
    with pytest.raises(UsageError, match="record_length"):
        CutAndPaste(K=3, rho=0.4).matrix(2)
    with pytest.raises(UsageError, match="1 to 2"):
        CutAndPaste(K=3, rho=0.4).matrix(3, record_length=2)


# -- draws ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("most", "rho"), [(1, 0.3), (3, 0.494), (6, 0.7)])
@pytest.mark.parametrize("truth", ["", "c", "bd", "abcd"])
def test_a_batch_follows_the_law(most, rho, truth):  # false-alarm rate one in a million for each
    scheme = CutAndPaste(K=most, rho=rho, items=tuple("abcd"))
    rows = Transactions.from_lists([list("abcd"), *[list(truth)] * 30_000])
    drawn = scheme.perturb(rows, randomness=Randomness.seeded(1))
    law = oracle.cut_and_paste(frozenset(map("abcd".index, truth)), 4, most, exact(rho))
    oracle.assert_follows((frozenset(map("abcd".index, row)) for row in itertools.islice(drawn, 1, None)), law)


def test_one_by_one_follows_the_law_of_the_batch():  # false-alarm rate one in a million
    scheme = CutAndPaste(K=2, rho=0.4, items=tuple("abcd"))
    randomness = Randomness.seeded(2)
    drawn = (scheme.perturb(["a", "b", "d"], randomness=randomness) for _ in range(6000))
    law = oracle.cut_and_paste(frozenset({0, 1, 3}), 4, 2, Fraction(2, 5))
    oracle.assert_follows((frozenset(map("abcd".index, row)) for row in drawn), law)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CutAndPaste(K=0, rho=0.4), "keep nothing"),
        (lambda: CutAndPaste(K=2.0, rho=0.4), "whole number"),
        (lambda: CutAndPaste(K=True, rho=0.4), "whole number"),
        (lambda: CutAndPaste(K=2, rho=0), "strictly between 0 and 1"),
        (lambda: CutAndPaste(K=2, rho=1.5), "strictly between 0 and 1"),
    ],
)
def test_bad_parameters_get_one_line(make, message):
    with pytest.raises(RequirementError, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)
