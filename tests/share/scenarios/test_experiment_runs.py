"""Folds, owners and passes of an experiment."""

import json

import numpy as np
import pyarrow as pa
import pytest
from benchmarks.share.experiment.__main__ import main
from benchmarks.share.experiment.runs import BASIS, Experiment, requirements_of, run_experiment

from confide.core.errors import CannotMeetError, InputError, RequirementError, UsageError
from confide.core.requirements import KAnonymity, RecursiveDiversity, SimpleDiversity
from confide.core.runtime.progress import reporting
from confide.core.samples.people import people
from confide.core.tables.frames import write_table
from confide.mining.trees.learner import DecisionTree
from confide.share.domains import Domains

TABLE = people(400, seed=4).select(["sex", "education", "diagnosis"])
DOMAINS = Domains.propose(people(3_000, seed=5).select(["sex", "education", "diagnosis"]), target="diagnosis")


def test_every_fold_is_tested_once_and_only_random_methods_are_repeated():
    asked = Experiment(owners=(1, 2), folds=4, passes=3)
    found = run_experiment(TABLE, DOMAINS, asked)
    assert [o.fold for o in found if o.method == BASIS] == [0, 1, 2, 3]
    passes = {(m, n): sum(o.method == m and o.owners == n for o in found) for m in ("PGEN", "BAGGING") for n in (1, 2)}
    assert passes == {("PGEN", 1): 4, ("PGEN", 2): 12, ("BAGGING", 1): 4, ("BAGGING", 2): 4}


def test_the_base_model_is_the_tree_of_the_other_folds():
    found = run_experiment(TABLE, DOMAINS, Experiment(owners=(1,), folds=5, runs=1, methods=("PGEN",)))
    X, y, _ = DOMAINS.columns(TABLE)
    folds = np.array_split(np.random.default_rng(0).permutation(len(y)), 5)
    rest = np.concatenate(folds[1:])
    tree = DecisionTree().fit(X.take(rest), y[rest], attributes=DOMAINS.usable, classes=DOMAINS.classes)
    assert found[0].accuracy == np.mean(tree.predict(X.take(folds[0])) == y[folds[0]])


def test_the_same_seed_gives_the_same_outcomes_and_another_seed_others():
    asked = {"owners": (2,), "folds": 3, "runs": 1, "passes": 1}
    first, again = (run_experiment(TABLE, DOMAINS, Experiment(**asked, seed=7)) for _ in range(2))
    assert first == again
    assert first != run_experiment(TABLE, DOMAINS, Experiment(**asked, seed=8))


def test_owners_who_cannot_keep_the_requirement_stay_out_and_nobody_left_is_refused():
    asked = Experiment(requirements=(KAnonymity(k=10_000),), owners=(2,), folds=4, runs=1, methods=("ours",))
    (outcome,) = [o for o in run_experiment(TABLE, DOMAINS, asked) if o.method == "ours"]
    assert (outcome.accuracy, outcome.stayed_out) == (None, 2)


def test_a_table_method_is_a_plain_function_handed_in():
    def kept_as_it_is(X, y, requirement):
        if len(y) < requirement.l:
            raise CannotMeetError("too few")
        return X.append_column("class", pa.array(y.tolist(), pa.string()))

    asked = Experiment(
        requirements=(SimpleDiversity(l=2),), owners=(2,), folds=4, runs=1, methods=(), tables={"LDD": kept_as_it_is}
    )
    base, found = run_experiment(TABLE, DOMAINS, asked)
    assert (found.method, found.accuracy, found.class_match) == ("LDD", base.accuracy, 1.0)  # the pooled records


def test_progress_is_told():
    heard = []
    with reporting(lambda label, done, total: heard.append((label, done, total))):
        run_experiment(TABLE, DOMAINS, Experiment(owners=(1, 2), folds=2, passes=1, methods=("BAGGING",)))
    assert heard[-1] == ("share experiment", 4, 4)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"folds": 1}, "folds=1 leaves nothing"),
        ({"runs": 11}, "runs=11 must be from 1 to the number of folds, 10"),
        ({"owners": ()}, "owners must be 1 or more"),
        ({"requirements": ()}, "requirements is empty"),
    ],
)
def test_what_cannot_be_tried_is_refused(given, said):
    with pytest.raises(RequirementError, match=said):
        Experiment(**given)


def test_too_few_records_are_refused():
    with pytest.raises(InputError, match="20 records are too few for 10 folds and 10 owners"):
        run_experiment(TABLE.slice(0, 20), DOMAINS, Experiment())


@pytest.mark.parametrize("model", ["naive-bayes", "conjunctive-rule"])
def test_other_models_are_learned_from_rows_and_from_records(model):
    asked = Experiment(owners=(2,), methods=("PGEN", "BAGGING"), runs=1, passes=1, model=model)
    found = {outcome.method: outcome for outcome in run_experiment(TABLE, DOMAINS, asked)}
    assert set(found) == {"BASIS", "PGEN", "BAGGING"}
    assert all(0 < outcome.accuracy < 1 and outcome.path_match is None for outcome in found.values())


def test_tables_without_a_promise_are_refused():
    with pytest.raises(UsageError, match="OPTI publish tables under a promise; name one"):
        Experiment(tables={"OPTI": lambda X, y, requirement: X})


def test_numbers_become_every_requirement_they_name():
    assert requirements_of() == (None,)
    assert requirements_of(k=(5, 10), l=(2,)) == (KAnonymity(k=5), KAnonymity(k=10), SimpleDiversity(l=2))
    both = requirements_of(l=(2, 3), c=(1.5, 4))
    assert both == tuple(RecursiveDiversity(c=c, l=l) for c in (1.5, 4) for l in (2, 3))  # noqa: E741
    with pytest.raises(UsageError, match="each c is tried with each l"):
        requirements_of(k=(5,), c=(3,))


def test_the_command_tries_methods_on_a_table_and_writes_a_page(tmp_path, capsys):
    write_table(people(200, seed=1).select(["age", "sex", "diagnosis"]), tmp_path / "people.csv")
    Domains.propose(people(3_000, seed=5).select(["age", "sex", "diagnosis"]), target="diagnosis").write(
        tmp_path / "domains.toml"
    )
    words = [str(tmp_path / "people.csv"), "--domains", str(tmp_path / "domains.toml"), "--k", "10", "--owners", "1-2"]
    words += ["--method", "ours"]
    page = tmp_path / "study.html"
    assert main([*words, "--folds", "4", "--runs", "1", "--passes", "1", "--report", str(page)]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["owners"] for row in rows} == {None, 1, 2}
    assert {row["method"] for row in rows} == {"BASIS", "ours"}
    assert "k=10" in page.read_text()
    assert main([*words, "--method", "PGN"]) == 2
    assert "no method 'PGN'" in capsys.readouterr().err
