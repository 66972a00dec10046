"""Answers that support values: their chances, their gamma, their draws."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from tests.amounts import some
from tests.oracles import answering as oracle
from tests.oracles.perturbing import assert_follows, gamma

from confide import Randomness
from confide.collect.answers.answer_laws import Hashing, Kary, SubsetLaw, Unary, is_prime, read_law
from confide.core.errors import InputError, RequirementError

GAMMAS = (Fraction(3, 2), Fraction(19), Fraction("2.718281828459045"))


def every_law(g):
    """Every law over every small domain."""
    for size in range(2, 6):
        yield Kary(size=size, gamma=g)
        yield Unary(size=size, gamma=g)
        yield Unary(size=size, gamma=g, symmetric=True)
        yield from (SubsetLaw(size=size, gamma=g, chosen=w) for w in range(1, size))
    yield from (Hashing(size=3, gamma=g, buckets=n, prime=p) for n in (2, 3, 5) for p in (3, 5, 7))


LAWS = [law for g in GAMMAS for law in every_law(g)]


@pytest.mark.parametrize("law", some(LAWS, every=3), ids=str)
def test_gamma_p_and_q_are_what_enumeration_finds(law):
    laws = [oracle.answer_law(law, u) for u in range(law.size)]
    assert all(sum(one.values()) == 1 for one in laws)
    assert gamma(laws) == law.attained <= law.gamma
    for u in range(law.size):
        for v in range(law.size):
            assert oracle.pair_chances(law, u, v, v) == (law.p if u == v else law.q)


@pytest.mark.parametrize("law", some(LAWS, every=3, first=1), ids=str)
def test_pairs_of_values_are_supported_together_as_said(law):
    if law.size < 3:
        return
    own, other = law.support_pairs()
    assert float(oracle.pair_chances(law, 0, 0, 1)) == pytest.approx(own, abs=1e-12)
    if law.kind != "hashing":  # whose functions are independent for two values only
        assert float(oracle.pair_chances(law, 0, 1, 2)) == pytest.approx(other, abs=1e-12)


@pytest.mark.parametrize("law", some([law for law in LAWS if law.size == 3], every=2), ids=str)
def test_draws_follow_the_law(law):  # false-alarm rate one in a million for each
    n = 60_000 if law.kind != "hashing" else 200_000
    indptr, codes = law.draw(np.full(n, 1, dtype=np.int64), Randomness.seeded(3))
    law.check_answers(indptr, codes)
    rows = [tuple(codes[a:b].tolist()) for a, b in itertools.pairwise(indptr)]
    assert_follows(rows, oracle.answer_law(law, 1))
    numbers = law.number_answers(indptr, codes)
    assert numbers.min() >= 0
    assert numbers.max() < law.answers
    for i in range(50):
        assert tuple(law.numbered_answer(int(numbers[i]))) == rows[i]
    counted = law.count_supports(indptr, codes)
    assert counted.tolist() == [sum(oracle.supports(law, row, v) for row in rows) for v in range(3)]


def test_the_root_of_gamma_is_rounded_down_so_that_gamma_is_kept():
    law = Unary(size=4, gamma=Fraction(19), symmetric=True)
    assert law.root == Fraction(4358898943, 10**9)
    assert law.attained < 19


def test_moments_give_the_textbook_variances():
    g = Fraction(19)
    assert Unary(size=100, gamma=g).moments.variance(1, 0) == pytest.approx(4 * 19 / 18**2)  # Wang et al. 2017
    p, q = 19 / 28, 1 / 28
    assert Kary(size=10, gamma=g).moments.variance(1, 0) == pytest.approx(q * (1 - q) / (p - q) ** 2)
    hashing = Hashing(size=100, gamma=g, buckets=20)
    assert hashing.moments.variance(1, 0) == pytest.approx(4 * 19 / 18**2, rel=0.01)


@pytest.mark.parametrize(
    ("law", "codes", "message"),
    [
        (Kary(size=4, gamma=Fraction(2)), [4], "outside 0..3"),
        (Kary(size=4, gamma=Fraction(2)), [1, 2], "another length than 1"),
        (Unary(size=4, gamma=Fraction(2)), [2, 1], "must rise"),
        (Unary(size=4, gamma=Fraction(2)), [1, 1], "must rise"),
        (SubsetLaw(size=4, gamma=Fraction(2), chosen=2), [1], "another length than 2"),
        (Hashing(size=4, gamma=Fraction(2), buckets=3), [0, 1, 1], "outside"),
        (Hashing(size=4, gamma=Fraction(2), buckets=3), [1, 1, 3], "outside 0..2"),
    ],
)
def test_an_answer_that_no_device_can_give_is_refused(law, codes, message):
    with pytest.raises(InputError, match=message):
        law.check_one(codes)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SubsetLaw(size=4, gamma=Fraction(2), chosen=4), "chosen=4 of 4 values"),
        (lambda: Hashing(size=4, gamma=Fraction(2), buckets=1), "buckets=1"),
        (lambda: Hashing(size=4, gamma=Fraction(2), buckets=2, prime=9), "prime=9"),
        (lambda: Unary(size=4, gamma=Fraction("1.0000000001"), symmetric=True), "use 1.00000001"),
    ],
)
def test_bad_parameters_get_one_line(make, message):
    with pytest.raises(RequirementError, match=message):
        make()


def test_a_law_is_read_back_from_its_entries():
    for law in LAWS[:20]:
        assert read_law(law.kind, law.parameters(), size=law.size, gamma=law.gamma) == law
    with pytest.raises(InputError, match="unknown law"):
        read_law("identity", {}, size=3, gamma=Fraction(2))
    with pytest.raises(InputError, match="has the entries: chosen"):
        read_law("subset-selection", {}, size=3, gamma=Fraction(2))


def test_primes_are_known():
    assert [n for n in range(20) if is_prime(n)] == [2, 3, 5, 7, 11, 13, 17, 19]
    assert is_prime(2**31 - 1)
    assert not is_prime(2**31 - 3)
    assert not is_prime(True)
    assert not is_prime(math.pi)
