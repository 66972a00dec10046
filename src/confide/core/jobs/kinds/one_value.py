"""One value: text, a number, a share, a choice, a file, or what people have as data."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import Any

__all__ = [
    "ChoiceKind",
    "EdgeKind",
    "File",
    "Flag",
    "Kind",
    "LabelsKind",
    "Number",
    "PopulationKind",
    "RecordsKind",
    "ShareKind",
    "SupportKind",
    "TextKind",
    "Whole",
    "WholeOrInfinityKind",
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


class WholeOrInfinityKind(Whole):
    """A whole number, or infinity."""

    name = "whole number or inf"
    metavar = "N|inf"

    def parse(self, text: str) -> Any:
        return math.inf if text == "inf" else super().parse(text)

    def check(self, value: Any) -> Any:
        return math.inf if value in ("inf", math.inf) else super().check(value)

    def plain(self, value: Any) -> Any:
        return "inf" if value == math.inf else value


class EdgeKind(Number):
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


class SupportKind(ShareKind):
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


class LabelsKind(File):
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
