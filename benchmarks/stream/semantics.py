"""Order and ratio kept by each scheme, against noise alone (the paper's Figure 8: delta 0.4, K = 5, C = 25, depth 2).

The paper's variance and membership, and the safe ones beside them. Under the safe rules fewer itemsets are published,
and those of larger support: compare schemes within a row of rules, not across.
"""

import pathlib
from collections.abc import Iterator
from statistics import mean, stdev
from typing import Any, NamedTuple

from benchmarks.stream.windows import streams, windows
from confide import OutputPrivacy, Randomness
from confide.core.itemsets.container import Itemsets
from confide.stream import Butterfly, order_preserved, ratio_preserved

WINDOWS, SEEDS = 10, 5
RATIOS = (0.3, 0.6, 0.9)
SCHEMES: dict[str, dict[str, Any]] = {
    "basic": {"scheme": "basic"},
    "order": {"scheme": "order"},
    "ratio": {"scheme": "ratio"},
    "hybrid 0.4": {"scheme": "hybrid", "lam": 0.4},
}
RULES: dict[str, dict[str, Any]] = {"paper": {"alpha": "paper", "membership": "support"}, "safe": {}}


def measured(found: list[Itemsets], requirement: OutputPrivacy, options: dict[str, Any]) -> dict[str, list[float]]:
    """ropp, rrpp and the share published, one value a seed, each the mean over the windows."""
    out: dict[str, list[float]] = {"ropp": [], "rrpp": [], "published": []}
    for seed in range(SEEDS):
        rows = []
        for itemsets in found:
            data = Butterfly(requirement, randomness=Randomness.seeded(seed), **options).release(itemsets).data
            share = len(data) / len(itemsets)
            rows.append((order_preserved(itemsets, data), ratio_preserved(itemsets, data), share))
        for name, values in zip(out, zip(*rows, strict=True), strict=True):
            out[name].append(mean(values))
    return out


class Asked(NamedTuple):
    """Windows of a stream, the rules they are published by, and a bound on precision as a multiple of delta."""

    name: str
    found: list[Itemsets]
    rules: str
    choices: dict[str, Any]
    ratio: float
    requirement: OutputPrivacy

    def measured(self, **options: Any) -> dict[str, list[float]]:
        """What a scheme keeps of these windows; see `measured`."""
        return measured(self.found, self.requirement, {**self.choices, **options})


def settings(data: pathlib.Path) -> Iterator[Asked]:
    """Every stream under all rules and bounds on precision."""
    for name, read, min_support in streams(data):
        found = windows(read(), min_support, count=WINDOWS, closed="closed" in name)
        for rules, choices in RULES.items():
            for ratio in RATIOS:
                requirement = OutputPrivacy(epsilon=ratio * 0.4, delta=0.4, min_support=min_support, vulnerable=5)
                yield Asked(name, found, rules, choices, ratio, requirement)


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """One row for each stream, rules and bound on precision: all schemes in it."""
    for asked in settings(data):
        all_of = {scheme: asked.measured(**options) for scheme, options in SCHEMES.items()}
        for measure, best in (("ropp", "order"), ("rrpp", "ratio")):
            by = {scheme: values[measure] for scheme, values in all_of.items()}
            gains = [a / b for a, b in zip(by[best], by["basic"], strict=True)]
            yield {
                "claim": f"{measure} of {best}, {asked.name}, min support {asked.requirement.min_support}, "
                f"{asked.rules} rules, delta 0.4, epsilon/delta {asked.ratio}",
                "ours": round(mean(by[best]), 4),
                "rival": {"name": "basic", measure: round(mean(by["basic"]), 4)},
                "ratio": round(mean(gains), 3),
                "spread": [round(min(gains), 3), round(max(gains), 3)],
                "settings": {
                    "all schemes": {s: [round(mean(v), 4), round(stdev(v), 4)] for s, v in by.items()},
                    "published": {s: round(mean(v["published"]), 2) for s, v in all_of.items()},
                },
            }
