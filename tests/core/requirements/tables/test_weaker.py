"""What requirements of tables say of themselves is so of every table that keeps them, by the definitions alone."""

from collections import Counter
from itertools import islice

import numpy as np
import pytest
from tests.oracles.tables import holds

from confide import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    OthersKnown,
    RecursiveDiversity,
    SimpleDiversity,
    TCloseness,
)
from confide.core.requirements.tables.weaker import weaken, weakenings

ASKED = (
    KAnonymity(k=3),
    AlphaK(alpha=0.6, k=3),
    SimpleDiversity(l=2),
    DistinctDiversity(l=3),
    EntropyDiversity(l=2.5),
    RecursiveDiversity(c=1.5, l=3),
    TCloseness(t=0.25),
    BetaLikeness(beta=0.8),
    DeltaDisclosure(delta=0.9),
)


def keeps(requirement, groups):
    asked = requirement.to_dict()
    return holds([(sum(g.values()), g) for g in groups], asked.pop("kind"), **asked)


def random_groups(draw):
    counts = draw.integers(0, 7, (int(draw.integers(2, 4)), 4))
    counts[:, 0] += 1  # a group has rows
    return [Counter({value: int(n) for value, n in enumerate(row) if n}) for row in counts]


def kept(requirement, number):
    """Random groups that keep a requirement."""
    draw = np.random.default_rng(47)
    candidates = (random_groups(draw) for _ in range(2000))
    found = list(islice((groups for groups in candidates if keeps(requirement, groups)), number))
    assert len(found) >= 10
    return found


@pytest.mark.parametrize("requirement", ASKED, ids=lambda r: r.kind)
def test_a_group_has_the_rows_and_values_it_needs_and_keeps_whatever_is_weaker(requirement):
    weaker = [
        weaken(requirement, step.parameter, step.value(place))
        for step in weakenings(requirement, rows=40)
        for place in {0, len(step) // 2, len(step) - 1}
    ]
    assert weaker or requirement == SimpleDiversity(l=2)  # which is the weakest
    assert requirement not in weaker
    for groups in kept(requirement, 20):
        assert min(sum(group.values()) for group in groups) >= requirement.fewest
        assert min(len(group) for group in groups) >= requirement.values_needed
        assert all(keeps(other, groups) for other in weaker)


@pytest.mark.parametrize("requirement", ASKED, ids=lambda r: r.kind)
def test_groups_that_pass_still_pass_as_one_unless_the_requirement_says_otherwise(requirement):
    joined = [keeps(requirement, [one + other, *rest]) for one, other, *rest in kept(requirement, 60)]
    assert all(joined) or not requirement.joins
    if isinstance(requirement, DeltaDisclosure):
        assert not requirement.joins


@pytest.mark.parametrize("requirement", ASKED, ids=lambda r: r.kind)
def test_only_what_compares_with_the_release_changes_when_a_group_is_left_out(requirement):
    changed = any(not keeps(requirement, groups[1:]) for groups in kept(requirement, 60))
    assert not changed or requirement.compares_release


def test_joined_and_wrapped_requirements_speak_for_their_parts():
    both = KAnonymity(k=5) & RecursiveDiversity(c=0.5, l=4) & EntropyDiversity(l=3.2)
    assert both.values_needed == 4
    assert {step.parameter: step.scale for step in weakenings(both, rows=40)} == {"k": 1, "l": 1, "c": 100}
    known = OthersKnown(of=TCloseness(t=0.2))
    assert known.plain == TCloseness(t=0.2)
    assert [step.parameter for step in weakenings(known, rows=40)] == ["t"]
