"""Learning, trying and using a global model, as the command does."""

import pytest
from tests.random_trees import random_tree

from confide.core.errors import InputError
from confide.core.randomness import Randomness
from confide.share.generation.baseline import generate_baseline
from confide.share.tasks.learn import LearningRequest, learn, predicted, tried

TREES = [random_tree(seed) for seed in range(3)]


def test_a_trial_says_how_often_each_is_right():
    learned = learn(TREES, LearningRequest(rows=3000, seed=1))
    records = generate_baseline(TREES[1], rows=500, class_column="truth", randomness=Randomness.seeded(2))
    trial = tried(learned, records, target="truth")
    assert trial.records == 500
    assert trial.alone[1] == 1.0  # it named the classes itself
    assert len(trial.rows()) == 5
    with pytest.raises(InputError, match="no column 'answer'"):
        tried(learned, records, target="answer")


def test_predictions_are_a_further_column():
    learned = learn(TREES[:1], LearningRequest())
    assert learned.notes == ("one tree alone needs no pseudo-data: it is the model",)
    records = generate_baseline(TREES[0], rows=50)
    table = predicted(learned, records)
    assert table.column_names == [*records.column_names, "predicted"]
    assert table.column("predicted").to_pylist() == records.column("class").to_pylist()
    with pytest.raises(InputError, match="a column 'predicted' already"):
        predicted(learned, table)
    with pytest.raises(InputError, match="no column 'A', which is asked for"):
        predicted(learned, records.drop_columns(["A"]))
