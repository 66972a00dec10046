"""Privacy and precision by scheme and delta (the paper's Figure 7), against what is promised: delta K^2 and epsilon.

Privacy is told for each true count of the pattern, since the mean is that of count 1. The adversary knows every shift.
Two adversaries: one adds and subtracts, the other also knows that a rare pattern has 0 to K records.
"""

import pathlib
from collections.abc import Iterator
from functools import partial
from statistics import mean, stdev
from typing import Any

import numpy as np

from benchmarks.stream.windows import streams, windows
from confide import OutputPrivacy, Randomness
from confide.audit import estimate_patterns, infer_patterns
from confide.core.errors import RequirementError
from confide.core.itemsets.container import Itemsets
from confide.stream import Butterfly, NoiseLaw, SanitisedItemsets, average_precision_loss

K, SEEDS = 5, 5
WINDOWS = {"BMS-WebView-1": 60, "retail": 30}
DELTAS = (0.2, 0.4, 0.6, 0.8, 1.0)
SCHEMES: dict[str, dict[str, Any]] = {
    "basic": {"scheme": "basic"},
    "lambda 0": {"scheme": "ratio"},
    "lambda 0.4": {"scheme": "hybrid", "lam": 0.4},
    "lambda 1": {"scheme": "order"},
}
RULES: dict[str, tuple[float, dict[str, Any]]] = {
    "paper": (0.04, {"alpha": "paper", "membership": "support"}),
    "safe": (0.05, {}),
}


def unbiased(release: SanitisedItemsets, law: NoiseLaw) -> dict[frozenset[str], float]:
    """What was published less its expected error: the shift of its class, and the mean of the law."""
    owner, middle = release.owner, float(law.mean)
    # one value may be said for several supports; their shifts differ by a record or two, so either does
    shift = dict(zip(owner.values.tolist(), owner.shifts.tolist(), strict=True))
    return {one: value - shift[value] - middle for one, value in release.data.as_dict().items()}


def errors(found: list[Itemsets], patterns: list[Any], made: Any) -> tuple[list[float], Any]:
    """(avg_pred of each window, [true count, error by sums, error within bounds] of each pattern)."""
    losses, rows = [], [np.empty((0, 3))]
    for itemsets, rare in zip(found, patterns, strict=True):
        publisher = made()
        release = publisher.release(itemsets)
        losses.append(average_precision_loss(itemsets, release.data))
        if not rare:
            continue
        published = unbiased(release, publisher.setting.law)
        guess = estimate_patterns(rare, published, vulnerable=K, n_records=itemsets.n_transactions)
        true = np.array([pattern.count for pattern in rare], dtype=np.float64)
        known = ~np.isnan(guess.linear)
        squares = [((by - true) ** 2)[known] for by in (guess.linear, guess.bounded)]
        rows.append(np.stack([true[known], *squares], axis=1))
    return losses, np.concatenate(rows)


def run(data: pathlib.Path) -> Iterator[dict[str, Any]]:
    """One row for each stream, rules, delta and scheme."""
    for name, read, min_support in streams(data):
        closed = "closed" in name
        found = windows(read(), min_support, count=WINDOWS.get(name, 6), closed=closed)
        patterns = [() if closed else infer_patterns(one, vulnerable=K).patterns for one in found]
        for rules, (ratio, options) in RULES.items():
            for delta in DELTAS:
                requirement = OutputPrivacy(epsilon=ratio * delta, delta=delta, min_support=min_support, vulnerable=K)
                for scheme, choice in SCHEMES.items():
                    claim = f"avg_pred, {name}, {rules} rules, delta {delta}, epsilon/delta {ratio}, {scheme}"
                    try:
                        parts = [
                            errors(
                                found,
                                patterns,
                                partial(
                                    Butterfly, requirement, randomness=Randomness.seeded(seed), **options, **choice
                                ),
                            )
                            for seed in range(SEEDS)
                        ]
                    except RequirementError as refused:
                        yield {"claim": claim, "ours": None, "settings": {"refused": str(refused)}}
                        break
                    losses = [mean(part[0]) for part in parts]
                    told = np.concatenate([part[1] for part in parts])
                    yield {
                        "claim": claim,
                        "ours": round(mean(losses), 5),
                        "rival": {"name": "epsilon, the most allowed", "avg_pred": round(ratio * delta, 5)},
                        "ratio": round(ratio * delta / mean(losses), 2),
                        "settings": {
                            "deviation between seeds": round(stdev(losses), 5),
                            "estimates of patterns": len(told),
                            "promised squared error": delta * K * K,
                            "avg_prig by count, sums": by_count(told, 1),
                            "avg_prig by count, knowing 0..K": by_count(told, 2),
                            "squared error, sums": round(float(told[:, 1].mean()), 1) if len(told) else None,
                            "squared error, knowing 0..K": round(float(told[:, 2].mean()), 1) if len(told) else None,
                        },
                    }


def by_count(told: Any, column: int) -> dict[int, float]:
    """The mean relative squared error for each true count."""
    counts = np.unique(told[:, 0])
    return {int(t): round(float((told[told[:, 0] == t, column] / t**2).mean()), 2) for t in counts}
