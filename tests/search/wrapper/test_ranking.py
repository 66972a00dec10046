"""UPRank and PPRank."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide.core.errors import RequirementError
from confide.search import Result
from confide.search.wrapper.ranking import rank_results


def links(n):
    return [Result(rank=i, title=f"t{i}", url="https://a.example/") for i in range(1, n + 1)]


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.5]), max_size=20), st.floats(0, 1))
def test_the_order_is_that_of_the_formula(scores, alpha):
    ranking = rank_results("q", links(len(scores)), scores, alpha=alpha)
    up = {
        engine: place
        for place, engine in enumerate(sorted(range(1, len(scores) + 1), key=lambda r: (-scores[r - 1], r)), 1)
    }
    values = [(link.engine_rank, link.pp_rank) for link in ranking.results]
    assert all(value == pytest.approx(alpha * up[rank] + (1 - alpha) * rank) for rank, value in values)
    assert [v for _, v in values] == sorted([v for _, v in values], key=lambda v: round(v, 9))
    assert sorted(rank for rank, _ in values) == list(range(1, len(scores) + 1))


def test_ties_go_by_the_engines_rank():  # erratum 4
    assert [link.engine_rank for link in rank_results("q", links(4), [0, 0, 0, 0], alpha=1).results] == [1, 2, 3, 4]
    half = rank_results("q", links(2), [0.0, 1.0], alpha=0.5)  # PPRank 1.5 for both
    assert [link.engine_rank for link in half.results] == [1, 2]


def test_alpha_outside_its_range_is_refused():
    with pytest.raises(RequirementError, match="alpha=2"):
        rank_results("q", links(1), [0.0], alpha=2)
