"""What all requirements share: frozen, keyword-only, validated once, printable in plain words."""

import math
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

from confide.core.errors import InputError, RequirementError
from confide.core.numbers import PlainNumbers, python_number

__all__ = ["Requirement", "PassportWords", "check_count", "exact", "is_number"]


class PassportWords(NamedTuple):
    """What a passport says of a requirement: the promise in a sentence, whom it stops, and whom it does not."""

    promise: str
    stops: tuple[str, ...]
    does_not_stop: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Requirement(PlainNumbers, ABC):
    """A `kind`, a promise in a sentence, whom it stops and whom not, and a form for JSON."""

    kind: ClassVar[str]
    caveats: ClassVar[tuple[str, ...]] = ()
    """Limits that a stage may add to `does_not_stop`, a closed list; {} stands for a number."""
    limits: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Headings under which a page puts a long `does_not_stop`, and with which words the limits below each begin."""
    left_out: ClassVar[Mapping[str, Any]] = {}
    """Fields that `to_dict` leaves out where they have this value: as files have it that are older than the field."""

    @classmethod
    def limits_by_heading(cls, limits: Sequence[str]) -> dict[str, list[str]]:
        """The limits under the headings of this kind; those without one stand first, under an empty heading."""
        headings = {
            limit: heading for limit in limits for heading, begin in cls.limits.items() if limit.startswith(begin)
        }
        grouped = {
            heading: [limit for limit in limits if headings.get(limit, "") == heading] for heading in ("", *cls.limits)
        }
        return {heading: found for heading, found in grouped.items() if found}

    @classmethod
    def knows_caveat(cls, text: str) -> bool:
        """Whether a limit is one of the closed list."""
        number = r"[0-9][0-9.,e+-]*"
        return any(re.fullmatch(re.escape(known).replace(r"\{\}", number), text) for known in cls.caveats)

    @abstractmethod
    def promise(self) -> str:
        """The promise, in one sentence, with the numbers filled in."""

    def words(self, artefact: str, context: Mapping[str, Any]) -> PassportWords:
        """Promise and limits in the words of a release: of this kind of file, with its passport's context."""
        return PassportWords(self.promise(), self.stops, self.does_not_stop)

    def words_in_other_terms(self, artefact: str, context: Mapping[str, Any]) -> dict[str, str]:
        """`in_other_terms` in the words of a release."""
        return self.in_other_terms()

    @property
    @abstractmethod
    def stops(self) -> tuple[str, ...]:
        """Whom the promise stops, with the numbers filled in."""

    @property
    @abstractmethod
    def does_not_stop(self) -> tuple[str, ...]:
        """Whom it does not stop."""

    @property
    def not_kept(self) -> str:
        """Why nobody can vouch for this promise, whatever the file shows; empty for all but promises given up."""
        return ""

    @property
    def unproved(self) -> str:
        """What of the promise cannot be told from the file, but with more than it; empty where the file says it all."""
        return ""

    @abstractmethod
    def in_other_terms(self) -> dict[str, str]:
        """The same promise in other terms: {term: "value: a plain sentence"}, or a value alone."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data; `p = infinity` becomes the text "inf", which JSON can hold."""
        every = {f.name: getattr(self, f.name) for f in fields(self)}
        values = {name: value for name, value in every.items() if (name, value) not in self.left_out.items()}
        return {"kind": self.kind, **{k: "inf" if v == math.inf else v for k, v in values.items()}}

    @staticmethod
    def from_dict(data: dict[str, Any]) -> "Requirement":
        """Read back what `to_dict` gave."""
        kinds = Requirement.kinds()
        if not isinstance(data, dict) or not isinstance(data.get("kind"), str) or data["kind"] not in kinds:
            raise InputError(f"unknown kind of requirement; kinds are: {', '.join(sorted(kinds))}")
        cls = kinds[data["kind"]]
        given = {k: math.inf if v == "inf" else v for k, v in data.items() if k != "kind"}
        expected = {f.name for f in fields(cls)}
        given = {**cls.left_out, **given}
        if set(given) != expected:
            raise InputError(
                f"{cls.kind} takes {', '.join(sorted(expected))}; got {', '.join(sorted(given)) or 'none'}"
            )
        return cls._from_fields(given)

    @classmethod
    def _from_fields(cls, given: dict[str, Any]) -> "Requirement":
        """Made from the fields in `to_dict`; those that hold other requirements read them first."""
        return cls(**given)

    @staticmethod
    def kinds() -> "dict[str, type[Requirement]]":
        """Every kind of requirement by its name."""
        found: dict[str, type[Requirement]] = {}
        waiting = Requirement.__subclasses__()
        while waiting:
            cls = waiting.pop()
            waiting += cls.__subclasses__()
            if "kind" in cls.__dict__:  # not one that only gathers others
                found[cls.kind] = cls
        return found


def check_count(name: str, value: object, *, least: int, why: str) -> None:
    """Refuse what is not a whole number of `least` or more; `why` says what is wrong with less."""
    value = python_number(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise RequirementError(
            f"{name}={value} {why}; use a whole number of {least} or more", parameter=name, value=value, cure=least
        )


def is_number(value: object) -> bool:
    """Whether the value is a finite number; True and False are not."""
    value = python_number(value)
    return isinstance(value, int | float) and not isinstance(value, bool) and _finite(value)


def _finite(value: float) -> bool:
    """Whether a double can hold it; a file may hold whole numbers of any size."""
    return abs(value) <= sys.float_info.max


def exact(value: float) -> Fraction:
    """The decimal as written (0.6 is 3/5, not the nearest binary number)."""
    return Fraction(repr(python_number(value)))
