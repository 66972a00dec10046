"""Confidences of rules and how sure they are: covariances against their definition, intervals against simulation."""

import numpy as np
import pytest
from tests.collect.scenarios.test_coverage import CODES, FIELDS, RECORDS, SCHEMES, TRUE

from confide.collect import CutAndPaste, Emask, GammaDiagonal
from confide.collect.estimating.reconstruction import mine, reconstructed_rules
from confide.core.errors import UsageError
from confide.core.itemsets.container import Itemsets
from confide.core.randomness import Randomness
from confide.core.transactions.container import Transactions
from confide.mining import association_rules, itemset_supports

SIMULATIONS, TOGETHER = 200, 25


def weights(scheme, labels, holds):
    """w(v) of one itemset for each perturbed record, one factor an item; `holds[label]` says which records have it."""
    if isinstance(scheme, GammaDiagonal):
        keep = float(scheme.keep)
        share = np.prod([1 / len(scheme.fields[label.split("=")[0]].values) for label in labels])
        return (np.all([holds[x] for x in labels], axis=0) - (1 - keep) * share) / keep
    if isinstance(scheme, CutAndPaste):
        shown, hidden, m, n = 1.0, -scheme.rho / (1 - scheme.rho), len(FIELDS), len(labels)
        law = [float(share) for share in scheme.kept(m)]
        cut = sum(s * np.prod([(w - i) / (m - i) for i in range(n)]) for w, s in enumerate(law) if w >= n)
        return np.prod([np.where(holds[x], shown, hidden) for x in labels], axis=0) / cut
    p, q = (float(x) for x in scheme.keeps())
    d = p + q - 1
    return np.prod([np.where(holds[x], q / d, (q - 1) / d) for x in labels], axis=0)


@pytest.mark.parametrize("name", ["mask", "emask", "cut-and-paste", "gamma-diagonal"])
def test_covariances_are_sums_of_products_of_weights(name):
    scheme = SCHEMES[name]
    sent = scheme.perturb(CODES, randomness=Randomness.seeded(3))
    found = mine(scheme, sent, min_support=1, keep_near=60.0)
    rules = reconstructed_rules(found, min_confidence=0, scheme=scheme)
    if isinstance(sent, Transactions):
        held = [set(row) for row in sent]
        holds = {x: np.array([x in row for row in held]) for x in FIELDS.columns}
    else:
        holds = {f"a{i}={v}": sent[:, i] == v for i in range(4) for v in range(2)}
    assert len(rules) > 100
    covariances = scheme.covariances(rules)
    for i in np.linspace(0, len(rules) - 1, 60).astype(int).tolist():
        left, whole = rules[i].antecedent, (*rules[i].antecedent, *rules[i].consequent)
        w_x, w_a = weights(scheme, whole, holds), weights(scheme, left, holds)
        assert covariances[i] == pytest.approx(w_x @ w_a - w_x.sum(), rel=1e-6, abs=1e-4)


@pytest.mark.parametrize("name", ["emask", "cut-and-paste", "gamma-diagonal", "a matrix for each field"])
def test_intervals_of_confidences_hold_the_truth_as_often_as_they_say(name):
    """200 simulations of four rules or more each; those of matrices are bounds, and hold it more often."""
    scheme = SCHEMES[name]
    randomness = Randomness.seeded(17)
    held = asked = 0
    for _ in range(SIMULATIONS // TOGETHER):
        drawn = scheme.perturb(np.tile(CODES, (TOGETHER, 1)), randomness=randomness)
        for i in range(TOGETHER):
            here = np.arange(i * RECORDS, (i + 1) * RECORDS)
            seen = drawn.take(here) if isinstance(drawn, Transactions) else drawn[here]
            found = mine(scheme, seen, min_support=1, keep_near=60.0, max_length=3)
            rules = reconstructed_rules(found, min_confidence=0, scheme=scheme)
            truth = itemset_supports(TRUE, found)
            likely = (truth[rules.whole] >= 60) & (truth[rules.antecedent] > truth[rules.whole] + 60)
            true = truth[rules.whole][likely] / truth[rules.antecedent][likely]
            low, high = (rules.columns[f"confidence_{side}"][likely] for side in ("low", "high"))
            held += int(((low <= true) & (true <= high)).sum())
            asked += int(likely.sum())
    assert asked > 4 * SIMULATIONS
    assert held / asked >= 0.93, held / asked
    if "matrix" not in name:
        assert held / asked <= 0.97, held / asked


def test_the_standard_error_is_the_spread_of_the_confidence():
    scheme = Emask(p=0.8, q=0.9)
    true = Transactions.from_lists([["tea", "milk"]] * 900 + [["tea"]] * 600 + [["beer"]] * 1500)
    confidences, errors = [], []
    for seed in range(200):
        found = mine(scheme, scheme.perturb(true, randomness=Randomness.seeded(seed)), min_support=0.1)
        rules = reconstructed_rules(found, min_confidence=0, scheme=scheme)
        at = next(i for i, rule in enumerate(rules) if (rule.antecedent, rule.consequent) == (("tea",), ("milk",)))
        confidences.append(rules.confidence[at])
        errors.append(rules.columns["confidence_std_error"][at])
    assert np.mean(confidences) == pytest.approx(0.6, abs=0.01)
    assert np.mean(errors) == pytest.approx(np.std(confidences), rel=0.15)  # known to 5% from 200


def test_without_the_scheme_intervals_are_wider_never_narrower():
    scheme = SCHEMES["gamma-diagonal"]
    found = mine(scheme, scheme.perturb(CODES, randomness=Randomness.seeded(5)), min_support=0.1)
    known = reconstructed_rules(found, min_confidence=0.3, scheme=scheme)
    unknown = reconstructed_rules(found, min_confidence=0.3)
    assert len(known) == len(unknown) > 10
    assert np.all(unknown.columns["confidence_low"] <= known.columns["confidence_low"])
    assert np.all(unknown.columns["confidence_high"] >= known.columns["confidence_high"])
    assert np.all(unknown.columns["confidence_std_error"] >= known.columns["confidence_std_error"])


def test_an_antecedent_that_may_be_nothing_leaves_the_confidence_open():
    sets = Itemsets.from_pairs([(("a",), 10), (("b",), 50), (("a", "b"), 8)], n_transactions=100)
    estimates = np.array([10.0, 50.0, 8.0])
    found = Itemsets(**{**sets.__dict__, "columns": {"estimate": estimates, "std_error": np.array([9.0, 2.0, 9.0])}})
    rules = reconstructed_rules(found, min_confidence=0.0)
    (unsure,) = (i for i, rule in enumerate(rules) if rule.antecedent == ("a",))
    assert [rules.columns[f"confidence_{side}"][unsure] for side in ("low", "high")] == [0, 1]
    assert next(iter(rules.surest(1))).antecedent == ("b",)
    limits = [f"confidence_{which}" for which in ("low", "high", "selected_low", "selected_high")]
    assert rules.to_arrow().column_names[-5:] == ["confidence_std_error", *limits]
    with pytest.raises(UsageError, match="no standard errors"):
        reconstructed_rules(sets, min_confidence=0.0)
    assert len(association_rules(sets, min_confidence=0.0)) == 2
