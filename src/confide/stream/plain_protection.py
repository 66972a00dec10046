"""Two plainer ways to protect a window, to compare Butterfly* with: buckets, and detecting then removing.

Neither makes a promise that anybody can check, so neither makes a release: they are for comparison only.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Protocol

from confide.core.errors import UsageError
from confide.core.itemsets.container import Itemsets
from confide.core.requirements.base import check_count

__all__ = ["Inferred", "bucketize", "remove_inferable"]


class Inferred(Protocol):
    """What an adversary inferred: all of `items`, none of `without`."""

    @property
    def items(self) -> frozenset[str]:
        """Items that the records have."""

    @property
    def without(self) -> frozenset[str]:
        """Items that they lack."""


def bucketize(itemsets: Itemsets, *, min_support: int, width: int) -> Itemsets:
    """Publish for each support the middle of its interval: [C, C + width), [C + width, C + 2 width), ...

    A larger `width` hides more and keeps less: itemsets in one interval can no longer be told apart. It promises
    nothing: a support on an interval's edge is as visible as one in its middle, and an itemset that changes intervals
    as the window slides by a record has a known support.

    >>> window = Itemsets.from_pairs([("a", 30), ("b", 26), ("ab", 25)], n_transactions=100)
    >>> bucketize(window, min_support=25, width=5).as_dict()[frozenset("a")]
    32
    """
    import numpy as np

    check_count("width", width, least=2, why="hides nothing")
    counted = itemsets.supports.astype(np.int64)
    kept = itemsets.take(np.flatnonzero(counted >= min_support))
    values = kept.supports.astype(np.int64)
    middle = min_support + (values - min_support) // width * width + width // 2
    return Itemsets.from_arrays(
        kept.offsets, kept.items, middle, labels=kept.labels, n_transactions=kept.n_transactions
    ).sorted()


def remove_inferable(itemsets: Itemsets, *, find: Callable[[Itemsets], Iterable[Inferred]]) -> Itemsets:
    """Withhold itemsets until an adversary infers nothing: detect, remove, and detect again.

    `find` is the adversary, for instance `lambda window: infer_patterns(window, vulnerable=5).patterns` of
    `confide.audit`. Each round withholds the itemset that most of the inferred patterns need (J, all their items
    together), of several the first in order. What stays is exact. It protects against that adversary only, and only
    within one window; each round searches the whole window again, and which itemsets are missing tells something too.

    >>> from confide.audit import infer_patterns
    >>> window = Itemsets.from_pairs([("c", 8), ("ac", 5), ("bc", 5), ("abc", 3)], n_transactions=8)
    >>> len(remove_inferable(window, find=lambda one: infer_patterns(one, vulnerable=1).patterns))
    3
    """
    if not isinstance(itemsets, Itemsets):
        raise UsageError(f"remove_inferable takes Itemsets, not {type(itemsets).__name__}; give window.frequent()")
    import numpy as np

    kept = itemsets
    while True:
        needed = Counter(found.items | found.without for found in find(kept))
        if not needed:
            return kept
        worst = min(needed, key=lambda one: (-needed[one], sorted(one)))
        places = [i for i, (labels, _) in enumerate(kept) if frozenset(labels) != worst]
        kept = kept.take(np.array(places, dtype=np.int64))
