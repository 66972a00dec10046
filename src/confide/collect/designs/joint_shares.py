"""The shares of all combinations of values, none negative and adding up to 1, from the answers to all blocks.

`design_estimates` is unbiased, so shares near 0 come out negative as often as not. Two ways to say only what can be:

    em        the likeliest shares, by expectation and maximisation. An answer A is g times as likely for a value v that
              it supports as for one that it does not, so of one person who answered A

                  chance of v  =  t(v) (g if A supports v, else 1)  /  (1 + (g - 1) t(A))

              where t are the shares so far; the next shares are the mean of these chances over all people. A block
              knows its own fields only: each combination of all fields is scaled as the block's part of it is.
    simplex   the possible shares whose margins are nearest to the unbiased estimates of every block, weighted by their
              precision; by projected gradients with momentum

Both are biased, since they cut noise off at 0, and err less where many shares are small. They have no standard errors.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.collect.answers.answer_files import Answers
from confide.collect.designs.design_estimates import SupportTally
from confide.collect.designs.field_blocks import Block
from confide.core.errors import RequirementError, UsageError

__all__ = ["METHODS", "em_shares", "nearest_shares", "simplex_shares"]

METHODS = ("em", "simplex")
_MOST_CELLS = 1 << 20
_MOST_HASHED = 1 << 26  # people times values of a block of hashed answers
_ROUNDS = 2000
_STILL = 1e-2  # people: a round that moves no share by more is the last

Shares = NDArray[np.float64]


class _Given(NamedTuple):
    """The answers to one block: where it lies in the whole table, how many people, and which values each supports."""

    places: NDArray[np.int64]
    people: int
    rows: NDArray[np.int64]
    values: NDArray[np.int64]
    gain: float


def em_shares(blocks: Sequence[Block], sizes: Sequence[int], answers: Answers) -> Shares:
    """The likeliest shares of all combinations, as a table with an axis for each field."""
    _check_size(sizes)
    given = [_read_block(b, block, sizes, answers) for b, block in enumerate(blocks)]
    given = [one for one in given if one.people]
    people = sum(one.people for one in given)
    if not people:
        raise UsageError("there are no answers to reconstruct from")
    shares = np.full(math.prod(sizes), 1 / math.prod(sizes))
    for _ in range(_ROUNDS):
        factor = sum((_likelier(one, shares) for one in given), start=np.zeros(len(shares)))
        moved = shares * factor / people
        largest = float(np.abs(moved - shares).max()) * people
        shares = moved / moved.sum()
        if largest < _STILL:
            break
    return shares.reshape(sizes)


def _likelier(given: _Given, shares: Shares) -> Shares:
    """For each combination: the sum over people of how much likelier their answer makes it."""
    size = int(given.places.max()) + 1
    margin = np.bincount(given.places, weights=shares, minlength=size)
    supported = np.bincount(given.rows, weights=margin[given.values], minlength=given.people)
    each = 1 / (1 + given.gain * supported)
    found = each.sum() + given.gain * np.bincount(given.values, weights=each[given.rows], minlength=size)
    scaled: Shares = found[given.places]
    return scaled


def _read_block(b: int, block: Block, sizes: Sequence[int], answers: Answers) -> _Given:
    here = answers[np.flatnonzero(answers.questions == b)]
    law = block.law
    if law.kind == "hashing":
        if len(here) * law.size > _MOST_HASHED:
            raise UsageError(
                f"{len(here):,} hashed answers about {law.size:,} values are too many for method='em'; use "
                "method='simplex'",
                parameter="method",
            )
        a, c, bucket = here.codes.reshape(-1, 3).astype(np.int64).T[:, :, None]
        prime, buckets = (law.parameters()[name] for name in ("prime", "buckets"))
        rows, values = np.nonzero((a * np.arange(law.size) + c) % prime % buckets == bucket)
    else:
        rows = np.repeat(np.arange(len(here)), np.diff(here.indptr))
        values = here.codes.astype(np.int64)
    return _Given(_places(block, sizes), len(here), rows, values, float(law.attained) - 1)


def _places(block: Block, sizes: Sequence[int]) -> NDArray[np.int64]:
    """For each combination of all fields, the value of the block that it has."""
    found = np.zeros(tuple(sizes), dtype=np.int64)
    for i in block.positions:
        shape = [1] * len(sizes)
        shape[i] = sizes[i]
        found = found * sizes[i] + np.arange(sizes[i]).reshape(shape)
    return found.ravel()


def simplex_shares(blocks: Sequence[Block], sizes: Sequence[int], tally: SupportTally) -> Shares:
    """The possible shares nearest to what every block estimates, as a table with an axis for each field."""
    _check_size(sizes)
    if not tally.records:
        raise UsageError("there are no answers to reconstruct from")
    cells = math.prod(sizes)
    parts = []
    for b, block in enumerate(blocks):
        if tally.people[b]:
            p, q = float(block.law.p), float(block.law.q)
            target = (tally.supports[b] / int(tally.people[b]) - q) / (p - q)
            precision = int(tally.people[b]) / block.law.moments.variance(1, 1 / block.law.size)
            parts.append((_places(block, sizes), target, precision))

    def gradient(shares: Shares) -> Shares:
        found = np.zeros(cells)
        for places, target, precision in parts:
            found += precision * (np.bincount(places, weights=shares, minlength=len(target)) - target)[places]
        return found

    # the largest curvature: a block's margin adds up cells / values entries
    steep = sum(precision * cells / len(target) for _, target, precision in parts)
    return _descend(gradient, np.full(cells, 1 / cells), steep, tally.records).reshape(sizes)


def _descend(gradient: Callable[[Shares], Shares], start: Shares, steep: float, people: int) -> Shares:
    """The lowest point on the simplex, by projected gradients with momentum (FISTA)."""
    shares, ahead, momentum = start, start, 1.0
    for _ in range(_ROUNDS):
        moved = nearest_shares(ahead - gradient(ahead) / steep)
        following = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        ahead = moved + (momentum - 1) / following * (moved - shares)
        largest = float(np.abs(moved - shares).max()) * people
        shares, momentum = moved, following
        if largest < _STILL:
            break
    return shares


def nearest_shares(estimates: Shares) -> Shares:
    """The shares nearest to these that are not negative and add up to 1: all lowered alike, those below 0 set to 0."""
    falling = np.sort(estimates)[::-1]
    excess = (np.cumsum(falling) - 1) / np.arange(1, len(falling) + 1)
    least = excess[np.flatnonzero(falling > excess)[-1]]
    return np.maximum(estimates - least, 0.0)


def _check_size(sizes: Sequence[int]) -> None:
    cells = math.prod(sizes)
    if cells > _MOST_CELLS:
        raise RequirementError(
            f"the fields have {cells:,} combinations, more than {_MOST_CELLS:,}: too many to reconstruct one by one; "
            "mine the itemsets that you need instead"
        )
