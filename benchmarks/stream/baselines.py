"""Butterfly* against buckets and against detecting then removing, on the same windows.

Buckets as wide as the noise; detecting by the intra-window adversary. What each keeps, what an adversary still infers
exactly, and the time.
"""

import pathlib
import time
from collections.abc import Callable, Iterator
from functools import partial
from statistics import mean
from typing import Any

import numpy as np

from benchmarks.stream.windows import streams, windows
from confide import OutputPrivacy, Randomness
from confide.audit import infer_patterns
from confide.core.itemsets.container import Itemsets
from confide.stream import (
    Butterfly,
    average_precision_loss,
    bucketize,
    order_preserved,
    ratio_preserved,
    remove_inferable,
)
from confide.stream.paper.biases import Scheme

WINDOWS, K = 6, 5


def rare(itemsets: Itemsets) -> Any:
    """The patterns that the adversary of one window infers."""
    return infer_patterns(itemsets, vulnerable=K).patterns


def right(said: Itemsets, true: Itemsets) -> tuple[int, int]:
    """How many patterns the adversary infers from what was said, and how many of them are so."""
    really = {(p.items, p.without, p.count) for p in rare(true)}
    claims = rare(said)
    return len(claims), sum((p.items, p.without, p.count) in really for p in claims)


def sanitised(requirement: OutputPrivacy, scheme: Scheme, itemsets: Itemsets) -> Itemsets:
    """What Butterfly* says of a window."""
    return Butterfly(requirement, scheme=scheme, randomness=Randomness.seeded(1)).release(itemsets).data


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """One row for each stream and way."""
    for name, read, min_support in streams(data):
        if "closed" in name:
            continue  # the adversary of one window needs all frequent itemsets
        found = windows(read(), min_support, count=WINDOWS)
        requirement = OutputPrivacy(epsilon=0.6 * 0.4, delta=0.4, min_support=min_support, vulnerable=K)
        width = len(Butterfly(requirement, scheme="basic").setting.law.weights)
        ways: dict[str, Callable[[Itemsets], Itemsets]] = {
            "butterfly, order": partial(sanitised, requirement, "order"),
            "butterfly, ratio": partial(sanitised, requirement, "ratio"),
            f"buckets of {width}": partial(bucketize, min_support=min_support, width=width),
            "detect, then remove": partial(remove_inferable, find=rare),
        }
        for way, protect in ways.items():
            began = time.process_time()
            said = [protect(one) for one in found]
            seconds = (time.process_time() - began) / len(found)
            pairs = list(zip(found, said, strict=True))
            claims = [right(after, before) for before, after in pairs]
            yield {
                "claim": f"{way}, {name}, delta 0.4, epsilon/delta 0.6: rare patterns inferred rightly, a window",
                "ours": round(mean(so for _, so in claims), 2),
                "rival": {"name": "raw supports", "patterns": round(mean(len(rare(one)) for one in found), 1)},
                "settings": {
                    "claimed": round(mean(all_of for all_of, _ in claims), 1),
                    "published": round(float(np.mean([len(after) / len(before) for before, after in pairs])), 3),
                    "avg_pred": round(mean(average_precision_loss(*pair) for pair in pairs), 5),
                    "ropp": round(mean(order_preserved(*pair) for pair in pairs), 4),
                    "rrpp": round(mean(ratio_preserved(*pair) for pair in pairs), 4),
                    "milliseconds a window": round(1000 * seconds, 1),
                },
            }
