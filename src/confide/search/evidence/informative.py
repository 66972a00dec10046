"""Informative terms: those a person surely uses more often than a background lets expect.

A term of df documents passes if df - 1.3 sqrt(df) is at least `factor` times the number of documents that the
background expects to hold it: so a term in a few documents must stand out more than one in many. The factor is 2, and
1.5, 1.2 or 1 where fewer than 30 terms pass. A document then counts for its ten most informative terms only, so that
a long one does not outweigh the others.

A service knows the exposed pairs only. A weight is log10(documents / support), and in a support each document counts
once for all interests that hold it: it is divided among them. So 10^-weight is a share of the profile, and a fifth of
the share of documents that hold the word, in the middle: that is what ordinary texts are compared with.
"""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from confide.core.transactions.container import Transactions
from confide.search.evidence.background import REPEATED, Background
from confide.search.exposed import ExposedProfile
from confide.search.words import Words

__all__ = ["exposed_ratios", "keep_informative", "log_ratios"]

_FACTORS = (2.0, 1.5, 1.2, 1.0)
_ENOUGH = 30
_PER_DOCUMENT = 10
_SURE = 1.3
_DIVIDED = 5.0
"""Among how many exposed interests a document is divided: 5.0 to 5.3 in profiles of informative terms (people that no
benchmark has). From 5 to 12 what a service gains hardly changes; with 1, which compares a share of the profile with a
share of texts, most words seem usual and two thirds of the gain are lost."""


def keep_informative(data: Transactions, background: Background, *, minsup: int = 1) -> Transactions:
    """The documents with their informative terms alone, at most ten each; no document is left out.

    Where texts and background have no contrast (they are the same folder), the list of the language decides alone. A
    background that knows nothing leaves every term.
    """
    if background.knows_nothing:
        return data
    chosen = _pass_terms(data, background, minsup)
    if background.texts and background.rates and len(chosen) < _ENOUGH:
        spoken = _pass_terms(data, Background(background.rates), minsup)
        chosen = spoken if 2 * len(chosen) < len(spoken) else chosen
    ratio = np.full(data.n_items, -np.inf)
    for term, value in chosen.items():
        ratio[term] = value
    return _cut_documents(data, ratio)


def _pass_terms(data: Transactions, background: Background, minsup: int) -> dict[int, float]:
    """Codes of the terms that pass, each with log(sure / expected)."""
    supports = data.supports()
    lengths = np.maximum(np.asarray(data.lengths, dtype=np.float64), 1.0)
    sure = supports - _SURE * np.sqrt(supports)
    frequent = [int(code) for code in np.flatnonzero((supports >= minsup) & (sure > 0))]
    found: dict[int, float] = {}
    ratios = {code: float(sure[code]) / _expect(data.labels[code], background, lengths) for code in frequent}
    for factor in _FACTORS:
        found = {code: math.log(ratio) for code, ratio in ratios.items() if ratio >= factor}
        if len(found) >= _ENOUGH:
            break
    return found


def _expect(term: str, background: Background, lengths: NDArray[np.float64]) -> float:
    """How many of the documents the background expects to hold a term.

    Of an index a profile keeps the counts of its own terms alone, so its texts are taken to be as long as these.
    """
    different = float(lengths.mean())
    return len(lengths) * replace(background, length=different).share(term, REPEATED * different)


def _cut_documents(data: Transactions, ratio: NDArray[np.float64]) -> Transactions:
    """Keep of each document the terms of the ten largest ratios, those of -inf never."""
    rows = np.repeat(np.arange(len(data)), data.lengths)
    values = ratio[data.indices]
    inside = np.flatnonzero(values > -np.inf)
    order = inside[np.lexsort((data.indices[inside], -values[inside], rows[inside]))]
    begins = np.searchsorted(rows[order], np.arange(len(data)))
    place = np.arange(len(order)) - begins[rows[order]]
    keep = np.sort(order[place < _PER_DOCUMENT])
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows[keep], minlength=len(data)))])
    kept: Transactions = Transactions.from_arrays(indptr, data.indices[keep], data.labels)
    return kept


def log_ratios(
    counts: Mapping[str, int], documents: int, length: float, background: Background, *, least: int = 3
) -> dict[str, float]:
    """log(share of one's own documents / share of the background's) of terms in `least` documents or more, above 0.

    `length` is how many words one's own documents have, on average.
    """
    found = {}
    for term, count in counts.items():
        if count >= least:
            ratio = count / documents / background.share(term, length)
            if ratio > 1:
                found[term] = math.log(ratio)
    return found


def exposed_ratios(exposed: ExposedProfile, background: Background, words: Words) -> dict[str, float]:
    """How far the words of exposed pairs stand out: log(share of the person's documents / usual share), above 0 only.

    The share of documents is estimated: five times the share of the profile, at most all.

    >>> from confide.search.exposed import Pair
    >>> ground = Background(counts={"bike": 1, "time": 50}, texts=100)
    >>> pairs = ExposedProfile((Pair(("bikes",), 0.7), Pair(("time",), 0.5)))
    >>> {term: round(ratio, 1) for term, ratio in exposed_ratios(pairs, ground, Words()).items()}
    {'bike': 4.6, 'time': 0.7}
    """
    found: dict[str, float] = {}
    for pair in exposed.pairs:
        share = min(_DIVIDED * 10.0**-pair.weight, 1.0)
        for stem in {stem for word in pair.words for form in words.stems_of(word) for stem in form}:
            ratio = math.log(share / background.share(stem))
            if ratio > found.get(stem, 0.0):
                found[stem] = ratio
    return found
