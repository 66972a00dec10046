"""Generalisation hierarchies: for each value of a column, what it becomes at level 1, 2, ... up to the top.

Files are ARX's: semicolon-separated, no header, one row per value, level 0 first:

    20;20-24;20-29;*
    21;20-24;20-29;*
"""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UsageError
from confide.core.figures import ShownFields
from confide.core.files import read_bytes, write_text
from confide.core.tables.formats.csv_text import quoted

__all__ = ["Hierarchy"]

TOP = "*"


@dataclass(frozen=True)
class Hierarchy(ShownFields):
    """`rows[i][n]` is what value i becomes at level n; level 0 is the value itself.

    Every row has the same number of levels, and two values that are one at a level stay one above it.

    >>> ages = Hierarchy.from_rows([("20", "20-29", "*"), ("21", "20-29", "*"), ("30", "30-39", "*")])
    >>> ages.height, ages.generalise(["21", "30"], level=1)
    (2, ['20-29', '30-39'])
    """

    rows: tuple[tuple[str, ...], ...]

    # -- making ---------------------------------------------------------------------------------------------------

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[str]], *, source: object = None) -> "Hierarchy":
        """Check the rows and keep them; faults are named with their row."""
        kept = tuple(tuple(str(cell) for cell in row) for row in rows)
        if not kept:
            raise InputError("a hierarchy needs at least one row", source=source)
        width = len(kept[0])
        seen: dict[str, int] = {}
        parents: list[dict[str, str]] = [{} for _ in range(width)]
        for number, row in enumerate(kept, start=1):
            if len(row) != width:
                raise InputError(f"{len(row)} levels where row 1 has {width}", source=source, line=number)
            if row[0] in seen:
                raise InputError(f"value {row[0]!r} stands in row {seen[row[0]]} too", source=source, line=number)
            seen[row[0]] = number
            for level in range(1, width - 1):
                above = parents[level].setdefault(row[level], row[level + 1])
                if above != row[level + 1]:
                    raise InputError(
                        f"{row[level]!r} of level {level} becomes both {above!r} and {row[level + 1]!r} above",
                        source=source,
                        line=number,
                    )
        return cls(kept)

    @classmethod
    def read(cls, path: str | PathLike[str]) -> "Hierarchy":
        """Read ARX's semicolon-separated form."""
        return cls.parse(bytes(read_bytes(path)), source=path)

    @classmethod
    def parse(cls, data: bytes, *, source: object = None, pad: bool = False) -> "Hierarchy":
        """Read the bytes of a file in ARX's semicolon-separated form; with `pad`, shorter rows repeat their value."""
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise InputError("not UTF-8; save the file as UTF-8", source=source, line=line) from None
        if "\0" in text:
            raise InputError("holds zero bytes; it is not a text file", source=source)
        try:
            rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=";", strict=True) if row]
        except csv.Error as error:
            raise InputError(f"not well-formed CSV ({error})", source=source) from None
        width = max(map(len, rows), default=0) if pad else 0
        return cls.from_rows(([row[0]] * (width - len(row)) + row for row in rows), source=source)

    def write(self, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Write ARX's semicolon-separated form."""
        write_text(path, self.to_text(), replace=replace)

    def to_text(self) -> str:
        """ARX's semicolon-separated form."""
        return "".join(";".join(map(quoted, row)) + "\n" for row in self.rows)

    @classmethod
    def flat(cls, values: Iterable[str]) -> "Hierarchy":
        """Two levels: the value, or nothing."""
        return cls.from_rows([(value, TOP) for value in dict.fromkeys(values)])

    @classmethod
    def intervals(cls, values: Iterable[str | int], *, widths: Sequence[int], origin: int = 0) -> "Hierarchy":
        """Whole numbers in intervals of growing width, counted from `origin`; each width must divide the next.

        Bounds come from `origin` and `widths`, never from the smallest or largest value: those would give away people.

        >>> Hierarchy.intervals([21, 34], widths=[5, 10]).rows
        (('21', '20-24', '20-29', '*'), ('34', '30-34', '30-39', '*'))
        """
        for smaller, larger in zip((1, *widths), widths, strict=False):
            if larger <= smaller or larger % smaller:
                raise UsageError(f"widths {list(widths)}: each must be a multiple of the one before")
        rows = []
        for value in dict.fromkeys(str(v) for v in values):
            try:
                number = int(value)
            except ValueError:
                raise InputError("a value is not a whole number") from None
            lows = [origin + (number - origin) // width * width for width in widths]
            rows.append((value, *(f"{low}-{low + w - 1}" for low, w in zip(lows, widths, strict=True)), TOP))
        return cls.from_rows(rows)

    @classmethod
    def masks(cls, values: Iterable[str], *, mask: str = "*", steps: int | None = None) -> "Hierarchy":
        """Texts redacted from the right, one character a level (`steps` levels, by default all of them).

        >>> Hierarchy.masks(["10115", "10117"], steps=2).rows[0]
        ('10115', '1011*', '101**', '*')
        """
        listed = [str(value) for value in dict.fromkeys(values)]
        longest = max((len(value) for value in listed), default=0)
        count = longest - 1 if steps is None else min(steps, longest - 1)
        rows = []
        for value in listed:
            padded = value.ljust(longest)
            masked = [(padded[: longest - n] + mask * n).strip() for n in range(1, count + 1)]
            rows.append((value, *masked, TOP))
        return cls.from_rows(rows)

    @classmethod
    def dates(cls, values: Iterable[str], *, levels: Sequence[str] = ("month", "year", "decade")) -> "Hierarchy":
        """ISO dates (2026-11-15, or with a time) to day, month, quarter, year, decade or century, in the order given.

        >>> Hierarchy.dates(["1987-06-05"]).rows
        (('1987-06-05', '1987-06', '1987', '1980s', '*'),)
        """
        from datetime import datetime

        forms: dict[str, Callable[[datetime], str]] = {
            "day": lambda d: d.date().isoformat(),
            "month": lambda d: f"{d.year:04d}-{d.month:02d}",
            "quarter": lambda d: f"{d.year:04d}-Q{(d.month + 2) // 3}",
            "year": lambda d: f"{d.year:04d}",
            "decade": lambda d: f"{d.year // 10 * 10}s",
            "century": lambda d: f"{d.year // 100 * 100}-{d.year // 100 * 100 + 99}",
        }
        order = [name for name in forms if name in levels]
        if list(levels) != order:
            raise UsageError(f"levels {list(levels)}: choose among {', '.join(forms)}, in this order")
        rows = []
        for value in dict.fromkeys(values):
            try:
                day = datetime.fromisoformat(value)
            except ValueError:
                raise InputError("a value is not an ISO date (YYYY-MM-DD; a time may follow)") from None
            rows.append((value, *(forms[name](day) for name in order), TOP))
        return cls.from_rows(rows)

    @classmethod
    def by_frequency(cls, counts: Mapping[str, int], *, fanout: int = 2) -> "Hierarchy":
        """Values in falling order of frequency (ties by text), `fanout` neighbours joined at each level.

        Neighbours are about equally common, so no group is mostly one value. The order is learned from the data;
        where that must stay private, order the values by something public instead.

        >>> Hierarchy.by_frequency({"a": 5, "b": 9, "c": 1}).rows
        (('b', 'a | b', '*'), ('a', 'a | b', '*'), ('c', 'c', '*'))
        """
        if fanout < 2:
            raise UsageError(f"fanout={fanout} joins nothing; use 2 or more", parameter="fanout", value=fanout)
        groups = [[value] for value in sorted(counts, key=lambda value: (-counts[value], value))]
        columns: list[dict[str, str]] = []
        while len(groups) > fanout:
            groups = [list(chain(*groups[i : i + fanout])) for i in range(0, len(groups), fanout)]
            columns.append({value: " | ".join(sorted(group)) for group in groups for value in group})
        order = sorted(counts, key=lambda value: (-counts[value], value))
        return cls.from_rows([(value, *(column[value] for column in columns), TOP) for value in order])

    # -- using ----------------------------------------------------------------------------------------------------

    @property
    def height(self) -> int:
        """The highest level; 0 leaves values as they are."""
        return len(self.rows[0]) - 1

    @property
    def values(self) -> tuple[str, ...]:
        """The values of level 0."""
        return tuple(row[0] for row in self.rows)

    @cached_property
    def _place(self) -> dict[str, int]:
        return {row[0]: i for i, row in enumerate(self.rows)}

    def require(self, values: Iterable[str], *, column: str | None = None) -> None:
        """Raise, naming them, if any of these values is missing."""
        missing = sorted({str(value) for value in values} - self._place.keys())
        if missing:
            shown = ", ".join(repr(value) for value in missing[:5])
            more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
            raise InputError(f"the hierarchy lacks {shown}{more}; add a row for each", column=column)

    def generalise(self, values: Iterable[str], *, level: int) -> list[str]:
        """Each value at this level."""
        if not 0 <= level <= self.height:
            raise UsageError(f"level {level} is not in 0..{self.height}")
        listed = list(values)
        self.require(listed)
        return [self.rows[self._place[str(value)]][level] for value in listed]

    def codes(self, level: int) -> tuple[NDArray[np.int32], tuple[str, ...]]:
        """For each value of level 0 the number of its label at `level`, and those labels in order of appearance."""
        labels = tuple(dict.fromkeys(row[level] for row in self.rows))
        place = {label: i for i, label in enumerate(labels)}
        return np.array([place[row[level]] for row in self.rows], dtype=np.int32), labels
