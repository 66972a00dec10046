"""A global recoding by itself: what each value becomes, kept as JSON and applied to rows that come later.

The rows it is applied to are recoded, not protected: nobody counted how many of them look alike. A value that was not
in the hierarchy or the range is refused, since nobody decided what it becomes.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError
from confide.core.figures import ShownFields
from confide.core.files import read_bytes, write_text
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.core.json_text import read_json
from confide.core.tables.formats.written import read_written
from confide.core.tables.frames import like, mark_of, read_table, to_table, write_table
from confide.core.tables.schema import WRITTEN
from confide.publish.jobs.tables import PublishApply
from confide.publish.tables.coding import CodedTable, Domain
from confide.publish.tables.coding.texts import Texts

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ColumnMapping", "GlobalMapping", "run"]

FORM = "confide table recoding"
VERSION = 1


PROMISES_NOTHING = "these rows promise nothing by themselves: nobody counted how many of them look alike"


def run(request: PublishApply, host: Host = QUIET) -> Outcome:
    """The job `publish apply`: further rows, recoded as published ones were."""
    mapping = GlobalMapping.read(request.mapping)
    if isinstance(request.table, Path):
        table = read_table(request.table, **request.reading().options)
        mark = mark_of(request.table, delimiter=request.delimiter, encoding=request.encoding)
    else:
        table, mark = to_table(request.table), ","
    recoded = mapping.transform(table)

    def save(path: Path, replace: bool) -> str:
        write_table(recoded, path, delimiter=mark, replace=replace)
        return f"{recoded.num_rows:,} rows written to {path}"

    return Outcome(answer=recoded, rows=recoded.to_pylist, save=save, notes=(PROMISES_NOTHING,))


@dataclass(frozen=True, kw_only=True)
class ColumnMapping:
    """What the values of a column become: `becomes[i]` for value i of `values`, or for cell i of `domain`.

    `missing` is what a missing value becomes, None if such a value is refused.
    """

    values: tuple[str, ...] = ()
    domain: Domain | None = None
    becomes: tuple[str, ...] = ()
    missing: str | None = None

    def apply(self, column: "pa.ChunkedArray", name: str) -> "pa.Array":
        """The column recoded."""
        import pyarrow as pa

        texts = Texts.of(column, name)
        labels = [*self._labels(texts, name), self.missing]
        if (texts.codes < 0).any() and self.missing is None:
            raise InputError("values are missing, and the recoding says nothing about those", column=name)
        return pa.array(labels, pa.string()).take(pa.array(np.where(texts.codes < 0, len(labels) - 1, texts.codes)))

    def _labels(self, texts: Texts, name: str) -> list[str | None]:
        present = np.zeros(len(texts.texts), dtype=np.bool_)
        present[texts.codes[texts.codes >= 0]] = True
        if self.domain is None:
            place = dict(zip(self.values, self.becomes, strict=True))
            found = [place.get(text) for text in texts.texts]
        else:
            if texts.numbers is None:
                raise InputError("holds values that are not numbers, where the recoding has a range", column=name)
            numbers = np.where(present, texts.numbers, np.nan)
            whole = not self.domain.whole or bool((numbers[present] == np.floor(numbers[present])).all())
            cells = self.domain.place(np.where(np.isnan(numbers), float(self.domain.low) - 1, numbers))
            found = [self.becomes[cell] if cell >= 0 and whole else None for cell in cells.tolist()]
        unplaced = sum(1 for label, is_there in zip(found, present, strict=True) if is_there and label is None)
        if unplaced:
            raise InputError(
                f"{unplaced} different value{'s' * (unplaced > 1)} cannot be placed: not in the hierarchy or range "
                "that the recoding was made with",
                column=name,
            )
        return found

    def to_dict(self) -> dict[str, Any]:
        """Plain data; cells that become the same stand as one run."""
        missing = {} if self.missing is None else {"missing": self.missing}
        if self.domain is None:
            return {"values": dict(zip(self.values, self.becomes, strict=True)), **missing}
        runs = [[i, to] for i, to in enumerate(self.becomes) if i == 0 or to != self.becomes[i - 1]]
        bounds = [str(self.domain.low), str(self.domain.high), str(self.domain.step)]
        return {"range": bounds, "whole": self.domain.whole, "cells": runs, **missing}

    @classmethod
    def from_dict(cls, data: Any) -> "ColumnMapping":
        """Read back what `to_dict` gave; raises ValueError, KeyError or TypeError on anything else."""
        missing = data.get("missing")
        if "values" in data:
            values = data["values"]
            if set(data) - {"missing", "values"} or not all(isinstance(text, str) for text in values.values()):
                raise ValueError
            made = cls(values=tuple(values), becomes=tuple(values.values()), missing=missing)
        else:
            low, high, step = (Fraction(text) for text in data["range"])
            domain = Domain(low=low, high=high, step=step, whole=data["whole"])
            starts = [start for start, _ in data["cells"]]
            if starts[0] != 0 or starts != sorted(set(starts)) or starts[-1] >= domain.cells or step <= 0:
                raise ValueError
            lengths = np.diff([*starts, domain.cells]).tolist()
            labels = [label for (_, label), times in zip(data["cells"], lengths, strict=True) for _ in range(times)]
            if not all(isinstance(label, str) for label in labels):
                raise ValueError
            made = cls(domain=domain, becomes=tuple(labels), missing=missing)
        if made.to_dict() != data or not isinstance(missing, str | None):
            raise ValueError
        return made


@dataclass(frozen=True, kw_only=True)
class GlobalMapping(ShownFields):
    """What each value of each quasi-identifier becomes.

    `roles` are those of the table it was made for, and `written` how it had dates and numbers written; rows that come
    later must have the same columns, written alike.
    """

    columns: dict[str, ColumnMapping]
    roles: dict[str, str] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, table: CodedTable, maps: Sequence[tuple[NDArray[np.int32], tuple[str, ...]]]) -> "GlobalMapping":
        """The mapping of a table by leaf: for each column the code of every leaf, and what the codes are called."""
        columns = {}
        for column, (codes, labels) in zip(table.quasi, maps, strict=True):
            becomes = [labels[code] for code in codes.tolist()]
            missing = becomes[column.missing] if column.missing >= 0 else None
            leaves = [i for i in range(column.leaves) if i != column.missing]
            columns[column.name] = ColumnMapping(
                values=() if column.domain else tuple(column.labels[0][column.maps[0][i]] for i in leaves),
                domain=column.domain,
                becomes=tuple(becomes[i] for i in leaves),
                missing=missing,
            )
        # dates that were shifted are left out of further rows as identifiers are: they would come as they were
        roles = table.schema.roles | dict.fromkeys(table.schema.shifted, "identifier")
        return cls(columns=columns, roles=roles, written=table.schema.written)

    def transform(self, frame: Any) -> Any:
        """Recode the rows of a frame, in the frame's own type and order; identifiers and persons are left out.

        This protects nobody by itself: the rows that look alike were not counted.
        """
        table = to_table(frame)
        for name in self.columns:
            if name not in table.column_names:
                raise InputError(f"no column {name!r}; columns are: {', '.join(table.column_names)}")
        if self.written:
            table = read_written(table, self.written)
        kept = {}
        for name in table.column_names:
            if name not in self.roles:
                raise InputError(f"column {name!r} has no role in the recoding; leave it out")
            if name in self.columns:
                kept[name] = self.columns[name].apply(table.column(name), name)
            elif self.roles[name] not in ("identifier", "person"):
                kept[name] = table.column(name)
        import pyarrow as pa

        return like(pa.table(kept), frame)

    def to_json(self) -> str:
        """The mapping as JSON."""
        columns = {name: column.to_dict() for name, column in self.columns.items()}
        data: dict[str, Any] = {"form": FORM, "version": VERSION, "roles": self.roles, "columns": columns}
        if self.written:
            data["written"] = self.written
        return json.dumps(data, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes, *, source: object = None) -> "GlobalMapping":
        """Read back what `to_json` gave."""
        data = read_json(text.encode() if isinstance(text, str) else text, source=source)
        if not isinstance(data, dict) or data.get("form") != FORM or data.get("version") != VERSION:
            raise InputError(f"not a recoding of a table (form {FORM!r}, version {VERSION})", source=source)
        try:
            columns = {str(name): ColumnMapping.from_dict(column) for name, column in data["columns"].items()}
            made = cls(
                columns=columns,
                roles={str(name): str(role) for name, role in data["roles"].items()},
                written={str(name): WRITTEN[WRITTEN.index(form)] for name, form in data.get("written", {}).items()},
            )
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, ZeroDivisionError):
            raise InputError("not a recoding of a table as it is written", source=source) from None
        return made

    def write(self, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Write the mapping as JSON."""
        write_text(path, self.to_json(), replace=replace)

    @classmethod
    def read(cls, path: str | PathLike[str]) -> "GlobalMapping":
        """Read a file that `write` made."""
        return cls.from_json(bytes(read_bytes(path)), source=path)
