"""How many people of the population are unique, estimated from a sample.

Who is unique in a table that holds a part of the population may have doubles outside it. Pitman's model (Hoshino 2001)
lets people come in one after the other: when i are there in u groups, the next one starts a group of their own with
chance (theta + u alpha)/(theta + i), or joins a group of f with chance (f - alpha)/(theta + i). The two parameters are
those that make the sizes seen likeliest. Then, by the same law,

    a person is unique among N with chance        product over i = 1..N-1 of (theta + i - 1 + alpha)/(theta + i)
    who is unique among n stays so among N with   product over i = n..N-1 of the same

It is an estimate, and only as good as the model: nothing is promised by it. Of a table that holds the whole population
it gives back the unique rows as they are.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UsageError
from confide.core.figures import ShownFields

__all__ = ["PopulationRisk", "log_likelihood", "population_risk"]

_EDGE = 1e-6  # alpha is kept this far from 0 and from 1


@dataclass(frozen=True, kw_only=True)
class PopulationRisk(ShownFields):
    """`unique`: share of the population that is unique. `stays_unique`: the chance that a row which is unique in the
    table is unique in the population too. `theta` and `alpha` are Pitman's parameters; `population` is N."""

    population: int
    unique: float
    stays_unique: float
    theta: float
    alpha: float
    estimator: str = "Pitman"


def population_risk(sizes: NDArray[np.integer], *, population: int) -> PopulationRisk:
    """Estimate from the sizes of groups in a table how many of `population` people are unique.

    A larger population makes fewer people unique. Takes well under a second.

    >>> found = population_risk(np.array([1, 1, 1, 2, 3, 5, 9, 20]), population=42)
    >>> found.stays_unique
    1.0
    """
    f = np.asarray(sizes, dtype=np.int64)
    if len(f) == 0 or f.min() < 1:
        raise InputError("there are no rows to estimate from")
    n = int(f.sum())
    if population < n:
        raise UsageError(
            f"population={population} is smaller than the table of {n} rows; give all who could be in it",
            parameter="population",
            value=population,
        )
    if len(f) == n:  # all are unique, or there is one row: the likeliest law never repeats anybody
        theta, alpha = 1.0, 1.0
    else:
        theta, alpha = _likeliest(f)
    known = population == n
    unique = int((f == 1).sum()) / n if known else float(np.exp(_log_stays(1, population, theta, alpha)))
    return PopulationRisk(
        population=population,
        unique=min(1.0, unique),
        stays_unique=min(1.0, float(np.exp(_log_stays(n, population, theta, alpha)))),
        theta=theta,
        alpha=alpha,
    )


def log_likelihood(sizes: NDArray[np.integer], theta: float, alpha: float) -> float:
    """The logarithm of the chance of these groups, up to how people are named; theta > -alpha, 0 < alpha < 1."""
    kinds, counts = np.unique(np.asarray(sizes, dtype=np.int64), return_counts=True)
    return _log_likelihood(kinds, counts, theta, alpha)


def _log_likelihood(kinds: NDArray[np.int64], counts: NDArray[np.int64], theta: float, alpha: float) -> float:
    """The same from the sizes that occur, and how many groups have each."""
    from scipy.special import gammaln

    u, n = int(counts.sum()), int((counts * kinds).sum())
    opened = (u - 1) * np.log(alpha) + gammaln(theta / alpha + u) - gammaln(theta / alpha + 1)
    came = gammaln(theta + n) - gammaln(theta + 1)
    joined = counts * (gammaln(kinds - alpha) - gammaln(1 - alpha))
    return float(opened - came + joined.sum())


def _likeliest(f: NDArray[np.int64]) -> tuple[float, float]:
    from scipy.optimize import minimize

    kinds, counts = np.unique(f, return_counts=True)

    def parameters(at: NDArray[np.float64]) -> tuple[float, float]:
        alpha = _EDGE + (1 - 2 * _EDGE) / (1 + np.exp(-at[1]))
        return float(np.exp(at[0]) - alpha * (1 - _EDGE)), float(alpha)

    def badness(at: NDArray[np.float64]) -> float:
        return -_log_likelihood(kinds, counts, *parameters(at)) / len(f)

    starts = [np.array([np.log(scale), slope]) for scale in (1.0, float(len(f))) for slope in (-2.0, 1.0)]
    bounds = [(-12.0, 30.0), (-14.0, 14.0)]
    found = [minimize(badness, start, method="Nelder-Mead", bounds=bounds) for start in starts]
    return parameters(min(found, key=lambda result: float(result.fun)).x)


def _log_stays(n: int, population: int, theta: float, alpha: float) -> float:
    """The logarithm of the chance to stay unique from n people to `population`."""
    from scipy.special import gammaln

    last = theta + alpha - 1
    return float(gammaln(last + population) - gammaln(last + n) - gammaln(theta + population) + gammaln(theta + n))
