"""What every law of answers says: the chances of support, and from them how far an estimate errs."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confide.collect.wording.languages import DeviceSentence
from confide.core.errors import InputError

if TYPE_CHECKING:
    from confide.core.randomness import Randomness

__all__ = ["AnswerLaw", "Drawn", "Moments", "bit_masks", "check_lengths", "check_range", "check_rising"]

Drawn = tuple[NDArray[np.int64], NDArray[np.int32]]
"""Answers end to end: where each begins (one more for the end), and the whole numbers they are made of."""


class Moments(NamedTuple):
    """Mean products of two values' weights (supported - q)/(p - q): of the true value with itself (`own`), of another
    with itself (`other`), of the true value and another (`own_pair`), of two others (`other_pair`)."""

    own: float
    other: float
    own_pair: float
    other_pair: float

    def variance(self, cells: float, support: float) -> float:
        """Of one person's weight for a region of so many values that this share of people belongs to."""
        inside = self.own + (cells - 1) * (self.other + 2 * self.own_pair + (cells - 2) * self.other_pair)
        outside = cells * (self.other + (cells - 1) * self.other_pair)
        return support * inside + (1 - support) * outside - support**2


@dataclass(frozen=True, kw_only=True)
class AnswerLaw(ABC):
    """The law of an answer about one of `size` values, under amplification `gamma`."""

    kind: ClassVar[str]
    entries: ClassVar[tuple[str, ...]] = ()

    size: int
    gamma: Fraction

    @property
    @abstractmethod
    def p(self) -> Fraction:
        """The chance that the true value is supported."""

    @property
    @abstractmethod
    def q(self) -> Fraction:
        """The chance that a certain other value is."""

    @abstractmethod
    def support_pairs(self) -> tuple[float, float]:
        """The chances that two values are supported at once: the true one and another; two others."""

    @cached_property
    def moments(self) -> Moments:
        """See `Moments`."""
        p, q = float(self.p), float(self.q)
        own, other = self.support_pairs()
        d2 = (p - q) ** 2
        return Moments(1 + p * (1 - p) / d2, q * (1 - q) / d2, (own - p * q) / d2, (other - q * q) / d2)

    @property
    def attained(self) -> Fraction:
        """The gamma this law really has."""
        return self.gamma

    @abstractmethod
    def draw(self, values: NDArray[np.int64], randomness: "Randomness") -> Drawn:
        """One answer for each true value."""

    @abstractmethod
    def check_answers(self, indptr: NDArray[np.int64], codes: NDArray[np.int32]) -> None:
        """Raise InputError unless each is an answer that this law can give."""

    def count_supports(self, indptr: NDArray[np.int64], codes: NDArray[np.int32]) -> NDArray[np.int64]:
        """For each value, how many of the answers support it."""
        return np.bincount(codes, minlength=self.size).astype(np.int64)

    @property
    @abstractmethod
    def answers(self) -> int:
        """How many different answers there are."""

    @abstractmethod
    def number_answers(self, indptr: NDArray[np.int64], codes: NDArray[np.int32]) -> NDArray[np.int64]:
        """The number of each answer, from 0 to `answers` - 1; for few answers."""

    @abstractmethod
    def numbered_answer(self, number: int) -> list[int]:
        """The answer of this number."""

    @property
    @abstractmethod
    def mean_length(self) -> float:
        """Whole numbers in an answer, on average."""

    def parameters(self) -> dict[str, int]:
        """What a scheme file says of it besides its kind."""
        return {name: getattr(self, name) for name in self.entries}

    @abstractmethod
    def step(self) -> DeviceSentence:
        """What the device does with the true value, as a sentence."""

    def check_one(self, codes: Sequence[int]) -> None:
        """The same for one answer off the wire."""
        self.check_answers(np.array([0, len(codes)], dtype=np.int64), np.array(codes, dtype=np.int32))


def check_lengths(indptr: NDArray[np.int64], length: int) -> None:
    """Refuse answers that are not so long."""
    if (np.diff(indptr) != length).any():
        raise InputError(f"an answer has another length than {length}; use the collector's scheme file")


def check_range(codes: NDArray[np.int32], size: int) -> None:
    """Refuse numbers of answers that name no value."""
    if len(codes) and (codes.min() < 0 or codes.max() >= size):
        raise InputError(f"a number of an answer lies outside 0..{size - 1}; use the collector's scheme file")


def check_rising(indptr: NDArray[np.int64], codes: NDArray[np.int32]) -> None:
    """Refuse answers whose numbers do not rise."""
    falls = np.flatnonzero(np.diff(codes) <= 0) + 1
    if len(falls) and not np.isin(falls, indptr).all():
        raise InputError("the numbers of an answer must rise")


def bit_masks(indptr: NDArray[np.int64], codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Each answer as a number whose bits are its codes."""
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    return np.bincount(rows, weights=2.0**codes, minlength=len(indptr) - 1).astype(np.int64)
