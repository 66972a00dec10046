import math
from fractions import Fraction

import pytest
from tests.oracles import block_noise as oracles

from confide.audit.verifiers.streams.block_claims import error_after_cleaning
from confide.stream.blocks.factor import block_factor, cleaned_error
from confide.stream.blocks.gaussian import discrete_gaussian


@pytest.mark.parametrize(("blocks", "factor"), [(20, 1.10), (200, 1.72), (2000, 1.97)])
def test_the_factors_of_s_10_and_c_25(blocks, factor):
    assert float(block_factor(Fraction(10), 25, blocks)) == pytest.approx(factor, abs=0.006)


@pytest.mark.parametrize(("variance", "rate"), [(0.552, 1.25), (0.0862, 0.125), (10.05, 25.0), (0.00984, 0.0125)])
def test_what_bayes_leaves_is_the_same_by_three_programmes(variance, rate):
    law = discrete_gaussian(Fraction(variance))
    middle = -law.first
    width = -1 / (2 * math.log(law.weights[middle + 1] / law.weights[middle]))
    slow = oracles.cleaned_error(width, rate)
    assert cleaned_error(variance, rate) == pytest.approx(slow, rel=1e-4)
    assert error_after_cleaning(variance, rate) == pytest.approx(cleaned_error(variance, rate), rel=1e-9)


def test_the_factor_is_the_smallest_that_does():
    for blocks in (1, 8, 40):
        kappa = block_factor(Fraction(10), 25, blocks)
        wanted = 1 / (1 / 10 + 1 / 25)
        assert blocks * cleaned_error(float(kappa) * 10 / blocks, 25 / blocks) >= wanted
        assert blocks * cleaned_error(float(kappa - Fraction(1, 500)) * 10 / blocks, 25 / blocks) < wanted
