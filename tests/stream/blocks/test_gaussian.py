import math
from fractions import Fraction

import pytest
from tests.oracles import block_noise as oracles

from confide.core.errors import RequirementError
from confide.stream.blocks.gaussian import TOTAL, discrete_gaussian


@pytest.mark.parametrize("variance", [Fraction(1, 400), Fraction(1, 3), Fraction(5), Fraction(25, 2), Fraction(900)])
def test_the_narrowest_law_of_a_variance(variance):
    law = discrete_gaussian(variance)
    assert law.mean == 0
    assert law.weights == law.weights[::-1]
    assert law.total == TOTAL
    assert variance <= law.variance == oracles.variance(law) < variance * (1 + Fraction(1, 10**5))


def test_weights_fall_off_as_a_gaussian_law_does():
    law = discrete_gaussian(Fraction(5))
    middle = -law.first
    width = -1 / (2 * math.log(law.weights[middle + 1] / law.weights[middle]))
    for x in range(8):
        wanted = law.weights[middle] * math.exp(-x * x / (2 * width))
        assert law.weights[middle + x] == pytest.approx(wanted, rel=1e-9)


def test_a_variance_out_of_reach_is_refused():
    with pytest.raises(RequirementError, match="noise of variance 40001 is asked for"):
        discrete_gaussian(Fraction(40_001))
