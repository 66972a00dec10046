"""Itemset utility: the running example, both methods against listing everything, wishes and refusals, real data."""

import math
from random import Random

import numpy as np
import pytest
from benchmarks.publish.experiment_items import copy_private_items
from tests.oracles.itemset_utility import greedy_itemsets, moles, nuggets

from confide import Coherence, Transactions
from confide.core.errors import CannotMeetError, RequirementError, UsageError
from confide.mining import count_itemsets, frequent_itemsets
from confide.publish.transactions.families import diagrams as zdd
from confide.publish.transactions.families.diagrams import build
from confide.publish.transactions.families.moles_and_nuggets import MoleSource, mole_diagram
from confide.publish.transactions.families.visits import itemsets_held
from confide.publish.transactions.suppression.itemset_utility import NuggetCounts, nugget_counts, suppress_for_itemsets

RUNNING = [[*items, secret] for items, secret in zip(
    ["abef", "cefg", "abg", "abfg", "abdg", "efg", "befg"], ["s1", "s2", "s3", "s2", "s2", "s1", "s3"], strict=True
)]  # fmt: skip
SECRETS = ("s1", "s2", "s3")
METHODS = ("border", "zdd", "walk")


def methods(requirement: Coherence) -> tuple[str, ...]:
    """All of them, but a walk visits sets of at most p items, so p must be finite."""
    return METHODS if requirement.p != math.inf else METHODS[:2]


def suppressed(rows, requirement, private, **options):
    tx = Transactions.from_lists(rows)
    codes = [tx.codes[x] for x in private if x in tx.codes]
    answer = suppress_for_itemsets(tx, requirement, codes, **options)
    return [(tx.labels[step.item], step.gain, step.cost) for step in answer.steps], answer


@pytest.mark.parametrize("method", METHODS)
def test_the_running_example_suppresses_a_then_b(method: str):  # Figure 10; k' = 4
    steps, answer = suppressed(RUNNING, Coherence(h=0.5, k=3, p=3), SECRETS, nugget_support=4, method=method)
    assert steps == [("c", 0, 0), ("d", 0, 0), ("a", 8, 2), ("b", 4, 2)]
    assert [step.reason for step in answer.steps] == ["alone", "alone", "greedy", "greedy"]
    assert answer.totals == {"nuggets": 9, "moles_to_break": 12, "nuggets_kept": 5}
    assert answer.method == method


def test_the_running_example_has_the_scores_of_the_errata():
    found = moles(RUNNING, 0.5, 3, 3, SECRETS)
    found = {x for x in found if not x & {"c", "d"}}
    good = nuggets(RUNNING, 4, math.inf)
    assert len(found) == 12
    assert {v: (sum(v in x for x in found), sum(v in x for x in good)) for v in "abefg"} == {
        "a": (8, 2), "b": (7, 3), "e": (6, 2), "f": (6, 3), "g": (5, 3)
    }  # fmt: skip


def random_case(seed: int):
    rng = Random(seed)
    n_items, share = rng.randint(1, 6), rng.uniform(0.2, 0.9)
    rows = [[v for v in "abcdef"[:n_items] if rng.random() < share] for _ in range(rng.randint(1, 14))]
    private = ["s", "t"][: rng.randint(0, 2)]
    for row in rows:
        row += [s for s in private if rng.random() < 0.35]
    requirement = Coherence(
        h=rng.choice([0.4, 0.5, 2 / 3, 1.0]), k=rng.randint(2, 4), p=rng.choice([1, 2, 3, 4, math.inf])
    )
    options = {"nugget_support": rng.randint(1, 6), "nugget_length": rng.choice([None, None, 1, 2])}
    return rows, requirement, private, options


@pytest.mark.parametrize("block", range(12))
def test_all_methods_suppress_what_listing_all_moles_and_nuggets_suppresses(block: int):
    met = 0
    for seed in range(50 * block, 50 * block + 50):
        rows, requirement, private, options = random_case(seed)
        h, k, p = requirement.h, requirement.k, requirement.p
        longest = options["nugget_length"] or math.inf
        if frozenset() in moles(rows, h, k, p, private):
            for method in methods(requirement):
                with pytest.raises(CannotMeetError):
                    suppressed(rows, requirement, private, method=method, **options)
            continue
        met += 1
        expected, kept = greedy_itemsets(rows, h, k, p, private, options["nugget_support"], longest)
        for method in methods(requirement):
            steps, answer = suppressed(rows, requirement, private, method=method, **options)
            assert steps == expected, (seed, method)
            assert answer.totals["nuggets_kept"] == len(kept)
            gone = {v for v, _, _ in steps}
            assert not moles([[v for v in row if v not in gone] for row in rows], h, k, p, private)
    assert met > 10


@pytest.mark.parametrize("method", METHODS)
def test_items_to_be_kept_stay_or_the_mole_that_forbids_it_is_named(method: str):
    outcomes = {"refused": 0, "met": 0}
    for seed in range(160):
        rows, requirement, private, options = random_case(seed)
        if method not in methods(requirement):
            continue
        h, k, p = requirement.h, requirement.k, requirement.p
        found = moles(rows, h, k, p, private)
        tx = Transactions.from_lists(rows)
        public = [v for v in tx.labels if v not in private]
        keep = Random(seed).sample(public, min(2, len(public)))
        if frozenset() in found:
            continue
        options["keep_codes"] = [tx.codes[v] for v in keep]
        if forbidding := [x for x in found if x <= set(keep)]:
            outcomes["refused"] += 1
            with pytest.raises(CannotMeetError) as refusal:
                suppressed(rows, requirement, private, method=method, **options)
            named = {v for v in public if repr(v) in str(refusal.value)}
            assert named in forbidding
            assert len(named) == min(map(len, forbidding))
        else:
            outcomes["met"] += 1
            least, longest = options["nugget_support"], options["nugget_length"] or math.inf
            expected, _ = greedy_itemsets(rows, h, k, p, private, least, longest, keep)
            assert suppressed(rows, requirement, private, method=method, **options)[0] == expected
    assert min(outcomes.values()) > 20


def test_the_icdm_deletion_keeps_the_same_nuggets_but_fewer_items():  # erratum 4
    worse = 0
    for seed in range(200):
        rows, requirement, private, options = random_case(seed)
        if frozenset() in moles(rows, requirement.h, requirement.k, requirement.p, private):
            continue
        options["nugget_length"] = None
        plain, a = suppressed(rows, requirement, private, **options)
        deleted, b = suppressed(rows, requirement, private, icdm_deletion=True, **options)
        supports = Transactions.from_lists(rows).supports()
        for step in b.steps:
            assert step.reason != "option" or supports[step.item] < options["nugget_support"]
        assert a.totals["nuggets_kept"] == b.totals["nuggets_kept"]
        worse += len(deleted) > len(plain)
    assert worse > 20


def test_bad_parameters_are_refused_in_one_line():
    requirement = Coherence(h=0.5, k=3, p=3)
    with pytest.raises(UsageError, match="methods are: auto, border, zdd, walk"):
        suppressed(RUNNING, requirement, SECRETS, nugget_support=4, method="tree")
    with pytest.raises(UsageError, match="p must be finite"):
        suppressed(RUNNING, Coherence(h=0.5, k=3, p=math.inf), SECRETS, nugget_support=4, method="walk")
    with pytest.raises(RequirementError, match="nugget_length=0"):
        suppressed(RUNNING, requirement, SECRETS, nugget_support=4, nugget_length=0)
    with pytest.raises(RequirementError, match="max_length=True"):
        nugget_counts(Transactions.from_lists(RUNNING), min_support=4, max_length=True)
    with pytest.raises(CannotMeetError, match="'s2'"):
        suppressed(RUNNING, Coherence(h=0.4, k=3, p=3), SECRETS, nugget_support=4)


def test_a_database_without_items_needs_no_suppression():
    assert suppressed([[], [], []], Coherence(h=1.0, k=2, p=math.inf), (), nugget_support=1)[0] == []


@pytest.mark.parametrize("seed", range(50))
def test_nuggets_are_counted_as_by_listing_them(seed: int):
    rows, _, _, options = random_case(seed)
    tx = Transactions.from_lists(rows)
    least, longest = options["nugget_support"], options["nugget_length"]
    expected = nuggets(rows, least, longest or math.inf)
    counts = nugget_counts(tx, min_support=least, max_length=longest)
    assert isinstance(counts, NuggetCounts)
    assert counts.total == len(expected)
    assert counts.per_item.tolist() == [sum(v in x for x in expected) for v in tx.labels]


@pytest.mark.data
def test_connect_at_40_percent_has_339_915_255_nuggets(data):  # the thesis' 52,218,553,280 count them once per edge
    tx = Transactions.read(data / "connect" / "connect.dat.gz")
    counts = nugget_counts(tx, min_support=0.4)
    maximal = frequent_itemsets(tx, min_support=0.4, kind="maximal")
    assert counts.total == 339_915_255
    assert (len(maximal), int(maximal.lengths.sum())) == (6_213, 110_505)
    assert sum(int(n) << int(n) - 1 for n in maximal.lengths) == 52_218_553_280
    by_length = count_itemsets(tx, min_support=0.4)
    assert int(counts.per_item.sum()) == sum(n * count for n, count in by_length.items())


@pytest.mark.data
def test_connect_at_k_50_has_843_minimal_moles_two_ways_and_265_billion_in_all(data):
    tx = Transactions.read(data / "connect" / "connect.dat.gz")
    nobody = np.zeros(tx.n_items, dtype=np.bool_)
    source = MoleSource(tx, Coherence(h=1.0, k=50, p=math.inf), nobody, tx.supports() >= 0.4 * len(tx))
    assert source.by_support()
    assert mole_diagram(source).counts(tx.n_items).total == 264_929_017_856
    smallest = build(
        lambda made: made.minimal(made.minus(made.subsets(source.rows), made.subsets(source.frequent))), source.codes()
    )
    searched = {frozenset(x.tolist()) for x in np.split(source.minimal.items, source.minimal.starts[1:-1])}
    assert {frozenset(x) for x in smallest.sets()} == searched
    assert len(searched) == 843


@pytest.mark.data
@pytest.mark.parametrize(("support", "lost"), [(0.4, "7.8038%"), (0.5, "1.3953%"), (0.6, "0.0032%")])
def test_connect_loses_more_nuggets_than_the_thesis_says(data, support: float, lost: str):  # Figure 21: near zero
    tx = Transactions.read(data / "connect" / "connect.dat.gz")
    requirement = Coherence(h=1.0, k=50, p=math.inf)
    answer = suppress_for_itemsets(tx, requirement, (), nugget_support=support, icdm_deletion=True)
    assert f"{1 - answer.totals['nuggets_kept'] / answer.totals['nuggets']:.4%}" == lost


@pytest.mark.data
def test_walking_and_diagrams_suppress_the_same_on_retail(data):
    tx = Transactions.read(data / "retail" / "retail.dat.gz")
    made = copy_private_items(tx.keep_items(tx.supports() >= 600))
    codes = [made.transactions.codes[label] for label in made.private]
    for h, walking in ((0.6, "walk"), (1.0, "auto")):
        requirement = Coherence(h=h, k=20, p=3)
        walked, drawn = (
            suppress_for_itemsets(made.transactions, requirement, codes, nugget_support=0.02, method=method)
            for method in (walking, "zdd")
        )
        assert walked.steps == drawn.steps
        assert walked.method == "walk"
        assert drawn.method == "zdd"
        assert sum(step.reason == "greedy" for step in walked.steps) > 50


@pytest.mark.data
def test_a_p_that_cannot_be_done_is_refused_with_one_that_can(data, monkeypatch: pytest.MonkeyPatch):
    tx = Transactions.read(data / "retail" / "retail.dat.gz").take(np.arange(5_000))
    monkeypatch.setattr(zdd, "_MOST_NODES", 20_000)
    with pytest.raises(CannotMeetError, match="too many moles to count") as refusal:
        suppress_for_itemsets(tx, Coherence(h=1.0, k=5, p=math.inf), (), nugget_support=0.05)
    p = refusal.value.cures[0]["p"]
    assert suppress_for_itemsets(tx, Coherence(h=1.0, k=5, p=min(p, 3)), (), nugget_support=0.05).method == "walk"


@pytest.mark.data
def test_a_search_for_moles_that_would_not_end_is_refused_with_a_p_that_can_be_done(data):
    made = copy_private_items(Transactions.read(data / "chess" / "chess.dat.gz"))
    codes = [made.transactions.codes[label] for label in made.private]
    with pytest.raises(CannotMeetError, match="free of moles and would have to be searched") as refusal:
        suppress_for_itemsets(made.transactions, Coherence(h=0.8, k=10, p=math.inf), codes, nugget_support=0.6)
    p = refusal.value.cures[0]["p"]
    assert 3 <= p <= 6


def test_what_a_walk_reads_is_known_before():
    assert itemsets_held(np.array([3, 0, 4]), 2) == (3 + 3) + (4 + 6)
