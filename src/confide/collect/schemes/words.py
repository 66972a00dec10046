"""Numbers of a promise as messages and pages show them: bounds are rounded up, never down."""

import math

from confide.core.bounds import at_most

__all__ = ["gamma_and_epsilon", "gamma_words", "is_weak", "share"]

_WEAK = 1000  # gamma; a suspicion of 5% may then become 98%. Clients refuse a larger one unless they allow it


def is_weak(epsilon: float) -> bool:
    """Whether people must be warned of a scheme of this epsilon."""
    return epsilon > math.log(_WEAK) + 1e-9


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
