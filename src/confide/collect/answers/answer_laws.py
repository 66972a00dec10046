"""How one value out of k is answered: k-ary, unary, hashed, or as a subset of the values.

An answer *supports* a set of values. The true value is supported with chance p, any other with chance q < p, so

    (supporting answers - n q) / (p - q)

estimates without bias how many of n people have a value (Wang, Blocki, Li, Jha, "Locally differentially private
protocols for frequency estimation", 2017). Every law here keeps amplification gamma exactly:

    k-ary              the value itself with g/(g + k - 1), each other with 1/(g + k - 1)
    unary              each value on its own: the true one with 1/2, another with 1/(g + 1)          (optimal)
    symmetric unary    the true one with r/(1 + r), another with 1/(1 + r), r the root of g          (basic RAPPOR)
    hashing            a random hash function, and k-ary over its `buckets`                          (optimal: g + 1)
    subset selection   `chosen` values, a set with the true one g times likelier than one without    (Ye and Barg 2018)

Chances are fractions of whole numbers and draws are exact. A region of values is estimated by the sum over its values;
how far that errs follows from the chances that two values are supported together (`Moments`).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.collect.answers.answer_law import AnswerLaw, Drawn, bit_masks, check_lengths, check_range, check_rising
from confide.collect.schemes.promise import share
from confide.collect.wording.languages import DeviceSentence
from confide.core.errors import InputError, RequirementError

if TYPE_CHECKING:
    from confide.core.randomness import Randomness

__all__ = ["LAWS", "MOST_CELLS", "PRIME", "Hashing", "Kary", "SubsetLaw", "Unary", "is_prime", "read_law"]

MOST_CELLS = 1 << 20
"""The most values of one answer: the collector keeps a count for each."""

PRIME = 2_147_483_647
"""The field of hash functions a x + b: 2^31 - 1."""


@dataclass(frozen=True, kw_only=True)
class Kary(AnswerLaw):
    """One value is sent."""

    kind = "k-ary"

    @property
    def keep(self) -> Fraction:
        """The chance that the value is kept; else one of all is drawn, all alike."""
        return (self.gamma - 1) / (self.gamma + self.size - 1)

    @property
    def p(self) -> Fraction:
        return self.gamma / (self.gamma + self.size - 1)

    @property
    def q(self) -> Fraction:
        return 1 / (self.gamma + self.size - 1)

    def support_pairs(self) -> tuple[float, float]:
        return 0.0, 0.0

    def draw(self, values: NDArray[np.int64], randomness: "Randomness") -> Drawn:
        from confide.collect.schemes.sampling import keep_or_uniform

        drawn = keep_or_uniform(values.reshape(-1, 1), (self.size,), self.keep, randomness)
        return np.arange(len(values) + 1, dtype=np.int64), drawn.reshape(-1).astype(np.int32)

    def check_answers(self, indptr: NDArray[np.int64], codes: NDArray[np.int32]) -> None:
        check_lengths(indptr, 1)
        check_range(codes, self.size)

    @property
    def answers(self) -> int:
        return self.size

    def number_answers(self, indptr: NDArray[np.int64], codes: NDArray[np.int32]) -> NDArray[np.int64]:
        return codes.astype(np.int64)

    def numbered_answer(self, number: int) -> list[int]:
        return [number]

    @property
    def mean_length(self) -> float:
        return 1.0

    def step(self) -> DeviceSentence:
        return DeviceSentence.of("k-ary", p=share(float(self.p)), others=self.size - 1)


@dataclass(frozen=True, kw_only=True)
class Unary(AnswerLaw):
    """Every value is looked at on its own, and some are sent."""

    kind = "unary"
    entries = ("symmetric",)

    symmetric: bool = False

    @cached_property
    def root(self) -> Fraction:
        """The root of gamma in whole billionths, rounded down; a client in a browser does the same sum."""
        return Fraction(math.isqrt(self.gamma.numerator * 10**18 // self.gamma.denominator), 10**9)

    def __post_init__(self) -> None:
        if self.symmetric and self.root <= 1:
            raise RequirementError(
                f"gamma={float(self.gamma):.17g} leaves nothing for two chances; use 1.00000001 or more",
                parameter="gamma",
                value=float(self.gamma),
            )

    @property
    def p(self) -> Fraction:
        return self.root / (1 + self.root) if self.symmetric else Fraction(1, 2)

    @property
    def q(self) -> Fraction:
        return 1 / (1 + self.root) if self.symmetric else 1 / (1 + self.gamma)

    @property
    def attained(self) -> Fraction:
        return self.root**2 if self.symmetric else self.gamma

    def support_pairs(self) -> tuple[float, float]:
        return float(self.p * self.q), float(self.q) ** 2

    def draw(self, values: NDArray[np.int64], randomness: "Randomness") -> Drawn:
        from confide.collect.schemes.sampling import flip_rows

        held = np.arange(len(values) + 1, dtype=np.int64)
        return flip_rows(held, values.astype(np.int32), self.size, self.p, self.q, randomness)

    def check_answers(self, indptr: NDArray[np.int64], codes: NDArray[np.int32]) -> None:
        check_range(codes, self.size)
        check_rising(indptr, codes)

    @property
    def answers(self) -> int:
        return 1 << self.size

    def number_answers(self, indptr: NDArray[np.int64], codes: NDArray[np.int32]) -> NDArray[np.int64]:
        return bit_masks(indptr, codes)

    def numbered_answer(self, number: int) -> list[int]:
        return [i for i in range(self.size) if number >> i & 1]

    @property
    def mean_length(self) -> float:
        return float(self.p + (self.size - 1) * self.q)

    def step(self) -> DeviceSentence:
        return DeviceSentence.of("unary", size=self.size, p=share(float(self.p)), q=share(float(self.q)))


@dataclass(frozen=True, kw_only=True)
class Hashing(AnswerLaw):
    """A random function of the values into `buckets`, and k-ary over these; an answer is [a, b, bucket].

    The function is (a x + b mod prime) mod buckets, a in 1..prime-1 and b in 0..prime-1, drawn anew for each answer and
    sent with it. Two values meet in a bucket with a chance that does not depend on them, so q is exact.
    """

    kind = "hashing"
    entries = ("buckets", "prime")

    buckets: int
    prime: int = PRIME

    def __post_init__(self) -> None:
        if not 2 <= self.buckets <= MOST_CELLS:
            raise RequirementError(
                f"buckets={self.buckets} must lie between 2 and {MOST_CELLS:,}", parameter="buckets", value=self.buckets
            )
        if not is_prime(self.prime) or not self.size <= self.prime <= PRIME:
            raise RequirementError(
                f"prime={self.prime} must be a prime number of {self.size} or more, up to {PRIME}",
                parameter="prime",
                value=self.prime,
            )

    @property
    def kept(self) -> Kary:
        """What is done with the bucket."""
        return Kary(size=self.buckets, gamma=self.gamma)

    @cached_property
    def collision(self) -> Fraction:
        """The chance that two values fall into the same bucket."""
        each, more = divmod(self.prime, self.buckets)
        pairs = more * (each + 1) * each + (self.buckets - more) * each * (each - 1)
        return Fraction(pairs, self.prime * (self.prime - 1))

    @property
    def p(self) -> Fraction:
        return self.kept.p

    @cached_property
    def q(self) -> Fraction:
        return self.collision * self.kept.p + (1 - self.collision) * self.kept.q

    def support_pairs(self) -> tuple[float, float]:
        """Three values are taken to be hashed independently, which this family does for two."""
        return float(self.p * self.collision), float(self.collision) / self.buckets

    def draw(self, values: NDArray[np.int64], randomness: "Randomness") -> Drawn:
        n = len(values)
        a, b = randomness.integers(self.prime - 1, n) + 1, randomness.integers(self.prime, n)
        _, buckets = self.kept.draw((a * values + b) % self.prime % self.buckets, randomness)
        codes = np.stack([a.astype(np.int32), b.astype(np.int32), buckets], axis=1)
        return np.arange(0, 3 * n + 1, 3, dtype=np.int64), codes.reshape(-1)

    def check_answers(self, indptr: NDArray[np.int64], codes: NDArray[np.int32]) -> None:
        check_lengths(indptr, 3)
        rows = codes.reshape(-1, 3)
        check_range(rows[:, 0] - 1, self.prime - 1)
        check_range(rows[:, 1], self.prime)
        check_range(rows[:, 2], self.buckets)

    def count_supports(self, indptr: NDArray[np.int64], codes: NDArray[np.int32]) -> NDArray[np.int64]:
        from confide.collect.answers._answer_kernels import count_hashed

        found: NDArray[np.int64] = count_hashed(
            codes.reshape(-1, 3).astype(np.int64), self.prime, self.buckets, self.size
        )
        return found

    @property
    def answers(self) -> int:
        return (self.prime - 1) * self.prime * self.buckets

    def number_answers(self, indptr: NDArray[np.int64], codes: NDArray[np.int32]) -> NDArray[np.int64]:
        a, b, bucket = codes.reshape(-1, 3).astype(np.int64).T
        found: NDArray[np.int64] = ((a - 1) * self.prime + b) * self.buckets + bucket
        return found

    def numbered_answer(self, number: int) -> list[int]:
        rest, bucket = divmod(number, self.buckets)
        a, b = divmod(rest, self.prime)
        return [a + 1, b, bucket]

    @property
    def mean_length(self) -> float:
        return 3.0

    def step(self) -> DeviceSentence:
        return DeviceSentence.of("hashing", size=self.size, buckets=self.buckets, p=share(float(self.p)))


@dataclass(frozen=True, kw_only=True)
class SubsetLaw(AnswerLaw):
    """`chosen` of the values are sent: sets that hold the true one are gamma times likelier than others."""

    kind = "subset-selection"
    entries = ("chosen",)

    chosen: int

    def __post_init__(self) -> None:
        if not 1 <= self.chosen < self.size:
            raise RequirementError(
                f"chosen={self.chosen} of {self.size} values: choose at least 1 and not all of them",
                parameter="chosen",
                value=self.chosen,
            )

    @property
    def p(self) -> Fraction:
        return self.gamma * self.chosen / (self.gamma * self.chosen + self.size - self.chosen)

    @property
    def q(self) -> Fraction:
        return (self.chosen - self.p) / (self.size - 1)

    def support_pairs(self) -> tuple[float, float]:
        p, w, others = float(self.p), self.chosen, self.size - 1
        both = p * (w - 1) * (w - 2) + (1 - p) * w * (w - 1)
        return p * (w - 1) / others, both / (others * (others - 1)) if others > 1 else 0.0

    def draw(self, values: NDArray[np.int64], randomness: "Randomness") -> Drawn:
        n, w = len(values), self.chosen
        with_own = randomness.bernoulli(self.p, n)
        out = np.empty((n, w), dtype=np.int32)
        for own in (True, False):
            rows = np.flatnonzero(with_own == own)
            others = _choose_distinct(self.size - 1, w - own, len(rows), randomness)
            others += others >= values[rows, None]  # the values but the true one, in order
            out[rows, : w - own] = others
            if own:
                out[rows, w - 1] = values[rows]
        out.sort(axis=1)
        return np.arange(0, n * w + 1, w, dtype=np.int64), out.reshape(-1)

    def check_answers(self, indptr: NDArray[np.int64], codes: NDArray[np.int32]) -> None:
        check_lengths(indptr, self.chosen)
        check_range(codes, self.size)
        check_rising(indptr, codes)

    @property
    def answers(self) -> int:
        return math.comb(self.size, self.chosen)

    @cached_property
    def _masks(self) -> NDArray[np.int64]:
        masks = np.arange(1 << self.size, dtype=np.int64)
        return masks[np.bitwise_count(masks) == self.chosen]

    def number_answers(self, indptr: NDArray[np.int64], codes: NDArray[np.int32]) -> NDArray[np.int64]:
        return np.searchsorted(self._masks, bit_masks(indptr, codes))

    def numbered_answer(self, number: int) -> list[int]:
        return [i for i in range(self.size) if int(self._masks[number]) >> i & 1]

    @property
    def mean_length(self) -> float:
        return float(self.chosen)

    def step(self) -> DeviceSentence:
        return DeviceSentence.of("subset-selection", chosen=self.chosen, size=self.size, p=share(float(self.p)))


def _choose_distinct(size: int, chosen: int, rows: int, randomness: "Randomness") -> NDArray[np.int64]:
    """In each row so many different numbers below `size`, every choice equally likely (Floyd's method)."""
    out = np.full((rows, chosen), -1, dtype=np.int64)
    for k in range(chosen):
        top = size - chosen + k
        drawn = randomness.integers(top + 1, rows)
        taken = (out[:, :k] == drawn[:, None]).any(axis=1)
        out[:, k] = np.where(taken, top, drawn)
    return out


def is_prime(number: object) -> bool:
    """Whether this is a prime number up to 2^31."""
    if isinstance(number, bool) or not isinstance(number, int) or not 2 <= number < 1 << 31:
        return False
    return all(number % divisor for divisor in range(2, math.isqrt(number) + 1))


LAWS: dict[str, type[AnswerLaw]] = {law.kind: law for law in (Kary, Unary, Hashing, SubsetLaw)}


def read_law(kind: object, entries: Mapping[str, Any], *, size: int, gamma: Fraction) -> AnswerLaw:
    """The law a scheme file names, with its entries."""
    if not isinstance(kind, str) or kind not in LAWS:
        raise InputError(f"an answer of an unknown law; laws are: {', '.join(LAWS)}")
    cls = LAWS[kind]
    if set(entries) != set(cls.entries):
        raise InputError(f"a {kind} answer has the entries: {', '.join(cls.entries) or 'none'}")
    for name, value in entries.items():
        if type(value) is not (bool if name == "symmetric" else int):
            raise InputError(f"{name} of a {kind} answer is of the wrong type")
    return cls(size=size, gamma=gamma, **entries)
