"""Laws of noise of equal variance compared (the paper's section 7, Figures 5 and 6), then on streams.

Figure 5: how often two supports change places, by the gap between them. Figure 6: how often a ratio stays within 5%,
by the ratio. Both exact, from the weights of the laws. On streams: order kept by `order` and ratios kept by `ratio`
under each law, and the law that `choose_noise` takes.
"""

import pathlib
from collections.abc import Iterator
from statistics import mean, stdev
from typing import Any

import numpy as np

from benchmarks.stream.semantics import measured
from benchmarks.stream.windows import streams, windows
from confide import OutputPrivacy
from confide.core.errors import RequirementError
from confide.stream import NoiseLaw, choose_noise

WINDOWS = 10
# variances 10.5, 10 and 9: as near as whole numbers come
LAWS = {"triangular": NoiseLaw.triangular(7), "uniform": NoiseLaw.uniform(11), "rademacher": NoiseLaw.rademacher(6)}


def chances(law: NoiseLaw) -> tuple[np.ndarray, np.ndarray]:
    """Values and their probabilities."""
    weights = np.array(law.weights, dtype=np.float64)
    return law.first + np.arange(len(weights)), weights / weights.sum()


def inverted(law: NoiseLaw, gap: int) -> float:
    """Pr[t_i' >= t_j'] for t_j = t_i + gap."""
    values, chance = chances(law)
    return float((np.outer(chance, chance) * (values[:, None] >= values[None, :] + gap)).sum())


def kept_ratio(law: NoiseLaw, small: int, large: int, k: float = 0.95) -> float:
    """Pr[k t_i/t_j <= t_i'/t_j' <= t_i/(k t_j)]."""
    values, chance = chances(law)
    found = (small + values[:, None]) * large / (small * (large + values[None, :]).astype(np.float64))
    return float((np.outer(chance, chance) * ((found >= k) & (found <= 1 / k))).sum())


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """Figures 5 and 6, then one row for each stream and what to keep."""
    variances = {name: float(law.variance) for name, law in LAWS.items()}
    for gap in (1, 2, 3, 4, 5, 6, 7, 8, 10, 12):
        by = {name: round(inverted(law, gap), 4) for name, law in LAWS.items()}
        yield {
            "claim": f"chance that two supports {gap} apart change places (Figure 5)",
            "ours": by["uniform"],
            "settings": {**by, "variances": variances},
        }
    for small in (25, 30, 35, 40, 45, 50):
        by = {name: round(kept_ratio(law, small, 50), 4) for name, law in LAWS.items()}
        yield {
            "claim": f"chance that the ratio {small}/50 stays within 5% (Figure 6)",
            "ours": by["uniform"],
            "settings": by,
        }
    for name, read, min_support in streams(data):
        found = windows(read(), min_support, count=WINDOWS, closed="closed" in name)
        requirement = OutputPrivacy(epsilon=0.6 * 0.4, delta=0.4, min_support=min_support, vulnerable=5)
        for keep, measure in (("order", "ropp"), ("ratio", "rrpp")):
            by_law: dict[str, list[float]] = {}
            refused = {}
            for law in ("rademacher", "uniform", "triangular"):
                try:
                    by_law[law] = measured(found, requirement, {"scheme": keep, "noise": law})[measure]
                except RequirementError as error:
                    refused[law] = str(error)
            taken = choose_noise(found[0], requirement, keep=keep)
            best = max(by_law, key=lambda law: mean(by_law[law]))
            yield {
                "claim": f"{measure} of {keep} by law, {name}, delta 0.4, epsilon/delta 0.6",
                "ours": round(mean(by_law["uniform"]), 4),
                "rival": {"name": "triangular", measure: round(mean(by_law["triangular"]), 4)},
                "ratio": round(mean(by_law["uniform"]) / mean(by_law["triangular"]), 3),
                "settings": {
                    "by law": {law: [round(mean(v), 4), round(stdev(v), 4)] for law, v in by_law.items()},
                    "refused": refused,
                    "best": best,
                    "choose_noise takes": f"{len(taken.weights)} points, variance {float(taken.variance):.1f}",
                },
            }
