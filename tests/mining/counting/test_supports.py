"""Candidate counting against counting by hand, and the promises of a Counter."""

import random

import numpy as np
import pytest
from tests.oracles import counting as oracles

from confide.core.errors import UsageError
from confide.core.itemsets.container import Itemsets
from confide.core.transactions.container import Transactions
from confide.mining.counting import supports as counting
from confide.mining.counting.supports import CandidateCounter, itemset_supports, subset_supports
from confide.mining.rules.subsets import all_subsets, expand_closed, positions


def random_database(seed, *, most_rows=60, most_items=12):
    draw = random.Random(seed)
    items = [f"i{k}" for k in range(draw.randint(1, most_items))]
    density = draw.choice([0.05, 0.3, 0.6, 0.95])
    rows = [[x for x in items if draw.random() < density] for _ in range(draw.randint(0, most_rows))]
    sets = [draw.sample(items, draw.randint(0, min(6, len(items)))) for _ in range(draw.randint(0, 80))]
    return rows, [*sets, [], ["gold"], [items[0], "gold"], [items[0], items[0]]]


@pytest.mark.parametrize("seed", range(200))
def test_supports_match_counting_by_hand(seed):
    rows, itemsets = random_database(seed)
    assert itemset_supports(Transactions.from_lists(rows), itemsets).tolist() == oracles.itemset_supports(
        rows, itemsets
    )


@pytest.mark.parametrize("words_per_read", [10**9, 1e-9])
@pytest.mark.parametrize("seed", range(20))
def test_both_ways_of_counting_agree_in_blocks_and_in_parts(seed, words_per_read, monkeypatch):
    rows, itemsets = random_database(seed, most_rows=700)
    monkeypatch.setattr(counting, "WORDS_PER_READ", words_per_read)  # all bitmaps, or all delivery
    monkeypatch.setattr(counting, "BLOCK_WORDS", 3)
    monkeypatch.setattr(counting, "SAMPLE_RECORDS", 17)
    monkeypatch.setattr(counting, "PARALLEL_WORK", 0)
    assert itemset_supports(Transactions.from_lists(rows), itemsets).tolist() == oracles.itemset_supports(
        rows, itemsets
    )


def test_counts_of_two_halves_add_up():
    rows, itemsets = random_database(7, most_rows=400)
    tx = Transactions.from_lists(rows)
    half = np.arange(len(tx)) < len(tx) // 3
    parts = itemset_supports(tx.take(half), itemsets) + itemset_supports(tx.take(~half), itemsets)
    assert parts.tolist() == itemset_supports(tx, itemsets).tolist()


def test_a_candidate_may_be_longer_than_any_key():
    items = [str(k) for k in range(300)]
    tx = Transactions.from_lists([items, items[:200], items[:100], []])
    candidates = [items, items[:200], items[:100], items[:3], items[50:130], []]
    assert itemset_supports(tx, candidates).tolist() == [1, 2, 3, 3, 2, 4]


def test_itemsets_of_another_database_are_matched_by_label():
    tx = Transactions.from_lists([["a", "b"], ["b", "c"], ["b"]])
    other = Itemsets.from_pairs([(("b", "z"), 1), (("b", "c"), 1), (("b",), 1)], n_transactions=9)
    assert itemset_supports(tx, other).tolist() == [0, 1, 3]


def test_codes_may_be_unsorted_repeated_or_unknown():
    tx = Transactions.from_lists([["a", "b"], ["b", "c"], ["b"]])
    codes = np.array([2, 1, 1, 0, 7, -3], dtype=np.int32)
    assert itemset_supports(tx, (np.array([0, 3, 4, 5, 6]), codes)).tolist() == [1, 1, 0, 0]


def test_bad_candidates_are_refused_in_one_line():
    tx = Transactions.from_lists([["a", "b"]])
    with pytest.raises(UsageError, match="not one str"):
        itemset_supports(tx, ["ab"])
    with pytest.raises(UsageError, match="offsets must start at 0"):
        itemset_supports(tx, (np.array([0, 5]), np.array([0], dtype=np.int32)))


def test_no_records_and_no_candidates():
    assert itemset_supports(Transactions.from_lists([]), [["a"], []]).tolist() == [0, 0]
    assert itemset_supports(Transactions.from_lists([["a"]]), []).tolist() == []
    assert itemset_supports(Transactions.from_lists([[], []]), [[]]).tolist() == [2]


def test_input_is_left_as_it_was():
    tx = Transactions.from_lists([["a", "b"], ["c"]])
    offsets, codes = np.array([0, 3]), np.array([2, 0, 0], dtype=np.int32)
    before = [a.copy() for a in (tx.indptr, tx.indices, offsets, codes)]
    itemset_supports(tx, (offsets, codes))
    assert all(np.array_equal(a, b) for a, b in zip(before, (tx.indptr, tx.indices, offsets, codes), strict=True))


def test_itemset_supports_is_a_counter():
    assert isinstance(itemset_supports, CandidateCounter)


@pytest.mark.parametrize("seed", range(50))
def test_subset_supports_hold_every_subset_once(seed):
    rows, itemsets = random_database(seed)
    known = {x for row in rows for x in row}
    found = subset_supports(Transactions.from_lists(rows), itemsets)
    wanted = oracles.subsets([x for x in itemset if x in known] for itemset in itemsets)
    assert len(found) == len(wanted)
    assert found.as_dict() == dict(zip(wanted, oracles.itemset_supports(rows, wanted), strict=True))


def test_a_set_with_too_many_subsets_is_refused():
    tx = Transactions.from_lists([[str(k) for k in range(60)]])
    with pytest.raises(UsageError, match="2\\*\\*60 subsets"):
        subset_supports(tx, [tx.labels])


@pytest.mark.parametrize("seed", range(50))
def test_closed_sets_expand_to_all_frequent_sets(seed):
    rows, _ = random_database(seed, most_rows=30, most_items=7)
    every = oracles.frequent(rows, 2)
    closed = Itemsets.from_pairs(oracles.closed(every).items(), n_transactions=len(rows))
    assert expand_closed(closed).as_dict() == every


def test_positions_find_each_set_or_say_it_is_absent():
    sets = Itemsets.from_pairs([(("a",), 3), ((), 9), (("a", "b"), 2), (("b", "c"), 2)], n_transactions=9)
    assert positions(sets, [["c", "b"], [], ["a", "c"], ["z"], ["b", "a", "b"]]).tolist() == [3, 1, -1, -1, 2]


def test_positions_survive_many_sets():
    draw = np.random.default_rng(3)
    codes = np.unique(np.sort(draw.integers(0, 90, (20_000, 3)), axis=1), axis=0)
    codes = codes[(codes[:, 0] < codes[:, 1]) & (codes[:, 1] < codes[:, 2])].astype(np.int32)
    offsets = np.arange(0, codes.size + 1, 3)
    labels = tuple(str(k) for k in range(90))
    sets = Itemsets.from_arrays(offsets, codes.ravel(), np.ones(len(codes), np.int64), labels=labels, n_transactions=1)
    assert np.array_equal(positions(sets, sets), np.arange(len(sets)))


def test_no_sets_have_no_subsets():
    offsets, codes, values = all_subsets(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int64))
    assert (offsets.tolist(), codes.tolist(), values.tolist()) == ([0], [], [])
