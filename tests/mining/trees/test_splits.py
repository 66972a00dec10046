"""The split chooser on AVC counts: the same choice as the growing kernel, order-free and exact in ties."""

import math

import numpy as np
import pytest

from confide.core.errors import RequirementError, UsageError
from confide.mining.trees.learner import DecisionTree
from confide.mining.trees.splits import Split, best_split, choose, grid

CRITERIA = ("gain_ratio", "information_gain", "gini")


def avc_of(codes, y, classes):
    counts = np.zeros((int(codes.max()) + 1, classes), dtype=np.int64)
    np.add.at(counts, (codes, y), 1)
    return counts


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(60))
def test_the_chooser_agrees_with_the_growing_kernel(seed, criterion):
    draw = np.random.default_rng(seed)
    n, columns, classes = int(draw.integers(2, 300)), int(draw.integers(1, 6)), int(draw.integers(2, 5))
    codes = draw.integers(0, int(draw.integers(2, 40)), (columns, n))
    numeric = draw.random(columns) < 0.5
    y = np.concatenate([np.arange(classes), draw.integers(0, classes, n)])[:n]
    least = {"min_leaf": int(draw.integers(1, 3)), "min_branch": int(draw.integers(1, 5))}
    splits = [
        best_split(
            avc_of(codes[j], y, classes),
            kind="numeric" if numeric[j] else "categorical",
            criterion=criterion,
            **least,
            exponent=grid(n),
            order=j,
        )
        for j in range(columns)
    ]
    best = choose(splits, criterion=criterion)
    tree = DecisionTree(
        criterion=criterion,
        **least,
        max_depth=1,
        confidence=None,
        categorical=np.flatnonzero(~numeric).tolist(),
    )
    root = tree.fit(codes.T.astype(float), y).tree_.nodes[0]
    if best is None:
        assert root.is_leaf
        return
    assert root.attribute == f"x{best.order}"
    if best.kind == "numeric":
        values = np.unique(codes[best.order])
        following = values[values > best.position].min()
        assert root.edges[0].intervals[0][1] == (best.position + following) / 2


@pytest.mark.parametrize("criterion", CRITERIA)
def test_scores_do_not_depend_on_the_order_of_values(criterion):
    draw = np.random.default_rng(4)
    options = {"kind": "categorical", "criterion": criterion, "min_leaf": 1, "exponent": grid(10**6), "order": 0}
    for _ in range(200):
        avc = draw.integers(0, 2_000, (30, 4))
        with_gaps = np.insert(avc[draw.permutation(30)], 7, 0, axis=0)
        assert best_split(avc, **options) == best_split(with_gaps, **options)


def test_equal_counts_tie_and_the_first_column_wins():
    avc = np.array([[7, 1], [2, 9], [4, 4]])
    options = {"kind": "categorical", "criterion": "information_gain", "min_leaf": 1, "exponent": grid(27)}
    later, earlier = (best_split(avc[rows], order=key, **options) for rows, key in
                      (([0, 1, 2], ("T2", "j")), ([2, 0, 1], ("T1", "j"))))  # fmt: skip
    assert choose([later, earlier], criterion="information_gain").order == ("T1", "j")


def test_a_numeric_tie_goes_to_the_lowest_threshold():
    avc = np.array([[1, 0], [0, 1], [1, 0]])  # cutting after the first or after the second gains the same
    split = best_split(avc, kind="numeric", criterion="gini", min_leaf=1, exponent=grid(3), order=0)
    assert split.position == 0


def test_gain_is_information_times_records():
    avc = np.array([[9, 0], [0, 7]])
    split = best_split(avc, kind="categorical", criterion="information_gain", min_leaf=1, exponent=30, order=0)
    p = np.array([9, 7]) / 16
    expected = -16 * (p * np.log2(p)).sum()
    assert split.gain / 2**30 == pytest.approx(expected, rel=1e-8)
    assert split.info / 2**30 == pytest.approx(expected, rel=1e-8)


def test_counts_of_a_large_join_do_not_overflow():
    avc = np.array([[2**61, 2**60], [2**40, 2**61]])
    options = {"kind": "categorical", "min_leaf": 1, "exponent": grid(2**63), "order": 0}
    for criterion in CRITERIA:
        split = best_split(avc, criterion=criterion, **options)
        assert 0 < split.gain < 2**52
    small = best_split(avc // 2**40, criterion="gini", **{**options, "exponent": grid(2**23)})
    large = best_split(avc, criterion="gini", **options)
    shares = [math.ldexp(s.gain, -grid(n)) / n for s, n in ((small, 2**23), (large, 2**63))]
    assert shares[0] == pytest.approx(shares[1], rel=1e-6)


def test_small_branches_do_not_count():
    avc = np.array([[5, 0], [0, 1], [0, 1]])
    options = {"criterion": "information_gain", "exponent": grid(7), "order": 0}
    assert best_split(avc, kind="categorical", min_leaf=1, **options) is not None
    for least in ({"min_leaf": 2}, {"min_leaf": 1, "min_branch": 2}):
        assert best_split(avc, kind="categorical", **least, **options) is None
        assert best_split(avc, kind="numeric", **least, **options).position == 0
    assert best_split(avc, kind="numeric", min_leaf=3, **options) is None
    assert best_split(np.array([[5, 0], [0, 5], [0, 1]]), kind="categorical", min_leaf=2, **options) is None


def test_a_column_that_says_nothing_is_not_a_split():
    options = {"criterion": "information_gain", "min_leaf": 1, "exponent": grid(8), "order": 0}
    assert best_split(np.array([[2, 2], [2, 2]]), kind="categorical", **options) is None
    assert best_split(np.array([[4, 4]]), kind="categorical", **options) is None
    assert choose([None, None], criterion="gini") is None


def test_under_the_gain_ratio_a_sliver_does_not_win():
    sliver = Split(order=0, kind="numeric", gain=2**20, info=2**18)
    solid = Split(order=1, kind="numeric", gain=2**26, info=2**27)
    assert choose([sliver, solid], criterion="gain_ratio") == solid


def test_bad_counts_and_criteria_are_refused():
    options = {"kind": "numeric", "min_leaf": 1, "exponent": 30, "order": 0}
    with pytest.raises(UsageError, match="no negative count"):
        best_split(np.array([[1, -1], [2, 2]]), criterion="gini", **options)
    with pytest.raises(RequirementError, match="no criterion 'luck'"):
        best_split(np.array([[1, 1], [2, 2]]), criterion="luck", **options)
