"""What a gamma promises: the posteriors it bounds, and how messages and pages show it.

Bounds are rounded up, never down. Source: paper 003, sections 2.2 and 4.3.1.
"""

import math
from collections.abc import Iterable

from confide.core.bounds import at_most
from confide.core.errors import RequirementError
from confide.core.requirements.amplification import WEAK

__all__ = [
    "PRIORS",
    "breach_table",
    "gamma_and_epsilon",
    "gamma_words",
    "is_weak",
    "posterior",
    "posterior_range",
    "share",
]

PRIORS = (0.01, 0.05, 0.1, 0.25, 0.5)
"""Priors that tables of posteriors are made for."""


def is_weak(epsilon: float) -> bool:
    """Whether people must be warned of a scheme of this epsilon; clients refuse it unless they allow it."""
    return epsilon > math.log(WEAK) + 1e-9


def gamma_words(epsilon: float) -> str:
    """gamma = exp(epsilon) as a person reads it, rounded up: 19, 15.42, 4,096, 3.2 x 10^12.

    >>> gamma_words(math.log(19)), gamma_words(math.log(361)), gamma_words(math.log(12345)), gamma_words(100.0)
    ('19', '361', '12,345', '2.7 x 10^43')
    >>> gamma_words(math.log(19.301)), gamma_words(math.log(2.41e40))
    ('19.31', '2.5 x 10^40')
    """
    if epsilon < math.log(1e6):
        gamma = math.exp(epsilon)
        return at_most(gamma, 4) if gamma <= 999 else f"{math.ceil(gamma * (1 - 1e-12)):,}"
    power = epsilon / math.log(10)
    whole = math.floor(power)
    lead = math.ceil(10 * 10 ** (power - whole) * (1 - 1e-9)) / 10
    return f"1.0 x 10^{whole + 1}" if lead >= 10 else f"{lead:.1f} x 10^{whole}"


def gamma_and_epsilon(epsilon: float) -> str:
    """gamma and epsilon, as messages show them.

    >>> gamma_and_epsilon(math.log(361))
    '361 (epsilon 5.889)'
    """
    gamma = at_most(math.exp(epsilon)) if epsilon < 709 else "beyond 1e308"
    return f"{gamma} (epsilon {at_most(epsilon, 4)})"


def share(value: float) -> str:
    """As a percentage; close to 0 and 1 with the digits that matter.

    >>> share(0.5), share(0.0342), share(0.9994), share(1 - 1e-9)
    ('50%', '3.4%', '99.94%', '100%')
    """
    if value > 0.99:
        return f"{100 * value:.2f}".rstrip("0").rstrip(".") + "%"
    return f"{100 * value:.2g}%"


def posterior(prior: float, gamma: float) -> float:
    """The largest chance a property of this prior can reach once a perturbed record is seen (section 4.3.1).

    Holds for any property, any data and anything known before; a larger `gamma` lets it rise further.

    >>> round(posterior(0.05, gamma=19), 6)
    0.5
    """
    _check_prior(prior)
    if not gamma >= 1:
        raise RequirementError(
            f"gamma={gamma} bounds no ratio; use a number of 1 or more, such as 19", parameter="gamma", value=gamma
        )
    return 1.0 if gamma == math.inf and prior > 0 else prior * gamma / (prior * gamma + (1 - prior))


def posterior_range(prior: float, *, gamma: float, alpha: float, cells: int | None = None) -> tuple[float, float]:
    """What the posterior would be under RAN-GD for the smallest and the largest r a client may have drawn.

    `alpha` is the half-width of r in multiples of gamma x (0 to 1, and at most (cells - 1)/gamma); `cells` the size of
    the domain, None for one so large that it does not matter. **No guarantee**: the collector does not see r and
    averages over it, so its posterior is that of `posterior(prior, gamma)` for every alpha; the lower end of this range
    protects nobody.

    >>> [round(x, 2) for x in posterior_range(0.05, gamma=19, alpha=0.5, cells=2000)]
    [0.33, 0.6]
    """
    _check_prior(prior)
    if cells is not None and cells < 2:
        raise RequirementError(f"cells={cells}: a domain has 2 cells or more", parameter="cells", value=cells)
    others = math.inf if cells is None else cells - 1
    most = min(1.0, others / gamma)
    if not 0 <= alpha <= most:
        raise RequirementError(
            f"alpha={alpha} is out of range; for gamma={gamma:g} and this domain use 0 to {most:g}",
            parameter="alpha",
            value=alpha,
        )

    def at(r: float) -> float:  # everything in multiples of x
        match, other = prior * (gamma + r), (1 - prior) * (1 - r / others)
        return match / (match + other) if match + other else prior

    return at(-alpha * gamma), at(alpha * gamma)


def breach_table(gamma: float, priors: Iterable[float] = PRIORS) -> list[dict[str, float]]:
    """(rho1, rho2) pairs that a gamma bounds, for reading."""
    return [{"rho1": prior, "rho2": posterior(prior, gamma=gamma)} for prior in priors]


def _check_prior(prior: float) -> None:
    if not 0 <= prior <= 1:
        raise RequirementError(
            f"prior={prior} is not a probability; use a number between 0 and 1", parameter="prior", value=prior
        )
