"""The observer of exposed profiles: right where terms are rare, guessing where they are everybody's."""

import random

import pytest

from confide.audit.adversaries.exposures import identify_exposures
from confide.core.errors import InputError, UsageError


def identify(exposed, known):
    """The slow twin: every cosine by hand."""
    people, right, ranks = len(known), 0.0, []
    import math

    rarity = {}
    for term in {term for profile in known for term in profile}:
        rarity[term] = math.log((people + 1) / sum(term in profile for profile in known))
    for person, profile in enumerate(exposed):
        alike = []
        for other in known:
            length = math.sqrt(sum(rarity[term] ** 2 for term in other)) or 1.0
            alike.append(sum(rarity[term] ** 2 for term in sorted(profile) if term in other) / length)
        order = sorted(round(-one, 9) for one in alike)
        places = [i for i, one in enumerate(order, start=1) if one == round(-alike[person], 9)]
        ranks.append(sum(places) / len(places))
        right += 1 / len(places) if places[0] == 1 else 0
    return right / people, sum(ranks) / people


@pytest.mark.parametrize("seed", range(40))
def test_as_by_hand_on_random_people(seed):
    chance = random.Random(seed)
    terms = [f"t{n}" for n in range(chance.randint(3, 25))]

    def profile():
        return {term: chance.random() for term in chance.sample(terms, chance.randint(0, min(6, len(terms))))}

    people = chance.randint(2, 15)
    exposed, known = [profile() for _ in range(people)], [profile() for _ in range(people)]
    found = identify_exposures(exposed, known)
    assert (found.right, found.mean_rank) == pytest.approx(identify(exposed, known))


def test_one_rare_term_names_a_person_and_a_common_one_nobody():
    known = [{"news": 1.0, f"own{n}": 1.0} for n in range(20)]
    assert identify_exposures([{f"own{n}": 0.3} for n in range(20)], known).right == 1
    common = identify_exposures([{"news": 0.1}] * 20, known)
    assert common.right == pytest.approx(common.chance)
    assert common.mean_rank == pytest.approx(10.5)
    nothing = identify_exposures([{}] * 20, known)
    assert (nothing.silent, nothing.right) == (1, pytest.approx(0.05))


def test_wrong_use_is_one_line():
    with pytest.raises(UsageError, match="give one each"):
        identify_exposures([{"a": 1.0}], [{"a": 1.0}])
    with pytest.raises(InputError, match="not a number"):
        identify_exposures([{"a": float("nan")}, {}], [{}, {}])
