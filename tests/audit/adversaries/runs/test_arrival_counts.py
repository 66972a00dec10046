import numpy as np
import pytest

from confide.audit.adversaries.runs.arrival_counts import count_arrivals
from confide.audit.adversaries.runs.noise_model import NoiseModel

BLOCKS, WINDOWS = 400, 3000


def counted(seed=1, rate=0.1):
    """How many of the last 400 records have an itemset, record after record."""
    came = np.random.default_rng(seed).random(WINDOWS + BLOCKS - 1) < rate
    return np.convolve(came, np.ones(BLOCKS), mode="valid")


def test_under_noise_that_only_stays_arrivals_say_the_count():
    true, model = counted(), NoiseModel(stays=10.0, moves=0.0, fresh=0.0, blocks=BLOCKS)
    found = count_arrivals(np.arange(WINDOWS), true + 7, model)
    off = found[BLOCKS:] - true[BLOCKS:] * 0.9  # where one comes as another goes, nothing changes
    assert abs(off.mean()) < 1
    assert np.corrcoef(found[BLOCKS:], true[BLOCKS:])[0, 1] > 0.5


def test_under_noise_that_moves_they_say_next_to_nothing():
    true, moves = counted(), 10.0
    model = NoiseModel(stays=5.0, moves=moves, fresh=0.0, blocks=BLOCKS)
    z = np.random.default_rng(2).normal(0, (moves / BLOCKS) ** 0.5, size=WINDOWS + BLOCKS - 1)
    found = count_arrivals(np.arange(WINDOWS), true + np.convolve(z, np.ones(BLOCKS), mode="valid"), model)
    assert np.mean((found[BLOCKS:] - true[BLOCKS:]) ** 2) > 10


def test_only_neighbouring_blocks_are_compared():
    model = NoiseModel(stays=0.0, moves=0.0, fresh=0.0, blocks=4)
    assert count_arrivals(np.array([3, 9, 20]), np.array([8.0, 90.0, 3.0]), model).tolist() == [8, 90, 3]
    found = count_arrivals(np.array([3, 4, 9, 10]), np.array([8.0, 10.0, 50.0, 51.0]), model)
    assert found == pytest.approx([5.0, 8.0, 5.0, 2.0])  # squares of 4 and 1; where there is none, their mean
