"""What an adversary makes of a run, release by release: for the owner, who has the true itemsets.

Raw supports would give rare patterns away exactly. From published values the same sums give estimates; how wrong these
are, per true count of the pattern, is what the promise is about.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from confide.audit.adversaries.windows.inter_window import infer_between_windows
from confide.audit.adversaries.windows.intra_window import RarePattern, estimate_patterns, infer_patterns
from confide.core.itemsets.container import Itemsets

__all__ = ["ReleaseView", "view_release", "view_run"]

_SHOWN = 20


@dataclass(frozen=True, kw_only=True)
class ReleaseView:
    """One release: rare patterns that raw supports give away, and the adversary's estimates after sanitising.

    `linear[i]` and `bounded[i]` estimate `patterns[i]`, NaN where a set they need was withheld; `between` are patterns
    that follow only together with the window before.
    """

    patterns: tuple[RarePattern, ...] = field(repr=False)
    linear: tuple[float, ...] = field(repr=False)
    bounded: tuple[float, ...] = field(repr=False)
    between: int | None
    frequent: int
    published: int

    def errors(self, *, bounded: bool = False) -> list[tuple[int, float]]:
        """(true count, squared error) of each pattern that can be estimated."""
        guesses = self.bounded if bounded else self.linear
        pairs = zip(self.patterns, guesses, strict=True)
        return [(pattern.count, (guess - pattern.count) ** 2) for pattern, guess in pairs if not np.isnan(guess)]

    def summary(self, needed: float) -> dict[str, Any]:
        """Plain data for a page; it holds true counts."""
        errors = [error for _, error in self.errors()]
        shown = list(zip(self.patterns, self.linear, strict=True))[:_SHOWN]
        return {
            "raw": len(self.patterns),
            "error": float(np.mean(errors)) if errors else None,
            "needed": needed,
            "frequent": self.frequent,
            "published": self.published,
            "patterns": [
                {
                    "has": sorted(pattern.items),
                    "lacks": sorted(pattern.without),
                    "count": pattern.count,
                    "estimate": None if np.isnan(guess) else guess,
                }
                for pattern, guess in shown
            ],
        }


def view_release(
    true: Itemsets,
    published: Itemsets | None,
    *,
    vulnerable: int,
    before: Itemsets | None = None,
    lag: int = 0,
    min_support: int | None = None,
) -> ReleaseView:
    """The adversary's view of one window; `before` is the window `lag` records earlier, for what follows from both.

    `true` holds all frequent itemsets; those below `min_support`, if that is given, are left out: noise may have lifted
    them, but raw supports would not be published of them. Without `published` only what raw supports give away is
    counted.
    """
    if min_support is not None:
        true, before = _frequent(true, min_support), None if before is None else _frequent(before, min_support)
    found = infer_patterns(true, vulnerable=vulnerable).patterns
    blank = (float("nan"),) * len(found)
    linear, bounded = blank, blank
    if published is not None:
        known = {items: float(value) for items, value in published.as_dict().items()}
        made = estimate_patterns(found, known, vulnerable=vulnerable, n_records=true.n_transactions)
        linear, bounded = tuple(made.linear.tolist()), tuple(made.bounded.tolist())
    between = None
    if before is not None:
        both = infer_between_windows(before, true, lag=lag, vulnerable=vulnerable, min_support=min_support)
        between = len(both.patterns)
    return ReleaseView(
        patterns=found,
        linear=linear,
        bounded=bounded,
        between=between,
        frequent=len(true),
        published=0 if published is None else len(published),
    )


def _frequent(itemsets: Itemsets, least: int) -> Itemsets:
    return itemsets.take(np.flatnonzero(itemsets.supports >= least))


def view_run(views: Sequence[ReleaseView]) -> dict[str, Any]:
    """All releases together: how many patterns, and the mean squared error left, for each true count."""
    counts = [pattern.count for view in views for pattern in view.patterns]

    def by_count(bounded: bool) -> dict[str, float]:
        errors = [one for view in views for one in view.errors(bounded=bounded)]
        levels = sorted({count for count, _ in errors})
        return {str(t): float(np.mean([error for count, error in errors if count == t])) for t in levels}

    def share(values: Iterator[bool]) -> float | None:
        listed = list(values)
        return sum(listed) / len(listed) if listed else None

    guesses = [guess for view in views for guess in view.linear]
    return {
        "windows": len(views),
        "rare patterns that raw supports give away": len(counts),
        "by count": {str(t): counts.count(t) for t in sorted(set(counts))},
        "only together with the window before": None
        if all(view.between is None for view in views)
        else sum(view.between or 0 for view in views),
        "squared error left, adding and subtracting": by_count(False),
        "squared error left, knowing 0 to K": by_count(True),
        "share that cannot be estimated, a set being withheld": share(bool(np.isnan(x)) for x in guesses),
    }
