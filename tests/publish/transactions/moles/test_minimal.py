"""Minimal moles: the paper's example, the definition, both kernels, and what real data is known to hold."""

import math
import random

import numpy as np
import pytest
from benchmarks.publish.experiment_items import copy_private_items, draw_private_items
from tests.oracles import publish as oracles

from confide import Coherence, Transactions
from confide.core.errors import CannotMeetError, RequirementError, UsageError
from confide.core.randomness import Randomness
from confide.core.samples.quest import quest
from confide.publish.transactions.declaration import Declared, check_eligible, list_allowed_private
from confide.publish.transactions.moles.minimal import find_moles, minimal_moles

# Thesis, Figure 10 and Example 7; ICDM 2008, Figure 1.
FIGURE_10 = ["abef s1", "cefg s2", "abg s3", "abfg s2", "abdg s2", "efg s1", "befg s3"]
ROWS = [[*row.split()[0], row.split()[1]] for row in FIGURE_10]
PRIVATE = ["s1", "s2", "s3"]
RUNNING = Coherence(h=0.5, k=3, p=3)


def random_case(seed):
    """A small database, a requirement and its private items."""
    draw = random.Random(seed)
    items = "abcdefgh"[: draw.randint(2, 8)]
    private = PRIVATE[: draw.randint(0, 3)]
    density = draw.choice([0.2, 0.4, 0.6, 0.8, 0.9])
    rows = [
        [i for i in items if draw.random() < density] + [s for s in private if draw.random() < 0.3]
        for _ in range(draw.randint(4, 30))
    ]
    rows[0] = sorted({*rows[0], items[0]})  # some public item must occur
    requirement = Coherence(
        h=draw.choice([0.3, 0.4, 0.5, 0.6, 1 / 3, 0.8, 1.0]),
        k=draw.randint(2, 5),
        p=draw.choice([1, 2, 3, 4, 5, math.inf]),
    )
    return rows, requirement, [s for s in private if any(s in row for row in rows)]


@pytest.mark.parametrize("search", ["sparse", "dense"])
def test_figure_10_has_seven_minimal_moles(search):
    declared = Declared.of(Transactions.from_lists(ROWS), PRIVATE)
    found = find_moles(declared, RUNNING, search=search)
    assert {"".join(mole.items): (mole.support, mole.why) for mole in found} == {
        "c": (1, "support"),
        "d": (1, "support"),
        "ae": (1, "support"),
        "af": (2, "support"),
        "ag": (3, "breach"),  # which Example 10 wrongly takes for free of moles
        "be": (2, "support"),
        "bfg": (2, "support"),
    }
    assert found.counts() == {1: 2, 2: 4, 3: 1}
    assert found.breaches() == 1
    assert len(found.holding("a")) == 3


@pytest.mark.parametrize("block", range(10))
def test_both_kernels_find_what_the_definition_says(block):
    for seed in range(100 * block, 100 * block + 100):
        rows, requirement, private = random_case(seed)
        expected = oracles.minimal_moles(rows, requirement.h, requirement.k, requirement.p, private)
        declared = Declared.of(Transactions.from_lists(rows), private)
        if expected == {frozenset()}:
            with pytest.raises(CannotMeetError):
                check_eligible(declared, requirement)
            continue
        check_eligible(declared, requirement)
        for search in ("sparse", "dense"):
            found = find_moles(declared, requirement, search=search)
            assert found.as_sets() == expected, (seed, search)
            assert len(found) == len(expected)  # none twice
            for mole in found:
                support = oracles.support([frozenset(row) for row in rows], frozenset(mole.items))
                assert mole.support == support
                assert mole.why == ("support" if support < requirement.k else "breach")


@pytest.mark.parametrize("seed", range(6))
def test_kernels_agree_where_no_oracle_can_follow(seed):
    tx = quest("T12I5D2K", items=70 + 40 * (seed % 2), seed=seed)  # two item words and one
    made = copy_private_items(tx)
    declared = Declared.of(made.transactions, made.private)
    requirement = Coherence(h=[0.6, 0.8, 0.9][seed % 3], k=[5, 12][seed % 2], p=[3, 5, 4][seed % 3])
    sparse, dense = (find_moles(declared, requirement, search=s) for s in ("sparse", "dense"))
    assert sparse.counts() == dense.counts()
    assert max(sparse.counts()) >= 3
    assert sparse.breaches() > sparse.levels[1].breach.sum()
    for size in sparse.counts():
        assert np.array_equal(np.diff(sparse.level(size), axis=1) > 0, np.ones((sparse.counts()[size], size - 1)))
    assert {(m.items, m.support, m.why) for m in sparse} == {(m.items, m.support, m.why) for m in dense}


def test_unbounded_p_finds_long_moles():
    # Twelve items always together but for one record each: every pair of holes leaves a set of ten common.
    rows = [[str(j) for j in range(12) if j != i] for i in range(12)] + [[str(j) for j in range(12)]]
    declared = Declared.of(Transactions.from_lists(rows), [])
    requirement = Coherence(h=1.0, k=4, p=math.inf)
    for search in ("sparse", "dense"):
        found = find_moles(declared, requirement, search=search)
        assert found.counts() == {10: math.comb(12, 10)}


@pytest.mark.data
def test_retail_holds_the_known_moles(data):
    made = copy_private_items(Transactions.read(data / "retail" / "retail.dat.gz"))
    found = minimal_moles(made.transactions, Coherence(h=0.6, k=20, p=4), private=made.private)
    assert found.counts() == {1: 12_336, 2: 1_132_663, 3: 2_825, 4: 31}


@pytest.mark.data
def test_connect_holds_the_known_moles(data):
    made = copy_private_items(Transactions.read(data / "connect" / "connect.dat.gz"))
    found = minimal_moles(made.transactions, Coherence(h=0.6, k=100, p=5), private=made.private)
    assert found.counts() == {1: 20, 2: 839, 3: 5_720, 4: 11_420, 5: 27_227}


@pytest.mark.data
@pytest.mark.parametrize(("name", "share"), [("retail", "47.8%"), ("connect", "47.4%")])
def test_the_default_h_of_the_thesis_is_refused_with_its_reason(data, name, share):
    made = copy_private_items(Transactions.read(data / name / f"{name}.dat.gz"))
    with pytest.raises(CannotMeetError, match=f"stands in {share} of all records") as refusal:
        minimal_moles(made.transactions, Coherence(h=0.4, k=20, p=4), private=made.private)
    nearest = refusal.value.cures[0]["h"]
    check_eligible(Declared.of(made.transactions, made.private), Coherence(h=nearest, k=20, p=4))


def test_many_private_items_in_a_record_are_all_looked_at():
    tx = quest("T15I4D1K", items=60, seed=3)
    private = draw_private_items(tx, public_share=0.2, randomness=Randomness.seeded(3))
    rows = list(tx)
    requirement = Coherence(h=0.9, k=3, p=2)
    expected = oracles.minimal_moles(rows, 0.9, 3, 2, private)
    assert any(len(mole) == 2 for mole in expected)
    for search in ("sparse", "dense"):
        assert find_moles(Declared.of(tx, private), requirement, search=search).as_sets() == expected


@pytest.mark.parametrize("h", [0.6, 0.1, 1 / 3, 0.30000000000000004, 1])
def test_shares_are_compared_in_whole_numbers(h):
    requirement = Coherence(h=h, k=2, p=1)
    most = 2000
    assert list_allowed_private(requirement, most).tolist() == [requirement.most_private(s) for s in range(most + 1)]


def test_exactly_h_is_allowed_and_one_more_is_not():
    at_h = Transactions.from_lists([["a", "s"]] * 3 + [["a"]] * 2 + [["b"]] * 5)
    assert not minimal_moles(at_h, Coherence(h=0.6, k=2, p=1), private=["s"]).as_sets()
    above = Transactions.from_lists([["a", "s"]] * 4 + [["a"]] * 2 + [["b"]] * 5)
    assert minimal_moles(above, Coherence(h=0.6, k=2, p=1), private=["s"]).as_sets() == {frozenset("a")}


def test_an_itemset_that_never_occurs_is_not_a_mole():
    tx = Transactions.from_lists([["a"]] * 3 + [["b"]] * 3)
    assert len(minimal_moles(tx, Coherence(h=1.0, k=3, p=2))) == 0


def test_labels_that_never_occur_are_not_moles():
    tx = Transactions(np.array([0, 1, 2]), np.array([0, 0], dtype=np.int32), ("a", "b"))
    assert len(minimal_moles(tx, Coherence(h=1.0, k=2, p=2))) == 0


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"private": ["cheese"]}, UsageError, "private item 'cheese' never occurs"),
        ({"private": ["a", "b", "s"]}, UsageError, "all items are private"),
        ({"private": "s"}, UsageError, "a list of labels, not one text"),
        ({"k": 7}, CannotMeetError, "k=7 is larger than the database of 6 records"),
        (
            {"private": ["s"], "h": 0.3},
            CannotMeetError,
            "'s' stands in 50.0% of all records.*nearest that works: h=0.5",
        ),
        ({"h": 0}, RequirementError, "h=0 is not a share"),
        ({"h": 1.5}, RequirementError, "h=1.5 is not a share"),
        ({"p": 1.5}, RequirementError, "p=1.5"),
        ({"p": 0}, RequirementError, "p=0"),
    ],
)
def test_bad_input_gets_one_clear_line(arguments, error, message):
    tx = Transactions.from_lists([["a", "s"]] * 3 + [["b"]] * 3)
    settings = {"h": 0.6, "k": 2, "p": 2} | arguments
    private = settings.pop("private", [])
    with pytest.raises(error, match=message) as caught:
        minimal_moles(tx, Coherence(**settings), private=private)
    assert "\n" not in str(caught.value)


def test_the_empty_database_is_refused():
    with pytest.raises(CannotMeetError, match="larger than the database of 0 records"):
        minimal_moles(Transactions.from_lists([]), Coherence(h=1.0, k=2, p=1))
