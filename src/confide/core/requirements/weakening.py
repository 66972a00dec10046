"""The nearest value of a parameter that works.

A weakening is a parameter with ever weaker values, the nearest to what is asked first. What keeps a requirement keeps
every weaker one, so the nearest value that works is found by halving.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, floor
from typing import Any

from confide.core.errors import ConfideError, Cure

__all__ = ["Weakening", "follow_cures", "join_settings", "lower", "nearest_place", "raise_share", "raise_to"]

_MOST_AT_ONCE = 4  # settings that one cure changes


@dataclass(frozen=True)
class Weakening:
    """Values of a parameter: the steps divided by `scale`, as whole numbers where that is 1.

    With a `column`, those that the parameter may have for that column.
    """

    parameter: str
    steps: range
    scale: int = 1
    column: str | None = None

    def __len__(self) -> int:
        return len(self.steps)

    def value(self, place: int) -> float:
        """The value at a place; later ones are weaker."""
        return self.steps[place] if self.scale == 1 else self.steps[place] / self.scale

    def setting(self, place: int) -> dict[str, Any]:
        """The value at a place as a setting of the parameter, or of the parameter for a column."""
        value = self.value(place)
        return {self.parameter: value if self.column is None else {self.column: value}}

    def nearest(self, works: Callable[[float], bool]) -> float | None:
        """The nearest value that works, or None; each value given back was tried."""
        place = nearest_place(len(self), lambda place: works(self.value(place)))
        return None if place is None else self.value(place)

    def cures(self, works: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
        """The nearest value that works as a cure, or nothing."""
        place = nearest_place(len(self), lambda place: works(self.setting(place)))
        return [] if place is None else [self.setting(place)]


def lower(parameter: str, value: int) -> Weakening:
    """Smaller whole numbers, down to 2."""
    return Weakening(parameter, range(value - 1, 1, -1))


def raise_share(parameter: str, value: float) -> Weakening:
    """Larger shares, in thousandths, below 1."""
    return Weakening(parameter, range(floor(round(value * 1000, 6)) + 1, 1000), 1000)


def raise_to(parameter: str, value: float, last: float) -> Weakening:
    """Larger numbers, in hundredths, up to `last`."""
    return Weakening(parameter, range(floor(round(value * 100, 6)) + 1, ceil(100 * last) + 1), 100)


def join_settings(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Both settings; of a parameter for several columns, all columns.

    >>> join_settings({"k": 3, "t": {"hiv": 0.3}}, {"t": {"income": 0.4}})
    {'k': 3, 't': {'hiv': 0.3, 'income': 0.4}}
    """
    joined = dict(first)
    for name, value in second.items():
        before = joined.get(name)
        both = isinstance(value, Mapping) and isinstance(before, Mapping)
        joined[name] = {**before, **value} if both else value  # type: ignore[dict-item]
    return joined


def nearest_place(count: int, works: Callable[[int], bool]) -> int | None:
    """The first of so many places that works, if all after it do; None if the last does not.

    >>> nearest_place(100, lambda place: place >= 37), nearest_place(100, lambda place: False)
    (37, None)
    """
    if count == 0 or not works(count - 1):
        return None
    low, high = -1, count - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if works(middle) else (middle, high)
    return high


def follow_cures(error: ConfideError, attempt: Callable[[Mapping[str, object]], object]) -> list[Cure]:
    """Those of an error's cures that work; where one leads to the next refusal, together with a cure of that.

    `attempt` calls again what was refused, with these settings in place of those asked for.
    """
    found: list[Cure] = []
    for cure in error.cures:
        settings: dict[str, object] = dict(cure)
        for _ in range(_MOST_AT_ONCE):
            try:
                attempt(settings)
            except ConfideError as next_error:
                news = [c for c in next_error.cures if not set(c) & set(settings)]
                if not news:
                    break
                settings |= news[0]
            else:
                found.append(settings)
                break
    return found
