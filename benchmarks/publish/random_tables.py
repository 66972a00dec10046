"""20,000 random tables with everything that makes trouble: publisher, file, `verify` and a twin agree on each.

`python -m benchmarks publish.random_tables`. Each case goes through one method, requirement and format; every
combination of these comes at least 41 times. Some are released fewer than 20 times, and rightly: relaxed and local
methods and K-Optimize do not take delta-disclosure nor, where the table has persons, any diversity; others-known and
simple diversity are often impossible on these tables. What a case is, and who judges it: `tests/odd_tables.py`.
"""

import pathlib
import tempfile
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.odd_tables import COMBINATIONS, combination_of, try_case

CASES = 20_000


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield one record for all cases, and raise with the first cases that went wrong."""
    outcomes: Counter[str] = Counter()
    tried: Counter[tuple[str, str, str]] = Counter()
    released: Counter[tuple[str, str, str]] = Counter()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(CASES):
            outcome = try_case(number, pathlib.Path(folder))
            combination = combination_of(number)
            outcomes[outcome.what] += 1
            tried[combination] += 1
            released[combination] += outcome.what == "released"
            if outcome.what == "wrong":
                wrong.append(outcome.why)
    assert not wrong, "\n".join([f"{len(wrong)} cases went wrong", *wrong[:5]])
    never = sorted(
        {f"{method} under {asked}" for method, asked, form in COMBINATIONS if not released[method, asked, form]}
    )
    yield {
        "claim": "random tables on which publisher, file, verify and a twin do not agree, or that crash",
        "ours": len(wrong),
        "rival": {"name": "a twin that reads the file with csv and pyarrow", "released": outcomes["released"]},
        "settings": {
            "cases": CASES,
            "refused": outcomes["refused"],
            "combinations": len(COMBINATIONS),
            "fewest cases of a combination": min(tried.values()),
            "always refused": never,
        },
    }
