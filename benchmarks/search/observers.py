"""Who is this? An observer of exposed profiles among simulated people, by minDetail, against guessing.

Each of 200 people reads posts of three newsgroups out of twenty. The observer knows a profile of one half of a person's
posts, and sees what is exposed of a profile of the other half.
"""

import pathlib
import random
from collections.abc import Iterator
from statistics import mean
from typing import Any

from benchmarks.search.collections import newsgroups
from confide.audit import identify_exposures
from confide.search import Profile

PEOPLE, GROUPS, POSTS, SEED = 200, 3, 90, 1
DETAILS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5)


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """One line for each minDetail."""
    groups = [list(group.documents.values()) for group in newsgroups(data)]
    chance = random.Random(SEED)
    seen, known = [], []
    for _ in range(PEOPLE):
        own = [post for group in chance.sample(groups, GROUPS) for post in group]
        posts = chance.sample(own, POSTS)
        known.append(Profile.build(posts[: POSTS // 2], minsup=4))
        seen.append(Profile.build(posts[POSTS // 2 :], minsup=4))
    full = [_terms(profile, 0.0)[0] for profile in known]
    same = [_terms(profile, 0.0)[0] for profile in seen]
    for detail in DETAILS:
        exposed = [_terms(profile, detail) for profile in seen]
        found = identify_exposures([terms for terms, _ in exposed], full)
        again = identify_exposures([terms for terms, _ in exposed], same)
        yield {
            "claim": f"people named rightly from what they expose, minDetail {detail}",
            "ours": round(found.right, 3),
            "rival": {"name": "guessing", "right": round(found.chance, 3)},
            "settings": {
                "expRatio, mean": round(mean(ratio for _, ratio in exposed), 3),
                "terms exposed, mean": round(mean(len(terms) for terms, _ in exposed), 1),
                "mean place of the right person": round(found.mean_rank, 1),
                "within the first tenth": round(found.within, 3),
                "exposed nothing of use": round(found.silent, 3),
                "named rightly by who has seen the whole profile before": round(again.right, 3),
                "people": PEOPLE,
            },
        }


def _terms(profile: Profile, detail: float) -> tuple[dict[str, float], float]:
    exposed = profile.expose(min_detail=detail, verify=False)
    return {word: pair.weight for pair in exposed.pairs for word in pair.words}, exposed.exp_ratio
