"""Owners who did not declare the same things get a readable difference."""

from dataclasses import replace

import pytest

from confide.core.errors import InputError, UsageError
from confide.core.trees.published import Attribute, Node, PublishedTree
from confide.share.agreement import check_agreement, differences

AGE = Attribute(name="age", kind="numeric", bins=(0, 18, 65, 120))
SEX = Attribute(name="sex", kind="categorical", values=("f", "m"))


def owner(classes=("no", "yes"), attributes=(AGE, SEX)):
    return PublishedTree(classes=classes, attributes=attributes, nodes=(Node(label=classes[0], hit=2, miss=1),))


def test_owners_who_agree_pass():
    check_agreement([owner(), owner(), owner()])


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (owner(classes=("no", "maybe")), "no class 'yes'; further class 'maybe'"),
        (owner(classes=("yes", "no")), "the same class entries in another order"),
        (owner(attributes=(AGE,)), "no attribute 'sex'"),
        (owner(attributes=(replace(AGE, bins=(0, 50, 120)), SEX)), "'age' has the bins 0, 50, 120, not 0, 18, 65, 120"),
        (owner(attributes=(AGE, replace(SEX, values=("f", "m", "x")))), "further value of 'sex': 'x'"),
        (owner(attributes=(AGE, Attribute(name="sex", kind="numeric", bins=(0, 1)))), "'sex' is numeric"),
    ],
)
def test_each_difference_is_named(other, said):
    with pytest.raises(InputError, match="tree 3 does not fit tree 1") as error:
        check_agreement([owner(), owner(), other])
    assert said in str(error.value)
    assert differences(owner(), owner()) == []


def test_no_tree_is_not_enough():
    with pytest.raises(UsageError, match="no tree is given"):
        check_agreement([])
