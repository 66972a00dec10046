"""The pages a person sees: what leaves the device, in plain words, and the form.

Every number on them is computed from the scheme here; the collector's operator chooses a title and nothing else.
"""

import math
from typing import TYPE_CHECKING, Any

from confide.core.bounds import at_most, share_at_most

if TYPE_CHECKING:
    from confide.collect.schemes.scheme import Scheme

__all__ = ["as_words", "form_page", "is_weak", "notice_page", "posterior", "promise"]

_PRIOR = 0.05
_WEAK = 1000  # gamma; a suspicion of 5% may then become 98%. Clients refuse a larger one unless told otherwise


def promise(scheme: "Scheme") -> dict[str, Any]:
    """gamma, epsilon and the fingerprint, for clients that state what another draw would cost."""
    found = scheme.amplification()
    return {
        "scheme": scheme.fingerprint,
        "gamma": found.gamma if math.isfinite(found.gamma) else None,
        "epsilon": found.epsilon,
    }


def is_weak(epsilon: float) -> bool:
    """Whether people must be warned of a scheme of this epsilon."""
    return epsilon > math.log(_WEAK) + 1e-9


def notice_page(scheme: "Scheme", title: str) -> str:
    """One page: what leaves your device."""
    epsilon = scheme.amplification().epsilon
    return _render(
        "notice.html.j2",
        title=title,
        asked=_asked(scheme),
        how=_how(scheme),
        gamma=as_words(epsilon),
        gamma_twice=as_words(2 * epsilon),
        epsilon=f"{epsilon:.3g}" if epsilon < 1000 else f"{epsilon:,.0f}",
        posterior=share_at_most(posterior(epsilon, _PRIOR)),
        prior=_share(_PRIOR),
        weak=is_weak(epsilon),
        kind=scheme.kind,
        fingerprint=scheme.fingerprint,
    )


def form_page(scheme: "Scheme", title: str) -> str:
    """The form; its fields are made by form.js from scheme.json."""
    epsilon = scheme.amplification().epsilon
    return _render(
        "form.html.j2",
        title=title,
        weak=is_weak(epsilon),
        gamma=as_words(epsilon),
        posterior=share_at_most(posterior(epsilon, _PRIOR)),
        prior=_share(_PRIOR),
    )


def posterior(epsilon: float, prior: float) -> float:
    """The most a property of this prior can be believed in after a record was seen: gamma from its logarithm."""
    odds = math.log(prior / (1 - prior)) + epsilon
    return 1 / (1 + math.exp(-odds)) if odds < 700 else 1.0


def as_words(epsilon: float) -> str:
    """gamma = exp(epsilon) as a person reads it, rounded up: 19, 15.42, 4,096, 3.2 x 10^12.

    >>> as_words(math.log(19)), as_words(math.log(361)), as_words(math.log(12345)), as_words(100.0)
    ('19', '361', '12,345', '2.7 x 10^43')
    >>> as_words(math.log(19.301)), as_words(math.log(2.41e40))
    ('19.31', '2.5 x 10^40')
    """
    if epsilon < math.log(1e6):
        gamma = math.exp(epsilon)
        return at_most(gamma, 4) if gamma <= 999 else f"{math.ceil(gamma * (1 - 1e-12)):,}"
    power = epsilon / math.log(10)
    whole = math.floor(power)
    lead = math.ceil(10 * 10 ** (power - whole) * (1 - 1e-9)) / 10
    return f"1.0 x 10^{whole + 1}" if lead >= 10 else f"{lead:.1f} x 10^{whole}"


def _share(value: float) -> str:
    """As a percentage; close to 0 and 1 with the digits that matter.

    >>> _share(0.5), _share(0.0342), _share(0.9994), _share(1 - 1e-9)
    ('50%', '3.4%', '99.94%', '100%')
    """
    if value > 0.99:
        return f"{100 * value:.2f}".rstrip("0").rstrip(".") + "%"
    return f"{100 * value:.2g}%"


def _asked(scheme: Any) -> str:
    """What the questions are about, in a few words."""
    if scheme.fields is not None:
        names = [field.name for field in scheme.fields]
        if len(names) == 1:
            return f"for your {names[0]}"
        shown = names[:8]
        rest = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
        return "for " + (", ".join(shown) + rest if rest else f"{', '.join(shown[:-1])} and {shown[-1]}")
    longest = f", at most {scheme.max_length} of them" if scheme.max_length is not None else ""
    return f"which of {len(scheme.items):,} items apply to you{longest}"


def _how(scheme: Any) -> str:
    """What the device does, with the scheme's own chances."""
    each = "possible answer" if scheme.fields is not None else "item"
    if scheme.kind in ("mask", "emask"):
        p, q = scheme.keeps()
        return (
            f"For each {each} by itself it draws lots: one that applies to you is sent with a chance of "
            f"{_share(float(p))}, and one that does not apply is sent all the same with a chance of "
            f"{_share(float(1 - q))}."
        )
    if scheme.kind == "cut-and-paste":
        return (
            f"It draws a number from 0 to {scheme.K} and keeps that many of your own {each}s, chosen by lot; every "
            f"other {each} joins them with a chance of {_share(scheme.rho)}, whether it applies to you or not."
        )
    cells = scheme.fields.cells
    if scheme.kind == "gamma-diagonal":
        keep = (scheme.gamma - 1) / (scheme.gamma + cells - 1)
        return (
            f"With a chance of {_share(keep)} it sends your answers as they are; otherwise it sends one of the "
            f"{cells:,} possible sets of answers, drawn blindly, all equally likely, your own among them. So your own "
            f"answers are what is sent with a chance of {_share(keep + (1 - keep) / cells)} in all, and what is sent "
            "does not show which of the two happened."
        )
    return "It replaces your answers by others, drawn by lot with the chances that the scheme lists for your answers."


def _render(name: str, **values: Any) -> str:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    pages = Environment(
        loader=PackageLoader("confide.collect.service", "static"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return pages.get_template(name).render(**values)
