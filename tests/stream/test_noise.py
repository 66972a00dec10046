from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import streaming as oracles

from confide import Randomness
from confide.core.errors import RequirementError
from confide.stream import NoiseLaw

laws = st.dictionaries(st.integers(-9, 9), st.integers(1, 5), min_size=2, max_size=6).map(NoiseLaw.of)


@pytest.mark.parametrize("m", [2, 3, 8, 11])
def test_uniform_noise_has_the_paper_s_variance_and_a_half_integer_centre_when_alpha_is_odd(m):  # erratum 1
    law = NoiseLaw.uniform(m)
    assert law.variance == Fraction(m * m - 1, 12)
    assert law.mean == (Fraction(1, 2) if m % 2 == 0 else 0)


@pytest.mark.parametrize("m", [1, 2, 7])
def test_triangular_noise_has_variance_m_m_plus_2_over_6(m):  # erratum 5
    assert NoiseLaw.triangular(m).variance == Fraction(m * (m + 2), 6)


@pytest.mark.parametrize("m", [2, 5, 8])
def test_uniform_noise_inverts_as_the_corrected_formula_says(m):  # erratum 3
    table = NoiseLaw.uniform(m).inversions()
    assert table.tolist() == [(m - d) * (m - d + 1) / 2 for d in range(m + 1)]


@given(laws)
def test_moments_and_inversions_match_counting_by_hand(law):
    assert (law.mean, law.variance) == oracles.moments(law)
    assert -Fraction(1, 2) < law.mean <= Fraction(1, 2)
    wanted = [oracles.inversion(law, d) * law.total**2 for d in range(law.reach + 1)]
    assert law.inversions().tolist() == wanted


@given(laws, st.integers(1, 8))
def test_a_law_reveals_when_some_count_is_the_only_one_that_fits(law, vulnerable):
    values = list(oracles.probabilities(law))
    apart = {abs(x - y) for x in values for y in values} - {0}
    step = next(g for g in range(max(apart), 0, -1) if all(d % g == 0 for d in apart))
    counts = range(vulnerable + 1)
    alone = [t for t in counts if not any(u != t and (u - t) % step == 0 for u in counts)]
    assert law.reveals(vulnerable) == bool(alone)


def test_two_point_noise_reveals_some_counts_even_below_the_paper_s_limit():
    law = NoiseLaw.rademacher(4)  # 2 sigma = 4 <= K = 5, yet a count of 2 or 3 is known exactly
    assert law.reveals(5)
    assert not NoiseLaw.rademacher(3).reveals(5)


def test_draws_follow_the_law():  # chi-square with 3 degrees of freedom: false alarm below 1e-9, and the seed is fixed
    law = NoiseLaw.of({-2: 1, 0: 5, 1: 2, 3: 4})
    n = 120_000
    drawn = law.draw(n, Randomness.seeded(5))
    assert law.first <= drawn.min()
    assert drawn.max() <= law.last
    counts = np.bincount(drawn - law.first, minlength=law.reach)
    expected = n * np.array(law.weights) / law.total
    possible = expected > 0
    assert counts[~possible].sum() == 0
    assert (((counts - expected)[possible]) ** 2 / expected[possible]).sum() < 45


@pytest.mark.parametrize(
    "make",
    [
        lambda: NoiseLaw.of({3: 1}),
        lambda: NoiseLaw.of({0: 1, 1: 0}),
        lambda: NoiseLaw.of({0: -1, 1: 2}),
        lambda: NoiseLaw.of({0: 0.5, 1: 0.5}),
        lambda: NoiseLaw.of({0: 1, 10**6: 1}),
        lambda: NoiseLaw.uniform(1),
        lambda: NoiseLaw(first=0, weights=(0, 1)),
    ],
)
def test_what_is_no_law_is_refused(make):
    with pytest.raises(RequirementError, match="use "):
        make()
