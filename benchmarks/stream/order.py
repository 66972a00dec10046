"""The order scheme at depth 2, against the same programme over every bias the bound on precision allows.

Both reach the same cost; ours looks only at places that can matter. Every window is decided afresh: with the memory of
a running stream only new classes are.
"""

import pathlib
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import numpy as np

from benchmarks.stream.windows import streams, windows
from confide import OutputPrivacy
from confide.stream.noise import NoiseLaw
from confide.stream.paper import _order_kernels as kernels
from confide.stream.paper.order import Ints, order_shifts, states
from confide.stream.setting import Setting

WINDOWS, ROUNDS, DEPTH = 20, 5, 2
RATIOS = (0.3, 0.9)


def everywhere(supports: Ints, sizes: Ints, setting: Setting) -> Ints:
    """The shifts of least cost, with every place allowed by precision."""
    least, most = setting.all_shifts(supports)
    low, high = supports + least, supports + most
    near, after = states(setting.law.reach, DEPTH)
    starts = np.concatenate([[0], np.cumsum(high - low + 1)])
    alone = np.zeros(starts[-1])
    costs = setting.law.inversions()
    found: Ints = kernels.place(low, high, sizes.astype(np.float64), costs, near, after, alone, starts)
    return found - supports


def weighed(estimators: Ints, sizes: Ints, law: NoiseLaw) -> float:
    """The cost of the pairs that the programme weighs: neighbours up to DEPTH apart."""
    table = law.inversions() / float(law.total) ** 2
    total = 0.0
    for apart in range(1, DEPTH + 1):
        gaps = np.minimum(estimators[apart:] - estimators[:-apart], law.reach)
        total += float(((sizes[apart:] + sizes[:-apart]) * table[gaps]).sum())
    return total


def seconds(call: Callable[[], Any]) -> float:
    """The time the process computed."""
    began = time.process_time()
    call()
    return time.process_time() - began


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """One row for each stream and bound on precision."""
    for name, read, min_support in streams(data):
        found = windows(read(), min_support, count=WINDOWS, closed="closed" in name)
        counted = [np.unique(x.supports.astype(np.int64), return_counts=True) for x in found]
        classes = sum(len(supports) for supports, _ in counted)
        for ratio in RATIOS:
            requirement = OutputPrivacy(epsilon=ratio * 0.4, delta=0.4, min_support=min_support, vulnerable=5)
            setting = Setting.of(requirement)

            def ours(setting: Setting = setting, counted: Any = counted) -> list[Ints]:
                return [order_shifts(t, s, setting=setting, depth=DEPTH) for t, s in counted]

            def rival(setting: Setting = setting, counted: Any = counted) -> list[Ints]:
                return [everywhere(t, s, setting) for t, s in counted]

            costs = [
                sum(weighed(t + shift, s, setting.law) for (t, s), shift in zip(counted, side(), strict=True))
                for side in (ours, rival)
            ]
            own, other = zip(*((seconds(ours), seconds(rival)) for _ in range(ROUNDS)), strict=True)
            ratios = [b / a for a, b in zip(own, other, strict=True)]
            yield {
                "claim": f"order scheme, depth {DEPTH}, {name}, min support {min_support}, delta 0.4, "
                f"epsilon/delta {ratio}",
                "ours": round(median(own), 5),
                "rival": {"name": "the same programme over every bias", "seconds": round(median(other), 5)},
                "ratio": round(median(other) / median(own), 1),
                "spread": [round(min(ratios), 1), round(max(ratios), 1)],
                "settings": {
                    "microseconds a class": round(1e6 * median(own) / classes, 1),
                    "classes a window": round(classes / WINDOWS),
                    "largest shift allowed": int(setting.shifts(int(max(t[-1] for t, _ in counted)))[1]),
                    "cost, ours and rival": [round(cost, 3) for cost in costs],
                },
            }
