"""A matrix of the user's own: what is refused (Eq. 4.1, 4.2), its gamma by enumeration, its draws."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import perturbing as oracle

from confide import Randomness
from confide.collect import GammaDiagonal, MatrixScheme
from confide.core.errors import CannotMeetError, RequirementError, UsageError

TWO = [[0.75, 0.3], [0.25, 0.7]]
THREE = [[0.5, 0.2, 0.1], [0.3, 0.6, 0.2], [0.2, 0.2, 0.7]]


@st.composite
def matrices(draw, size):
    """Columns of whole hundredths that add up to 1 and hold no 0."""
    columns = []
    for u in range(size):
        cuts = sorted(draw(st.sets(st.integers(1, 99), min_size=size - 1, max_size=size - 1)))
        parts = [b - a for a, b in itertools.pairwise([0, *cuts, 100])]
        columns.append(parts[u:] + parts[:u])
    return [[column[v] / 100 for column in columns] for v in range(size)]


def law(matrix, u):
    return {v: Fraction(repr(row[u])) for v, row in enumerate(matrix)}


@given(st.integers(2, 4).flatmap(matrices))
def test_gamma_of_a_joint_matrix_is_what_enumeration_finds(matrix):
    try:
        scheme = MatrixScheme(domains=[len(matrix)], matrix=matrix)
    except RequirementError as error:
        assert "inverted" in str(error)
        return
    laws = [law(matrix, u) for u in range(len(matrix))]
    assert scheme.amplification().gamma == pytest.approx(float(oracle.gamma(laws)), rel=1e-12)
    assert np.allclose(scheme.matrix(), matrix)


def test_gamma_of_one_matrix_a_field_is_what_enumeration_finds():
    scheme = MatrixScheme(domains={"x": 2, "y": 3}, matrices=[TWO, THREE])
    laws = [
        {(v, w): law(TWO, u)[v] * law(THREE, t)[w] for v in range(2) for w in range(3)}
        for u in range(2)
        for t in range(3)
    ]
    assert scheme.amplification().gamma == pytest.approx(float(oracle.gamma(laws)), rel=1e-12)
    assert np.allclose(scheme.matrix(), np.kron(TWO, THREE))
    assert np.allclose(scheme.matrix(["y"]), THREE)
    each = [np.linalg.cond(np.array(matrix)) for matrix in (TWO, THREE)]
    assert scheme.condition_number(1) == pytest.approx(max(each))
    assert scheme.condition_number() == pytest.approx(each[0] * each[1])


def test_the_gamma_diagonal_matrix_may_be_given_by_hand():
    known = GammaDiagonal(domains=[2, 2], gamma=19)
    scheme = MatrixScheme(domains=[2, 2], matrix=known.matrix())
    assert scheme.amplification().gamma == pytest.approx(19)
    assert scheme.condition_number(1) == pytest.approx(known.condition_number())
    with pytest.raises(UsageError, match="joint matrix"):
        scheme.matrix(["a0"])


def test_columns_of_thirds_are_divided_by_their_exact_sum():
    third = 1 / 3
    scheme = MatrixScheme(domains=[3], matrix=[[third, 0.5, 0.25], [third, 0.25, 0.25], [third, 0.25, 0.5]])
    assert all(sum(column) == 1 for column in scheme.laws[0])
    assert scheme.laws[0][0] == (Fraction(1, 3),) * 3


# -- draws: false-alarm rate one in a million for each ----------------------------------------------------------------


@pytest.mark.parametrize("u", range(3))
def test_a_joint_matrix_is_followed(u):
    scheme = MatrixScheme(domains=[3], matrix=THREE)
    codes = np.array([[u]] * 50_000 + [[0], [1], [2]], dtype=np.int32)
    drawn = scheme.perturb(codes, randomness=Randomness.seeded(1))
    oracle.assert_follows(drawn[:50_000, 0].tolist(), law(THREE, u))


def test_one_matrix_a_field_is_followed():
    scheme = MatrixScheme(domains={"x": ["p", "q"], "y": 3}, matrices=[TWO, THREE])
    drawn = scheme.perturb([("q", 2)] * 40_000, randomness=Randomness.seeded(2))
    joint = {("pq"[v], str(w)): law(TWO, 1)[v] * law(THREE, 2)[w] for v in range(2) for w in range(3)}
    oracle.assert_follows(drawn, joint)
    one = scheme.perturb({"x": "q", "y": "2"}, randomness=Randomness.seeded(2))
    assert set(one) == {"x", "y"}


# -- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"matrix": [[0.75, 0.3], [0.25, 0.6]]}, r"column 2 of the matrix adds up to 0.9, not 1 \(Eq. 4.1\)"),
        ({"matrix": [[1.2, 0.3], [-0.2, 0.7]]}, "below 0"),
        ({"matrix": [[0.5, 0.5], [0.5, 0.5]]}, "cannot be inverted"),
        ({"matrix": [[1, 0.3], [0, 0.7]]}, r"no finite gamma \(Eq. 4.2\)"),
        ({"matrix": [[float("nan"), 0.3], [0.2, 0.7]]}, "not finite"),
        ({"matrix": [[0.7, 0.3]]}, "2 rows and 2 columns"),
        ({"matrix": [[0.7, 0.3], [0.3, 0.7, 0]]}, "2 rows and 2 columns"),
        ({"matrix": "ab"}, "rows of numbers"),
        ({"matrix": 3}, "rows of numbers"),
        ({"matrix": [["0.7", 0.3], [0.3, 0.7]]}, "rows of numbers"),
        ({"matrices": [TWO, TWO]}, "2 matrices for 1 fields"),
        ({}, "either matrix"),
        ({"matrix": TWO, "matrices": [TWO]}, "either matrix"),
    ],
    ids=str,
)
def test_bad_matrices_get_one_line(given, message):
    with pytest.raises(RequirementError, match=message) as caught:
        MatrixScheme(domains=[2], **given)
    assert "\n" not in str(caught.value)


def test_a_matrix_over_very_many_cells_is_refused_before_it_is_read():
    with pytest.raises(RequirementError, match="at most 1,024"):
        MatrixScheme(domains=[1000, 1000], matrix=[[1.0]])


def test_it_says_what_another_gamma_would_cost_as_its_siblings_do():
    from confide.collect import plan_columns

    domains = {"sex": ["F", "M"], "age": ["20", "40", "60"]}
    plan = plan_columns(19, domains)
    scheme = plan.scheme()
    for length in (1, 2):
        wanted = plan.standard_errors(records=5000, support=0.1)[length]
        assert scheme.standard_error_at(19, length=length, support=0.1, records=5000) == pytest.approx(wanted)
    less = scheme.standard_error_at(50, length=2, support=0.1, records=5000)
    assert less < scheme.standard_error_at(5, length=2, support=0.1, records=5000)
    with pytest.raises(CannotMeetError):
        scheme.standard_error_at(1 + 1e-12, length=1, support=0.1, records=5000)
    joint = MatrixScheme(domains={"sex": ["F", "M"]}, matrix=[[0.75, 0.3], [0.25, 0.7]])
    assert math.isnan(joint.standard_error_at(19, length=1, support=0.1, records=5000))
