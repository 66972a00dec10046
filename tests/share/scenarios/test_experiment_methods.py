"""How owners publish in an experiment, and what is learned from it."""

import numpy as np
import pytest
from benchmarks.share.experiment.methods import METHODS, PROTECTING, described, local_tree, methods_named, model_of

from confide.core.errors import CannotMeetError, UsageError
from confide.core.randomness import Randomness
from confide.core.requirements import KAnonymity, SimpleDiversity
from confide.core.samples.people import people
from confide.share.domains import Domains

TABLE = people(600, seed=4).select(["age", "sex", "education", "diagnosis"])
DOMAINS = Domains.propose(people(3_000, seed=5).select(["age", "sex", "education", "diagnosis"]), target="diagnosis")
X, Y, _ = DOMAINS.columns(TABLE)


@pytest.mark.parametrize("method", PROTECTING, ids=lambda method: method.name)
def test_a_protecting_method_publishes_trees_whose_leaves_and_marginals_keep_the_requirement(method):
    requirement = KAnonymity(k=40)
    tree = described(local_tree(method.local, X, Y, DOMAINS, requirement), X, Y, requirement)
    published = [tree, *tree.marginals]
    assert min(node.total for part in published for node in part.nodes if node.is_leaf) >= 40
    assert tree.marginals
    assert sum(node.total for node in tree.nodes if node.is_leaf) == len(Y)


def test_an_owner_who_cannot_keep_the_requirement_is_told():
    with pytest.raises(CannotMeetError):
        local_tree(PROTECTING[0].local, X, np.full(len(Y), Y[0]), DOMAINS, SimpleDiversity(l=2))


@pytest.mark.parametrize("method", [*METHODS, *PROTECTING], ids=lambda method: f"{method.name}-{method.local}")
@pytest.mark.parametrize("model", ["tree", "naive-bayes"])
def test_every_method_gives_a_model_of_two_owners_that_predicts_declared_classes(method, model):
    requirement = None if method.local == "plain" else KAnonymity(k=30)
    halves = (slice(0, 300), slice(300, 600))
    trees = [local_tree(method.local, X.slice(h.start, 300), Y[h], DOMAINS, requirement) for h in halves]
    learned = model_of(method, trees, model=model, rows=2.0, randomness=Randomness.seeded(1))
    assert set(learned.predict(X).tolist()) <= set(DOMAINS.classes)


def test_with_one_owner_all_methods_are_the_tree_itself():
    tree = local_tree(METHODS[0].local, X, Y, DOMAINS, None)
    said = [
        model_of(method, [tree], model="tree", rows=None, randomness=Randomness.seeded(1)).predict(X).tolist()
        for method in METHODS
    ]
    assert all(each == said[0] for each in said)


def test_an_unknown_method_is_named_with_those_there_are():
    with pytest.raises(UsageError, match=r"no method 'PGN'; methods are: .*PGEN"):
        methods_named(["PGN"], None)
    assert [method.name for method in methods_named(["ours"], None)] == ["ours"]
