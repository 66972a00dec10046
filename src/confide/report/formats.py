"""Numbers and names as a reader expects them, by their declared unit. Text in, text out; HTML is for the templates."""

import math
import re
from numbers import Integral, Real
from typing import Any

from confide.core.figures import Unit

__all__ = ["clean", "heading", "is_number", "lead_in", "scalar", "share_text", "tick"]

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_LEAD_WORDS = 4
_ENDINGS: dict[str, str] = {"percent": "%", "points": " points", "seconds": " s", "kilobytes": " kB"}


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


def lead_in(text: str) -> tuple[str, str]:
    """The few words before a colon, and what follows; or the whole text and nothing.

    >>> lead_in("predictions: by asking"), lead_in("guessing a value")
    (('predictions', 'by asking'), ('guessing a value', ''))
    """
    lead, _, rest = text.partition(": ")
    return (lead, rest) if rest and len(lead.split()) <= _LEAD_WORDS else (text, "")


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
    if 0 < value < 0.001:
        return f"{100 * value:.2g}%"
    return ">99.9%" if 0.9995 < value < 1 else f"{value:.1%}"


def scalar(value: Any, unit: Unit = "number") -> str:
    """One value as text: thousands separated, four digits of a fraction, then what its unit asks for.

    >>> scalar(16_000), scalar(0.123456), scalar(12345.678), scalar(True), scalar(None)
    ('16,000', '0.1235', '12,345.7', 'yes', 'none')
    >>> scalar(0.99999999)
    '0.99999999'
    >>> scalar(0.8, "share"), scalar(0.8, "percent"), scalar(3.8214, "percent"), scalar(1.5, "seconds")
    ('80.0%', '0.8%', '3.82%', '1.5 s')
    >>> scalar(764, "bytes"), scalar(54_321, "bytes"), scalar(999_999, "bytes"), scalar(112.4, "kilobytes")
    ('764 bytes', '54.3 kB', '1,000 kB', '112.4 kB')
    >>> scalar(4_812.3, "kilobytes")
    '4.81 MB'
    """
    if hasattr(value, "dtype") and hasattr(value, "item"):  # a numpy scalar, without importing numpy
        value = value.item()
    if value is None or value == "":
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not is_number(value):
        return clean(str(value))
    if not math.isfinite(value):
        return _number(value)
    if unit == "share":
        return share_text(float(value))
    if unit == "bytes" or (unit == "kilobytes" and value >= 1000):
        return _size(float(value) if unit == "bytes" else 1000 * float(value))
    if unit in ("percent", "points"):
        value = float(f"{value:.3g}")
    return _number(value) + _ENDINGS.get(unit, "")


def tick(value: float, unit: Unit) -> str:
    """A number beside an axis: short, since the axis has a name.

    >>> tick(0.30000000000000004, "number"), tick(0.25, "share"), tick(2.0, "points")
    ('0.3', '25%', '2')
    """
    rounded = float(f"{value:.6g}")  # ticks are sums of steps
    if unit == "share":
        return f"{_fraction(float(f'{100 * rounded:.4g}'))}%"
    return _number(rounded) if unit == "points" else scalar(rounded, unit)


def _number(value: Any) -> str:
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
    if 0.9999 < value < 1:  # a chance that is not quite 1 is not shown as 1
        return f"{value:.10g}"
    return re.sub(r"e([+-])0+", r"e\1", f"{value:.4g}").replace("e+", "e")


def _size(value: float) -> str:
    for limit, name in ((1e3, "bytes"), (1e6, "kB"), (1e9, "MB")):
        if value < limit:
            return f"{_fraction(float(f'{1000 * value / limit:.3g}'))} {name}"
    return f"{_fraction(float(f'{value / 1e9:.4g}'))} GB"
