"""50 random databases, every operation: streamed in batches of 1, 7 and 1,000 rows they are answered as in memory.

On Spark likewise: `tests/core/datasets/spark/test_spark_engine.py`, which has the session.
"""

import math

import pytest
from tests.amounts import some
from tests.dataset_operations import BATCHES, DATABASES, OPERATIONS, Case, perturbed_bits

from confide import StoredTransactions


@pytest.mark.parametrize("name", OPERATIONS)
def test_streamed_answers_are_those_of_memory(name, tmp_path):
    for seed in DATABASES:
        case = Case.of(seed, tmp_path)
        home = case.written()
        meant = OPERATIONS[name](case, case.records)
        for rows in some(BATCHES, every=3, first=seed):
            stored = StoredTransactions.open(home, batch_rows=rows)
            assert OPERATIONS[name](case, stored) == meant, (seed, rows)


def test_streamed_perturbation_follows_the_law(tmp_path):
    """Off by more than 5 standard deviations: once in 1.7 million runs."""
    excess = variance = 0.0
    for seed in DATABASES:
        case = Case.of(seed, tmp_path)
        stored = StoredTransactions.open(case.written(), batch_rows=BATCHES[seed % 3])
        more, spread = perturbed_bits(case, stored, tmp_path / f"out-{seed}")
        excess, variance = excess + more, variance + spread
    assert variance > 500
    assert abs(excess) < 5 * math.sqrt(variance)
