"""Which values a released label stands for, as anybody would read it who knows the hierarchies.

*                          anything
a node of the hierarchy    the values below it
20-29, -5 to 4             whole numbers in a range, both ends included
[0, 2.5), [2.5, 5]         numbers in a range
a | b                      what either stands for
the empty text             a missing value
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError
from confide.core.tables.hierarchy import Hierarchy

__all__ = ["fits"]

_NUMBER = r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_WHOLE = re.compile(r"([0-9]+)-([0-9]+)|([+-]?[0-9]+) to ([+-]?[0-9]+)")
_INTERVAL = re.compile(rf"\[({_NUMBER}), ({_NUMBER})([\])])")


def fits(
    values: Sequence[str], labels: Sequence[str], *, hierarchy: Hierarchy | None, column: str
) -> NDArray[np.bool_]:
    """`found[v, l]`: whether label l can stand for value v. A label that stands for none of the values is refused."""
    place = {label: n for n, label in enumerate(labels)}
    found = np.zeros((len(values), len(labels)), dtype=np.bool_)
    numbers = np.array([_number(value) for value in values])
    chains = {row[0]: row for row in hierarchy.rows} if hierarchy is not None else {}
    for v, value in enumerate(values):
        for name in (value, *chains.get(value, ())):
            if name in place:
                found[v, place[name]] = True
    for at, label in enumerate(labels):
        if label == "*":
            found[:, at] = True
        elif not found[:, at].any():
            for part in label.split(" | "):
                below = [v for v, value in enumerate(values) if part in (value, *chains.get(value, ()))]
                found[below, at] = True
                found[:, at] |= _in_range(part, numbers)
    strange = int((~found.any(axis=0)).sum())
    if strange:
        raise InputError(
            f"{strange} labels stand for no value of the original; give the schema that the release was made with",
            column=column,
        )
    return found


def _in_range(label: str, numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    if whole := _WHOLE.fullmatch(label):
        low, high = (float(end) for end in whole.groups() if end is not None)
        return (numbers >= low) & (numbers < high + 1)
    if interval := _INTERVAL.fullmatch(label):
        low, high = float(interval[1]), float(interval[2])
        return (numbers >= low) & ((numbers <= high) if interval[3] == "]" else (numbers < high))
    return np.zeros(len(numbers), dtype=np.bool_)


def _number(text: str) -> float:
    return float(text) if re.fullmatch(_NUMBER, text) else np.nan
