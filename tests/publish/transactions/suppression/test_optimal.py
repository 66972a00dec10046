"""The best choice: as exhaustive search finds it, for both utilities; its bound holds when the time runs out."""

import math
import os
import signal
import threading
import time
from random import Random

import numpy as np
import pytest
from tests.oracles.itemset_utility import best_loss, moles, nuggets
from tests.publish.transactions.suppression.test_itemset_utility import random_case
from tests.publish.transactions.suppression.test_put_back import pairs_case

from confide import Coherence, Transactions
from confide.core.errors import CannotMeetError, RequestError, UsageError
from confide.core.runtime import threads
from confide.publish import suppress
from confide.publish.transactions.families.diagrams import Sets
from confide.publish.transactions.suppression.optimal import best_choice


def cases(seeds):
    for seed in seeds:
        rows, requirement, private, options = (pairs_case if seed % 2 else random_case)(seed)
        private = [s for s in private if any(s in row for row in rows)]
        public = {v for row in rows for v in row} - set(private)
        if public and frozenset() not in moles(rows, requirement.h, requirement.k, requirement.p, private):
            yield seed, rows, requirement, private, options


def release_of(rows, requirement, private, **options):
    try:
        return suppress(rows, requirement, private=private, method="optimal", **options)
    except CannotMeetError as refusal:
        assert "no public item" in str(refusal)
        return None


def test_for_items_nothing_loses_less():
    met = 0
    for seed, rows, requirement, private, _ in cases(range(200)):
        support = {v: sum(v in row for row in rows) for row in rows for v in row}
        cost = Random(seed).choice(["support", "one"])
        release = release_of(rows, requirement, private, cost=cost)
        if release is None:
            continue
        met += 1
        price = {v: support[v] if cost == "support" else 1 for v in support}
        gone = set(support) - {v for row in release.data for v in row}
        h, k, p = requirement.h, requirement.k, requirement.p
        assert not moles(release.data, h, k, p, private)
        least = best_loss(rows, h, k, p, private, lambda gone: sum(price[v] for v in gone))  # noqa: B023
        assert sum(price[v] for v in gone) == least, seed
        assert release.loss["share_above_least"] == 0
    assert met > 80


@pytest.mark.parametrize("deletion", [False, True])
def test_for_itemsets_nothing_loses_fewer_nuggets(deletion: bool):
    met = better = 0
    for seed, rows, requirement, private, options in cases(range(100)):
        release = release_of(rows, requirement, private, utility="itemsets", icdm_deletion=deletion, **options)
        if release is None:
            continue
        met += 1
        good = nuggets(rows, options["nugget_support"], options["nugget_length"] or math.inf)
        h, k, p = requirement.h, requirement.k, requirement.p
        assert not moles(release.data, h, k, p, private)
        least = best_loss(rows, h, k, p, private, lambda gone: sum(bool(x & gone) for x in good))  # noqa: B023
        assert release.owner.facts["nuggets_lost"] == least, seed
        assert release.loss["share_above_least"] == 0
        greedy = suppress(rows, requirement, private=private, utility="itemsets", **options)
        better += greedy.owner.facts["nuggets_lost"] > least
    assert met > 40
    assert better > 0


def test_items_to_be_kept_stay_and_the_rest_is_the_best_without_them():
    met = 0
    for seed, rows, requirement, private, options in cases(range(120)):
        h, k, p = requirement.h, requirement.k, requirement.p
        bad = moles(rows, h, k, p, private)
        public = sorted({v for row in rows for v in row} - set(private))
        keep = Random(seed).sample(public, min(2, len(public)))
        if not keep or any(x <= set(keep) for x in bad):
            continue
        met += 1
        good = nuggets(rows, options["nugget_support"], options["nugget_length"] or math.inf)
        for wishes, lost in (
            ({"cost": "one"}, len),
            ({"utility": "itemsets", **options}, lambda gone: sum(bool(x & gone) for x in good)),  # noqa: B023
        ):
            release = suppress(rows, requirement, private=private, method="optimal", keep=keep, **wishes)
            gone = set(public) - {v for row in release.data for v in row}
            assert not gone & set(keep)
            assert lost(gone) == best_loss(rows, h, k, p, private, lost, keep), seed
    assert met > 30


def random_moles(seed: int, n_items: int, n_moles: int) -> tuple[Sets, np.ndarray]:
    rng = np.random.default_rng(seed)
    listed = [np.sort(rng.choice(n_items, size=rng.integers(2, 5), replace=False)) for _ in range(n_moles)]
    starts = np.cumsum([0, *map(len, listed)])
    return Sets(starts.astype(np.int64), np.concatenate(listed).astype(np.int32)), rng.integers(1, 50, n_items)


def test_the_bound_of_a_search_cut_short_holds(monkeypatch: pytest.MonkeyPatch):
    """Cut after one node, then after ever more: the bound never passes the best loss, and meets it in the end."""
    from confide.publish.transactions.suppression import optimal

    monkeypatch.setattr(optimal, "_STEP", 1)  # one node between two looks at the clock
    for seed in range(20):
        sets, price = random_moles(seed, 14, 25)
        everything = np.unique(sets.items).tolist()
        proved = best_choice(sets, first=everything, price=price)
        assert proved.loss == proved.least
        held = [set(x.tolist()) for x in np.split(sets.items, sets.starts[1:-1])]
        assert all(mole & set(proved.items) for mole in held)
        for nodes in (1, 3, 10, 30):
            ticks = iter([0.0] * (nodes + 1))
            monkeypatch.setattr(optimal.time, "monotonic", lambda: next(ticks, 1e9))  # noqa: B023
            cut = best_choice(sets, first=everything, price=price)
            monkeypatch.undo()
            monkeypatch.setattr(optimal, "_STEP", 1)
            assert cut.least <= proved.loss <= cut.loss
            assert all(mole & set(cut.items) for mole in held)


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "support", "k", "lost"),
    [("connect", 0.4, 10, "1.1055%"), ("retail", 0.03, 50, "34.3750%"), ("retail", 0.01, 10, "75.4717%")],
)
def test_the_best_choices_on_the_thesis_databases_are_proved(data, name: str, support: float, k: int, lost: str):
    tx = Transactions.read(data / name / f"{name}.dat.gz")
    options = {"utility": "itemsets", "nugget_support": support, "icdm_deletion": True, "method": "optimal"}
    release = suppress(tx, Coherence(h=1.0, k=k, p=math.inf), **options)
    assert f"{release.owner.facts['share_of_nuggets_lost']:.4%}" == lost
    assert release.loss["share_above_least"] == 0
    assert release.passport.parameters["time_limit"] == 60


def test_a_time_limit_counts_with_this_method_only():
    rows, requirement = [["a", "b"], ["a", "b"]], Coherence(h=1.0, k=2, p=2)
    with pytest.raises(UsageError, match="method='optimal' only"):
        suppress(rows, requirement, time_limit=3)
    with pytest.raises(UsageError, match="an order of the greedy rule"):
        suppress(rows, requirement, method="optimal", put_back=False)
    with pytest.raises(RequestError, match="time_limit=0 leaves no time"):
        suppress(rows, requirement, method="optimal", time_limit=0)


def test_ctrl_c_ends_the_search_and_keeps_the_best_so_far():
    """Interrupted as soon as it searches, which alone would take minutes: the release says that nothing is proved."""
    draw = np.random.default_rng(3)
    tx = Transactions.from_lists([[str(v) for v in draw.choice(400, 8, replace=False)] for _ in range(4000)])
    waiting = threading.Thread(target=interrupt_once_stoppable, daemon=True)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a run in the background ignores it
    try:
        waiting.start()
        release = suppress(tx, Coherence(h=1.0, k=5, p=2), method="optimal", time_limit=600)
    finally:
        signal.signal(signal.SIGINT, before)
    waiting.join()
    assert release.verification.ok
    assert release.loss["share_above_least"] > 0


def interrupt_once_stoppable():
    while not threads._stoppable:
        time.sleep(0.005)
    os.kill(os.getpid(), signal.SIGINT)
