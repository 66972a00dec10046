"""Requirements that joining two groups can break: a release that keeps them, or the reason why there is none.

Under delta-disclosure two groups may pass and their union fail; and the reference moves when rows are suppressed. An
algorithm that overlooks either makes what its own verifier refuses, which is our bug and not the caller's.
"""

import numpy as np
import pyarrow as pa
import pytest

from confide import BetaLikeness, DeltaDisclosure, KAnonymity, TCloseness
from confide.core.errors import CannotMeetError, UsageError
from confide.publish import Incognito, KOptimize, Mondrian, OneDimensional, TopDownSpecialization

SCHEMA = {
    "q": {"role": "quasi-identifier", "hierarchy": {"build": "intervals", "widths": [2, 4, 8]}},
    "r": {"role": "quasi-identifier", "hierarchy": {"build": "intervals", "widths": [2, 4]}},
    "s": {"role": "sensitive"},
}
ALGORITHMS = [
    (Incognito, {}),
    (Incognito, {"local": True}),
    (Mondrian, {}),
    (Mondrian, {"relaxed": True}),
    (OneDimensional, {}),
    (KOptimize, {"time_limit": 0.2}),
    (TopDownSpecialization, {}),
]


FLAT = {name: {"role": SCHEMA[name]["role"]} for name in SCHEMA}


def linked(seed):
    """The sensitive value follows from the others half of the time; groups of a flat column often get one label."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(40, 160))
    q, r = rng.integers(0, 4, rows), rng.integers(0, 4, rows)
    s = np.where(rng.random(rows) < 0.5, (q + r) % 4, rng.integers(0, 4, rows))
    return pa.table({"q": [f"q{x}" for x in q], "r": [f"r{x}" for x in r], "s": [f"v{x}" for x in s]})


def table(seed):
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(30, 120))
    shares = rng.dirichlet(np.ones(4) * 2)
    return pa.table(
        {
            "q": [str(x) for x in rng.integers(0, 16, rows)],
            "r": [str(x) for x in rng.integers(0, 8, rows)],
            "s": [f"v{x}" for x in rng.choice(4, rows, p=shares)],
        }
    )


@pytest.mark.parametrize("suppress", [0.0, 0.2])
@pytest.mark.parametrize(("algorithm", "options"), ALGORITHMS, ids=lambda part: getattr(part, "__name__", str(part)))
def test_a_release_keeps_it_or_there_is_none(algorithm, options, suppress):
    made = 0
    for seed in range(8):
        for asked in (DeltaDisclosure(delta=0.8), DeltaDisclosure(delta=1.2), TCloseness(t=0.3), BetaLikeness(beta=1)):
            publisher = algorithm(requirement=KAnonymity(k=3) & asked, suppress=suppress, **options)
            for frame, schema in ((table(seed), SCHEMA), (linked(seed), FLAT)):
                try:
                    release = publisher.publish(frame, schema, explain=False)
                except (CannotMeetError, UsageError):
                    continue
                assert release.verification.ok
                made += 1
    assert made > 0 or suppress > 0  # with suppression some algorithms take no closeness
