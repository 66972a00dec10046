"""One field of a categorical record: its name, its values in order, and the code of a value.

Numeric fields are cut at declared edges, never at edges learned from people's data.
"""

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from confide.core.errors import InputError, RequirementError
from confide.core.numbers import python_number
from confide.core.transactions.labels import as_label

__all__ = ["MOST_VALUES", "Bins", "Field", "is_finite", "is_label", "plain"]

_LARGEST = 1 << 53

MOST_VALUES = 1 << 20
"""More values than this in one field, or fields in one scheme, is a mistake in the declaration."""


@dataclass(frozen=True)
class Bins:
    """Cuts a numeric column at `edges`: up to the first, then between two, then above the last.

    An edge belongs to the bin below it, so `Bins((20, 40))` gives <=20, (20,40] and >40. `labels` names the bins
    otherwise.
    """

    edges: tuple[float, ...]
    labels: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "edges", tuple(python_number(edge) for edge in self.edges))
        if self.labels is not None:
            object.__setattr__(self, "labels", tuple(self.labels))

    def named(self) -> tuple[str, ...]:
        """The label of each bin."""
        if self.labels is not None:
            return self.labels
        edges = [f"{edge:g}" if float(f"{edge:g}") == edge else repr(edge) for edge in self.edges]
        between = [f"({low},{high}]" for low, high in pairwise(edges)]
        return (f"<={edges[0]}", *between, f">{edges[-1]}")


@dataclass(frozen=True, kw_only=True)
class Field:
    """One attribute: its name and its values in order; `edges` if the values are bins of a number."""

    name: str
    values: tuple[str, ...]
    edges: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if not is_label(self.name):
            raise RequirementError("a field has no name, or one with blanks around it; give each a name of its own")
        if not 2 <= len(self.values) <= MOST_VALUES:
            raise RequirementError(f"field {self.name!r} has {len(self.values)} values; a field needs two or more")
        if not all(is_label(value) for value in self.values):
            raise RequirementError(
                f"field {self.name!r} has a value that is not text, is empty, or has blanks around it; values are texts"
            )
        if len(set(self.values)) < len(self.values):
            raise RequirementError(f"field {self.name!r} lists a value twice")
        if self.edges is not None:
            object.__setattr__(self, "edges", tuple(python_number(edge) for edge in self.edges))
            self._check_edges(self.edges)

    def _check_edges(self, edges: tuple[float, ...]) -> None:
        if not all(is_finite(edge) for edge in edges):
            raise RequirementError(f"field {self.name!r}: edges must be finite numbers")
        if any(low >= high for low, high in pairwise(edges)):
            raise RequirementError(f"field {self.name!r}: edges must rise")
        if len(edges) + 1 != len(self.values):
            raise RequirementError(
                f"field {self.name!r}: {len(edges)} edges make {len(edges) + 1} bins, not its {len(self.values)} values"
            )

    @classmethod
    def of(cls, name: str, values: object) -> "Field":
        """From a number of values (0, 1, 2, ...), a `Bins`, or the values themselves."""
        if isinstance(values, Field):
            return values
        if isinstance(values, Bins):
            if not values.edges:
                raise RequirementError(f"field {name!r} has no edges; give at least one, such as Bins((40,))")
            return cls(name=name, values=values.named(), edges=values.edges)
        if values is None or isinstance(values, bool | str | bytes):
            raise RequirementError(f"field {name!r}: give its values as a list, their number, or Bins(edges)")
        if isinstance(values, int | np.integer):
            if not 2 <= values <= MOST_VALUES:
                raise RequirementError(f"field {name!r} has {values} values; a field needs two or more")
            return cls(name=name, values=tuple(str(i) for i in range(int(values))))
        if not isinstance(values, Sequence | np.ndarray | set | frozenset):
            raise RequirementError(f"field {name!r}: give its values as a list, their number, or Bins(edges)")
        if isinstance(values, set | frozenset):
            raise RequirementError(f"field {name!r}: a set has no order; give the values as a list")
        try:
            return cls(name=name, values=tuple(as_label(value) for value in values))
        except InputError as error:
            raise RequirementError(f"field {name!r}: {error.what.replace('an item', 'a value')}") from None

    def to_dict(self) -> dict[str, Any]:
        """As in a scheme file."""
        found: dict[str, Any] = {"name": self.name, "values": list(self.values)}
        if self.edges is not None:
            found["edges"] = [plain(edge) for edge in self.edges]
        return found

    @cached_property
    def codes(self) -> dict[str, int]:
        """The code of each value."""
        return {value: code for code, value in enumerate(self.values)}

    def code(self, value: object) -> int:
        """The code of one value as a caller gives it; -1 for one the field does not know.

        A number is put into its bin where the field has edges; a bin's label is known too, so that perturbed records,
        which hold labels, can be coded again.
        """
        if self.edges is not None:
            return self._bin(value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # pandas turns whole numbers into floats as soon as one is missing
        try:
            return self.codes.get(as_label(value), -1)
        except InputError:
            return -1

    def sent_code(self, value: object) -> int:
        """The code of a value that was perturbed: labels only, since a number that was not put into a bin is true."""
        if self.edges is None:
            return self.code(value)
        try:
            return self.codes.get(as_label(value), -1)
        except InputError:
            return -1

    def _bin(self, value: object) -> int:
        assert self.edges is not None
        if isinstance(value, str):
            label = value.strip()
            if label in self.codes:
                return self.codes[label]
            try:
                value = float(label)
            except ValueError:
                return -1
        if isinstance(value, bool) or not hasattr(value, "__float__"):
            return -1
        number = float(value)
        return bisect_left(self.edges, number) if math.isfinite(number) else -1


def is_label(value: object) -> bool:
    """Whether this is text fit for a name or value: not empty, no blanks around it, and UTF-8 can carry it."""
    if not isinstance(value, str) or not value or value != value.strip():
        return False
    return not any("\ud800" <= mark <= "\udfff" for mark in value)


def is_finite(value: object) -> bool:
    """Whether this is a number within 2**53, up to which whole numbers are the same in Python, JSON and a browser."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST


def plain(value: float) -> float:
    """19.0 as 19: the same number is always written the same way in a scheme file."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
