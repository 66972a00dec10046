"""The pages a person sees: what leaves the device, in plain words, and the form.

Every number on them is computed from the scheme here; the collector's owner adds a title, and words of their own to the
form.
"""

import math
from typing import TYPE_CHECKING, Any

from confide.collect.schemes.promise import gamma_words, is_weak, share
from confide.collect.service.form_texts import FormTexts
from confide.core.bounds import share_at_most
from confide.core.errors import UsageError

if TYPE_CHECKING:
    from confide.collect.schemes.scheme import Scheme

__all__ = ["form_page", "notice_page", "posterior", "promise"]

_PRIOR = 0.05


def promise(scheme: "Scheme") -> dict[str, Any]:
    """gamma, epsilon and the fingerprint, for clients that state what another draw would cost."""
    found = scheme.amplification()
    return {
        "scheme": scheme.fingerprint,
        "gamma": found.gamma if math.isfinite(found.gamma) else None,
        "epsilon": found.epsilon,
    }


def notice_page(scheme: "Scheme", title: str) -> str:
    """One page: what leaves your device."""
    epsilon = scheme.amplification().epsilon
    return _render(
        "notice.html.j2",
        title=title,
        asked=scheme.asked(),
        how=scheme.how(),
        gamma=gamma_words(epsilon),
        gamma_twice=gamma_words(2 * epsilon),
        epsilon=f"{epsilon:.3g}" if epsilon < 1000 else f"{epsilon:,.0f}",
        posterior=share_at_most(posterior(epsilon, _PRIOR)),
        prior=share(_PRIOR),
        weak=is_weak(epsilon),
        kind=scheme.kind,
        fingerprint=scheme.fingerprint,
    )


def form_page(scheme: "Scheme", title: str, texts: FormTexts | None = None) -> str:
    """The form; its fields are made by form.js from scheme.json, in the owner's words where there are any."""
    texts = FormTexts() if texts is None else texts
    numbers = {field.name for field in scheme.fields or () if field.edges is not None}
    unknown = [name for name in texts.bounds if name not in numbers]
    if unknown:
        raise UsageError(f"bounds are given for {unknown[0]!r}, which is not a field of numbers in the scheme")
    epsilon = scheme.amplification().epsilon
    return _render(
        "form.html.j2",
        title=title,
        texts=texts,
        words=texts.all_words(),
        bounds={name: one.model_dump() for name, one in texts.bounds.items()},
        weak=is_weak(epsilon),
        gamma=gamma_words(epsilon),
        posterior=share_at_most(posterior(epsilon, _PRIOR)),
        prior=share(_PRIOR),
    )


def posterior(epsilon: float, prior: float) -> float:
    """The most a property of this prior can be believed in after a record was seen: gamma from its logarithm."""
    odds = math.log(prior / (1 - prior)) + epsilon
    return 1 / (1 + math.exp(-odds)) if odds < 700 else 1.0


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
