"""Anybody's jobs: pseudo-data with its caveat, a global model tried and used."""

import pytest
from tests.random_trees import random_tree

from confide.core.errors import InputError, UsageError
from confide.core.randomness import Randomness
from confide.share.generation.baseline import generate_baseline
from confide.share.generation.pseudo_data import CAVEAT
from confide.share.jobs.learning import generate_table, learn, predict_classes, try_model
from confide.share.jobs.requests import ShareGenerate, ShareLearn
from confide.share.tree_files import read_tree

TREES = [random_tree(seed) for seed in range(3)]


RECORDS = generate_baseline(TREES[1], rows=500, class_column="truth", randomness=Randomness.seeded(2))


def test_a_trial_says_how_often_each_is_right():
    learned = learn(ShareLearn(trees=TREES, rows=3000, seed=1, test=RECORDS, target="truth"))
    assert learned.trial.records == 500
    assert learned.trial.alone[1] == 1.0  # it named the classes itself
    assert learned.rows() == learned.trial.rows()
    most = max(RECORDS.column("truth").value_counts().to_pylist(), key=lambda held: held["counts"])["counts"]
    assert learned.rows()[-1] == {"who": "guessing the commonest class", "right": round(most / 500, 4)}
    assert len(learned.rows()) == 6
    assert learned.trial == try_model(learned.model, learned.trees, RECORDS, target="truth")
    with pytest.raises(InputError, match="no column 'answer'"):
        learn(ShareLearn(trees=TREES, test=RECORDS, target="answer"))


def test_predictions_are_a_further_column():
    records = generate_baseline(TREES[0], rows=50)
    learned = learn(ShareLearn(trees=TREES[:1], predict=records))
    assert learned.notes == ("one tree alone needs no pseudo-data: it is the model",)
    assert learned.trial is None
    assert list(learned.rows()) == []
    table = learned.predicted
    assert table.column_names == [*records.column_names, "predicted"]
    assert table.column("predicted").to_pylist() == records.column("class").to_pylist()
    with pytest.raises(InputError, match="a column 'predicted' already"):
        predict_classes(learned.model, learned.trees, table)
    with pytest.raises(InputError, match="no column 'A', which is asked for"):
        predict_classes(learned.model, learned.trees, records.drop_columns(["A"]))


def test_the_model_is_written_as_a_tree_that_promises_nothing(tmp_path):
    learned = learn(ShareLearn(trees=TREES, rows=3000, seed=1))
    said = learned.files["tree"](tmp_path / "model.json", False)
    assert said.endswith("it is learned, not released, and carries no promise")
    assert read_tree(tmp_path / "model.json") == learned.model.tree_


@pytest.mark.parametrize("baseline", [False, True])
def test_rows_come_with_their_caveat_and_a_seed_repeats_them(baseline):
    request = ShareGenerate(tree=random_tree(1), rows=1200, class_column="ill", baseline=baseline, seed=3)
    made = generate_table(request)
    assert made.answer.num_rows == 1200
    assert made.answer.column_names[-1] == "ill"
    assert made.notes == (f"1,200 rows; {CAVEAT}",)
    assert generate_table(request).answer.equals(made.answer)


@pytest.mark.parametrize("wrong", [{"rows": 2.0}, {"absent": "uniform"}, {"numbers": "end"}])
def test_a_baseline_takes_neither_a_multiple_nor_ways_to_draw(wrong):
    with pytest.raises(UsageError, match="baseline= takes a number of rows"):
        ShareGenerate(tree=random_tree(1), baseline=True, **wrong)
    ShareGenerate(tree=random_tree(1), **wrong)
