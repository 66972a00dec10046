"""What each scheme keeps of a sample: tried out, not derived."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from confide.core.errors import InputError
from confide.core.itemsets.container import Itemsets
from confide.core.randomness import Randomness
from confide.core.requirements import OutputPrivacy
from confide.core.transactions.container import Transactions
from confide.mining.window.sliding import SlidingWindow
from confide.stream.butterfly import Butterfly
from confide.stream.measures import average_precision_loss, order_preserved, ratio_preserved

__all__ = ["SchemeWorth", "sample_windows", "scheme_worth"]

LAMBDAS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, kw_only=True)
class SchemeWorth:
    """What a scheme keeps, on average: pairs in order, pairs whose ratio stays within 5%, itemsets published."""

    scheme: str
    lam: float | None
    order_kept: float
    ratio_kept: float
    published: float
    error: float


def sample_windows(sample: Transactions, *, records: int, min_support: int, count: int = 3) -> list[Itemsets]:
    """The frequent itemsets of windows spread evenly over a sample."""
    import numpy as np

    if len(sample) < records:
        raise InputError(f"the sample has {len(sample):,} records, fewer than a window of {records:,}; give more")
    found = []
    for end in np.unique(np.linspace(records, len(sample), count, dtype=np.int64)):
        window = SlidingWindow(size=records, min_support=min_support)
        window.learn_many(sample.take(np.arange(end - records, end)))
        found.append(window.frequent())
    return found


def scheme_worth(
    windows: Sequence[Itemsets], requirement: OutputPrivacy, *, depth: int = 2, noise: str = "uniform", seeds: int = 3
) -> list[SchemeWorth]:
    """Every scheme, and hybrid from ratio (lambda 0) to order (1), on these windows."""
    tried: list[tuple[str, float | None]] = [("basic", None), *(("hybrid", lam) for lam in LAMBDAS)]
    answers = []
    for scheme, lam in tried:
        rows = []
        for seed in range(seeds):
            for window in windows:
                options: dict[str, Any] = {"scheme": scheme, "depth": depth, "noise": noise}
                if lam is not None:
                    options["lam"] = lam
                data = Butterfly(requirement, randomness=Randomness.seeded(seed), **options).release(window).data
                if len(data) > 1:
                    kept = order_preserved(window, data), ratio_preserved(window, data)
                    rows.append((*kept, len(data) / len(window), average_precision_loss(window, data)))
        if not rows:
            raise InputError("fewer than two itemsets of the sample would be published; use a smaller min_support")
        order, ratio, published, error = (mean(column) for column in zip(*rows, strict=True))
        answers.append(
            SchemeWorth(scheme=scheme, lam=lam, order_kept=order, ratio_kept=ratio, published=published, error=error)
        )
    return answers
