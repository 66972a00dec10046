"""The parts of a scheme as an auditor reads them from a passport: numbers, fields, items."""

import math
import sys
from collections.abc import Mapping
from typing import Any

__all__ = [
    "SchemeFault",
    "count_cells",
    "count_fields",
    "is_number",
    "read_chance",
    "read_fields",
    "read_universe",
]


class SchemeFault(ValueError):
    """The scheme in a passport is not one whose law can be worked out; names no values of people."""


def is_number(value: Any) -> bool:
    """A number that a double can hold; a file may hold whole numbers of any size."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def read_chance(scheme: Mapping[str, Any], name: str) -> float:
    """A number strictly between 0 and 1."""
    value: Any = scheme.get(name)
    if not is_number(value) or not 0 < value < 1:
        raise SchemeFault(f"{name} must be a number between 0 and 1")
    return float(value)


def read_fields(scheme: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The fields, each with a name of its own and two values or more."""
    fields = scheme.get("fields")
    if not isinstance(fields, list) or not fields:
        raise SchemeFault("the scheme names no fields")
    for part in fields:
        values = part.get("values") if isinstance(part, Mapping) else None
        if not isinstance(values, list) or len(set(map(str, values))) != len(values) or len(values) < 2:
            raise SchemeFault("a field must list two values or more, each once")
        if not isinstance(part.get("name"), str):
            raise SchemeFault("a field has no name")
    if len({part["name"] for part in fields}) != len(fields):
        raise SchemeFault("two fields have the same name")
    return fields


def count_fields(scheme: Mapping[str, Any]) -> int | None:
    """How many fields there are; None for a scheme over items."""
    return None if scheme.get("fields") is None else len(read_fields(scheme))


def count_cells(scheme: Mapping[str, Any]) -> int:
    """How many records are possible."""
    return math.prod(len(part["values"]) for part in read_fields(scheme))


def read_universe(scheme: Mapping[str, Any]) -> tuple[int, int]:
    """(number of items, length of the longest true record)."""
    items, longest = scheme.get("items"), scheme.get("max_length")
    if not isinstance(items, list) or not items or not all(isinstance(item, str) for item in items):
        raise SchemeFault("the scheme names no universe of items, so what may be sent is not settled")
    if len(set(items)) != len(items):
        raise SchemeFault("an item stands twice in the scheme's universe")
    if longest is None:
        longest = len(items)
    if isinstance(longest, bool) or not isinstance(longest, int) or longest < 1:
        raise SchemeFault("max_length must be a whole number of 1 or more")
    return len(items), min(longest, len(items))
