"""BuildUP and Split: from documents to a tree of interests (thesis, 5.2.1 and Figure 33, with its errata).

    documents --> frequent terms, most frequent first
                  each is compared with every earlier one:  Sim > delta       the same interest (Rule 1)
                                                            P(t_k|t_i) > delta a part of it (Rule 2)
                                                            else               an interest of its own
              --> documents divided among the interests that hold them --> each of them split in turn

Of several matches the largest counts, then the earliest. Terms as frequent as each other are taken in the order of
their labels, so the order of the documents changes nothing.

One deviation, since the chapter's rule ("until no term is frequent") grows millions of nodes from a thousand ordinary
texts: a node is split only while its support is at least `min_share` of the collection, and down to `max_depth`.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.progress import task
from confide.core.runtime.threads import answers_ctrl_c, cores, in_threads
from confide.core.transactions.container import Transactions
from confide.search.profile.interests import UNIT, Interest

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ProfileThresholds", "grow"]


@dataclass(frozen=True, kw_only=True)
class ProfileThresholds:
    """The thresholds of a profile; `minsup` is a count of documents."""

    minsup: int
    delta: Fraction
    min_share: Fraction
    max_depth: int


@dataclass(frozen=True, slots=True)
class _Part:
    """A child before it is split: label (first term last), documents, the weight of each."""

    label: tuple[int, ...]
    documents: NDArray[np.int32]
    weights: NDArray[np.int64]

    @property
    def units(self) -> int:
        return int(self.weights.sum())


class _Splitter:
    """Splits sets of documents; holds working arrays, so every thread has its own."""

    def __init__(self, data: Transactions, growth: ProfileThresholds):
        self._data, self._growth = data, growth
        self._counts = np.zeros(data.n_items, dtype=np.int64)
        self._rank = np.full(data.n_items, -1, dtype=np.int32)

    def split(self, part: _Part, above: tuple[int, ...]) -> list[_Part]:
        """The children of a node; `above` are the terms in the labels of its ancestors and its own."""
        from confide.search.profile._split_kernels import assign, count_terms, divide, match_terms, ranked_rows

        data, counts = self._data, self._counts
        count_terms(data.indptr, data.indices, part.documents, counts)
        counts[list(above)] = 0
        frequent = np.flatnonzero(counts >= self._growth.minsup)
        if len(frequent) == 0:
            return []
        frequent = frequent[np.lexsort((frequent, -counts[frequent]))]
        ranked = counts[frequent]
        self._rank[frequent] = np.arange(len(frequent), dtype=np.int32)
        rows, ranks = ranked_rows(data.indptr, data.indices, part.documents, self._rank, int(ranked.sum()))
        self._rank[frequent] = -1
        delta = self._growth.delta
        owner, labelled, nodes = assign(*match_terms(rows, ranks, ranked, delta.numerator, delta.denominator))
        starts, documents, shares = divide(rows, ranks, owner, nodes, part.weights)
        labels: list[list[int]] = [[] for _ in range(nodes)]
        for number in np.flatnonzero(labelled):
            labels[owner[number]].insert(0, int(frequent[number]))
        found = [
            _Part(tuple(label), part.documents[documents[start:end]], shares[start:end])
            for label, start, end in zip(labels, starts[:-1], starts[1:], strict=True)
        ]
        return sorted(found, key=lambda child: -child.units)

    def grow(self, part: _Part, above: tuple[int, ...], depth: int) -> Interest:
        """The interest of a part, with everything below it."""
        children: tuple[Interest, ...] = ()
        units = part.units
        growth = self._growth
        if depth < growth.max_depth and units >= growth.min_share * len(self._data) * UNIT:
            above += part.label
            children = tuple(self.grow(child, above, depth + 1) for child in self.split(part, above))
        terms = tuple(self._data.labels[code] for code in part.label)
        return Interest(terms=terms, units=units, documents=len(part.documents), children=children)


@answers_ctrl_c
def grow(data: Transactions, growth: ProfileThresholds) -> Interest:
    """The tree of interests of these documents, each a set of terms; words are still to be given to the terms."""
    n = len(data)
    kept = data.keep_items(data.supports() >= growth.minsup)  # the others are frequent nowhere
    whole = _Part((), np.arange(n, dtype=np.int32), np.full(n, UNIT, dtype=np.int64))
    root = Interest(units=n * UNIT, documents=n)
    if growth.max_depth < 1:
        return root
    parts = _Splitter(kept, growth).split(whole, ())
    with task("building the profile", total=len(parts) or None) as step:
        children = in_threads(_branches(kept, growth, step), parts, threads=cores(most=8))
    return Interest(units=root.units, documents=n, children=tuple(children))


def _branches(
    data: Transactions, growth: ProfileThresholds, step: "Callable[[float], None]"
) -> "Callable[[_Part], Interest]":
    import threading

    own = threading.local()

    def branch(part: _Part) -> Interest:
        if not hasattr(own, "splitter"):
            own.splitter = _Splitter(data, growth)
        splitter: _Splitter = own.splitter
        found = splitter.grow(part, (), 1)
        step(1)
        return found

    return branch
