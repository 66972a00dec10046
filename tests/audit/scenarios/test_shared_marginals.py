"""Marginals travel with a released tree: what is forged in them, or said too boldly in the passport, is found."""

import json
from dataclasses import replace

import pytest
from tests.share.jobs.test_publishing import DOMAINS, people

from confide import KAnonymity, RecursiveDiversity, SimpleDiversity
from confide.audit.verifiers.shared_trees import verify_shared_tree
from confide.core.passport import Passport
from confide.core.trees.caveats import NO_ROLES, PEOPLE, TOGETHER, UNDECLARED
from confide.core.trees.published import PublishedTree
from confide.share import ShareTrain, train

LIMITS = (PEOPLE, NO_ROLES, UNDECLARED, TOGETHER)


def passport_for(requirement, *, mode="exact", caveats=LIMITS, **context):
    context = {"mode": mode, **context}
    return Passport.issue(requirement, stage="share", algorithm="by hand", context=context, caveats=caveats)


def failed(tree, passport):
    return [check.name for check in verify_shared_tree(tree, passport) if not check.ok]


@pytest.fixture(scope="module")
def released():
    return train(ShareTrain(table=people(), domains=DOMAINS, requirement=KAnonymity(k=30))).release


def test_what_was_released_holds(released):
    assert failed(released.data, released.passport) == []


def with_node(tree, i, **changes):
    nodes = list(tree.nodes)
    nodes[i] = replace(nodes[i], **changes)
    return replace(tree, nodes=tuple(nodes))


def test_a_marginal_below_k_is_found(released):
    tree = released.data
    stump = tree.marginals[0]
    leaf = stump.nodes[1]
    counts = tuple(n // 100 for n in leaf.counts)
    small = replace(leaf, counts=counts, label=tree.classes[counts.index(max(counts))], hit=max(counts),
                    miss=sum(counts) - max(counts))  # fmt: skip
    forged = replace(tree, marginals=(replace(stump, nodes=(stump.nodes[0], small, *stump.nodes[2:])),))
    assert failed(forged, released.passport) == [f"the marginal of {stump.nodes[0].attribute!r} keeps the promise"]


def test_marginals_of_other_records_are_found(released):
    other = train(ShareTrain(table=people(500, seed=9), domains=DOMAINS, requirement=KAnonymity(k=30))).release.data
    forged = replace(released.data, marginals=other.marginals)
    assert all("marginal" in name for name in failed(forged, released.passport))
    assert len(failed(forged, released.passport)) == len(other.marginals)


def test_marginals_without_their_caveat_are_found(released):
    text = tuple(line for line in released.passport.does_not_protect_against if line != TOGETHER)
    silent = released.passport.model_copy(update={"does_not_protect_against": text})
    assert failed(released.data, silent) == ["the passport names its limits"]


@pytest.mark.parametrize("mode", ["exact", "estimated", "sound"])
def test_more_values_than_classes_are_promised_by_nobody(mode):
    """Issue "What attackers broke": an estimate must not verify l = 3 on two classes."""
    from tests.random_trees import random_tree

    tree = random_tree(2, classes=2, counts=mode == "exact")
    for requirement in (RecursiveDiversity(c=50, l=3), SimpleDiversity(l=3)):
        passport = passport_for(requirement, mode=mode, estimated=mode == "estimated")
        assert "as many classes as the promise needs" in failed(tree, passport)


def test_inner_nodes_that_say_more_than_their_leaves_are_found(released):
    root = released.data.nodes[0]
    counts = (root.counts[0] + 1, *root.counts[1:])
    top = max(counts)
    forged = with_node(released.data, 0, counts=counts, hit=top, miss=sum(counts) - top,
                       label=released.data.classes[counts.index(top)])  # fmt: skip
    assert "inner nodes follow from their leaves" in failed(forged, released.passport)


def test_a_context_with_more_in_it_is_found(released):
    more = released.passport.model_copy(update={"context": {**released.passport.context, "names": ["Ann"]}})
    assert "nothing else is in the context" in failed(released.data, more)


def test_a_file_with_a_field_more_is_not_ours(released, tmp_path):
    from confide import verify

    released.write(tmp_path / "t.json")
    plain = json.loads((tmp_path / "t.json").read_text())
    assert verify(tmp_path / "t.json.passport.json").ok
    plain["marginals"][0][1]["note"] = "Ann"
    (tmp_path / "t.json").write_text(json.dumps(plain))
    assert not verify(tmp_path / "t.json.passport.json").ok
    with pytest.raises(Exception, match="unknown field 'note'"):
        PublishedTree.from_dict(plain)
