"""Estimates from perturbed counts: worked by hand, against whole matrices, and exactly unbiased."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from tests.oracles import collecting as oracles

from confide.collect import CutAndPaste, Emask, Fields, GammaDiagonal, Mask, MatrixScheme
from confide.collect.estimating.cell_estimates import MergedRecords, keep_or_uniform_estimate
from confide.collect.schemes.scheme import exact
from confide.core.errors import RequirementError, UsageError


def layers_of(rows, itemset):
    """Layer j: the rows' counts of all subsets of j items, added up."""
    return np.array(
        [[sum(set(s) <= set(row) for row in rows for s in combinations(itemset, j)) for j in range(len(itemset) + 1)]]
    )


# -- golden ------------------------------------------------------------------------------------------------------------


def test_one_item_is_the_inverse_of_the_two_by_two_matrix():  # Eq. 3.3
    # [[p, 1-q], [1-p, q]] = [[.9, .2], [.1, .8]] has the inverse [[8, -2], [-1, 9]] / 7: (8 * 40 - 2 * 60) / 7
    estimates, variances = Emask(p=0.9, q=0.8).layer_estimator(1)(np.array([[100, 40]]))
    assert estimates[0] == pytest.approx(200 / 7)
    # est p(1-p)/d^2 + (N - est) q(1-q)/d^2
    assert variances[0] == pytest.approx(200 / 7 * 9 / 49 + 500 / 7 * 16 / 49)


def test_a_pair_needs_the_counts_of_section_3_3_4_only():
    # N = 100, a in 50, b in 40, both in 30: 11, 10, 01, 00 are 30, 20, 10, 40; with p = q = 0.75, (3, -1)/2 an item
    estimates, variances = Mask(p=0.75).layer_estimator(2)(np.array([[100, 50 + 40, 30]]))
    assert estimates[0] == pytest.approx((9 * 30 - 3 * 20 - 3 * 10 + 1 * 40) / 4)
    squares = (81 * 30 + 9 * 20 + 9 * 10 + 1 * 40) / 16
    assert variances[0] == pytest.approx(squares - estimates[0])


def test_gamma_diagonal_is_eq_4_28_with_n_c_over_n_cs():
    scheme = GammaDiagonal(domains=[2, 2], gamma=19)  # x = 1/22, keep = 18/22; one field: b = (1 - keep)/2 = 2/22
    codes = np.array([[0, 0]] * 60 + [[0, 1]] * 20 + [[1, 0]] * 20, dtype=np.int32)
    estimates, variances = scheme.cell_estimator(MergedRecords.of(scheme.fields, codes))(
        (0,), np.array([[0], [1]], np.int32)
    )
    assert estimates == pytest.approx([(80 - 100 * 2 / 22) / (18 / 22), (20 - 100 * 2 / 22) / (18 / 22)])
    s, a, b = estimates[0] / 100, 20 / 22, 2 / 22
    assert variances[0] == pytest.approx(100 * (s * a * (1 - a) + (1 - s) * b * (1 - b)) / (18 / 22) ** 2)


def test_frapp_is_worse_than_mask_on_short_itemsets_as_the_errata_say():
    """CENSUS: 50,000 records, 2,000 cells, gamma 19; standard errors as shares of the records."""
    keep = float(GammaDiagonal(domains=[4, 5, 5, 5, 2, 2], gamma=19).keep)
    widths = []
    for cells, support in [(2, 0.5), (100, 0.1), (2000, 0.02)]:
        seen = 50_000 * ((1 - keep) / cells + keep * support)
        _, variance = keep_or_uniform_estimate(np.array([seen]), 1 / cells, keep=keep, records=50_000)
        widths.append(float(f"{np.sqrt(variance[0]) / 50_000:.2g}"))
    assert widths == [0.25, 0.052, 0.013]
    mask = Mask(p=0.5610, fields=Fields.of([4, 5, 5, 5, 2, 2]))
    alone = [np.sqrt(mask.layer_estimator(n).least_variance / 50_000) for n in (1, 2, 3)]
    assert [float(f"{width:.2g}") for width in alone] == [0.018, 0.074, 0.3]


# -- slow twins --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("p", "q"), [(0.9, 0.8), (0.5051, 0.9696), (0.75, 0.75), (0.2, 0.3)])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_weights_are_the_bottom_row_of_the_inverse_of_eq_3_4(p, q, n):
    scheme = Emask(p=p, q=q)
    weights = oracles.inverse(oracles.eq_3_4(exact(p), exact(q), n))[-1]
    draw = np.random.default_rng(n)
    held = draw.integers(0, 50, n + 1)  # records with exactly k of the n items
    layers = np.array([[sum(int(held[k]) * _choose(k, j) for k in range(n + 1)) for j in range(n + 1)]])
    estimate, variance = scheme.layer_estimator(n)(layers)
    wanted = sum(w * int(c) for w, c in zip(weights, held, strict=True))
    assert estimate[0] == pytest.approx(float(wanted), abs=1e-9)
    squares = sum(w * w * int(c) for w, c in zip(weights, held, strict=True)) - wanted
    assert variance[0] == pytest.approx(max(float(squares), layers[0, 0] * scheme.layer_estimator(n).least_variance))


@pytest.mark.parametrize(("K", "m"), [(3, 3), (3, 5), (4, 4), (5, 6), (2, 7)])
def test_cut_and_paste_inverts_its_matrix_of_partial_supports(K, m):  # Eq. 4.12
    scheme = CutAndPaste(K=K, rho=0.3)
    for n in range(1, min(K, m) + 1):
        weights = oracles.inverse(scheme.partial_supports(n, m))[-1]
        held = np.random.default_rng(n).integers(0, 50, n + 1)
        layers = np.array([[sum(int(held[k]) * _choose(k, j) for k in range(n + 1)) for j in range(n + 1)]])
        estimator = scheme.layer_estimator(n, record_length=m)
        wanted = sum(w * int(c) for w, c in zip(weights, held, strict=True))
        squares = sum(w * w * int(c) for w, c in zip(weights, held, strict=True))
        assert estimator(layers)[0][0] == pytest.approx(float(wanted), rel=1e-9)
        assert (layers @ estimator.square)[0] == pytest.approx(float(squares), rel=1e-9)


def _choose(k, j):
    return len(list(combinations(range(k), j)))


# -- exactly unbiased -------------------------------------------------------------------------------------------------

UNIVERSE = ("a", "b", "c")
ITEM_SCHEMES = {
    "mask": (Mask(p=0.8), lambda u: oracles.flipped(u, UNIVERSE, Fraction(4, 5), Fraction(4, 5)), None),
    "emask": (Emask(p=0.6, q=0.9), lambda u: oracles.flipped(u, UNIVERSE, Fraction(3, 5), Fraction(9, 10)), None),
    "cut": (CutAndPaste(K=2, rho=0.25), lambda u: oracles.cut_and_pasted(u, UNIVERSE, 2, Fraction(1, 4)), 2),
}


@pytest.mark.parametrize("name", ITEM_SCHEMES)
@pytest.mark.parametrize("itemset", ["a", "ab", "abc"])
def test_over_all_outcomes_the_estimate_and_its_variance_are_right_on_average(name, itemset):
    scheme, law_of, length = ITEM_SCHEMES[name]
    if length is not None and len(itemset) > length:
        return
    records = [r for r in oracles.powerset(UNIVERSE) if length is None or len(r) == length]
    estimator = scheme.layer_estimator(len(itemset), record_length=length)
    for database in product(records, repeat=2):
        mean = square = variance = 0.0
        for rows, chance in oracles.outcomes([law_of(record) for record in database]):
            layers = layers_of(rows, itemset)
            estimate = float((layers @ estimator.estimate)[0])
            mean += float(chance) * estimate
            square += float(chance) * estimate**2
            variance += float(chance) * float((layers @ estimator.square)[0] - estimate)
        true = sum(set(itemset) <= record for record in database)
        assert mean == pytest.approx(true, abs=1e-9)
        assert variance == pytest.approx(square - mean**2, abs=1e-8)
        assert variance >= 2 * estimator.least_variance - 1e-9  # what no estimate of it goes below


JOINT = np.array([[5, 1, 1, 1, 1, 2], [1, 5, 1, 2, 1, 1], [2, 1, 6, 1, 1, 1], [1, 1, 1, 5, 2, 1], [1, 2, 1, 1, 5, 1],
                  [1, 1, 1, 1, 1, 5]])  # fmt: skip
RECORD_SCHEMES = {
    "gamma-diagonal": GammaDiagonal(domains=[2, 3], gamma=4),
    "each field its own": MatrixScheme(
        domains=[2, 3],
        matrices=[[[0.8, 0.3], [0.2, 0.7]], [[0.6, 0.1, 0.2], [0.3, 0.7, 0.2], [0.1, 0.2, 0.6]]],
    ),
    "joint": MatrixScheme(domains=[2, 3], matrix=np.round(JOINT / JOINT.sum(axis=0), 12).tolist()),
}


@pytest.mark.parametrize("name", RECORD_SCHEMES)
def test_categorical_estimates_are_right_on_average_over_all_outcomes(name):
    scheme = RECORD_SCHEMES[name]
    law = scheme.matrix()
    cells = scheme.fields.split(np.arange(6))
    for chosen in [(0,), (1,), (0, 1)]:
        values = np.array(list(product(*(range(scheme.fields.sizes[i]) for i in chosen))), dtype=np.int32)
        found = {
            (v, w): scheme.cell_estimator(MergedRecords.of(scheme.fields, cells[[v, w]]))(chosen, values)[0]
            for v in range(6)
            for w in range(6)
        }
        for u1, u2 in [(0, 0), (0, 4), (5, 2)]:
            chance = {(v, w): law[v, u1] * law[w, u2] for v, w in found}
            mean = sum(chance[k] * found[k] for k in found)
            true = sum((cells[u, chosen] == values).all(axis=1).astype(float) for u in (u1, u2))
            assert mean == pytest.approx(true, abs=1e-8)


@pytest.mark.parametrize("name", RECORD_SCHEMES)
def test_categorical_variances_are_right_on_average(name):
    scheme = RECORD_SCHEMES[name]
    law, cells = scheme.matrix(), scheme.fields.split(np.arange(6))
    draw = np.random.default_rng(4)
    true = draw.integers(0, 6, 400)
    values = np.array([[1, 2], [0, 0]], dtype=np.int32)
    estimates, variances = [], []
    for _ in range(600):
        seen = np.concatenate([draw.choice(6, size=(true == u).sum(), p=law[:, u]) for u in range(6)])
        e, v = scheme.cell_estimator(MergedRecords.of(scheme.fields, cells[seen]))((0, 1), values)
        estimates.append(e)
        variances.append(v)
    # A variance estimated from 600 draws is off by 5.8% (one standard deviation); 20% happens once in 2,000.
    assert np.var(estimates, axis=0) == pytest.approx(np.mean(variances, axis=0), rel=0.2)


def test_a_joint_matrix_that_is_a_product_gives_what_its_factors_give():
    by_field = RECORD_SCHEMES["each field its own"]
    joint = MatrixScheme(domains=[2, 3], matrix=by_field.matrix().round(12).tolist())
    codes = np.random.default_rng(2).integers(0, (2, 3), size=(200, 2)).astype(np.int32)
    for chosen, values in [((1,), [[0], [2]]), ((0, 1), [[1, 1], [0, 2]])]:
        wanted = np.array(values, dtype=np.int32)
        one = by_field.cell_estimator(MergedRecords.of(by_field.fields, codes))(chosen, wanted)
        other = joint.cell_estimator(MergedRecords.of(joint.fields, codes))(chosen, wanted)
        assert one[0] == pytest.approx(other[0])
        assert one[1] == pytest.approx(other[1])


# -- refusals ----------------------------------------------------------------------------------------------------------


def test_cut_and_paste_refuses_itemsets_longer_than_k():
    scheme = CutAndPaste(K=2, rho=0.3, fields=Fields.of([2, 2, 2]))
    with pytest.raises(RequirementError, match="no trace of itemsets longer than 2; use max_length=2"):
        scheme.longest_estimable(max_length=3, record_length=None)
    assert scheme.longest_estimable(max_length=None, record_length=None) == 2


def test_cut_and_paste_must_know_how_long_true_records_are():
    scheme = CutAndPaste(K=2, rho=0.3)
    with pytest.raises(UsageError, match="give record_length"):
        scheme.layer_estimator(1)
    with pytest.raises(RequirementError, match="record_length=0"):
        scheme.layer_estimator(1, record_length=0)
