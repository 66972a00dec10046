import numpy as np
import pytest

from confide.core.tables.persons import number_persons


@pytest.mark.parametrize("seed", range(50))
def test_numbers_agree_with_counting_by_hand(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(0, 40))
    group, person = rng.integers(-2, 3, n), rng.integers(0, 10**12, 6)[rng.integers(0, 6, n)]
    seen, expected = {}, []
    for g, p in zip(group.tolist(), person.tolist(), strict=True):
        mine = seen.setdefault(g, {})
        expected.append(mine.setdefault(p, len(mine) + 1))
    assert number_persons(group, person).tolist() == expected
