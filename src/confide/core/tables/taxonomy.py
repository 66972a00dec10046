"""Taxonomies of items: what each item is called one step up, two steps up, ... as ARX's semicolon-separated CSV.

    whole milk;milk;dairy;*
    yoghurt;dairy;*                 rows may be shorter; a name repeated in its row is one step

A name means the same wherever it stands, so the rows are one forest: each name has one name above it, or none.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike

from confide.core.errors import InputError, UsageError
from confide.core.files import read_bytes, write_text
from confide.core.runtime.lazy import call
from confide.core.tables.formats.csv_text import quoted

__all__ = ["Taxonomy"]


@dataclass(frozen=True)
class Taxonomy:
    """`above[name]` is the name one step up; `items` are the names that rows begin with.

    >>> food = Taxonomy.from_rows([("milk", "dairy", "*"), ("curd", "dairy", "*"), ("beer", "drinks", "*")])
    >>> food.path("milk")
    ('milk', 'dairy', '*')
    """

    items: tuple[str, ...]
    above: Mapping[str, str]

    def _repr_html_(self) -> str:
        """For notebooks: each item, and the names above it."""
        rows = [(item, " / ".join(self.path(item)[1:])) for item in self.items]
        return str(call("confide.report.notebook:table_html", ("item", "above it"), rows))

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[object]], *, source: object = None) -> "Taxonomy":
        """Check the rows and keep what they say; faults are named with their row."""
        above: dict[str, str] = {}
        first_row: dict[str, int] = {}
        for number, row in enumerate(rows, start=1):
            names = [str(cell).strip() for cell in row]
            if not names or "" in names:
                raise InputError("a row needs an item and names above it, none empty", source=source, line=number)
            if names[0] in first_row:
                raise InputError(f"item {names[0]!r} is in row {first_row[names[0]]} too", source=source, line=number)
            first_row[names[0]] = number
            steps = [name for i, name in enumerate(names) if i == 0 or name != names[i - 1]]
            for below, name in pairwise(steps):
                if above.setdefault(below, name) != name:
                    raise InputError(
                        f"{below!r} stands at two places, below {above[below]!r} and below {name!r}",
                        source=source,
                        line=number,
                    )
        if not first_row:
            raise InputError("a taxonomy needs at least one row", source=source)
        taxonomy = cls(tuple(first_row), above)
        taxonomy._refuse_circles(source)
        inner = set(above.values()) & first_row.keys()
        if inner:
            name = min(inner)
            raise InputError(f"{name!r} is an item and stands above others", source=source, line=first_row[name])
        return taxonomy

    @classmethod
    def read(cls, path: str | PathLike[str]) -> "Taxonomy":
        """Read ARX's semicolon-separated form; rows may differ in length."""
        try:
            text = read_bytes(path).decode("utf-8-sig")
            rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=";", strict=True) if row]
        except UnicodeDecodeError:
            raise InputError("not UTF-8; save the file as UTF-8", source=path) from None
        except csv.Error as error:
            raise InputError(f"not well-formed CSV ({error})", source=path) from None
        return cls.from_rows(rows, source=path)

    def path(self, item: str) -> tuple[str, ...]:
        """The item and every name above it, nearest first."""
        names = [item]
        while names[-1] in self.above:
            names.append(self.above[names[-1]])
        return tuple(names)

    def rows(self) -> list[tuple[str, ...]]:
        """A row for each item, all of one length: a shorter one repeats its item first, as ARX wants it."""
        paths = [self.path(item) for item in self.items]
        longest = max(map(len, paths))
        return [(*path[:1] * (longest - len(path)), *path) for path in paths]

    def write(self, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Write ARX's semicolon-separated form."""
        write_text(path, "".join(";".join(map(quoted, row)) + "\n" for row in self.rows()), replace=replace)

    def require(self, public: Iterable[str], private: Iterable[str]) -> None:
        """Raise unless every public item has its row, and no private item is anywhere in it."""
        names = set(self.items) | set(self.above.values())
        secret = sorted(names & set(private))
        if secret:
            raise UsageError(
                f"private item {secret[0]!r} is in the taxonomy; private items have no other name, so take it out",
                parameter="taxonomy",
            )
        missing = sorted(set(public) - set(self.items))
        if missing:
            shown = ", ".join(repr(label) for label in missing[:5])
            more = f" and {len(missing) - 5:,} more" if len(missing) > 5 else ""
            raise UsageError(f"the taxonomy lacks {shown}{more}; add a row for each", parameter="taxonomy")

    def _refuse_circles(self, source: object) -> None:
        fine: set[str] = set()
        for start in self.above:
            seen: list[str] = []
            name = start
            while name in self.above and name not in fine:
                if name in seen:
                    raise InputError(f"the taxonomy runs in a circle: {name!r} stands above itself", source=source)
                seen.append(name)
                name = self.above[name]
            fine.update(seen)
