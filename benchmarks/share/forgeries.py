"""10,000 forged trees of each mode and kind: how many the auditor accepts though they are not right.

`python -m benchmarks share.forgeries`. See `tests/forged_trees.py` for the forger and for the judge.
"""

import pathlib
import random
from collections.abc import Iterator
from typing import Any

from tests.forged_trees import KINDS, MODES, accepted, forged, released, rightly

ROUNDS = 10_000
_OF_ONE_TREE = 100


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each mode and kind of forgery."""
    for mode in MODES:
        for kind in KINDS:
            draw = random.Random(f"{mode}, {kind}")
            wrong = passed = 0
            good = None
            for n in range(ROUNDS):
                if n % _OF_ONE_TREE == 0:
                    good = None
                while good is None:
                    good = released(mode, draw.randrange(10**6))
                plain, requirement, passport = forged(draw, kind, mode, *good)
                tree = accepted(plain, passport)
                if tree is not None:
                    passed += 1
                    wrong += not rightly(tree, requirement, passport.context["mode"])
            assert wrong == 0
            yield {
                "claim": f"forged trees ({mode}, {kind}) accepted though they are not right",
                "ours": wrong,
                "rival": {"name": "a judge of its own, leaf by leaf", "right": passed},
                "settings": {"forgeries": ROUNDS},
            }
