from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from tests.amounts import some

from confide import Schema
from confide.publish.tables.blanking.wildcards import count_wildcards
from confide.publish.tables.coding import CodedTable


def coded(**columns):
    roles = {name: {"role": "quasi-identifier"} for name in columns}
    return CodedTable.of(pa.table(columns), Schema.from_dict(roles))


def test_one_blank_that_matches_anything_exposes_whoever_it_hides():
    found = count_wildcards(coded(sex=["M", "F"], age=["30", "30"]), 2)
    # (blank, 30), (F, 30) counts as two, yet whoever seeks (M, 30) finds one row
    assert (found.blanks, found.rows, found.exposed, found.alone) == (1, 1, 1, 1)
    assert "of 1 only one" in found.note(2)


@pytest.mark.parametrize("seed", some(range(200), every=20))
def test_no_row_is_touched_that_has_enough_matches(seed):
    draw = np.random.default_rng(seed)
    rows = draw.integers(0, 3, (20, 3))
    k = int(draw.integers(2, 5))
    found = count_wildcards(coded(a=rows[:, 0].astype(str), b=rows[:, 1].astype(str), c=rows[:, 2].astype(str)), k)
    rare = sum((rows == row).all(axis=1).sum() < k for row in rows)
    assert found.rows <= rare
    assert found.rows <= found.blanks <= 3 * found.rows
    assert found.alone <= found.exposed <= found.rows
    assert (found.blanks == 0) == (rare == 0)


def test_tables_of_too_many_kinds_are_left_out():
    names = np.array([f"{a} {b}" for a, b in combinations(range(110), 2)])
    assert count_wildcards(coded(a=names), 2) is None
