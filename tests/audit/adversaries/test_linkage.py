"""Linkage adversaries: numbers worked by hand, the slow twin, and a coherent release that stops them."""

import numpy as np
import pyarrow as pa
import pytest
from tests.audit.verifiers.transactions.test_coherence import PAPER_ROWS, SECRETS, without
from tests.oracles import audit as oracles
from tests.strategies import random_database

from confide.audit.adversaries.linkage import _draw, _look_up, _translate, link_table, link_transactions
from confide.core.errors import InputError, UsageError
from confide.core.transactions.container import Transactions


def test_matches_and_private_counts_agree_with_looking_at_every_record():
    for seed in range(200):
        rows = random_database(seed, max_rows=40)
        if not rows:
            continue
        tx = Transactions.from_lists(rows)
        hidden = frozenset(["0", "3"])
        ptr, items = _draw(tx, hidden, 2, 20, np.random.default_rng(seed))
        matches, commonest = _look_up(tx, hidden, ptr, items)
        for q in range(20):
            known = [tx.labels[c] for c in items[ptr[q] : ptr[q + 1]]]
            assert len(set(known)) == len(known) <= 2
            assert not hidden & set(known)
            expected = oracles.matches(rows, known)
            assert matches[q] == len(expected)
            assert commonest[q] == max(sum(secret in rows[r] for r in expected) for secret in hidden)


def test_the_papers_example_before_and_after_suppression():
    """With three items known a record is found often in D, never in the release without a, b, c, d."""
    tx = Transactions.from_lists(PAPER_ROWS)
    before = link_transactions(tx, private=SECRETS, known=3, samples=2000, seed=1)
    after = link_transactions(tx, private=SECRETS, known=3, samples=2000, seed=1, release=without(PAPER_ROWS, "abcd"))
    assert before.identified > 0.3
    assert before.private_certain >= before.identified
    assert (after.identified, after.private_certain) == (0.0, 0.0)
    assert after.fewest_matches >= 3
    assert after.largest_private_share <= 0.5


def test_one_record_in_four_is_found_by_one_item():
    tx = Transactions.from_lists([["a", "s"], ["b"], ["b"], ["b"]])
    found = link_transactions(tx, private=["s"], known=1, samples=20_000, seed=7)
    # 4 standard errors of a share of 1/4 over 20,000 people: a false alarm in 16,000, and the seed is fixed
    assert found.identified == pytest.approx(0.25, abs=4 * (0.25 * 0.75 / 20_000) ** 0.5)
    assert found.private_certain == found.identified
    assert found.mean_success == pytest.approx(0.5, abs=0.02)


def test_items_the_release_lost_tell_nothing():
    source = Transactions.from_lists([["a", "b"], ["a"]])
    target = Transactions.from_lists([["b"], []])
    ptr, items = _translate(np.array([0, 2, 3]), np.array([0, 1, 0], dtype=np.int32), source, target)
    assert (ptr.tolist(), items.tolist()) == ([0, 1, 1], [0])
    assert link_transactions(source, private=[], known=1, release=Transactions.from_lists([[], []])).fewest_matches == 2


def test_the_same_seed_gives_the_same_answer_and_a_drawn_one_is_remembered():
    tx = Transactions.from_lists(random_database(3))
    drawn = link_transactions(tx, private=["1"], known=2, samples=300)
    assert link_transactions(tx, private=["1"], known=2, samples=300, seed=drawn.seed) == drawn


def test_private_items_alone_leave_the_adversary_with_nothing():
    tx = Transactions.from_lists([["s"], ["s"], ["t"]])
    found = link_transactions(tx, private=["s", "t"], known=5, samples=10, seed=1)
    assert (found.fewest_matches, found.identified) == (3, 0.0)
    assert found.largest_private_share == pytest.approx(2 / 3)


def test_wrong_use_is_refused():
    with pytest.raises(InputError, match="no records"):
        link_transactions(Transactions.from_lists([]), private=[], known=1)
    with pytest.raises(UsageError, match="known=0"):
        link_transactions(Transactions.from_lists([["a"]]), private=[], known=0)
    with pytest.raises(InputError, match="no column 'x'"):
        link_table(pa.table({"a": [1]}), roles={"x": "quasi-identifier"})
    with pytest.raises(UsageError, match="nothing to link by"):
        link_table(pa.table({"a": [1]}), roles={"a": "sensitive"})


def test_a_table_is_attacked_exactly():
    table = pa.table({"q": [1, 1, 1, 2, 2, 3], "s": ["a", "a", "b", "c", "c", "d"], "t": [1, 2, 3, 4, 5, 6]})
    found = link_table(table, roles={"q": "quasi-identifier", "s": "sensitive", "t": "sensitive"})
    assert (found.rows, found.groups, found.smallest) == (6, 3, 1)
    assert (found.unique, found.mean_success) == (1 / 6, 3 / 6)
    assert found.certain == {"s": 3 / 6, "t": 1 / 6}
    assert found.guessed == {"s": (2 + 2 + 1) / 6, "t": 3 / 6}


def test_the_answer_in_one_line():
    found = link_transactions(Transactions.from_lists([["a"], ["b"]]), private=[], known=1, samples=1000, seed=1)
    assert found.summary().startswith("knowing 1 item, 100.0% of 1,000 people are found")
