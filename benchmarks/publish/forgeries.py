"""10,000 forged tables and passports of each kind: how many the auditor accepts that brute force does not.

`python -m benchmarks publish.forgeries`. The forger repairs size, hash and sentences; see `tests/forged_tables.py`.
"""

import pathlib
import random
import tempfile
from collections.abc import Iterator
from typing import Any

from tests.forged_tables import KINDS, accepted, forged, good, rightly

ROUNDS = 10_000


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Yield one record for each kind of forgery."""
    for kind in KINDS:
        draw = random.Random(kind)
        with tempfile.TemporaryDirectory() as folder:
            file, text, passport = good(pathlib.Path(folder))
            wrong = passed = 0
            for _ in range(ROUNDS):
                new, changed = forged(draw, kind, text, passport)
                if accepted(file, new, changed):
                    passed += 1
                    wrong += kind == "passport" or not rightly(new, changed)
        assert wrong == 0
        yield {
            "claim": f"forged tables ({kind}) accepted though they are not right",
            "ours": wrong,
            "rival": {"name": "brute force on the text of the file", "right": passed},
            "settings": {"forgeries": ROUNDS},
        }
