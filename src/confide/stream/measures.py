"""What a release kept and what it hid, in the paper's measures (section 8.2). They need true supports: the owner's own.

Pairs of itemsets are counted by groups of equal (true, published) support, so millions of itemsets cost no more than
their few hundred supports.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.figures import ShownFields
from confide.core.itemsets.container import Itemsets
from confide.core.requirements.base import exact, is_number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["PrivacyMeasure", "average_precision_loss", "average_privacy", "order_preserved", "ratio_preserved"]

_ROWS = 1 << 10  # groups compared with all others at once
_LARGEST_K = 1000  # its denominator: times two supports it stays within 64 bits


@dataclass(frozen=True, kw_only=True)
class PrivacyMeasure(ShownFields):
    """Relative squared errors of inferred patterns: their `mean`, and the mean for each true count.

    The mean says little: patterns of count 1, the most frequent ones, dominate it.
    """

    mean: float
    by_support: dict[int, float]
    patterns: int


def average_privacy(true: Sequence[int], inferred: Sequence[float]) -> PrivacyMeasure:
    """avg_prig: how wrong an adversary is about rare patterns, relative to their true counts.

    `true` are the counts of the patterns, each above 0; `inferred` what the adversary makes of a sanitised release
    (see `confide.audit.infer_patterns`). Larger is better.

    >>> average_privacy([1, 1, 4], [3.0, 1.0, 6.0]).by_support
    {1: 2.0, 4: 0.25}
    """
    import numpy as np

    counts, guesses = np.asarray(true, dtype=np.int64), np.asarray(inferred, dtype=np.float64)
    if counts.shape != guesses.shape or counts.ndim != 1:
        raise UsageError(f"{len(guesses)} inferred counts for {len(counts)} patterns; give one for each")
    if not len(counts) or counts.min() < 1:
        raise InputError("a rare pattern has a count of 1 or more; leave out patterns that do not occur")
    errors = ((guesses - counts) / counts) ** 2
    levels = np.unique(counts)
    return PrivacyMeasure(
        mean=float(errors.mean()),
        by_support={int(t): float(errors[counts == t].mean()) for t in levels},
        patterns=len(counts),
    )


def average_precision_loss(true: Itemsets, published: Itemsets) -> float:
    """avg_pred: the mean relative squared error of published supports. At most epsilon in expectation.

    >>> true = Itemsets.from_pairs([("a", 10), ("b", 5)], n_transactions=20)
    >>> round(average_precision_loss(true, Itemsets.from_pairs([("a", 9), ("b", 6)], n_transactions=20)), 6)
    0.025
    """
    before, after, sizes = _groups(true, published)
    return float((sizes * ((after - before) / before) ** 2).sum() / sizes.sum())


def order_preserved(true: Itemsets, published: Itemsets) -> float:
    """ropp: the share of pairs of published itemsets whose order is not inverted.

    T(I) < T(J) must give T'(I) <= T'(J); equal supports must give equal values.

    >>> true = Itemsets.from_pairs([("a", 10), ("b", 8), ("c", 5)], n_transactions=20)
    >>> order_preserved(true, Itemsets.from_pairs([("a", 9), ("b", 10), ("c", 4)], n_transactions=20))
    0.6666666666666666
    """
    before, after, sizes = _groups(true, published)  # ascending by true support, then by published

    def kept(i: int, j: int) -> "NDArray[np.bool_]":
        return (before[i:j, None] < before) & (after[i:j, None] <= after)

    return _share(sizes, kept)


def ratio_preserved(true: Itemsets, published: Itemsets, *, k: float = 0.95) -> float:
    """rrpp: the share of pairs of published itemsets whose ratio is within a factor k to 1/k of the true one.

    A larger `k` (between 0 and 1) asks for closer ratios.

    >>> true = Itemsets.from_pairs([("a", 100), ("b", 50)], n_transactions=200)
    >>> ratio_preserved(true, Itemsets.from_pairs([("a", 103), ("b", 50)], n_transactions=200))
    1.0
    """
    if not is_number(k) or not 0 < k < 1:
        raise RequirementError(
            f"k={k} is no closeness; use a number between 0 and 1, such as 0.95", parameter="k", value=k
        )
    a, b = exact(k).numerator, exact(k).denominator
    if b > _LARGEST_K:
        raise RequirementError(f"k={k} has too many digits; use at most three", parameter="k", value=k)
    before, after, sizes = _groups(true, published)

    def kept(i: int, j: int) -> "NDArray[np.bool_]":
        left = after[i:j, None] * before  # T'(I) T(J)
        right = before[i:j, None] * after  # T(I) T'(J)
        return (a * right <= b * left) & (a * left <= b * right) & (left > 0) & (right > 0)

    return _share(sizes, kept)


def _share(sizes: "NDArray[np.int64]", kept: object) -> float:
    """Pairs that are kept among all pairs; `kept(i, j)` compares groups i..j-1 with all groups."""
    import numpy as np

    n = int(sizes.sum())
    if n < 2:
        raise InputError("fewer than two itemsets were published, so there are no pairs to compare")
    right = int((sizes * (sizes - 1) // 2).sum())  # within a group nothing moves
    for start in range(0, len(sizes), _ROWS):
        stop = min(start + _ROWS, len(sizes))
        later = np.arange(len(sizes)) > np.arange(start, stop)[:, None]
        good = kept(start, stop) & later  # type: ignore[operator]
        right += int((sizes[start:stop, None] * sizes * good).sum())
    return right / (n * (n - 1) // 2)


def _groups(true: Itemsets, published: Itemsets) -> "tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]":
    """(true support, published support, number of itemsets) of each group, ascending."""
    import numpy as np

    from confide.mining.rules.subsets import check_itemsets, positions

    check_itemsets(true)
    check_itemsets(published)
    if not len(published):
        raise InputError("nothing was published, so there is nothing to measure")
    code = {label: i for i, label in enumerate(true.labels)}
    if not set(published.labels) <= set(code):
        raise InputError("an item that was published is not among the true itemsets; give the window it came from")
    offsets, items = published.coded()
    recoded = np.array([code[label] for label in published.labels], dtype=np.int32)[items]
    sets = np.repeat(np.arange(len(published)), np.diff(offsets))
    recoded = np.ascontiguousarray(recoded[np.lexsort((recoded, sets))])
    at = positions(true, (offsets, recoded))
    if (at < 0).any():
        raise InputError("an itemset was published that is not among the true ones; give the window it came from")
    pairs = np.stack([np.asarray(true.supports)[at], published.supports], axis=1).astype(np.int64)
    if pairs[:, 0].min() < 1:
        raise InputError("an itemset has support 0; only sets that occur can be measured")
    found, sizes = np.unique(pairs, axis=0, return_counts=True)
    return found[:, 0].copy(), found[:, 1].copy(), sizes.astype(np.int64)
