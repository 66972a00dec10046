"""The least noise under which a gamma holds, in numbers alone: p of Mask, K and rho of Cut-and-Paste, and
what a field's value becomes where each field is perturbed alone.

Source: paper 003, section 4.6; for Cut-and-Paste gamma = sum of rho^-w over w = 0..K once records of K items occur (the
printed K = 3, rho = 0.494 gives 15.4; gamma 19 needs 0.4514).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

import numpy as np

from confide.collect.estimating.forecasts import cut_matrix
from confide.core.errors import CannotMeetError, RequirementError
from confide.core.requirements.weakening import Weakening

__all__ = ["CutChoice", "best_cut", "check_gamma", "column_moves", "cut_choices", "kept_rates", "largest_p"]

DIGITS = 6  # of a planned parameter, rounded to the safe side
_MOVE_DIGITS = 9  # of the chance of another value
LARGEST_K = 32
_LARGEST_GAMMA = 1e6  # no larger one is proposed
LONGEST_SHOWN = 8  # lengths for which a choice has condition numbers


def check_gamma(gamma: float) -> None:
    """Refuse a gamma under which nothing could be collected, or nothing is promised."""
    if not 1 < gamma < math.inf:
        raise RequirementError(
            f"gamma={gamma} erases the data or bounds nothing; use a number above 1, such as 19",
            parameter="gamma",
            value=gamma,
        )


def largest_p(gamma: float, *, places: int) -> float:
    """The largest p, rounded down, with which Mask keeps `gamma` for records that may differ in so many places."""
    check_gamma(gamma)
    odds = gamma ** (1 / places)
    p = min(_safe(odds / (1 + odds), ROUND_FLOOR), 1 - 10**-DIGITS)  # p = 1 has no gamma
    if p <= 0.5:
        raise CannotMeetError(
            f"with {places} places to differ in, gamma={gamma:g} leaves p = 1/2, which erases the data",
            parameter="gamma",
            value=gamma,
            cures=_larger_gamma(gamma, lambda larger: largest_p(larger, places=places)),
            advice="a shorter max_length helps, or gamma-diagonal over few fields",
        )
    return p


def column_moves(gamma: float, sizes: Sequence[int]) -> tuple[float, ...]:
    """For each field the chance of each other value, rounded up, when M fields alone keep gamma^(1/M) each."""
    check_gamma(gamma)
    each = gamma ** (1 / len(sizes))
    moves = tuple(_safe(1 / (each + size - 1), ROUND_CEILING, _MOVE_DIGITS) for size in sizes)
    if any(size * move >= 1 for size, move in zip(sizes, moves, strict=True)):
        raise CannotMeetError(
            f"shared among {len(sizes)} fields, gamma={gamma:g} leaves every value as likely as another, which erases "
            "the data",
            parameter="gamma",
            value=gamma,
            cures=_larger_gamma(gamma, lambda larger: column_moves(larger, sizes)),
            advice="fewer fields help, or gamma-diagonal over few fields",
        )
    return moves


def _larger_gamma(gamma: float, attempt: Callable[[float], object]) -> list[dict[str, float]]:
    """The smallest larger gamma, in hundredths, that leaves something of the data."""

    def works(larger: float) -> bool:
        try:
            attempt(larger)
        except CannotMeetError:
            return False
        return True

    if gamma >= _LARGEST_GAMMA or not works(_LARGEST_GAMMA):  # the check within the check ends here
        return []
    near = Weakening("gamma", _larger_gammas(gamma), 100).nearest(works)
    return [] if near is None else [{"gamma": near}]


def _larger_gammas(gamma: float) -> range:
    return range(math.floor(gamma * 100) + 1, int(_LARGEST_GAMMA * 100) + 1)


def kept_rates(sizes: Sequence[int], moves: Sequence[float]) -> tuple[tuple[float, float], ...]:
    """For each field the chances that a value stays, and that it does not appear where it was not."""
    return tuple((1 - (size - 1) * move, 1 - move) for size, move in zip(sizes, moves, strict=True))


@dataclass(frozen=True, kw_only=True)
class CutChoice:
    """A K, the smallest rho (rounded up) under a gamma, and the condition number at itemset length 1, 2, ..."""

    K: int
    rho: float
    conditions: tuple[float, ...]


def cut_choices(gamma: float, *, K: int | None, record_length: int, length: int) -> list[CutChoice]:
    """Every K that keeps `gamma` for records of up to `record_length` items; those of at least `length`, or `K` alone.

    A smaller K leaves no trace of itemsets of `length` items.
    """
    check_gamma(gamma)
    found = _kept_cuts(gamma, K=K, record_length=record_length, length=length)
    if found:
        return found
    least = length if K is None else K
    cures: list[dict[str, Any]] = []
    for smaller in range(least - 1, 0, -1):
        if K is None and _kept_cuts(gamma, K=None, record_length=record_length, length=smaller):
            cures.append({"length": smaller})
            break
        if K is not None and _kept_cuts(gamma, K=smaller, record_length=record_length, length=smaller):
            cures.append({"K": smaller})
            break

    def keeps(larger: float) -> bool:
        return bool(_kept_cuts(larger, K=K, record_length=record_length, length=length))

    near = Weakening("gamma", _larger_gammas(gamma), 100).nearest(keeps)
    raise CannotMeetError(
        f"gamma={gamma:g} cannot be kept with K={least}: even with every other item put in it is above {least + 1}",
        parameter="gamma" if K is None else "K",
        value=gamma if K is None else K,
        cures=[*cures, *([] if near is None else [{"gamma": near}])],
    )


def _kept_cuts(gamma: float, *, K: int | None, record_length: int, length: int) -> list[CutChoice]:
    candidates = [K] if K is not None else list(range(length, min(record_length, LARGEST_K) + 1))
    if not candidates:
        raise RequirementError(
            f"length={length} is beyond the longest record, {record_length}", parameter="length", value=length
        )
    found = []
    for k in candidates:
        if k < 1 or gamma <= k + 1:
            continue  # even rho = 1 has gamma K + 1
        rho = _safe(_smallest_rho(gamma, k, record_length), ROUND_CEILING)
        if rho < 1:
            found.append(CutChoice(K=k, rho=rho, conditions=_conditions(k, rho, record_length)))
    return found


def best_cut(choices: Sequence[CutChoice], length: int) -> CutChoice:
    """The one whose matrix is best conditioned for itemsets of `length` items; the only one if there is one."""
    return choices[0] if len(choices) == 1 else min(choices, key=lambda choice: choice.conditions[length - 1])


def _cut_gamma(k: int, rho: float, longest: int) -> float:
    """Likeliest over least likely record behind what is sent: all K cut items seen, against none of them.

    A record of m < K items is cut at m with the chance left over, (K + 1 - m)/(K + 1).
    """
    m = min(k, longest)
    try:
        return sum(rho**-w for w in range(m)) + (k + 1 - m) * rho**-m
    except OverflowError:
        return math.inf


def _smallest_rho(gamma: float, k: int, longest: int) -> float:
    return _root(lambda rho: _cut_gamma(k, rho, longest) <= gamma)


def _conditions(k: int, rho: float, longest: int) -> tuple[float, ...]:
    lengths = range(1, min(k, longest, LONGEST_SHOWN) + 1)
    return tuple(float(np.linalg.cond(cut_matrix(k, rho, longest, n))) for n in lengths)


def _root(holds: Callable[[float], bool]) -> float:
    """The smallest number in (0, 1] from which on `holds` is true (it is at 1)."""
    low, high = 0.0, 1.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _safe(value: float, rounding: str, digits: int = DIGITS) -> float:
    return float(Decimal(repr(value)).quantize(Decimal(1).scaleb(-digits), rounding=rounding))
