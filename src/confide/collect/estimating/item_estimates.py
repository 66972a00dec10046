"""What perturbed counts say about true ones: weights, estimates and their variances.

Every estimate here is a sum over perturbed records v of a weight w(v) whose expectation, given the true record u, is 1
if u holds the itemset X and 0 if not. Hence it is unbiased, whatever the data. Since u is fixed and w has a mean of 0
or 1, the variance is E[w^2] - [u holds X] summed over records, and

    sum of w(v)^2   -   estimate

estimates it from the perturbed records alone. For sets of items the weight is a product over the items,

    w(v) = scale * shown^k * hidden^(n - k)           k: items of X that v holds, n = |X|

    Mask, Emask       shown = q/d, hidden = -(1-q)/d, scale = 1                      d = p + q - 1
    Cut-and-Paste     shown = 1, hidden = -rho/(1-rho), scale = 1 / A(n, m)

where A(n, m) is the chance that all of X is among the items cut from a record of m that holds it. Both are the bottom
row of the inverse of the matrix of partial supports (Eq. 3.4 and 4.12), in closed form. Expanding the product gives
sums over the subsets of X, all of which a level-wise search has counted before X (section 3.3.4):

    estimate = sum over S within X of  c(S) * scale * (shown - hidden)^|S| * hidden^(n - |S|)

so what a set needs of the data is one new count, and the *layers* of the old ones: layer j is the sum of c(S) over all
its subsets of j items; layer 0 the number of records.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.collect.schemes.cut_and_paste import CutAndPaste
from confide.collect.schemes.mask import Emask, Mask
from confide.collect.schemes.scheme import exact
from confide.core.errors import RequirementError, UsageError

__all__ = ["LayerEstimator", "item_weights", "layer_estimator", "longest_estimable"]


@dataclass(frozen=True, kw_only=True)
class LayerEstimator:
    """Estimates for sets of n items, linear in their layers 0..n.

    `estimate` and `square` are the coefficients of the sums of w and w^2; `least_variance` is the smallest variance
    that one record can bring, whatever it holds: no estimate of the variance goes below it, as few records may by
    chance suggest.
    """

    estimate: NDArray[np.float64]
    square: NDArray[np.float64]
    least_variance: float

    def __call__(self, layers: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Estimates and their variances, one for each row of layers."""
        estimates = _weighted(layers, self.estimate)
        variances = np.maximum(_weighted(layers, self.square) - estimates, layers[:, 0] * self.least_variance)
        return estimates, variances


def _weighted(layers: NDArray[np.int64], coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
    """layers @ coefficients, term by term: a matrix product rounds differently for other numbers of rows."""
    total: NDArray[np.float64] = layers[:, 0] * coefficients[0]
    for j in range(1, len(coefficients)):
        total += layers[:, j] * coefficients[j]
    return total


def layer_estimator(scheme: Any, n: int, *, record_length: int | None = None) -> LayerEstimator:
    """How supports of sets of n items are estimated under Mask, Emask or Cut-and-Paste.

    `record_length` is how many items each true record holds; Cut-and-Paste needs it (with `fields` it is known).
    """
    if isinstance(scheme, CutAndPaste):
        return _cut_and_paste(scheme.K, exact(scheme.rho), n, _known_length(scheme, record_length))
    if isinstance(scheme, Mask | Emask):
        return _flipping(*scheme.keeps(), n)
    raise UsageError(f"a {scheme.kind} scheme perturbs whole records; it has no weights for single items")


def item_weights(scheme: Any, n: int, *, record_length: int | None = None) -> tuple[float, float, float]:
    """(shown, hidden, scale) of the weight of sets of n items; see this module's text."""
    if isinstance(scheme, CutAndPaste):
        rho = exact(scheme.rho)
        scale = _cut_scale(scheme.K, n, _known_length(scheme, record_length))
        return 1.0, float(-rho / (1 - rho)), float(scale)
    p, q = scheme.keeps()
    return float(q / (p + q - 1)), float((q - 1) / (p + q - 1)), 1.0


def longest_estimable(scheme: Any, *, max_length: int | None, record_length: int | None) -> int | None:
    """The longest itemset that can be reconstructed and was asked for; None for no limit.

    Refuses what cannot be: at most K items of a record pass through Cut-and-Paste on purpose, so of K + 1 items
    together nothing is left to invert (the matrix of Eq. 4.12 has rank K + 1).
    """
    limits = [max_length]
    if scheme.fields is not None:
        limits.append(len(scheme.fields))
    if isinstance(scheme, CutAndPaste):
        if max_length is not None and max_length > scheme.K:
            raise RequirementError(
                f"max_length={max_length}: Cut-and-Paste with K={scheme.K} leaves no trace of itemsets longer than "
                f"{scheme.K}; use max_length={scheme.K} or less"
            )
        limits += [scheme.K, _known_length(scheme, record_length)]
    known = [limit for limit in limits if limit is not None]
    return min(known) if known else None


def _known_length(scheme: CutAndPaste, record_length: int | None) -> int:
    if scheme.fields is not None:
        return len(scheme.fields)
    if record_length is None:
        raise UsageError(
            "what Cut-and-Paste keeps depends on how many items a true record holds, which perturbed records do not "
            "tell; collect records with fields, or give record_length if all true records hold equally many items"
        )
    if isinstance(record_length, bool) or not isinstance(record_length, int) or record_length < 1:
        raise RequirementError(f"record_length={record_length} must be a whole number of 1 or more")
    return record_length


@cache
def _flipping(p: Fraction, q: Fraction, n: int) -> LayerEstimator:
    d = p + q - 1
    # A record that holds l of the n items brings m1^l m0^(n - l), less 1 if it holds all.
    m1, m0 = 1 + p * (1 - p) / d**2, q * (1 - q) / d**2
    least = min(m1**true * m0 ** (n - true) - (true == n) for true in range(n + 1))
    return _product(q / d, -(1 - q) / d, Fraction(1), n, least)


def _cut_law(K: int, m: int) -> Sequence[Fraction]:
    return CutAndPaste(K=K, rho=0.5).kept(m)  # depends on K and m only


@cache
def _cut_scale(K: int, n: int, m: int) -> Fraction:
    """1 / A(n, m)."""
    law = enumerate(_cut_law(K, m))
    return 1 / sum((share * Fraction(math.comb(w, n), math.comb(m, n)) for w, share in law), Fraction(0))


@cache
def _cut_and_paste(K: int, rho: Fraction, n: int, m: int) -> LayerEstimator:
    cut = _cut_law(K, m)
    scale = _cut_scale(K, n, m)

    def squared(true: int) -> Fraction:
        """E[w^2] for a record that holds `true` of the n items: an item that was cut brings 1, another rho/(1-rho)."""
        return scale**2 * sum(
            (
                share * Fraction(math.comb(true, c) * math.comb(m - true, w - c), math.comb(m, w))
                * (rho / (1 - rho)) ** (n - c)
                for w, share in enumerate(cut)
                for c in range(max(0, w - m + true), min(true, w) + 1)
            ),
            Fraction(0),
        )  # fmt: skip

    least = min(squared(true) - (true == n) for true in range(min(n, m) + 1))
    return _product(Fraction(1), -rho / (1 - rho), scale, n, least)


def _product(shown: Fraction, hidden: Fraction, scale: Fraction, n: int, least: Fraction) -> LayerEstimator:
    """The estimator whose weight is scale * shown^k * hidden^(n - k)."""

    def expanded(a: Fraction, b: Fraction, c: Fraction) -> NDArray[np.float64]:
        return np.array([float(c * (a - b) ** j * b ** (n - j)) for j in range(n + 1)])

    return LayerEstimator(
        estimate=expanded(shown, hidden, scale),
        square=expanded(shown**2, hidden**2, scale**2),
        least_variance=float(least),
    )
