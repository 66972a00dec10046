"""Draws: the same words one at a time, in arrays, and in any version; the laws they are meant to follow."""

import math

import numpy as np
import pytest

from confide.core.errors import RequirementError
from confide.core.samples._draws import Draws, key, poisson_weights


def test_the_words_are_those_of_splitmix64():
    # The published reference program (Vigna, splitmix64.c) started at 1234567 gives these words.
    draws = Draws(1, "any")
    draws._state = 1234567
    words = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [draws.uniform() for _ in words] == [(word >> 11) * 2.0**-53 for word in words]


def test_one_at_a_time_and_in_arrays_are_the_same_stream():
    one, many = Draws(5, "s"), Draws(5, "s")
    expected = [one.uniform() for _ in range(10)]
    assert [*many.uniforms(4), many.uniform(), *many.uniforms(5)] == expected


def test_streams_of_one_seed_differ_and_seeds_of_one_stream_differ():
    keys = {key(seed, stream) for seed in (0, 1, -1, 2**80) for stream in ("a", "b")}
    assert len(keys) == 8


@pytest.mark.parametrize("seed", [1.5, "7", None, True])
def test_a_seed_that_is_not_a_whole_number_is_refused(seed):
    with pytest.raises(RequirementError, match="seed must be a whole number"):
        Draws(seed, "s")


@pytest.mark.parametrize("mean", [0.0, 0.3, 1.0, 3.5, 9.0, 900.0])
def test_poisson_weights_are_the_poisson_law(mean):
    weights = poisson_weights(mean)
    law = [
        math.exp(k * math.log(mean) - mean - math.lgamma(k + 1)) if mean else float(k == 0) for k in range(len(weights))
    ]
    assert np.allclose(weights / weights.sum(), law, atol=1e-12)


def test_pick_follows_its_weights():
    # 40,000 draws: a share is off by 0.015, or seven deviations, once in 10**11 runs; the seed is fixed.
    picked = Draws(3, "pick").pick([1, 0, 3], 40_000)
    assert np.abs(np.bincount(picked, minlength=3) / 40_000 - [0.25, 0, 0.75]).max() < 0.015


def test_pick_by_group_follows_the_weights_of_each_group():
    group = np.repeat([0, 1], 40_000)
    picked = Draws(3, "pick").pick_by_group([[1, 0, 3], [0, 2, 0]], group)
    assert np.abs(np.bincount(picked[:40_000], minlength=3) / 40_000 - [0.25, 0, 0.75]).max() < 0.015
    assert set(picked[40_000:].tolist()) == {1}
