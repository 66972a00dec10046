import numpy as np
import pyarrow as pa
import pytest

from confide.core.errors import UsageError
from confide.core.requirements.tables import KAnonymity
from confide.publish.tables.loss.classifiers import classifier_accuracy
from confide.publish.tables.mondrian.mondrian import Mondrian

SCHEMA = {
    "age": {"role": "quasi-identifier", "range": [0, 99]},
    "sex": {"role": "quasi-identifier"},
    "job": {"role": "class"},
}


def made(rows=900):
    draw = np.random.default_rng(4)
    age, sex = draw.integers(0, 100, rows), draw.integers(0, 2, rows)
    job = np.where((age > 50) ^ (draw.random(rows) < 0.1), "P", "Q")
    return pa.table({"age": age, "sex": [("f", "m")[i] for i in sex], "job": job})


def test_classifiers_learn_from_a_fine_release_and_not_from_a_coarse_one():
    fine = classifier_accuracy(Mondrian(requirement=KAnonymity(k=4)), made(), SCHEMA)
    assert list(fine) == ["majority", "decision tree", "naive Bayes", "logistic regression"]
    for name in list(fine)[1:]:
        assert fine[name]["original"] > 0.8
        assert fine[name]["released"] > 0.75
    coarse = classifier_accuracy(Mondrian(requirement=KAnonymity(k=400)), made(), SCHEMA)
    assert coarse["naive Bayes"]["released"] < 0.75


def test_without_a_class_there_is_nothing_to_learn():
    with pytest.raises(UsageError, match="nothing to learn"):
        roles = {**SCHEMA, "job": {"role": "insensitive"}}
        classifier_accuracy(Mondrian(requirement=KAnonymity(k=4)), made(), roles)
