"""Depth of the order scheme and the mix of order and ratio (the paper's Figures 9 and 10), against noise alone."""

import pathlib
from collections.abc import Iterator
from statistics import mean, stdev
from typing import Any

from benchmarks.stream.semantics import RULES, measured
from benchmarks.stream.windows import streams, windows
from confide import OutputPrivacy

WINDOWS = 10
DEPTHS = (1, 2, 3, 4, 5, 6)
SHARES = (0.2, 0.4, 0.6, 0.8, 1.0)
RATIOS = (0.3, 0.6, 0.9)


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Two rows for each stream, rules and bound on precision: by depth, and by lambda."""
    for name, read, min_support in streams(data):
        found = windows(read(), min_support, count=WINDOWS, closed="closed" in name)
        for rules, choices in RULES.items():
            for ratio in RATIOS:
                requirement = OutputPrivacy(epsilon=ratio * 0.4, delta=0.4, min_support=min_support, vulnerable=5)
                plain = measured(found, requirement, choices)
                where = f"{name}, {rules} rules, delta 0.4, epsilon/delta {ratio}"
                if ratio == RATIOS[1]:
                    deep = {
                        depth: measured(found, requirement, {**choices, "scheme": "order", "depth": depth})["ropp"]
                        for depth in DEPTHS
                    }
                    yield {
                        "claim": f"ropp by depth (Figure 9), {where}",
                        "ours": round(mean(deep[2]), 4),
                        "rival": {"name": "basic", "ropp": round(mean(plain["ropp"]), 4)},
                        "ratio": round(mean(deep[2]) / mean(plain["ropp"]), 3),
                        "settings": {"by depth": {d: [round(mean(v), 4), round(stdev(v), 4)] for d, v in deep.items()}},
                    }
                mixed = {
                    lam: measured(found, requirement, {**choices, "scheme": "hybrid", "lam": lam}) for lam in SHARES
                }
                yield {
                    "claim": f"ropp and rrpp by lambda (Figure 10), {where}",
                    "ours": round(mean(mixed[0.4]["rrpp"]), 4),
                    "rival": {"name": "basic", "rrpp": round(mean(plain["rrpp"]), 4)},
                    "ratio": round(mean(mixed[0.4]["rrpp"]) / mean(plain["rrpp"]), 3),
                    "settings": {
                        measure: {
                            lam: [round(mean(v[measure]), 4), round(stdev(v[measure]), 4)] for lam, v in mixed.items()
                        }
                        for measure in ("ropp", "rrpp")
                    },
                }
