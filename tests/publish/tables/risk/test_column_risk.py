from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from confide.publish.tables.risk.column_risk import unique_rows


@pytest.mark.parametrize("seed", range(30))
def test_shares_agree_with_counting_rows(seed):
    rng = np.random.default_rng(seed)
    n, names = int(rng.integers(1, 200)), ["a", "b", "c", "d"]
    widths = (2, 10, 1000, 2**31 - 1)
    codes = [rng.integers(0, width, n).astype(np.int32) for width in widths]
    found = {one.columns: one.share for one in unique_rows(names, codes)}
    for size in (1, 2):
        for some in combinations(range(4), size):
            rows = list(zip(*(codes[i].tolist() for i in some), strict=True))
            times = Counter(rows)
            expected = sum(times[row] == 1 for row in rows) / n
            assert found[tuple(names[i] for i in some)] == expected
    assert len(found) == 10
    shares = [one.share for one in unique_rows(names, codes)]
    assert shares == sorted(shares, reverse=True)


def test_an_empty_table_has_no_unique_rows():
    assert unique_rows(["a"], [np.zeros(0, np.int32)]) == []
    assert unique_rows([], []) == []
