"""One item of a basket, drawn after padding: its law, its promise, what it estimates."""

import json

import numpy as np
import pyarrow as pa
import pytest
from tests.oracles import basket_rounds as oracle
from tests.oracles.perturbing import assert_follows

from confide import Randomness, Transactions
from confide.audit import audit_perturber
from confide.audit.verifiers.amplification import scheme_gamma, verify_amplification
from confide.collect import BasketQuestion, Scheme, perturber_of
from confide.collect.perturbed_release import release_perturbed
from confide.core.errors import InputError, RequirementError, UsageError

ITEMS = ["tea", "milk", "beer", "wine"]
SETS = [["tea", "milk"], ["beer"], ["milk", "beer"]]
SMALL = [
    {"pad": 1},
    {"pad": 2},
    {"pad": 6},
    {"pad": 2, "sets": SETS},
    {"pad": 2, "asks": "count"},
    {"pad": 5, "asks": "count", "sets": SETS},
]
BASKETS = [[], ["tea"], ["tea", "milk"], ["tea", "milk", "beer"], ITEMS]


def question(**options):
    return BasketQuestion(**{"items": ITEMS, "gamma": 4.5, "law": "k-ary", **options})


def hashed(**options):
    """With a hash function small enough to list: as `smaller` makes them."""
    made = question(**options, law="hashing")
    prime = next(p for p in (5, 7, 11, 13) if p >= made.values)
    data = {**json.loads(made.to_json()), "prime": prime, "buckets": 3}
    return Scheme.from_dict(data)


@pytest.mark.parametrize("make", [question, hashed])
@pytest.mark.parametrize("options", SMALL, ids=str)
def test_gamma_is_what_enumeration_finds(options, make):
    asked = make(**options)
    found = float(oracle.exact_gamma(asked))
    assert found <= 4.5 * (1 + 1e-12)
    assert asked.amplification().gamma == pytest.approx(4.5, rel=1e-12)
    assert scheme_gamma(json.loads(asked.to_json())) == pytest.approx(4.5, rel=1e-9)
    if make is question:
        assert found == pytest.approx(4.5, rel=1e-12)


@pytest.mark.parametrize("options", SMALL, ids=str)
@pytest.mark.parametrize("basket", BASKETS, ids=len)
def test_draws_follow_the_law(options, basket):  # false-alarm rate one in a million for each
    asked = question(**options)
    sent = asked.draw_answers(Transactions.from_lists([basket] * 20_000), Randomness.seeded(3))
    held = frozenset(ITEMS.index(item) for item in basket)
    assert_follows(map(tuple, sent), oracle.basket_law(asked, held))


def test_an_auditor_finds_no_more_than_gamma():
    draw, truths, outputs = perturber_of(question(pad=2), randomness=Randomness.seeded(6))
    found = audit_perturber(draw, truths=truths, outputs=outputs, samples=100_000, claimed=4.5)
    assert not found.refuted
    assert audit_perturber(draw, truths=truths, outputs=outputs, samples=100_000, claimed=3).refuted


def test_a_large_question_has_a_smaller_one_to_audit():
    many = [f"i{n}" for n in range(3000)]
    for options in ({"pad": 2}, {"pad": 40, "law": "k-ary"}, {"pad": 9, "sets": [[many[0], many[7]]]}):
        large = BasketQuestion(items=many, gamma=19, **options)
        small = large.smaller()
        assert small.amplification().gamma == large.amplification().gamma
        assert small.numbered().answers <= 1 << 14
    assert question(pad=2).smaller() == question(pad=2)


@pytest.mark.parametrize("law", ["k-ary", "hashing"])
@pytest.mark.parametrize("sets", [None, SETS], ids=["items", "sets"])
def test_supports_are_unbiased_and_standard_errors_those_of_simulation(law, sets):
    """200 collections: unbiased within 5 standard errors, spread within 20% (about 4 of its own)."""
    baskets = Transactions.from_lists(
        [["tea", "milk"]] * 500 + [["beer"]] * 300 + [["milk", "beer"]] * 100 + [[]] * 100
    )
    asked = question(pad=3, sets=sets, law=law, gamma=9)
    randomness = Randomness.seeded(5)
    found = [asked.estimate(asked.perturb(baskets, randomness=randomness)) for _ in range(200)]
    estimates, variances = np.array([e for e, _, _ in found]), np.array([v for _, v, _ in found])
    held = [{ITEMS[i] for i in one} for one in asked.asked_sets]
    truth = np.array([sum(one <= set(basket) for basket in baskets) for one in held]) / len(baskets)
    stated = np.sqrt(variances.mean(axis=0))
    assert (np.abs(estimates.mean(axis=0) - truth) < 5 * stated / np.sqrt(200)).all()
    assert estimates.std(axis=0) == pytest.approx(stated, rel=0.2)


def test_counts_are_estimated():
    asked = question(asks="count", pad=2, gamma=99)
    baskets = [[]] * 2000 + [["tea"]] * 3000 + [ITEMS] * 5000
    shares, _ = asked.shares(asked.perturb(baskets, randomness=Randomness.seeded(1)))
    assert shares == pytest.approx([0.2, 0.3, 0.5], abs=0.03)
    with pytest.raises(UsageError, match="asks how many items apply, not which"):
        asked.mine(asked.perturb(baskets), min_support=0.1)


def test_baskets_of_every_form_are_answered_and_mined(tmp_path):
    asked = question(pad=2, gamma=19)
    rows = [["tea", "milk"]] * 600 + [["beer"]] * 400
    table = asked.perturb(Transactions.from_lists(rows), randomness=Randomness.seeded(1))
    found = asked.mine(table, min_support=0.3)
    assert {labels for labels, _ in found} == {("tea",), ("milk",), ("beer",)}
    assert table.column_names == ["question", "answer"]
    wires = asked.perturb(rows, randomness=Randomness.seeded(1))
    for again in (table, table.to_pandas(), wires):
        assert asked.mine(again, min_support=0.3).columns["estimate"].tolist() == found.columns["estimate"].tolist()
    one = asked.perturb({"tea": 1, "milk": 0})
    assert asked.encode(one) == one
    asked.check_wire(asked.perturb([]))
    assert asked.mining_notes()[0].startswith("baskets with more than 2")
    asked.write(tmp_path / "s.json")
    assert Scheme.read(tmp_path / "s.json") == asked


def test_a_release_is_verified_and_a_forged_answer_is_seen():
    asked = question(pad=2, gamma=19)
    release = release_perturbed(asked, Transactions.from_lists([["tea"], ["milk", "beer"]] * 40))
    assert release.requirement.gamma == pytest.approx(19)
    assert all(check.ok for check in verify_amplification(release.data, release.passport))
    forged = release.data.set_column(1, "answer", pa.array(["6"] * 80))
    assert not all(check.ok for check in verify_amplification(forged, release.passport))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gamma": 1}, "gamma=1 erases the data"),
        ({"pad": 0}, "pad=0 is not a number of items"),
        ({"asks": "all"}, "asks='all' is not a question"),
        ({"law": "unary"}, "law='unary' is not a way to answer"),
        ({"sets": [["gin"]]}, "not among the items"),
        ({"sets": [["tea"], ["tea"]]}, "asked for twice"),
        ({"sets": ["tea"]}, "list of lists"),
        ({"items": []}, "holds no items"),
        ({"items": ["a", "a"]}, "same label"),
    ],
    ids=str,
)
def test_bad_questions_get_one_line(options, message):
    with pytest.raises(RequirementError, match=message) as caught:
        question(**options)
    assert "\n" not in str(caught.value)


def test_an_item_nobody_declared_is_refused():
    with pytest.raises(InputError, match="not one of the scheme's items"):
        question().perturb([["tea"], ["gin"]])
    with pytest.raises(UsageError, match="leave out counter"):
        question().mine(question().perturb([["tea"]]), min_support=1, counter=lambda *_: None)
