"""Depth of the order scheme and the mix of order and ratio (the paper's Figures 9 and 10), against noise alone."""

import pathlib
from collections.abc import Iterator
from statistics import mean, stdev
from typing import Any

from benchmarks.stream.semantics import RATIOS, settings

DEPTHS = (1, 2, 3, 4, 5, 6)
SHARES = (0.2, 0.4, 0.6, 0.8, 1.0)


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Two rows for each stream, rules and bound on precision: by depth, and by lambda."""
    for asked in settings(data):
        plain = asked.measured()
        where = f"{asked.name}, {asked.rules} rules, delta 0.4, epsilon/delta {asked.ratio}"
        if asked.ratio == RATIOS[1]:
            deep = {depth: asked.measured(scheme="order", depth=depth)["ropp"] for depth in DEPTHS}
            yield {
                "claim": f"ropp by depth (Figure 9), {where}",
                "ours": round(mean(deep[2]), 4),
                "rival": {"name": "basic", "ropp": round(mean(plain["ropp"]), 4)},
                "ratio": round(mean(deep[2]) / mean(plain["ropp"]), 3),
                "settings": {"by depth": {d: [round(mean(v), 4), round(stdev(v), 4)] for d, v in deep.items()}},
            }
        mixed = {lam: asked.measured(scheme="hybrid", lam=lam) for lam in SHARES}
        yield {
            "claim": f"ropp and rrpp by lambda (Figure 10), {where}",
            "ours": round(mean(mixed[0.4]["rrpp"]), 4),
            "rival": {"name": "basic", "rrpp": round(mean(plain["rrpp"]), 4)},
            "ratio": round(mean(mixed[0.4]["rrpp"]) / mean(plain["rrpp"]), 3),
            "settings": {
                measure: {lam: [round(mean(v[measure]), 4), round(stdev(v[measure]), 4)] for lam, v in mixed.items()}
                for measure in ("ropp", "rrpp")
            },
        }
