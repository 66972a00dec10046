"""Several values: one after the other, together, each tried, by name, or by column."""

import csv
from collections.abc import Iterable, Mapping
from typing import Any

from confide.core.jobs.kinds.one_value import Kind

__all__ = ["Named", "PerColumn", "Several", "Together", "Trials"]


class Several(Kind):
    """Several values of one kind; on the command line with commas between them, one with a comma in quotes."""

    def __init__(self, element: Kind):
        self.element, self.name, self.metavar = element, f"{element.name}s", f"{element.metavar},..."

    def parse(self, text: str) -> tuple[Any, ...]:
        parts = next(csv.reader([text], skipinitialspace=True), [])
        return tuple(self.element.parse(part.strip()) for part in parts)

    def check(self, value: Any) -> tuple[Any, ...]:
        listed = (value,) if isinstance(value, str) or not isinstance(value, Iterable) else value
        return tuple(self.element.check(part) for part in listed)

    def plain(self, value: tuple[Any, ...]) -> list[Any]:
        return [self.element.plain(part) for part in value]


class Together(Kind):
    """So many values that belong together; on the command line so many words after the option."""

    def __init__(self, elements: tuple[Kind, ...]):
        self.elements = elements
        self.name = " and ".join(element.name for element in elements)
        self.metavar = " ".join(element.metavar for element in elements)

    def parse(self, text: str) -> tuple[Any, ...]:
        return self.check(text.split())

    def check(self, value: Any) -> tuple[Any, ...]:
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise ValueError(f"is not {len(self.elements)} values")
        values = tuple(value)
        if len(values) != len(self.elements):
            raise ValueError(f"is not {len(self.elements)} values")
        return tuple(element.check(part) for element, part in zip(self.elements, values, strict=True))

    def plain(self, value: tuple[Any, ...]) -> list[Any]:
        return [element.plain(part) for element, part in zip(self.elements, value, strict=True)]


class Trials(Several):
    """One value, which stays as it is, or several that are each tried; on the command line with commas between them."""

    def __init__(self, element: Kind):
        self.element, self.name, self.metavar = element, element.name, element.metavar

    def parse(self, text: str) -> Any:
        values = super().parse(text)
        return values[0] if len(values) == 1 else values

    def check(self, value: Any) -> Any:
        if not isinstance(value, tuple | list):
            return self.element.check(value)
        values = super().check(value)
        if not values:
            raise ValueError("is no value")
        return values[0] if len(values) == 1 else values

    def plain(self, value: Any) -> Any:
        return super().plain(value) if isinstance(value, tuple) else self.element.plain(value)


class Named(Kind):
    """Values by name; on the command line NAME=VALUE, once for each name."""

    def __init__(self, element: Kind):
        self.element, self.name, self.metavar = element, f"{element.name} by name", f"NAME={element.metavar}"

    def parse(self, text: str) -> dict[str, Any]:
        name, sign, value = text.partition("=")
        if not sign or not name.strip() or not value.strip():
            raise ValueError(f"is not written as {self.metavar}")
        return {name.strip(): self.element.parse(value)}

    def check(self, value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise ValueError("is not a mapping of names to values")
        return {str(name): self.element.check(part) for name, part in value.items()}

    def plain(self, value: Mapping[str, Any]) -> dict[str, Any]:
        return {name: self.element.plain(part) for name, part in value.items()}


class PerColumn(Named):
    """One value for all columns, or values by column: 3, or hiv=3 once for each of them; under `ALL` what the others
    get."""

    ALL = "*"

    def __init__(self, element: Kind):
        super().__init__(element)
        self.name, self.metavar = f"{element.name}, or by column", f"[COLUMN=]{element.metavar}"

    def parse(self, text: str) -> dict[str, Any]:
        name, sign, value = text.rpartition("=")
        if sign and not (name.strip() and value.strip()):
            raise ValueError(f"is not written as {self.metavar}")
        return {name.strip() if sign else self.ALL: self.element.parse(value)}

    def check(self, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return self.element.check(value)
        values = super().check(value)
        return values[self.ALL] if values.keys() == {self.ALL} else values

    def plain(self, value: Any) -> Any:
        return super().plain(value) if isinstance(value, Mapping) else self.element.plain(value)
