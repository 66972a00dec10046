"""Naive Bayes against scikit-learn's, and against a plain product of shares."""

import numpy as np
import pyarrow as pa
import pytest

from confide.core.errors import UsageError
from confide.share.models.naive_bayes import NaiveBayes


@pytest.mark.parametrize("seed", range(5))
def test_categories_agree_with_scikit_learn(seed):
    from sklearn.naive_bayes import CategoricalNB

    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 4, (300, 5)), rng.integers(0, 3, 300)
    table = pa.table({f"x{j}": X[:, j].astype(str) for j in range(5)})
    ours = NaiveBayes().fit(table, y).predict_proba(table)
    theirs = CategoricalNB(alpha=1.0, class_prior=(np.bincount(y) + 1) / (len(y) + 3)).fit(X, y).predict_proba(X)
    assert np.allclose(ours, theirs)


@pytest.mark.parametrize("seed", range(5))
def test_numbers_agree_with_scikit_learn(seed):
    from sklearn.naive_bayes import GaussianNB

    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 200)
    X = rng.normal(y[:, None], 1.0, (200, 4))
    prior = (np.bincount(y) + 1) / (len(y) + 3)
    theirs = GaussianNB(priors=prior, var_smoothing=0).fit(X, y)
    n = np.bincount(y)[:, None]
    theirs.var_ = (n * theirs.var_ + X.var(axis=0)) / (n + 1)  # one record more, which varies as all do
    assert np.allclose(NaiveBayes().fit(X, y).predict_proba(X), theirs.predict_proba(X))


def test_a_value_never_seen_says_nothing():
    table = pa.table({"x": ["a", "a", "b"], "z": ["u", "u", "u"]})
    model = NaiveBayes().fit(table, ["p", "p", "q"])
    prior = model.predict_proba(pa.table({"x": ["new"], "z": ["new"]}))
    assert np.allclose(prior, [[3 / 5, 2 / 5]])


def test_a_column_of_another_name_is_refused():
    model = NaiveBayes().fit(pa.table({"x": ["a", "b"]}), ["p", "q"])
    with pytest.raises(UsageError, match="'y' was not there in training"):
        model.predict(pa.table({"y": ["a"]}))


def test_a_rare_class_whose_few_records_agree_does_not_take_all():
    """Capital gains: nearly everybody's are 0, and a rare class has only such people among its dozen."""
    rng = np.random.default_rng(0)
    gains = np.where(rng.random(2_000) < 0.9, 0.0, rng.uniform(1_000, 100_000, 2_000))
    gains[:12] = rng.uniform(-0.5, 0.5, 12)
    y = np.array(["rare"] * 12 + ["common"] * 1_988)
    said = NaiveBayes().fit(gains[:, None], y).predict(gains[:, None])
    assert (said == "rare").mean() < 0.05
