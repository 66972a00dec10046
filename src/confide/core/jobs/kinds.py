"""Kinds of values that a field of a request holds: how each is read from text, checked and saved.

    annotation of the field    on the command line    in a TOML or JSON file
    int                        5                      5
    float                      2.5                    2.5
    Edge                       35 or 0.5              35 or 0.5
    Share                      0.5 or 50%             0.5
    Support                    5, 0.01 or 1%          5 or 0.01
    WholeOrInfinity            3 or inf               3 or "inf"
    bool                       --flag                 true
    str                        text                   "text"
    Literal["a", "b"]          a                      "a"
    Path                       a path                 a path relative to the file
    tuple[KIND, ...]           2,5,10                 [2, 5, 10]
    tuple[KIND, KIND]          two words              [a, b]
    Wholes, Numbers, Shares    5, or 5,10 to explore  5 or [5, 10]
    WholesOrInfinity           3, or 3,inf            3 or [3, "inf"]
    Labels                     a path                 a path, or ["bread", "tea"]
    dict[str, KIND]            age=35,55              { age = [35, 55] }
    NumbersByColumn, ...       5, or hiv=5            5 or { hiv = 5, "*" = 3 }
    KIND | None                left out               left out

A kind raises ValueError with a sentence's end ("is not a number"); the field puts its name and value in front.
"""

import csv
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

__all__ = [
    "Edge",
    "Kind",
    "Labels",
    "Numbers",
    "NumbersByColumn",
    "PerColumn",
    "PopulationKind",
    "Share",
    "ShareKind",
    "Shares",
    "SharesByColumn",
    "Support",
    "WholeOrInfinity",
    "Wholes",
    "WholesOrInfinity",
    "kind_of",
    "names_files",
]


class Kind(ABC):
    """One kind of value. `name` stands in forms, `metavar` in the help of an option."""

    name = "value"
    metavar = "VALUE"

    @abstractmethod
    def parse(self, text: str) -> Any:
        """The value that a text on the command line means."""

    @abstractmethod
    def check(self, value: Any) -> Any:
        """The value itself, if it is of this kind, whether it comes from Python or out of a file."""

    def plain(self, value: Any) -> Any:
        """The value as JSON and TOML have it."""
        return value


class TextKind(Kind):
    """Any text."""

    name = "text"
    metavar = "TEXT"

    def parse(self, text: str) -> str:
        return text

    def check(self, value: Any) -> str:
        if not isinstance(value, str):
            raise ValueError("is not a text")
        return value


class Flag(Kind):
    """Yes or no."""

    name = "yes or no"
    metavar = "YES|NO"

    def parse(self, text: str) -> bool:
        if text.lower() not in ("true", "yes", "1", "false", "no", "0"):
            raise ValueError("is neither yes nor no")
        return text.lower() in ("true", "yes", "1")

    def check(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise ValueError("is neither true nor false")
        return value


class Number(Kind):
    """A finite number."""

    name = "number"
    metavar = "NUMBER"

    def parse(self, text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise ValueError(f"is not a {self.name}")
        return number

    def check(self, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise ValueError(f"is not a {self.name}")
        return value


class Whole(Number):
    """A whole number."""

    name = "whole number"
    metavar = "N"

    def parse(self, text: str) -> int:
        return self.check(super().parse(text))

    def check(self, value: Any) -> int:
        number = super().check(value)
        if number != int(number):
            raise ValueError("is not a whole number")
        return int(number)


class _Infinity(Whole):
    """A whole number, or infinity."""

    name = "whole number or inf"
    metavar = "N|inf"

    def parse(self, text: str) -> Any:
        return math.inf if text == "inf" else super().parse(text)

    def check(self, value: Any) -> Any:
        return math.inf if value in ("inf", math.inf) else super().check(value)

    def plain(self, value: Any) -> Any:
        return "inf" if value == math.inf else value


class _Edge(Number):
    """A number that stays whole if it is written so: the edge 35 of a range is not 35.0."""

    def parse(self, text: str) -> float:
        return int(text) if text.lstrip("-").isdigit() else super().parse(text)


class ShareKind(Number):
    """A share, also in percent."""

    name = "share"
    metavar = "SHARE"

    def parse(self, text: str) -> float:
        try:
            return super().parse(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            raise ValueError("is neither a share (0.5) nor a percentage (50%)") from None


class _Support(ShareKind):
    """A count (a whole number) or a share: 5 and 5.0 differ, as everywhere in Confide."""

    name = "support"
    metavar = "SUPPORT"

    def parse(self, text: str) -> int | float:
        try:
            return int(text) if text.lstrip("+-").isdigit() else super().parse(text)
        except ValueError:
            raise ValueError("is neither a count (5), a share (0.01) nor a percentage (1%)") from None

    def check(self, value: Any) -> int | float:
        number = super().check(value)
        if not (number >= 1 if isinstance(number, int) else 0 < number <= 1):
            raise ValueError("is neither a count of 1 or more nor a share above 0 and up to 1 (0.01, or 1%)")
        return number


class ChoiceKind(Kind):
    """One of a few words."""

    name = "choice"
    metavar = "CHOICE"

    def __init__(self, choices: tuple[str, ...]):
        self.choices = choices

    def parse(self, text: str) -> str:
        return self.check(text)

    def check(self, value: Any) -> str:
        if value not in self.choices:
            raise ValueError(f"is none of: {', '.join(self.choices)}")
        return str(value)


class File(Kind):
    """A path; whether it must exist is for whoever opens it to say."""

    name = "file"
    metavar = "FILE"

    def parse(self, text: str) -> Path:
        return Path(text)

    def check(self, value: Any) -> Path:
        if not isinstance(value, str | Path):
            raise ValueError("is not a path")
        return Path(value)

    def plain(self, value: Path) -> str:
        return value.as_posix()


class _Labels(File):
    """Labels of items: a path of a file with one on each line; in Python and in a request file also a list of them."""

    name = "file of labels"

    def check(self, value: Any) -> Any:
        if isinstance(value, str | Path) or not isinstance(value, Iterable):
            return super().check(value)
        labels = tuple(value)
        if not all(isinstance(label, str) for label in labels):
            raise ValueError("is neither a path nor a list of texts")
        return labels

    def plain(self, value: Any) -> Any:
        return list(value) if isinstance(value, tuple) else super().plain(value)


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


class RecordsKind(Kind):
    """What people have: a path or an address (store://...), or, in Python only, an object in memory."""

    name = "data"
    metavar = "FILE"

    def parse(self, text: str) -> Path | str:
        return text if "://" in text else Path(text)

    def check(self, value: Any) -> Any:
        return self.parse(value) if isinstance(value, str) else value

    def plain(self, value: Any) -> str:
        if isinstance(value, Path):
            return value.as_posix()
        if not isinstance(value, str):
            raise ValueError("is in memory and cannot be saved with a request; write it to a file first")
        from confide.core.tables.sources import has_password

        if "://" in value and has_password(value):
            raise ValueError("holds a password, which is never saved; put it into the environment")
        return value


class PopulationKind(RecordsKind):
    """A table of people as a file (in Python an object, too), or their number."""

    name = "data or a number"
    metavar = "N|FILE"

    def parse(self, text: str) -> Any:
        digits = text.replace("_", "").replace(",", "")
        return self.check(int(digits)) if digits.isdecimal() else super().parse(text)

    def check(self, value: Any) -> Any:
        if isinstance(value, int | float) and (isinstance(value, bool) or value < 1 or value != int(value)):
            raise ValueError("is no number of people")
        if isinstance(value, int | float):
            return int(value)
        return self.parse(value) if isinstance(value, str) else value

    def plain(self, value: Any) -> Any:
        return value if isinstance(value, int) else super().plain(value)


Edge = Annotated[float, _Edge()]
Share = Annotated[float, ShareKind()]
Support = Annotated[int | float, _Support()]
WholeOrInfinity = Annotated[int | float, _Infinity()]
Labels = Annotated[tuple[str, ...] | Path, _Labels()]
Wholes = Annotated[int | tuple[int, ...], Trials(Whole())]
WholesOrInfinity = Annotated[int | float | tuple[int | float, ...], Trials(_Infinity())]
Numbers = Annotated[float | tuple[float, ...], Trials(Number())]
Shares = Annotated[float | tuple[float, ...], Trials(ShareKind())]
NumbersByColumn = Annotated[float | tuple[float, ...] | Mapping[str, Any], PerColumn(Trials(Number()))]
SharesByColumn = Annotated[float | tuple[float, ...] | Mapping[str, Any], PerColumn(Trials(ShareKind()))]

_PLAIN: dict[Any, Kind] = {
    int: Whole(),
    float: Number(),
    bool: Flag(),
    str: TextKind(),
    Path: File(),
    Any: RecordsKind(),
}


def names_files(kind: Kind) -> bool:
    """Whether a value of this kind is a path, or several."""
    return isinstance(kind.element if isinstance(kind, Several | Named) else kind, File | RecordsKind)


def kind_of(annotation: Any) -> tuple[Kind, bool]:
    """The kind of value an annotation means, and whether it may be None.

    >>> kind, optional = kind_of(Literal["all", "closed"] | None)
    >>> kind.name, optional
    ('choice', True)
    """
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType) and NoneType in parts:
        rest = tuple(part for part in parts if part is not NoneType)
        return kind_of(Union[rest])[0], True  # noqa: UP007 - built at run time
    if origin is Annotated:
        return parts[1], False
    if origin is Literal:
        return ChoiceKind(parts), False
    if origin is tuple and Ellipsis not in parts:
        return Together(tuple(kind_of(part)[0] for part in parts)), False
    if origin is tuple:
        return Several(kind_of(parts[0])[0]), False
    if origin is dict:
        return Named(kind_of(parts[1])[0]), False
    return _PLAIN[annotation], False
