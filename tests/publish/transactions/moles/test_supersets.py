"""Moles that contain a smaller one are dropped, short ones and long ones."""

import numpy as np

from confide.publish.transactions.moles.supersets import without_supersets


def test_a_reported_mole_that_contains_another_is_dropped_at_any_size():
    small = np.array([[0, 3], [5, 17]], dtype=np.int32)
    large = np.array([list(range(17)), [*range(1, 17), 18], [0, *range(4, 20)]], dtype=np.int32)
    flags = lambda level: (np.ones(len(level), np.int32), np.zeros(len(level), np.bool_))  # noqa: E731
    kept = without_supersets({2: (small, *flags(small)), 17: (large, *flags(large))}, 20)
    assert kept[17][0].tolist() == [[*range(1, 17), 18]]
    short = np.array([[0, 1, 3], [0, 1, 2], [5, 6, 17]], dtype=np.int32)
    kept = without_supersets({2: (small, *flags(small)), 3: (short, *flags(short))}, 20)
    assert kept[3][0].tolist() == [[0, 1, 2]]
