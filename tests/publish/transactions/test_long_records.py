"""A release that rests on a few very long records is pointed out."""

import numpy as np

from confide import Transactions
from confide.publish import PublishTransactions, publish_transactions


def walkers(robots):
    """2,000 people who bought 1 to 3 of 60 things, and robots that bought them all."""
    draw = np.random.default_rng(4)
    rows = [[f"{v}" for v in draw.choice(60, draw.integers(1, 4), replace=False)] for _ in range(2000)]
    return Transactions.from_lists(rows + [[f"{v}" for v in range(60)]] * robots)


def test_a_release_that_rests_on_a_few_robots_is_pointed_out():
    rests = publish_transactions(PublishTransactions(records=walkers(2), k=2, p=2)).notes
    (warning,) = (note for note in rests if "rests on" in note)
    assert "2 very long records (more than 3 public items; 0.1% of the records" in warning
    plain = publish_transactions(PublishTransactions(records=walkers(0), k=2, p=2)).notes
    assert not [note for note in plain if "rests on" in note]
