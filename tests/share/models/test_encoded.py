"""scikit-learn's classifiers on tables with categories."""

import numpy as np
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import OneHotEncoder

from confide.core.errors import UsageError
from confide.share.models.encoded import Encoded


def test_categories_become_columns_as_scikit_learn_encodes_them():
    rng = np.random.default_rng(1)
    x, n = rng.choice(list("abc"), 200), rng.normal(size=200)
    y = np.where((x == "a") | (n > 1), "yes", "no")
    table = pa.table({"x": x, "n": n})
    theirs = np.column_stack([OneHotEncoder(sparse_output=False).fit_transform(x[:, None]), n])
    classifier = LogisticRegression()
    ours = Encoded(classifier).fit(table, y)
    assert np.allclose(ours.predict_proba(table), LogisticRegression().fit(theirs, y).predict_proba(theirs))
    assert not hasattr(classifier, "classes_")  # what was handed in is not changed


def test_a_new_value_and_a_missing_number_are_taken():
    table = pa.table({"x": ["a", "b"] * 20, "n": [1.0, 2.0] * 20})
    model = Encoded(LogisticRegression()).fit(table, ["p", "q"] * 20)
    assert model.predict(pa.table({"x": ["new"], "n": [1.0]})).tolist() == ["p"]


def test_what_is_no_classifier_is_refused():
    with pytest.raises(UsageError, match="dict has not both"):
        Encoded({})
