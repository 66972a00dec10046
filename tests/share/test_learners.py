"""The three ways to learn a tree that is to be published."""

import numpy as np
import pytest

from confide.core.errors import UsageError
from confide.core.requirements import SimpleDiversity
from confide.core.samples.people import people
from confide.share.anonymization.diverse_tree import DiverseTree
from confide.share.domains import Domains
from confide.share.learners import learner_of

TABLE = people(800, seed=3).select(["age", "sex", "education", "diagnosis"])
DOMAINS = Domains.propose(people(3_000, seed=5).select(["age", "sex", "education", "diagnosis"]), target="diagnosis")


@pytest.mark.parametrize("method", ["merging", "ldm"])
def test_every_leaf_keeps_the_requirement(method):
    X, y, _ = DOMAINS.columns(TABLE)
    learner = learner_of(method, SimpleDiversity(l=2)).fit(X, y, attributes=DOMAINS.usable, classes=DOMAINS.classes)
    leaves = [node for node in learner.tree_.nodes if node.is_leaf]
    assert len(leaves) > 1
    assert all(2 * node.hit <= node.total for node in leaves)


def test_merging_prunes_and_the_papers_methods_do_as_the_paper():
    merging, ldm, atp = (learner_of(method, SimpleDiversity(l=2), max_depth=3) for method in ("merging", "ldm", "atp"))
    assert (ldm.merge, ldm.confidence) == (False, None)
    assert (merging.merge, merging.confidence) == ("validated", "validated")
    assert not isinstance(atp, DiverseTree)
    assert [learner.max_depth for learner in (merging, ldm, atp)] == [3, 3, 3]


def test_merging_keeps_less_of_mere_noise_than_the_paper_does():
    X, _, _ = DOMAINS.columns(TABLE)
    y = np.random.default_rng(0).choice(np.array(DOMAINS.classes[:4], dtype=object), len(TABLE))
    merging, ldm = (
        learner_of(method, SimpleDiversity(l=2)).fit(X, y, attributes=DOMAINS.usable, classes=DOMAINS.classes)
        for method in ("merging", "ldm")
    )
    assert len(merging.tree_.nodes) < len(ldm.tree_.nodes)


def test_an_unknown_method_is_refused():
    with pytest.raises(UsageError, match="method='id3'; choose among: merging, ldm, atp"):
        learner_of("id3", SimpleDiversity(l=2))
