"""Supports of itemsets from the answers to all blocks that know something of them, consistent with each other.

A block of fields estimates every margin of itself. Margins of different blocks overlap: with all triples of six fields
a single field lies in ten blocks, a pair in four. What a block says is taken apart into *interactions*, one for each
set C of its fields: the margin of C less what its smaller margins say already,

    interaction_C(x)  =  sum over E within C of  (-1)^(|C| - |E|)  margin_E(x_E) / (cells of C not in E)

Interactions of different sets C do not disturb each other, and if noise is alike in all cells of a block (it nearly is)
they are uncorrelated. So the best linear estimate takes, for each C, the mean of all blocks that hold C, each weighted
by 1/variance, and puts a margin together again from the interactions within it:

    margin_D(x)  =  sum over C within D of  interaction_C(x_C) / (cells of D not in C),      that of no field being 1

Every margin then agrees with every other, whichever blocks they came from, and long itemsets gain from what other
blocks know of their parts (the aim of CALM, Zhang et al. 2018, reached in one step). Weights depend on the design and
on how many answered each block, never on the answers, so estimates stay unbiased.

The variance: a block's part of an estimate is the mean over its people of g, a number for each cell, over what their
answers support; it follows from `answer_law.Moments` and the estimated shares of people with each g. Since each
person is in one block, the blocks' variances add up; what they share is the variance of the people themselves,
s(1-s)/N, which is taken off where the people who took part are meant, and left in for the population they come from.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from confide.collect.answers.answer_files import Answers
from confide.collect.designs.field_blocks import Block
from confide.core.errors import InputError

__all__ = ["BlockEstimator", "SupportTally", "combine_weights", "covers", "interaction_weights", "parts_of"]

Part = tuple[int, ...]
"""Positions of fields, rising."""


@dataclass(frozen=True, eq=False)
class SupportTally:
    """How many people answered each block, and for each value how many answers support it."""

    people: NDArray[np.int64]
    supports: tuple[NDArray[np.int64], ...]

    @classmethod
    def empty(cls, blocks: Sequence[Block]) -> "SupportTally":
        """Of no answers."""
        zeros = tuple(np.zeros(block.law.size, dtype=np.int64) for block in blocks)
        return cls(np.zeros(len(blocks), dtype=np.int64), zeros)

    @classmethod
    def count(cls, blocks: Sequence[Block], answers: Answers) -> "SupportTally":
        """Of these answers; raises InputError for one that no device could have given."""
        questions = answers.questions
        if len(questions) and (questions.min() < 0 or questions.max() >= len(blocks)):
            raise InputError(f"the number of a question lies outside 0..{len(blocks) - 1}; use the collector's scheme")
        order = np.argsort(questions, kind="stable")
        bounds = np.searchsorted(questions[order], np.arange(len(blocks) + 1))
        supports = []
        for b, block in enumerate(blocks):
            here = answers[order[bounds[b] : bounds[b + 1]]]
            block.law.check_answers(here.indptr, here.codes)
            supports.append(block.law.count_supports(here.indptr, here.codes))
        return cls(np.diff(bounds).astype(np.int64), tuple(supports))

    def add(self, other: "SupportTally") -> "SupportTally":
        """The tally of both."""
        supports = tuple(a + b for a, b in zip(self.supports, other.supports, strict=True))
        return SupportTally(self.people + other.people, supports)

    @property
    def records(self) -> int:
        """Number of answers."""
        return int(self.people.sum())


@lru_cache(maxsize=4096)
def parts_of(chosen: Part) -> tuple[Part, ...]:
    """Every subset of these positions, the empty one first."""
    return tuple(tuple(chosen[i] for i in range(len(chosen)) if mask >> i & 1) for mask in range(1 << len(chosen)))


def covers(blocks: Sequence[Block], chosen: Part) -> bool:
    """Whether some block asks for all of these fields."""
    return any(block.places.issuperset(chosen) for block in blocks)


def interaction_weights(
    blocks: Sequence[Block], people: Sequence[float], sizes: Sequence[int], chosen: Part
) -> dict[Part, dict[int, float]]:
    """For each part C of `chosen` but the empty one: how the blocks that hold it and were answered share its estimate.

    Weights are 1/variance of a cell of the margin of C, at even shares, and add up to 1.
    """
    found: dict[Part, dict[int, float]] = {}
    for part in parts_of(chosen)[1:]:
        cells = math.prod(sizes[i] for i in part)
        precise = {
            b: people[b] / block.law.moments.variance(block.law.size / cells, 1 / cells)
            for b, block in enumerate(blocks)
            if people[b] > 0 and block.places.issuperset(part)
        }
        total = sum(precise.values())
        found[part] = {b: weight / total for b, weight in precise.items()}
    return found


def combine_weights(
    weights: Mapping[Part, Mapping[int, float]], sizes: Sequence[int], chosen: Part, block: int
) -> dict[Part, float]:
    """What each margin E of a block counts in the estimate of `chosen`: summed over the interactions that hold E."""
    known = [part for part in weights if block in weights[part]]
    inside = sorted({i for part in known for i in part})
    found = {}
    for part in parts_of(tuple(inside)):
        signed = sum(weights[c][block] * (-1) ** (len(c) - len(part)) for c in known if set(part) <= set(c))
        found[part] = signed / math.prod(sizes[i] for i in chosen if i not in part)
    return found


class BlockEstimator:
    """Estimates and variances of itemsets over fields, from a tally of answers to the blocks; a `CellEstimator`."""

    def __init__(self, blocks: Sequence[Block], sizes: Sequence[int], tally: SupportTally):
        self.blocks, self.sizes, self.tally = blocks, tuple(sizes), tally
        self._margins: dict[tuple[int, Part], NDArray[np.float64]] = {}

    def margin(self, b: int, part: Part) -> NDArray[np.float64]:
        """The shares of people with each combination of these fields, as block b alone estimates them."""
        if (b, part) not in self._margins:
            block = self.blocks[b]
            if part == block.positions:
                p, q = float(block.law.p), float(block.law.q)
                shares = (self.tally.supports[b] / max(int(self.tally.people[b]), 1) - q) / (p - q)
                self._margins[b, part] = shares.reshape([self.sizes[i] for i in part])
            else:
                whole = self.margin(b, block.positions)
                out = tuple(k for k, i in enumerate(block.positions) if i not in part)
                self._margins[b, part] = np.asarray(whole.sum(axis=out))
        return self._margins[b, part]

    def __call__(self, chosen: Part, values: NDArray[np.int32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        records = self.tally.records
        weights = interaction_weights(self.blocks, self.tally.people.tolist(), self.sizes, chosen)
        if not weights[chosen]:
            nowhere = np.zeros(len(values))
            return nowhere, np.full(len(values), np.inf)
        shares = np.full(len(values), 1 / math.prod(self.sizes[i] for i in chosen))
        variances = np.zeros(len(values))
        places = {i: k for k, i in enumerate(chosen)}
        for b in sorted({b for part in weights.values() for b in part}):
            counted = combine_weights(weights, self.sizes, chosen, b)
            margins = {part: self.margin(b, part)[tuple(values[:, places[i]] for i in part)] for part in counted}
            mean = np.asarray(sum(weight * margins[part] for part, weight in counted.items()))
            shares += mean
            variances += self._variance(b, counted, margins, mean) / self.tally.people[b]
        sampled = np.clip(shares, 0, 1)
        # the people who took part are as they are: only what the design and the noise add counts
        variances = np.maximum(variances - sampled * (1 - sampled) / records, 1e-3 * variances)
        return records * shares, records**2 * variances

    def _variance(
        self,
        b: int,
        counted: Mapping[Part, float],
        margins: Mapping[Part, NDArray[np.float64]],
        mean: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Of one person's part in an estimate: its noise, and how people differ."""
        squares, cells = _squares(counted, self.sizes, self.blocks[b].law.size)
        agreeing = _agreeing(margins)
        people = sum(np.clip(agreeing[part], 0, 1) * g2 for part, g2 in squares.items())
        moments = self.blocks[b].law.moments
        own = moments.own - moments.other - 2 * moments.own_pair + 2 * moments.other_pair
        found: NDArray[np.float64] = (moments.other - moments.other_pair) * cells + own * people - mean**2
        return np.maximum(found, (moments.other - moments.other_pair) * cells)


def _squares(counted: Mapping[Part, float], sizes: Sequence[int], cells: int) -> tuple[dict[Part, float], float]:
    """For each set of fields in which a cell agrees with the itemset: the square of its g; and their sum over cells."""
    inside = max(counted, key=len)
    share = cells / math.prod(sizes[i] for i in inside)
    squares, total = {}, 0.0
    for part in counted:
        g = sum(weight for other, weight in counted.items() if set(other) <= set(part))
        squares[part] = g * g
        total += share * g * g * math.prod(sizes[i] - 1 for i in inside if i not in part)
    return squares, total


def _agreeing(margins: Mapping[Part, NDArray[np.float64]]) -> dict[Part, NDArray[np.float64]]:
    """The shares of people who agree with the itemset in exactly these fields, by inclusion and exclusion."""
    return {
        part: np.asarray(
            sum(margin * (-1) ** (len(more) - len(part)) for more, margin in margins.items() if set(part) <= set(more))
        )
        for part in margins
    }
