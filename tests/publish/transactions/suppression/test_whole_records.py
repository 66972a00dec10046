"""Admission by whole records: the guarantee by the slow twin, nothing can be put back, and what is refused quickly."""

import math
import random
import time

import numpy as np
import pytest
from tests.amounts import some
from tests.oracles import publish as oracles

from confide import Coherence, Transactions, verify
from confide.core.errors import CannotMeetError, UsageError
from confide.publish import explore, suppress
from confide.publish.transactions.declaration import Declared
from confide.publish.transactions.suppression.whole_records import suppress_by_records


def cases(seeds):
    for seed in seeds:
        draw = random.Random(seed)
        items = [chr(97 + i) for i in range(draw.randint(3, 8))]
        rows = [[v for v in items if draw.random() < draw.choice([0.2, 0.5, 0.8])] for _ in range(draw.randint(6, 30))]
        if any(rows):
            yield seed, [row for row in rows if row], draw.randint(2, 5)


def test_a_release_is_coherent_and_no_item_can_be_put_back():
    for seed, rows, k in cases(some(range(300), every=3)):
        tx = Transactions.from_lists(rows)
        if tx.supports().max() < k:
            continue  # no public item would be left
        release = suppress(tx, Coherence(h=1.0, k=k, p=math.inf), method="records")
        kept = {v for row in release.data for v in row}
        assert oracles.moles([list(row) for row in release.data], 1.0, k, math.inf, []) == set(), seed
        for v in {v for row in rows for v in row} - kept:
            more = [[u for u in row if u in kept | {v}] for row in rows]
            assert oracles.moles(more, 1.0, k, math.inf, []), (seed, v)


def test_auto_loses_no_more_than_either_way():
    for seed, rows, k in cases(some(range(100), every=2)):
        tx = Transactions.from_lists(rows)
        if tx.supports().max() < k:
            continue
        lost = {
            method: suppress(tx, Coherence(h=1.0, k=k, p=math.inf), method=method).loss["share_of_occurrences_lost"]
            for method in ("auto", "tree", "records")
        }
        assert lost["auto"] == min(lost.values()), seed


def sparse(n_items, records, length, seed=1):
    draw = np.random.default_rng(seed)
    weights = 1 / np.arange(1, n_items + 1)
    weights /= weights.sum()
    rows = [np.unique(draw.choice(n_items, size=length, p=weights)).tolist() for _ in range(records)]
    return Transactions.from_lists([[str(v) for v in row] for row in rows])


def test_what_moles_cannot_do_whole_records_can(tmp_path):
    """Dense data on which the search for moles with p = infinity is refused; released, verified, and priced."""
    tx = Transactions.from_lists(
        [[f"i{j}" for j in range(40) if draw.random() < 0.85] for draw in map(random.Random, range(1500))]
    )
    requirement = Coherence(h=1.0, k=10, p=math.inf)
    with pytest.raises(CannotMeetError, match="p=inf is too large"):
        suppress(tx, requirement, method="tree")
    release = suppress(tx, requirement)
    assert release.passport.parameters["method"] == "records"
    release.write(tmp_path / "out.csv")
    assert verify(tmp_path / "out.csv.passport.json").ok
    (priced,) = explore(tx, k=[10], h=[1.0], p=[math.inf])
    assert priced.share_of_occurrences_lost == release.loss["share_of_occurrences_lost"]


def test_a_bounded_private_item_with_p_infinite_is_refused_soon():
    tx = sparse(300, 8000, 60)
    tx = Transactions.from_lists([[*row, "s"] if n % 5 == 0 else row for n, row in enumerate(tx)])
    suppress(tx.take(np.arange(50)), Coherence(h=0.9, k=2, p=1), private=["s"])  # kernels are compiled
    began = time.process_time()  # of all threads, whatever else the machine does
    with pytest.raises(CannotMeetError, match="small enough to search: p="):
        suppress(tx, Coherence(h=0.5, k=3, p=math.inf), private=["s"])
    assert time.process_time() - began < 20  # the search it saves takes far longer


def test_kept_items_come_first_and_wishes_that_cannot_be_met_are_refused():
    tx = Transactions.from_lists([["a", "b"], ["a", "b"], ["a", "c"], ["a", "c"], ["b", "c"]])
    requirement = Coherence(h=1.0, k=2, p=math.inf)
    assert {v for row in suppress(tx, requirement, method="records", keep=["c"]).data for v in row} >= {"c"}
    with pytest.raises(CannotMeetError, match="cannot all be kept"):
        suppress(tx, requirement, method="records", keep=["b", "c"])
    with pytest.raises(UsageError, match="needs p=inf"):
        suppress(tx, Coherence(h=1.0, k=2, p=1), method="records")


def test_the_order_of_prices_decides():
    tx = Transactions.from_lists([["a", "b"], ["a", "b"], ["a"], ["b", "c"], ["c"], ["c"]])
    declared = Declared.of(tx, [])
    for dear in range(3):
        price = np.where(np.arange(3) == dear, 9, 1)
        gone = suppress_by_records(declared, Coherence(h=1.0, k=2, p=math.inf), price=price).items
        assert dear not in gone
