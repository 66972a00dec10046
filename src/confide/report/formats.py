"""Numbers, shares and names as a reader expects them. Text in, text out; HTML is the templates' business."""

import math
import re
from numbers import Integral, Real
from typing import Any

__all__ = ["clean", "heading", "is_number", "is_share", "scalar", "share_text"]

_SHARE_WORDS = frozenset(
    {
        "accuracy",
        "fraction",
        "percent",
        "percentage",
        "proportion",
        "rate",
        "ratio",
        "share",
    }
)
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def clean(text: str) -> str:
    """The text without what no HTML or SVG may hold: control characters and broken surrogates become U+FFFD.

    >>> clean("tea\\x00")
    'tea�'
    """
    return _UNPRINTABLE.sub("\ufffd", text)


def heading(name: str) -> str:
    """A name of ours as a label. Symbols (`k`, `expRatio`) stay as the papers write them.

    >>> heading("items_removed"), heading("k"), heading("expRatio")
    ('Items removed', 'k', 'expRatio')
    """
    words = name.replace("_", " ").strip()
    first = words.partition(" ")[0]
    return words[:1].upper() + words[1:] if len(first) > 1 and first.islower() else words


def is_share(name: str) -> bool:
    """Whether a value of this name, if it lies in [0, 1], is better read as a percentage.

    >>> is_share("share_of_items_kept"), is_share("expRatio"), is_share("k")
    (True, True, False)
    """
    words = re.findall(r"[A-Z]?[a-z]+", name)
    return any(word.lower().removesuffix("s") in _SHARE_WORDS for word in words)


def is_number(value: Any) -> bool:
    """Whether the value is a number; True and False are not."""
    return isinstance(value, Real) and not isinstance(value, bool)


def share_text(value: float) -> str:
    """A share as a percentage that never rounds something to nothing, or not quite all to all.

    >>> share_text(0.3333), share_text(0.00004), share_text(0.99999), share_text(1)
    ('33.3%', '0.004%', '>99.9%', '100%')
    """
    if value in (0, 1):
        return f"{value:.0%}"
    if value < 0.001:
        return f"{100 * value:.2g}%"
    return ">99.9%" if value > 0.9995 else f"{value:.1%}"


def scalar(value: Any, *, share: bool = False) -> str:
    """One value as text: thousands separated, four digits of a fraction, shares as percentages.

    >>> scalar(16_000), scalar(0.123456), scalar(12345.678), scalar(0.5, share=True), scalar(True), scalar(None)
    ('16,000', '0.1235', '12,345.7', '50.0%', 'yes', 'none')
    """
    if hasattr(value, "dtype") and hasattr(value, "item"):  # a numpy scalar, without importing numpy
        value = value.item()
    if value is None or value == "":
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not is_number(value):
        return clean(str(value))
    if share and 0 <= value <= 1:
        return share_text(float(value))
    if isinstance(value, Integral):
        return f"{int(value):,}"
    return _fraction(float(value))


def _fraction(value: float) -> str:
    if math.isnan(value):
        return "no value"
    if math.isinf(value):
        return "unbounded" if value > 0 else "unbounded below"
    if value.is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    if 1000 <= abs(value) < 1e15:
        return f"{value:,.1f}"
    return re.sub(r"e([+-])0+", r"e\1", f"{value:.4g}").replace("e+", "e")
