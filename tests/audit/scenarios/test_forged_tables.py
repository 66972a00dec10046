"""Forged tables and passports: accepted only where brute force, on the text of the file, says that they are right.

`python -m benchmarks publish.forgeries` makes 10,000 of each kind.
"""

import random

import pytest
from tests.forged_tables import KINDS, accepted, forged, good, rightly


@pytest.mark.parametrize("kind", KINDS)
def test_no_forgery_is_accepted_that_is_not_right(tmp_path, kind):
    draw = random.Random(kind)
    file, text, passport = good(tmp_path)
    outcomes = set()
    for _ in range(120):
        new, changed = forged(draw, kind, text, passport)
        ok = accepted(file, new, changed)
        if ok:
            assert kind != "passport"
            assert rightly(new, changed), new
        outcomes.add(ok)
    # a changed cell or another promise may be right; a changed form or passport never is
    assert False in outcomes
    assert accepted(file, text, passport)


@pytest.mark.parametrize("kind", ["cells", "requirement"])
def test_what_is_right_is_accepted(tmp_path, kind):
    """The judge and the auditor agree both ways."""
    draw = random.Random(f"{kind}, both ways")
    file, text, passport = good(tmp_path)
    answers = set()
    for _ in range(100):
        new, changed = forged(draw, kind, text, passport)
        answer = accepted(file, new, changed)
        assert answer == rightly(new, changed), (new, changed["requirement"])
        answers.add(answer)
    assert answers == {True, False}
