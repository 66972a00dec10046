"""Forged trees in every mode: accepted only where a judge of its own, leaf by leaf, finds the promise kept.

`python -m benchmarks share.forgeries` makes 10,000 of each mode and kind.
"""

import random

import pytest
from tests.forged_trees import KINDS, MODES, accepted, forged, released, rightly

ROUNDS = 1000


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", MODES)
def test_no_forgery_is_accepted_that_is_not_right(mode, kind):
    draw = random.Random(f"{mode}, {kind}")
    outcomes = {True: 0, False: 0}
    good = None
    for n in range(ROUNDS):
        if n % 100 == 0:
            good = None
        while good is None:
            good = released(mode, draw.randrange(10**6))
        plain, requirement, passport = forged(draw, kind, mode, *good)
        tree = accepted(plain, passport)
        if tree is not None:
            assert rightly(tree, requirement, passport.context["mode"]), (plain, requirement)
        outcomes[tree is not None] += 1
    assert outcomes[False] > ROUNDS // 4
    assert outcomes[True], "a forger who cannot make anything right shows little"


@pytest.mark.parametrize("mode", MODES)
def test_what_was_released_is_right(mode):
    draw = random.Random(mode)
    for good in filter(None, (released(mode, draw.randrange(10**6)) for _ in range(60))):
        plain, requirement, passport = good
        tree = accepted(plain, passport)
        assert tree is not None
        assert rightly(tree, requirement, mode)
