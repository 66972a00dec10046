"""Cut-and-Paste (Evfimievski, Srikant, Agrawal, Gehrke 2002; Eq. 4.12): a few true items among many random ones.

    j uniform on 0..K, at most m                   m: how many items the true record holds
    j items of the record, at random, are kept     (the cut)
    every other item of the universe, the rest of the record included, enters with probability rho   (the paste)

So P(v | u) depends on u only through m and k = |u & v|:

    P(v | u) = rho^|v| (1-rho)^(n-|v|)  g(m, k),     g(m, k) = sum over w of P_m[w] C(k, w)/C(m, w) rho^-w

with P_m[w] the chance that w items are kept. g rises with k and is 1/(K+1) at k = 0, which gives gamma at once.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.collect.estimating.forecasts import cut_error
from confide.collect.estimating.item_estimates import ItemWeights, LayerEstimator, cut_estimator, cut_law, cut_weights
from confide.collect.schemes.item_scheme import BINDINGS, ItemScheme
from confide.collect.schemes.promise import share as in_percent
from confide.collect.schemes.scheme import Amplified, exact, only, probability, singular_ratio
from confide.collect.schemes.strict_parameters import best_cut, cut_choices
from confide.collect.wording.languages import DeviceSentence
from confide.core.errors import RequirementError, UsageError
from confide.core.transactions.container import Transactions

if TYPE_CHECKING:
    from confide.core.randomness import Randomness

__all__ = ["CutAndPaste"]

_MOST_KEPT = 1000
_WRITTEN_OUT = 64  # a larger K has its gamma worked out in logarithms


@dataclass(frozen=True, kw_only=True)
class CutAndPaste(ItemScheme):
    """Keeps up to K items of a record and pastes in every other item of the universe with probability rho.

    A larger K or a smaller rho estimates better and protects worse: gamma is the sum of rho**-w over w = 0..K once
    records hold K items or more. Itemsets longer than K cannot be reconstructed. Perturbed records hold about rho of
    the universe, so the scheme suits small universes.

    >>> round(CutAndPaste(K=3, rho=0.494, items=tuple("abcdefgh"), max_length=3).amplification().gamma, 1)
    15.4
    """

    kind = "cut-and-paste"

    K: int
    rho: float

    def __post_init__(self) -> None:
        if isinstance(self.K, bool) or not isinstance(self.K, int) or not 1 <= self.K <= _MOST_KEPT:
            raise RequirementError(
                f"K={self.K} must be a whole number from 1 to {_MOST_KEPT}; 0 would keep nothing",
                parameter="K",
                value=self.K,
                cure=1,
            )
        probability("rho", self.rho)
        super().__post_init__()

    # -- the law --------------------------------------------------------------------------------------------------

    def kept(self, m: int) -> list[Fraction]:
        """P_m[w] for w = 0..min(K, m): the chance that w items of a record of m are kept on purpose."""
        return cut_law(self.K, m)

    def weight(self, m: int, k: int) -> Fraction:
        """g(m, k): how likely, up to a factor that u does not touch, a record of m items sharing k with v gives v."""
        rho = exact(self.rho)
        return sum(
            (share * Fraction(math.comb(k, w), math.comb(m, w)) / rho**w for w, share in enumerate(self.kept(m))),
            start=Fraction(0),
        )

    def stays(self, m: int) -> list[Fraction]:
        """p_m[z] of Eq. 4.12 for z = 0..m: the chance that z of a record's m items are in the output."""
        rho = exact(self.rho)
        return [
            sum(
                (
                    share * math.comb(m - w, z - w) * rho ** (z - w) * (1 - rho) ** (m - z)
                    for w, share in enumerate(self.kept(m))
                    if w <= z
                ),
                start=Fraction(0),
            )
            for z in range(m + 1)
        ]

    def partial_supports(self, length: int, record_length: int) -> list[list[Fraction]]:
        """Eq. 4.12, exactly: row l', column l is the chance that a record of `record_length` items, l of them in an
        itemset of `length` items, holds l' of the itemset afterwards."""
        m, rho = record_length, exact(self.rho)
        stays = self.stays(m)
        found = [[Fraction(0)] * (min(length, m) + 1) for _ in range(length + 1)]
        for true in range(min(length, m) + 1):
            for z in range(m + 1):
                for both in range(max(0, z + true - m), min(z, true) + 1):
                    chance = stays[z] * Fraction(math.comb(true, both) * math.comb(m - true, z - both), math.comb(m, z))
                    for after in range(both, length - true + both + 1):
                        found[after][true] += (
                            chance
                            * math.comb(length - true, after - both)
                            * rho ** (after - both)
                            * (1 - rho) ** (length - true - after + both)
                        )
        return found

    def matrix(self, length: int, record_length: int | None = None) -> NDArray[np.float64]:
        """Eq. 4.12 as numbers: entry [l', l] for an itemset of `length` items and records of `record_length` items
        (default: the number of fields, or `max_length`), which must be at least `length`."""
        m = self.longest if record_length is None else record_length
        if m is None:
            raise UsageError(
                "the matrix depends on how long the true records are; give record_length",
                parameter="record_length",
                value=record_length,
            )
        if not 1 <= length <= m:
            raise UsageError(
                f"length={length}: records hold {m} items; use a length of 1 to {m}", parameter="length", value=length
            )
        return np.array([[float(entry) for entry in row] for row in self.partial_supports(length, m)])

    def condition_number(self, length: int, record_length: int | None = None) -> float:
        """Of `matrix(length)`; infinite for itemsets longer than K, which leave no trace to invert."""
        if length > self.K:
            return math.inf
        return singular_ratio(self.matrix(length, record_length))

    def amplification(self, max_length: int | None = None) -> Amplified:
        """gamma over true records of at most `max_length` items (default: what the scheme says, else the universe).

        The likeliest truth of v lies within it, the least likely shares nothing with it: g(m, m)/g(m', 0). Only when
        v is the whole universe does every truth lie within it; then the empty record is the least likely.
        """
        if self.fields is not None:
            m = len(self.fields)
            return self._amplified(m, max_length=m)
        n = None if self.universe is None else len(self.universe)
        longest = self._longest(max_length)
        if longest is None:
            longest = self.K  # longer records reveal no more
        within = longest if n is None else min(longest, n - 1)
        found = self._amplified(within, max_length=longest if n is not None or longest < self.K else None)
        if n is None or longest < n:
            return found
        whole = self._amplified(n, max_length=longest, against_empty=True)
        return max(found, whole, key=lambda one: one.epsilon)

    def _amplified(self, m: int, *, max_length: int | None, against_empty: bool = False) -> Amplified:
        """g(m, m) over the least likely truth's weight: 1/(K+1), or 1 for the empty record.

        Beyond a K that anybody plans, in logarithms: exact fractions of rho**-1000 would keep a client busy for hours.
        """
        m = min(m, self.K)
        times = 1 if against_empty else self.K + 1
        if m <= _WRITTEN_OUT:
            return Amplified.of(self.weight(m, m) * times, max_length=max_length)
        terms = [1.0] * m + [self.K + 1.0 - m]
        sums = math.fsum(term * self.rho ** (m - w) for w, term in enumerate(terms))
        epsilon = math.log(sums * times / (self.K + 1)) - m * math.log(self.rho)
        gamma = Fraction(math.exp(epsilon)) if epsilon < 709 else None
        return Amplified.from_log(epsilon, gamma=gamma, per_item=None, max_length=max_length)

    def _conditioned(self) -> int:
        return min(self.K, self.longest or 0)  # the matrix depends on how long records are

    def item_rates(self, data: Any = None) -> tuple[float, float]:
        if not isinstance(data, Transactions):
            raise UsageError(
                f"what Cut-and-Paste keeps depends on the lengths of records; pass those, not {type(data).__name__}"
            )
        lengths = data.lengths[data.lengths > 0]
        cut = np.minimum(np.arange(self.K + 1)[:, None], lengths).mean(axis=0)  # items cut, for each record
        kept = cut + (lengths - cut) * self.rho
        return float(kept.sum() / max(lengths.sum(), 1)), 1 - self.rho

    def standard_error_at(self, gamma: float, *, length: int, support: float, records: int) -> float:
        """nan without fields, where gamma depends on the longest record."""
        if self.fields is None:
            return math.nan
        m = len(self.fields)
        best = best_cut(cut_choices(gamma, K=None, record_length=m, length=length), length)
        return cut_error(best.K, best.rho, record_length=m, length=length, support=support, records=records)

    def device_steps(self) -> tuple[DeviceSentence, ...]:
        own = "cut answers" if self.fields is not None else "cut items"
        return (DeviceSentence.of(own, K=self.K, rho=in_percent(self.rho)),)

    def length_notes(self, records: Any = None) -> tuple[str, ...]:
        """Over plain items, records of different lengths can be perturbed, but nobody can mine them afterwards."""
        if self.fields is not None:
            return ()
        if records is None:
            return ("Cut-and-Paste over items can be mined only if all true records hold equally many (record_length)",)
        if not len(records) or records.lengths.min() == records.lengths.max():
            return ()
        said = (
            f"warning: the records hold {records.lengths.min()} to {records.lengths.max()} items; what Cut-and-Paste "
            "perturbs can be mined only if all hold equally many, so use mask or emask if it is to be mined"
        )
        return (said,)

    def mining_notes(self) -> tuple[str, ...]:
        return (
            f"Cut-and-Paste with K={self.K} leaves no trace of sets of more than {self.K} items; none were searched",
        )

    # -- at the server --------------------------------------------------------------------------------------------

    def layer_estimator(self, n: int, *, record_length: int | None = None) -> LayerEstimator:
        return cut_estimator(self.K, exact(self.rho), n, self._known_length(record_length))

    def item_weights(self, n: int, *, record_length: int | None = None) -> ItemWeights:
        return cut_weights(self.K, exact(self.rho), n, self._known_length(record_length))

    def longest_estimable(self, *, max_length: int | None, record_length: int | None) -> int:
        """As for any scheme, and K at most: only K items of a record are kept on purpose, so K + 1 items together leave
        nothing to invert (the matrix of Eq. 4.12 has rank K + 1)."""
        if max_length is not None and max_length > self.K:
            raise RequirementError(
                f"max_length={max_length}: Cut-and-Paste with K={self.K} leaves no trace of itemsets longer than "
                f"{self.K}; use max_length={self.K} or less",
                parameter="max_length",
                value=max_length,
            )
        limit = super().longest_estimable(max_length=max_length, record_length=record_length)
        return min(self.K, self._known_length(record_length), *(() if limit is None else (limit,)))

    def _known_length(self, record_length: int | None) -> int:
        if self.fields is not None:
            return len(self.fields)
        if record_length is None:
            raise UsageError(
                "what Cut-and-Paste keeps depends on how many items a true record holds, which perturbed records do "
                "not tell; collect records with fields, or give record_length if all true records hold equally many "
                "items"
            )
        if isinstance(record_length, bool) or not isinstance(record_length, int) or record_length < 1:
            raise RequirementError(
                f"record_length={record_length} must be a whole number of 1 or more",
                parameter="record_length",
                value=record_length,
            )
        return record_length

    # -- drawing --------------------------------------------------------------------------------------------------

    def _draw_one(self, held: list[int], n: int, randomness: "Randomness") -> list[int]:
        keep = min(int(randomness.integers(self.K + 1, 1)[0]), len(held))
        record = randomness.bernoulli(exact(self.rho), n)
        chosen = [held[i] for i in randomness.permutation(len(held))[:keep]]
        record[chosen] = True
        return [int(i) for i in np.flatnonzero(record)]

    def _draw(
        self, indptr: NDArray[np.int64], indices: NDArray[np.int32], n: int, randomness: "Randomness"
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        from confide.collect.schemes.sampling import cut_rows, flip_rows

        kept = cut_rows(indptr, indices, self.K, randomness)
        return flip_rows(*kept, n, Fraction(1), exact(self.rho), randomness)

    # -- as JSON --------------------------------------------------------------------------------------------------

    def parameters(self) -> dict[str, Any]:
        return {"K": self.K, "rho": self.rho, **self._bindings()}

    @classmethod
    def from_parameters(cls, data: Mapping[str, Any]) -> "CutAndPaste":
        only(data, cls.kind, ["K", "rho"], BINDINGS)
        return cls(K=data["K"], rho=data["rho"], **cls._read_bindings(data))
