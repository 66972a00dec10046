"""The observer of exposed profiles: whose is this one?

Somebody who runs a search wrapper, or reads what reaches it, gets terms with weights and no name. If they know
something of each person beforehand (an older exposed profile, what somebody writes in public), they compare:

    similarity = cosine of the two lists of terms, each term weighed by how few people have it

and name the person who is most alike. Terms that everybody has tell nothing; a rare one tells almost everything.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from confide.core.errors import InputError, UsageError
from confide.core.figures import ShownFields
from confide.core.requirements.base import is_number

__all__ = ["Identification", "identify_exposures"]


@dataclass(frozen=True, kw_only=True)
class Identification(ShownFields):
    """How often the observer is right.

    `right` is the share named at the first guess and `chance` what guessing would reach; `mean_rank` the mean place of
    the right person among all, 1 being the best; `within` the share within the first tenth of all people; `silent` the
    share who exposed nothing that the observer knows of anybody.
    """

    right: float
    chance: float
    mean_rank: float
    within: float
    silent: float
    people: int


def identify_exposures(exposed: Sequence[Mapping[str, float]], known: Sequence[Mapping[str, float]]) -> Identification:
    """Name the owner of each exposed profile: `exposed[i]` and `known[i]` are of the same person, terms to weights.

    Ties count as half: the right person's place is the middle of those who are equally alike. Takes a comparison of
    every profile with every person.

    >>> known = [{"tea": 1, "chess": 1}, {"tea": 1, "rugby": 1}, {"tea": 1, "opera": 1}]
    >>> found = identify_exposures([{"chess": 0.4}, {"tea": 0.1}, {"opera": 0.4, "tea": 0.1}], known)
    >>> round(found.right, 2), round(found.chance, 2)
    (0.78, 0.33)
    """
    if len(exposed) != len(known) or len(known) < 2:
        raise UsageError(f"{len(exposed)} exposed profiles for {len(known)} people; give one each, of two or more")
    for profile in (*exposed, *known):
        if any(not is_number(weight) or weight < 0 for weight in profile.values()):
            raise InputError("a weight is not a number of 0 or more")
    people = len(known)
    owners = Counter(term for profile in known for term in profile)
    rarity = {term: math.log((people + 1) / count) for term, count in owners.items()}
    holders: dict[str, list[tuple[int, float]]] = {}
    for person, profile in enumerate(known):
        length = math.sqrt(sum(rarity[term] ** 2 for term in profile)) or 1.0
        for term in profile:
            holders.setdefault(term, []).append((person, rarity[term] / length))
    first, ranks, silent = 0.0, [], 0
    for person, profile in enumerate(exposed):
        alike = [0.0] * people
        for term in profile:
            for holder, weight in holders.get(term, ()):
                alike[holder] += rarity[term] * weight
        silent += not any(alike)
        own = alike[person]
        better = sum(one > own + 1e-12 for one in alike)
        equal = sum(abs(one - own) <= 1e-12 for one in alike)
        ranks.append(better + (equal + 1) / 2)
        first += 1 / equal if better == 0 else 0.0
    tenth = max(1.0, people / 10)
    return Identification(
        right=first / people,
        chance=1 / people,
        mean_rank=sum(ranks) / people,
        within=sum(rank <= tenth for rank in ranks) / people,
        silent=silent / people,
        people=people,
    )
