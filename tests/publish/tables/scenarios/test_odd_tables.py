"""Random tables with everything that makes trouble: publisher, file, `verify` and a twin agree (`tests/odd_tables.py`).

All 20,000: `python -m benchmarks publish.random_tables`.
"""

from collections import Counter

import pytest
from tests.odd_tables import COMBINATIONS, combination_of, try_case

CASES = 20_000
IN_SUITE = 400
PARTS = 8


def test_every_combination_comes_equally_often():
    often = Counter(map(combination_of, range(CASES)))
    assert set(often) == set(COMBINATIONS)
    assert min(often.values()) >= 20


@pytest.mark.parametrize("part", range(PARTS))
def test_all_judges_agree(part, tmp_path):
    step = CASES // IN_SUITE
    outcomes = [try_case(number, tmp_path) for number in range(part * step, CASES, PARTS * step)]
    assert len(outcomes) == IN_SUITE // PARTS
    assert [outcome.why for outcome in outcomes if outcome.what == "wrong"] == []
    assert sum(outcome.what == "released" for outcome in outcomes) >= len(outcomes) // 3
