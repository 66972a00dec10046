"""Average precision: by hand, and the same orders as a ranking makes."""

import random

import pytest

from confide.core.errors import UsageError
from confide.search.evaluation.precision import average_precision, precision_by_alpha
from confide.search.wrapper.ranking import rank_results
from confide.search.wrapper.results import Result


def test_average_precision_by_hand():
    assert average_precision([True, True, False]) == 1
    assert average_precision([False, True, False, True]) == pytest.approx((1 / 2 + 2 / 4) / 2)
    with pytest.raises(UsageError, match="no link is relevant"):
        average_precision([False])


@pytest.mark.parametrize("seed", range(60))
def test_all_alphas_at_once_are_the_orders_of_a_ranking(seed):
    chance = random.Random(seed)
    n = chance.randint(1, 50)
    links = [Result(rank=i, title=str(i), url=f"https://{i}.example/") for i in range(1, n + 1)]
    scores = [chance.choice([0.0, 0.1, 0.1, chance.random()]) for _ in links]  # many ties
    good = [chance.random() < 0.3 for _ in links]
    good[chance.randrange(n)] = True
    alphas = [0.0, 0.1, 0.3, 0.5, 0.7, 1.0]
    found = precision_by_alpha(scores, good, alphas)
    for alpha, value in zip(alphas, found.tolist(), strict=True):
        order = rank_results("q", links, scores, alpha=alpha).results
        assert value == pytest.approx(average_precision([good[link.engine_rank - 1] for link in order]))
