"""The gamma-diagonal scheme: its matrix, its two samplers, RAN-GD, the numbers of the paper."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import perturbing as oracle

from confide import Randomness
from confide.collect import Bins, GammaDiagonal
from confide.core.errors import InputError, RequirementError

CENSUS = (4, 5, 5, 5, 2, 2)  # Table 4.1
HEALTH = (5, 5, 5, 3, 2, 2, 5)  # Table 4.2
sizes = st.lists(st.integers(2, 4), min_size=1, max_size=3)
gammas = st.one_of(st.integers(2, 100), st.integers(11, 1000).map(lambda i: i / 10))


def exact(value):
    return Fraction(repr(value))


# -- the law ----------------------------------------------------------------------------------------------------------


@given(sizes, gammas)
def test_gamma_is_what_enumeration_finds(domain, gamma):
    cells = list(itertools.product(*map(range, domain)))
    laws = [oracle.gamma_diagonal(u, domain, exact(gamma)) for u in cells]
    assert float(oracle.gamma(laws)) == GammaDiagonal(domains=domain, gamma=gamma).amplification().gamma == gamma


@settings(max_examples=30)
@given(sizes, gammas)
def test_the_matrix_is_the_law(domain, gamma):
    scheme = GammaDiagonal(domains=domain, gamma=gamma)
    cells = list(itertools.product(*map(range, domain)))
    for u, cell in enumerate(cells):
        law = oracle.gamma_diagonal(cell, domain, exact(gamma))
        assert np.allclose(scheme.matrix()[:, u], [float(law[v]) for v in cells])
    assert scheme.condition_number() == pytest.approx(np.linalg.cond(scheme.matrix()))


@given(sizes, gammas, st.data())
def test_the_matrix_over_some_fields_is_the_sum_over_the_others(domain, gamma, data):  # Eq. 4.28 with erratum 5
    chosen = sorted(data.draw(st.sets(st.integers(0, len(domain) - 1), min_size=1)))
    scheme = GammaDiagonal(domains=domain, gamma=gamma)
    law = oracle.gamma_diagonal((0,) * len(domain), domain, exact(gamma))
    short: Counter[tuple[int, ...]] = Counter()
    for v, chance in law.items():
        short[tuple(v[i] for i in chosen)] += chance
    matrix = scheme.matrix([f"a{i}" for i in chosen])
    expected = [float(short[v]) for v in itertools.product(*(range(domain[i]) for i in chosen))]
    assert matrix[:, 0] == pytest.approx(expected)
    assert np.linalg.cond(matrix) == pytest.approx(scheme.condition_number(len(chosen)))


def test_condition_numbers_of_the_paper():  # section 4.6.1: 1 + n/(gamma - 1)
    assert round(GammaDiagonal(domains=CENSUS, gamma=19).condition_number(3), 1) == 112.1
    assert round(GammaDiagonal(domains=HEALTH, gamma=19).condition_number(), 1) == 417.7
    assert GammaDiagonal(domains=CENSUS, gamma=19).cells == 2000


@given(sizes, gammas, st.data())
def test_the_chain_of_equation_4_26_has_the_same_law(domain, gamma, data):
    """Product of the chain's chances, column by column, for every record that can leave: exactly."""
    u = tuple(data.draw(st.integers(0, size - 1)) for size in domain)
    law = oracle.gamma_diagonal(u, domain, exact(gamma))
    for v in itertools.product(*map(range, domain)):
        steps = [oracle.chain(u, v[:j], domain, exact(gamma)) for j in range(len(domain))]
        assert all(sum(step) == 1 for step in steps)
        assert math.prod(step[code] for step, code in zip(steps, v, strict=True)) == law[v]


def test_keep_or_uniform_has_the_same_law():  # erratum 6
    scheme = GammaDiagonal(domains=[3, 2], gamma=4.5)
    law = oracle.gamma_diagonal((1, 1), [3, 2], Fraction(9, 2))
    for v, chance in law.items():
        assert (scheme.keep if v == (1, 1) else 0) + (1 - scheme.keep) / 6 == chance


# -- draws: false-alarm rate one in a million for each ----------------------------------------------------------------


def rows(codes):
    return map(tuple, codes.tolist())


@pytest.mark.parametrize("domain", [[2], [3, 2], [2, 3, 2]])
@pytest.mark.parametrize("gamma", [1.5, 19, 2.718281828459045])
def test_a_batch_follows_the_law(domain, gamma):
    scheme = GammaDiagonal(domains=domain, gamma=gamma)
    truth = np.array([[1] * len(domain)] * 100_000, dtype=np.int32)
    drawn = scheme.perturb(truth, randomness=Randomness.seeded(1))
    assert drawn.dtype == np.int32
    oracle.assert_follows(rows(drawn), oracle.gamma_diagonal((1,) * len(domain), domain, exact(gamma)))


def test_two_thousand_cells_follow_the_law():
    scheme = GammaDiagonal(domains=CENSUS, gamma=19)
    truth = np.tile(np.array([3, 4, 0, 2, 1, 0], dtype=np.int32), (400_000, 1))
    drawn = scheme.fields.join(scheme.perturb(truth, randomness=Randomness.seeded(2)))
    cell = int(scheme.fields.join(truth[:1])[0])
    oracle.assert_follows(drawn.tolist(), {v: 19 * scheme.x if v == cell else scheme.x for v in range(2000)})


def test_cells_follow_the_law_too():
    scheme = GammaDiagonal(domains=CENSUS, gamma=19)
    drawn = scheme.perturb(np.full(400_000, 1234, dtype=np.uint16), randomness=Randomness.seeded(3))
    assert drawn.dtype == np.uint16
    oracle.assert_follows(drawn.tolist(), {v: 19 * scheme.x if v == 1234 else scheme.x for v in range(2000)})


def test_more_cells_than_a_table_holds_are_drawn_field_by_field():
    domain = [3] * 12  # 531,441 cells
    scheme = GammaDiagonal(domains=domain, gamma=200_000)
    truth = np.tile(np.arange(12, dtype=np.int32) % 3, (60_000, 1))
    drawn = scheme.perturb(truth, randomness=Randomness.seeded(4))
    stay = float(scheme.keep + scheme.x)
    assert abs((drawn == truth).all(axis=1).sum() - 60_000 * stay) < 5 * math.sqrt(60_000 * stay * (1 - stay))
    moved = drawn[(drawn != truth).any(axis=1)]
    for i in (0, 5, 11):
        oracle.assert_follows(moved[:, i].tolist(), {v: Fraction(1, 3) for v in range(3)})


def test_one_by_one_follows_the_law_of_the_batch():
    for alpha in (0, 0.5):
        scheme, randomness = GammaDiagonal(domains=[3, 2], gamma=4, alpha=alpha), Randomness.seeded(5)
        drawn = (scheme.perturb((2, 0), randomness=randomness) for _ in range(5000))
        law = oracle.gamma_diagonal((2, 0), [3, 2], Fraction(4))
        oracle.assert_follows((tuple(map(int, record)) for record in drawn), law)


# -- RAN-GD -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.01, 0.5, 1])
def test_ran_gd_has_the_law_of_det_gd(alpha):  # erratum 7
    scheme = GammaDiagonal(domains=[3, 2], gamma=4, alpha=alpha)
    truth = np.array([[2, 0]] * 100_000, dtype=np.int32)
    drawn = scheme.perturb(truth, randomness=Randomness.seeded(6))
    oracle.assert_follows(rows(drawn), oracle.gamma_diagonal((2, 0), [3, 2], Fraction(4)))
    assert scheme.amplification() == GammaDiagonal(domains=[3, 2], gamma=4).amplification()


class Fixed(Randomness):
    """Seeded, but the first call of `integers` gives every client the same t: r is no longer a secret."""

    def __init__(self, t):
        super().__init__(8)
        self.t = t

    def integers(self, bound, size):
        if bound == 1 << 32:
            return np.full(size, self.t, dtype=np.int64)
        return super().integers(bound, size)


@pytest.mark.parametrize("t", [0, 1 << 31, (1 << 32) - 1])
def test_each_client_of_ran_gd_follows_its_own_matrix(t):
    """gamma x + r on the diagonal, x - r/(n-1) elsewhere (section 4.3.1), for the r that t stands for."""
    scheme = GammaDiagonal(domains=[3, 2], gamma=4, alpha=0.75)
    truth = np.array([[2, 0]] * 60_000, dtype=np.int32)
    drawn = scheme.perturb(truth, randomness=Fixed(t))
    a = Fraction(3, 4) * 4 * scheme.x
    r = a * (Fraction(2 * t + 1, 1 << 32) - 1)
    law = {v: 4 * scheme.x + r if v == (2, 0) else scheme.x - r / 5 for v in itertools.product(range(3), range(2))}
    assert sum(law.values()) == 1
    oracle.assert_follows(rows(drawn), law)


def test_r_averages_out_exactly():
    """t takes 2^32 values; those of t and its mirror image add up to 0."""
    for t in (0, 1, 12345):
        mirror = (1 << 32) - 1 - t
        assert Fraction(2 * t + 1, 1 << 32) - 1 + Fraction(2 * mirror + 1, 1 << 32) - 1 == 0


@settings(max_examples=50)
@given(sizes, gammas)
def test_alpha_is_allowed_just_as_far_as_chances_stay_chances(domain, gamma):
    n, g = math.prod(domain), exact(gamma)
    largest = min(Fraction(1), (n - 1) / g)
    below, above = math.floor(largest * 1000) / 1000, math.floor(largest * 1000 + 1) / 1000
    GammaDiagonal(domains=domain, gamma=gamma, alpha=below)
    with pytest.raises(RequirementError, match="use at most min"):
        GammaDiagonal(domains=domain, gamma=gamma, alpha=above)
    x = 1 / (g + n - 1)
    a = exact(above) * g * x
    assert min(g * x - a, x - a / (n - 1)) < 0  # a chance would be negative


# -- types, and what is refused ---------------------------------------------------------------------------------------

FORM = GammaDiagonal(domains={"age": Bins((30, 50)), "sex": ["F", "M"]}, gamma=1e9)  # nearly always kept


def test_records_come_back_in_their_own_type():
    import pandas as pd
    import polars as pl

    kept = {"age": ["<=30", "(30,50]", ">50"], "sex": ["F", "M", "M"]}
    given = {"age": [30.0, 30.5, 77.0], "sex": ["F", "M", "M"]}
    assert FORM.perturb(pa.table(given)).to_pydict() == kept
    assert FORM.perturb(pd.DataFrame(given)).to_dict("list") == kept
    assert FORM.perturb(pl.DataFrame(given)).to_dict(as_series=False) == kept
    assert FORM.perturb({"sex": "M", "age": 40}) == {"age": "(30,50]", "sex": "M"}
    assert FORM.perturb((51, "F")) == (">50", "F")
    assert FORM.perturb([51, "F"]) == [">50", "F"]
    assert FORM.perturb([(51, "F"), {"age": 1, "sex": "M"}]) == [(">50", "F"), {"age": "<=30", "sex": "M"}]
    assert FORM.perturb(np.array([[2, 1]], dtype=np.int64)).tolist() == [[2, 1]]
    assert FORM.perturb(FORM.perturb(pa.table(given))).to_pydict() == kept  # labels of bins are known again


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: GammaDiagonal(domains=[2, 2], gamma=1), "gamma=1 erases the data"),
        (lambda: GammaDiagonal(domains=[2, 2], gamma=0.5), "erases"),
        (lambda: GammaDiagonal(domains=[2, 2], gamma=math.inf), "bounds nothing"),
        (lambda: GammaDiagonal(domains=[2, 2], gamma="19"), "bounds nothing"),
        (lambda: GammaDiagonal(domains=[2, 2], gamma=19, alpha=-0.1), "0 or more"),
        (lambda: GammaDiagonal(domains=[2, 2], gamma=2, alpha=1.01), r"use at most min\(1, \(n-1\)/gamma\) = 1"),
        (lambda: GammaDiagonal(domains=[2, 2], gamma=19, alpha=0.2), "0.157895"),
        (lambda: GammaDiagonal(domains=[], gamma=19), "no fields"),
        (lambda: GammaDiagonal(domains=[1, 2], gamma=19), "two or more"),
        (lambda: GammaDiagonal(domains=3, gamma=19), "domains must"),
    ],
)
def test_bad_parameters_get_one_line(make, message):
    with pytest.raises(RequirementError, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ({"age": 30, "sex": "X"}, "a value of field 'sex' is not one of: F, M"),
        (("F", 30), "field 'age' is not a number or one of: .* fields come in the order: age, sex"),
        ((30,), "1 values for 2 fields, in the order: age, sex"),
        ({"age": 30}, "'sex' is missing"),
        ({"age": 30, "sex": "F", "name": "Ann"}, "'name' is not a field of the scheme and would be sent unperturbed"),
        ([{"age": 3, "sex": "F"}, {"age": 3, "sex": "Q"}], "record 2: a value of field 'sex'"),
        (pa.table({"age": [1, 2], "sex": ["F", "?"]}), "record 2: a value of field 'sex'"),
        (pa.table({"age": [1, None], "sex": ["F", "M"]}), "record 2: a value of field 'age' is missing"),
        (pa.table({"age": [1.5, math.nan], "sex": ["F", "M"]}), "record 2: a value of field 'age' is missing"),
        (pa.table({"age": [1, 2], "sex": ["F", ""]}), "record 2: a value of field 'sex' is missing; fill it in"),
        (pa.table({"age": [1, math.inf], "sex": ["F", "F"]}), "record 2: a value of field 'age' is not a number"),
        (pa.table({"age": ["3", "41,5"], "sex": ["F", "F"]}), "record 2: .* write decimals with a point"),
        (pa.table({"age": ["3", "x", "4"], "sex": ["?", "F", "F"]}), "record 1: a value of field 'sex'"),
        (pa.table({"age": [1]}), "'sex' is missing"),
        (pa.table({"age": [1], "sex": ["F"], "id": [7]}), "'id' is not a field"),
        (np.array([[0, 2]]), "a code of field 'sex' lies outside 0..1"),
        (np.array([[-1, 0]]), "a code of field 'age' lies outside 0..2"),
        (np.array([[0, 1, 1]]), "must have 2 columns"),
        (np.array([[0.0, 1.0]]), "whole numbers"),
        (np.array([6]), "outside 0..5"),
        (np.array([0.5]), "whole numbers"),
        (7, "a table must be"),
    ],
    ids=str,
)
def test_bad_records_get_one_line_that_names_no_value(records, message):
    with pytest.raises(InputError, match=message) as caught:
        FORM.perturb(records)
    assert "\n" not in str(caught.value)
    assert "Ann" not in str(caught.value)
    assert "?" not in str(caught.value)
