"""MASK and EMASK: every item of the universe is looked at on its own, and kept or flipped (chapter 3).

    true 1  -->  1 with probability p, else 0            EMASK; MASK is the case p = q
    true 0  -->  0 with probability q, else 1

A sparse record has far more zeros than ones, so q near 1 keeps perturbed records short, and mining them cheap.
"""

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.collect.estimating.forecasts import flip_error
from confide.collect.estimating.item_estimates import ItemWeights, LayerEstimator, flip_estimator, flip_weights
from confide.collect.schemes.item_scheme import BINDINGS, ItemScheme
from confide.collect.schemes.promise import share
from confide.collect.schemes.scheme import Amplified, exact, log, only, probability, singular_ratio
from confide.collect.schemes.strict_parameters import largest_p
from confide.collect.wording.languages import DeviceSentence
from confide.core.errors import RequirementError, UsageError

if TYPE_CHECKING:
    from confide.core.randomness import Randomness

__all__ = ["Emask", "Mask"]

_LONGEST_MATRIX = 12
_WRITTEN_OUT = 4096  # factors of a gamma; each has some 30 digits


class _Flipping(ItemScheme):
    """What follows from p and q alone."""

    @abstractmethod
    def keeps(self) -> tuple[Fraction, Fraction]:
        """(p, q): the chances that a 1 and a 0 stay what they are."""

    def _draw_one(self, held: list[int], n: int, randomness: "Randomness") -> list[int]:
        p, q = self.keeps()
        record = np.zeros(n, dtype=np.bool_)
        entered = randomness.bernoulli(1 - q, n)
        record[entered] = True
        record[held] = randomness.bernoulli(p, len(held))
        return [int(i) for i in np.flatnonzero(record)]

    def _draw(
        self, indptr: NDArray[np.int64], indices: NDArray[np.int32], n: int, randomness: "Randomness"
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        from confide.collect.schemes.sampling import flip_rows

        p, q = self.keeps()
        return flip_rows(indptr, indices, n, p, 1 - q, randomness)

    def layer_estimator(self, n: int, *, record_length: int | None = None) -> LayerEstimator:
        return flip_estimator(*self.keeps(), n)

    def item_weights(self, n: int, *, record_length: int | None = None) -> ItemWeights:
        return flip_weights(*self.keeps())

    def device_steps(self) -> tuple[DeviceSentence, ...]:
        p, q = self.keeps()
        each = "each answer" if self.fields is not None else "each item"
        return (DeviceSentence.of(each, p=share(float(p)), q=share(float(1 - q))),)

    def matrix(self, length: int) -> NDArray[np.float64]:
        """A of Eq. 4.11 for an itemset of `length` items: entry [v, u] is the chance that pattern u becomes v.

        Patterns are read as binary numbers, the first item as the highest bit, and a 1 stands for a held item. Takes
        4 ** length numbers, so lengths up to 12.
        """
        if not 1 <= length <= _LONGEST_MATRIX:
            raise UsageError(
                f"length={length}: the matrix has 4**length entries; use a length of 1 to 12",
                parameter="length",
                value=length,
            )
        p, q = (float(value) for value in self.keeps())
        one = np.array([[q, 1 - p], [1 - q, p]])
        found = np.ones((1, 1))
        for _ in range(length):
            found = np.kron(found, one)
        return found

    def condition_number(self, length: int) -> float:
        """Of `matrix(length)`: that of one item to the power `length`, so it grows exponentially."""
        return singular_ratio(self.matrix(1)) ** length

    def amplification(self, max_length: int | None = None) -> Amplified:
        """gamma over true records of at most `max_length` items (default: what the scheme says, else the universe).

        An item of u1 that u2 lacks weighs at most p/(1-q), shown, and one of u2 that u1 lacks q/(1-p), not shown (for
        p + q < 1 the other way round). Two records of up to L items differ in at most L of each kind, and in no more
        items than there are: with n >= 2L items gamma = (pq/((1-p)(1-q)))**L. Boolean columns of M fields: L = M.
        """
        p, q = self.keeps()
        shown, hidden = p / (1 - q), q / (1 - p)
        if p + q < 1:
            shown, hidden = 1 / hidden, 1 / shown
        swap = shown * hidden
        if self.fields is not None:
            m = len(self.fields)
            return Amplified.from_log(m * log(swap), gamma=_power(swap, m), per_item=swap, max_length=m)
        n = None if self.universe is None else len(self.universe)
        longest = self._longest(max_length)
        if longest is None:
            raise UsageError(
                "gamma depends on how long a true record may be; give max_length, or bind the scheme to its universe",
                parameter="max_length",
                value=max_length,
            )
        more = longest if n is None else min(longest, n)
        less = longest if n is None else min(longest, n - more)
        most, least = max(shown, hidden), min(shown, hidden)
        epsilon = more * log(most) + less * log(least)
        high, low = _power(most, more), _power(least, less)
        gamma = None if high is None or low is None else high * low
        return Amplified.from_log(epsilon, gamma=gamma, per_item=swap, max_length=longest)


def _power(factor: Fraction, times: int) -> Fraction | None:
    """Written out where that is a number somebody could use; as a decimal where exact digits would fill the memory."""
    epsilon = times * log(factor)
    if epsilon >= 709:
        return None
    return factor**times if times <= _WRITTEN_OUT else Fraction(math.exp(epsilon))


def _check_pair(p: float, q: float) -> None:
    probability("p", p)
    probability("q", q)
    if exact(p) + exact(q) == 1:
        raise RequirementError(
            f"p + q = 1 (p={p}, q={q}) erases the data, so supports cannot be reconstructed; move p or q off that "
            "line, for example with plan_emask(...)"
        )


@dataclass(frozen=True, kw_only=True)
class Mask(_Flipping):
    """Keeps every 1 and every 0 with the same probability p.

    p near 1/2 protects best and estimates worst; p and 1 - p are equally good. On records mapped from M fields,
    (p/(1-p))**(2M) = gamma: 0.5610 for six fields and gamma 19. Perturbed records hold about (1-p) of the universe:
    for sparse transactions `Emask` is cheaper.

    >>> Mask(p=0.9, items=("a", "b", "c"), max_length=1).amplification().gamma
    81.0
    """

    kind = "mask"

    p: float

    def __post_init__(self) -> None:
        probability("p", self.p)
        if exact(self.p) == Fraction(1, 2):
            raise RequirementError(
                "p = 0.5 (p + q = 1) erases the data, so supports cannot be reconstructed; move p off it",
                parameter="p",
                value=self.p,
            )
        super().__post_init__()

    @property
    def q(self) -> float:
        """The chance that a 0 is kept: p."""
        return self.p

    def keeps(self) -> tuple[Fraction, Fraction]:
        return exact(self.p), exact(self.p)

    def item_rates(self, data: Any = None) -> tuple[float, float]:
        return self.p, self.p

    def standard_error_at(self, gamma: float, *, length: int, support: float, records: int) -> float:
        """nan without fields, where gamma depends on the longest record."""
        if self.fields is None:
            return math.nan
        p = largest_p(gamma, places=2 * len(self.fields))
        return flip_error(p, p, length=length, support=support, records=records)

    def parameters(self) -> dict[str, Any]:
        return {"p": self.p, **self._bindings()}

    @classmethod
    def from_parameters(cls, data: Mapping[str, Any]) -> "Mask":
        only(data, cls.kind, ["p"], BINDINGS)
        return cls(p=data["p"], **cls._read_bindings(data))


@dataclass(frozen=True, kw_only=True)
class Emask(_Flipping):
    """Keeps a 1 with probability p and a 0 with probability q.

    A larger q gives shorter perturbed records; a smaller p protects the ones that are left. p + q = 1 erases the data.
    Choose both with `plan_emask`. Mining costs grow with the false items, about (1-q) of the universe a record.

    >>> round(Emask(p=0.5051, q=0.9696).amplification(max_length=1).per_item)
    33
    """

    kind = "emask"

    p: float
    q: float

    def __post_init__(self) -> None:
        _check_pair(self.p, self.q)
        super().__post_init__()

    def keeps(self) -> tuple[Fraction, Fraction]:
        return exact(self.p), exact(self.q)

    def item_rates(self, data: Any = None) -> tuple[float, float]:
        return self.p, self.q

    def parameters(self) -> dict[str, Any]:
        return {"p": self.p, "q": self.q, **self._bindings()}

    @classmethod
    def from_parameters(cls, data: Mapping[str, Any]) -> "Emask":
        only(data, cls.kind, ["p", "q"], BINDINGS)
        return cls(p=data["p"], q=data["q"], **cls._read_bindings(data))
