"""The evidence that results speak of a person's subjects.

    own       the log-ratios of a result's distinct terms, summed, over the root of its number of terms;
              in standard deviations above what a text of the background has, within 0 and 2.5
    company   three times the mean own evidence of the results it resembles, each weighted by its likeness (cosine)

A result that holds none of a person's words may still stand among results that do: "jaguar" with "gearbox" is near
"jaguar" with "engine". The words of the query are left out, since every result has them.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.search.evidence.background import REPEATED, Background
from confide.search.words import Words

__all__ = ["Evidence", "EvidenceScorer"]

_MOST = 2.5
_COMPANY = 3.0
_ALONE = 0.5
"""Likeness of a result without evidence that is thought to stand beside all: who resembles few has little company."""
_SNIPPET = 14  # different terms of a usual snippet
_TOGETHER = 2.0
"""Words of a subject come together, so usual snippets differ more than if each word were drawn by itself: so much, on
people and snippets that no benchmark has."""
_REASONS = 3
_LEAST_SIZE = 1e-300  # of a vector that is divided by it; one that is 0 stays 0


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence of one result, 0 or more, and the words it rests on, the strongest first."""

    value: float
    reasons: tuple[str, ...] = ()


class EvidenceScorer:
    """Finds the evidence of results, given the log-ratios of a person's terms and a background.

    >>> from confide.search.evidence.background import Background
    >>> judge = EvidenceScorer({"engin": 3.0}, Background(rates={"engin": 1e-4, "cat": 1e-3}), Words())
    >>> [round(found.value, 1) for found in judge.weigh("jaguar", ["jaguar engines", "jaguar, a large cat"])]
    [2.5, 0.0]
    """

    def __init__(self, ratios: Mapping[str, float], background: Background, words: Words):
        self.ratios, self.background, self.words = ratios, background, words
        self._mean, self._deviation = _usual(ratios, background)

    def weigh(self, query: str, texts: Sequence[str]) -> list[Evidence]:
        """The evidence of each text among the results of a query."""
        asked = set(self.words.terms(query))
        held = []
        shown: dict[str, str] = {}
        for text in texts:
            forms = self.words.forms(text)
            shown.update((stem, word) for stem, word in forms if stem in self.ratios)
            held.append(Counter(stem for stem, _ in forms if stem not in asked))
        own = np.array([self._own(terms) for terms in held])
        if not own.any():
            return [Evidence(0.0)] * len(texts)
        total = own + _COMPANY * self._company(held, own)
        return [Evidence(float(value), self._reasons(terms, shown)) for value, terms in zip(total, held, strict=True)]

    def _own(self, terms: Mapping[str, int]) -> float:
        length = len(terms)
        if not length or not self._deviation:
            return 0.0
        total = sum(self.ratios.get(term, 0.0) for term in terms)
        above = total / math.sqrt(length) - math.sqrt(length) * self._mean
        return min(max(above / self._deviation, 0.0), _MOST)

    def _company(self, held: Sequence[Mapping[str, int]], own: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean evidence of the other results, weighted by their cosine with this one, by rarity of terms."""
        codes: dict[str, int] = {}
        for terms in held:
            for term in terms:
                codes.setdefault(term, len(codes))
        row = np.repeat(np.arange(len(held)), [len(terms) for terms in held])
        column = np.array([codes[term] for terms in held for term in terms], dtype=np.intp)
        rarity = np.array([-math.log(self.background.share(term)) for term in codes])
        value = rarity[column]
        size = np.sqrt(np.bincount(row, value**2, len(held)))
        value = value / np.maximum(size, _LEAST_SIZE)[row]

        def likeness_times(weight: NDArray[np.float64]) -> NDArray[np.float64]:
            # The sum of likeness * weight over the others, by way of the terms: no table of all pairs is made.
            of_terms = np.bincount(column, value * weight[row], len(codes))
            with_itself = np.where(size > 0, weight, 0.0)
            return np.maximum(np.bincount(row, value * of_terms[column], len(held)) - with_itself, 0.0)

        mean: NDArray[np.float64] = likeness_times(own) / (likeness_times(np.ones(len(held))) + _ALONE)
        return mean

    def _reasons(self, terms: Mapping[str, int], shown: Mapping[str, str]) -> tuple[str, ...]:
        known = sorted((term for term in terms if term in self.ratios), key=lambda term: (-self.ratios[term], term))
        return tuple(shown[term] for term in known[:_REASONS])


def _usual(ratios: Mapping[str, float], background: Background) -> tuple[float, float]:
    """Mean and deviation of the log-ratio of one term of a usual snippet; (0, 0) without ratios.

    A snippet of n terms has the sum n * mean, with the deviation sqrt(n) * deviation.
    """
    if not ratios:
        return 0.0, 0.0
    chance = np.array([background.share(term, REPEATED * _SNIPPET) for term in ratios]) / _SNIPPET
    value = np.array(list(ratios.values()))
    mean = float(chance @ value)
    square = float(chance @ value**2)
    deviation = math.sqrt(max(square - mean**2, 0.0)) or float(value.max())
    return mean, _TOGETHER * deviation
