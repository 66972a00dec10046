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
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ItemWeights",
    "LayerEstimator",
    "cut_estimator",
    "cut_law",
    "cut_weights",
    "flip_estimator",
    "flip_weights",
]


@dataclass(frozen=True, kw_only=True)
class ItemWeights:
    """The weight of a set of items, exactly; see this module's text."""

    shown: Fraction
    hidden: Fraction
    scale: Fraction


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


def flip_weights(p: Fraction, q: Fraction) -> ItemWeights:
    """Of Mask and Emask; the same for sets of any length."""
    d = p + q - 1
    return ItemWeights(shown=q / d, hidden=(q - 1) / d, scale=Fraction(1))


def cut_law(K: int, m: int) -> list[Fraction]:
    """For w = 0..min(K, m), the chance that Cut-and-Paste keeps w items of a record of m on purpose."""
    most = min(K, m)
    share = Fraction(1, K + 1)
    return [share] * most + [share * (K + 1 - most)]


@cache
def cut_weights(K: int, rho: Fraction, n: int, m: int) -> ItemWeights:
    """Of Cut-and-Paste, for sets of n items and records of m."""
    kept = sum(
        (share * Fraction(math.comb(w, n), math.comb(m, n)) for w, share in enumerate(cut_law(K, m))), Fraction(0)
    )  # A(n, m)
    return ItemWeights(shown=Fraction(1), hidden=-rho / (1 - rho), scale=1 / kept)


@cache
def flip_estimator(p: Fraction, q: Fraction, n: int) -> LayerEstimator:
    """Supports of sets of n items under Mask and Emask."""
    d = p + q - 1
    # A record that holds l of the n items brings m1^l m0^(n - l), less 1 if it holds all.
    m1, m0 = 1 + p * (1 - p) / d**2, q * (1 - q) / d**2
    least = min(m1**true * m0 ** (n - true) - (true == n) for true in range(n + 1))
    return _product(flip_weights(p, q), n, least)


@cache
def cut_estimator(K: int, rho: Fraction, n: int, m: int) -> LayerEstimator:
    """Supports of sets of n items under Cut-and-Paste, whose records all hold m items."""
    cut, weights = cut_law(K, m), cut_weights(K, rho, n, m)

    def squared(true: int) -> Fraction:
        """E[w^2] for a record that holds `true` of the n items: an item that was cut brings 1, another rho/(1-rho)."""
        return weights.scale**2 * sum(
            (
                share * Fraction(math.comb(true, c) * math.comb(m - true, w - c), math.comb(m, w))
                * (rho / (1 - rho)) ** (n - c)
                for w, share in enumerate(cut)
                for c in range(max(0, w - m + true), min(true, w) + 1)
            ),
            Fraction(0),
        )  # fmt: skip

    least = min(squared(true) - (true == n) for true in range(min(n, m) + 1))
    return _product(weights, n, least)


def _product(weights: ItemWeights, n: int, least: Fraction) -> LayerEstimator:
    """The estimator whose weight is scale * shown^k * hidden^(n - k)."""
    shown, hidden, scale = weights.shown, weights.hidden, weights.scale

    def expanded(a: Fraction, b: Fraction, c: Fraction) -> NDArray[np.float64]:
        return np.array([float(c * (a - b) ** j * b ** (n - j)) for j in range(n + 1)])

    return LayerEstimator(
        estimate=expanded(shown, hidden, scale),
        square=expanded(shown**2, hidden**2, scale**2),
        least_variance=float(least),
    )
