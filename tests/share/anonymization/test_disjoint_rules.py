"""Rules that may be published: what fails is merged as ATP merges children, verified from the file alone."""

import json

import pytest
from tests.oracles import anonymizing as oracle
from tests.share.trees import random_requirement, random_tree

from confide import KAnonymity, RuleSet, Schema, SimpleDiversity, verify
from confide.core.errors import CannotMeetError, UsageError
from confide.core.tables.schema import Column
from confide.share import anonymize_tree, generate


def rules_of(seed):
    return RuleSet.from_tree(random_tree(seed))


def twin(rules, requirement, mode):
    """The pruning of the paper, on the tree that asks which rule holds."""
    m = len(rules.classes)
    leaves = [
        oracle.Twig(
            oracle.leaf_info(rules.class_places[r.then.label], r.then.hit, r.then.miss, r.then.counts, m, mode), [i]
        )
        for i, r in enumerate(rules.rules)
    ]
    root = oracle.Twig(None, [], leaves)
    return oracle.prune(root, m, mode, requirement.to_dict())


@pytest.mark.parametrize("mode", ["exact", "estimated", "sound"])
@pytest.mark.parametrize("seed", range(60))
def test_rules_are_merged_as_the_slow_twin_merges_children(seed, mode, tmp_path):
    rules, requirement = rules_of(seed), random_requirement(seed)
    if len(rules.rules) < 2:
        return
    root = twin(rules, requirement, mode)
    try:
        release = anonymize_tree(rules, requirement, mode=mode)
    except CannotMeetError:
        assert not root.passed
        return
    assert root.passed
    groups = root.children or [root]
    m = len(rules.classes)
    expected = sorted(oracle.summary(group.info, mode)[1:] for group in groups)
    assert sorted((rule.then.hit, rule.then.total) for rule in release.data.rules) == expected
    assert m == len(release.data.classes)
    release.write(tmp_path / "rules.json")
    found = verify(tmp_path / "rules.json.passport.json")
    assert found.ok, found.summary()


@pytest.mark.parametrize("seed", range(30))
def test_every_record_keeps_its_group_and_totals_stay(seed):
    rules, requirement = rules_of(seed), random_requirement(seed)
    try:
        made = anonymize_tree(rules, requirement).data
    except CannotMeetError:
        return
    assert sum(rule.then.total for rule in made.rules) == sum(rule.then.total for rule in rules.rules)
    passing = anonymize_tree(made, requirement).data
    assert passing == made  # nothing fails, so nothing is merged


def test_clauses_that_differ_in_one_attribute_become_one():
    rules = RuleSet.from_tree(random_tree(0))
    assert len(rules.rules) > 2
    whole = sum(rule.then.total for rule in rules.rules)
    made = anonymize_tree(rules, KAnonymity(k=whole)).data
    assert len(made.rules) == 1
    assert len(made.rules[0].when) < len(rules.rules)


def test_a_forged_file_fails(tmp_path):
    rules = rules_of(0)
    anonymize_tree(rules, KAnonymity(k=10)).write(tmp_path / "rules.json")
    plain = json.loads((tmp_path / "rules.json").read_text())
    rule = plain["rules"][0]
    rule["counts"] = [1 if i == rule["counts"].index(rule["hit"]) else 0 for i in range(len(rule["counts"]))]
    rule["hit"], rule["miss"] = 1, 0
    (tmp_path / "rules.json").write_text(json.dumps(plain, ensure_ascii=False))
    passport = json.loads((tmp_path / "rules.json.passport.json").read_text())
    import hashlib

    passport["artefact"]["sha256"] = hashlib.sha256((tmp_path / "rules.json").read_bytes()).hexdigest()
    (tmp_path / "rules.json.passport.json").write_text(json.dumps(passport, indent=2, ensure_ascii=False) + "\n")
    assert not verify(tmp_path / "rules.json.passport.json").ok


def test_a_sensitive_attribute_is_refused_unless_it_is_named():
    rules = rules_of(1)
    name = sorted(rules.used)[0]
    roles = {a.name: Column(role="sensitive" if a.name == name else "quasi-identifier") for a in rules.attributes}
    with pytest.raises(UsageError, match=f"splits on '{name}', which is sensitive"):
        anonymize_tree(rules, KAnonymity(k=2), schema=Schema(roles))
    release = anonymize_tree(rules, KAnonymity(k=2), schema=Schema(roles), allow_sensitive=[name])
    assert any(name in line for line in release.passport.does_not_protect_against)


def test_what_cannot_be_met_and_what_is_for_trees_is_said():
    rules = rules_of(0)
    whole = sum(rule.then.total for rule in rules.rules)
    with pytest.raises(CannotMeetError, match=f"nearest that works: k={whole}"):
        anonymize_tree(rules, KAnonymity(k=whole + 1))
    with pytest.raises(UsageError, match="are for trees"):
        anonymize_tree(rules, SimpleDiversity(l=2), shares_of=1000)


def test_pseudo_data_comes_from_rules_that_are_a_tree():
    rules = RuleSet.from_tree(random_tree(0))
    made = generate(rules)
    assert made.num_rows == sum(rule.then.total for rule in rules.rules)
