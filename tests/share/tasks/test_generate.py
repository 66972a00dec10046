"""Pseudo-data as the command makes it: the caveat is among the notes, and what a baseline cannot take is refused."""

import pytest
from tests.random_trees import random_tree

from confide.core.errors import UsageError
from confide.share.generation.pseudo_data import CAVEAT
from confide.share.tasks.generate import GenerationRequest, generate


@pytest.mark.parametrize("baseline", [False, True])
def test_rows_come_with_their_caveat_and_a_seed_repeats_them(baseline):
    request = GenerationRequest(rows=1200, class_column="ill", baseline=baseline, seed=3)
    made = generate(random_tree(1), request)
    assert made.table.num_rows == 1200
    assert made.table.column_names[-1] == "ill"
    assert made.notes == (f"1,200 rows; {CAVEAT}",)
    assert generate(random_tree(1), request).table.equals(made.table)


@pytest.mark.parametrize("wrong", [{"rows": 2.0}, {"absent": "marginals"}, {"numbers": "end"}])
def test_a_baseline_takes_neither_a_multiple_nor_ways_to_draw(wrong):
    with pytest.raises(UsageError, match="baseline= takes a number of rows"):
        GenerationRequest(baseline=True, **wrong)
    GenerationRequest(**wrong)
