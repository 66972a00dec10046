"""Sets of disjoint rules: text, JSON, classes, and back and forth between rules and trees."""

import json

import numpy as np
import pytest
from tests.share.trees import random_tree

from confide import RuleSet
from confide.core.errors import InputError
from confide.core.trees.nodes import Attribute, Edge, Node
from confide.core.trees.rules import LeafRule

ATTRIBUTES = tuple(Attribute(name=name, kind="categorical", values=("0", "1", "2")) for name in "ab")


def then(*counts):
    top = max(counts)
    return Node(label=f"c{counts.index(top)}", hit=top, miss=sum(counts) - top, counts=counts)


def boxes(*clauses, declared=True):
    """Rules over a and b: each clause is a pair of strings of digits, such as ("01", "2")."""
    when = [{"a": Edge(to=0, values=tuple(a)), "b": Edge(to=0, values=tuple(b))} for a, b in clauses]
    rules = tuple(LeafRule(when=(clause,), then=then(3, i + 1)) for i, clause in enumerate(when))
    return RuleSet(classes=("c0", "c1"), attributes=ATTRIBUTES, rules=rules, declared=declared)


def random_records(tree, seed, rows=60):
    rng = np.random.default_rng(seed)
    for _ in range(rows):
        yield {
            a.name: a.values[int(rng.integers(len(a.values)))]
            if a.kind == "categorical"
            else [None, float(rng.uniform(a.bins[0], a.bins[-1]))][int(rng.random() < 0.8)]
            for a in tree.attributes
        }


@pytest.mark.parametrize("seed", range(40))
def test_rules_of_a_tree_say_what_it_says_and_read_back(seed):
    tree = random_tree(seed)
    rules = RuleSet.from_tree(tree)
    for record in random_records(tree, seed):
        assert rules.classify(record) == tree.classify(record)
    assert RuleSet.from_json(rules.to_json()) == rules
    assert rules.to_text().count("\n") == len(rules.rules) - 1


@pytest.mark.parametrize("seed", range(40))
def test_rules_that_are_a_tree_become_one_again(seed):
    tree = random_tree(seed)
    again = RuleSet.from_tree(tree).to_tree()
    assert again.nodes[0].counts == tree.nodes[0].counts
    assert again.declared == tree.declared
    for record in random_records(tree, seed):
        assert again.nodes[again.locate(record)].counts == tree.nodes[tree.locate(record)].counts


def test_rules_that_circle_round_another_are_no_tree():
    circle = boxes(("01", "0"), ("2", "01"), ("12", "2"), ("0", "12"), ("1", "1"))
    with pytest.raises(InputError, match="no question tells the rules apart"):
        circle.to_tree()


def test_rules_with_a_gap_are_no_tree():
    with pytest.raises(InputError, match="leave part of the domain out"):
        boxes(("0", "012"), ("1", "012")).to_tree()
    with pytest.raises(InputError, match="leave part of the domain out"):
        boxes(("0", "012"), ("1", "012"), ("2", "0")).to_tree()


@pytest.mark.parametrize(
    ("clauses", "pair"),
    [
        ([("01", "0"), ("12", "01")], "rules 0 and 1"),
        ([("0", "012"), ("1", "0"), ("01", "2")], "rules 0 and 2"),
        ([("0", "0"), ("0", "0")], "rules 0 and 1"),
    ],
)
def test_rules_that_overlap_are_refused_by_name(clauses, pair):
    with pytest.raises(InputError, match=f"{pair} overlap: a record can satisfy both"):
        boxes(*clauses)


@pytest.mark.parametrize("seed", range(30))
def test_overlap_is_found_exactly_where_a_record_satisfies_two(seed):
    rng = np.random.default_rng(seed)
    clauses = [tuple("".join(v for v in "012" if rng.random() < 0.5) or "1" for _ in "ab") for _ in range(4)]
    twice = any(sum(a in left and b in right for left, right in clauses) > 1 for a in "012" for b in "012")
    if twice:
        with pytest.raises(InputError, match="overlap"):
            boxes(*clauses)
    else:
        boxes(*clauses)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda plain: plain["attributes"][0].pop("values"), "no domain"),
        (lambda plain: plain["rules"][0].update(hit=-1), "a whole number from 0"),
        (lambda plain: plain["rules"][0]["when"][0].update(c={"values": ["0"]}), "no attribute 'c'"),
        (lambda plain: plain["rules"][0].update(when=[]), "at least one clause"),
        (lambda plain: plain.update(rules=[]), "at least one rule"),
        (lambda plain: plain["rules"][0]["when"][0].update(a={"values": ["7"]}), "outside the domain"),
        (lambda plain: plain["rules"][0].update(secret=1), "unknown field 'secret'"),
        (lambda plain: plain.update(format="confide-tree"), "this program reads 'confide-rules'"),
    ],
)
def test_a_file_that_is_no_set_of_rules_is_refused_with_the_place(change, message):
    plain = json.loads(boxes(("0", "012"), ("1", "012")).to_json())
    change(plain)
    with pytest.raises(InputError, match=message):
        RuleSet.from_json(json.dumps(plain))
