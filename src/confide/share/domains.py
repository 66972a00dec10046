"""What owners agree on before they learn: the class, its labels, and the domain of every attribute. Kept as TOML:

class = "diagnosis"
classes = ["asthma", "flu", "healthy"]

[attributes.age]
bins = [0, 18, 40, 65, 120]       # edges; the first and the last bound the domain, trees cut only at those between

[attributes.sex]
values = ["f", "m"]
missing = true                    # the value may be missing; that is a category of its own

[attributes.income]
values = ["high", "low"]
sensitive = true                  # no published tree may ask about it

All of it is public. Bins and bounds must come from common knowledge (ages, school years, tariffs), never from the
smallest or largest record: that would be somebody's.
"""

import itertools
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from confide.core.errors import InputError
from confide.core.files import read_toml, write_text
from confide.core.requirements.base import is_number
from confide.core.trees.nodes import Attribute

__all__ = ["Domains"]

_MOST_VALUES = 100
_FIELDS = ("values", "bins", "missing", "sensitive", "whole")


@dataclass(frozen=True, kw_only=True)
class Domains:
    """The declared class and attributes. Every fault of a file is reported at once.

    >>> domains = Domains.from_dict({"class": "ill", "classes": ["no", "yes"], "attributes": {"sex": {"values": ["f", "m"]}}})
    >>> domains.classes, domains.attributes[0].values
    (('no', 'yes'), ('f', 'm'))
    """  # noqa: E501 - one call

    target: str
    classes: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    sensitive: tuple[str, ...] = ()

    # -- making ---------------------------------------------------------------------------------------------------

    @classmethod
    def read(cls, path: str | PathLike[str]) -> "Domains":
        """Read a TOML file."""
        return cls.from_dict(read_toml(path), source=Path(path))

    @classmethod
    def from_dict(cls, plain: Any, *, source: object = None) -> "Domains":
        """Check plain data of the form above."""
        faults = list(_faults(plain))
        if faults:
            raise InputError("; ".join(faults), source=source)
        attributes, sensitive = [], []
        for name, given in plain["attributes"].items():
            if "bins" in given:
                bins, whole = tuple(map(float, given["bins"])), given.get("whole", False)
                attributes.append(Attribute(name=name, kind="numeric", bins=bins, whole=whole))
            else:
                values = (*given["values"], *([None] if given.get("missing") else []))
                attributes.append(Attribute(name=name, kind="categorical", values=values))
            if given.get("sensitive"):
                sensitive.append(name)
        return cls(
            target=plain["class"],
            classes=tuple(plain["classes"]),
            attributes=tuple(attributes),
            sensitive=tuple(sensitive),
        )

    @classmethod
    def propose(cls, frame: Any, *, target: str) -> "Domains":
        """A first draft from a table, to be edited: categories as they occur, numbers in about ten round bins.

        A text column with more than 100 values, and more than one for 20 rows, looks like names or numbers of people
        and is left out. A draft shows values of the table; replace by public knowledge what is not known to everybody.
        """
        from confide.core.tables.frames import to_table
        from confide.mining.trees.table import read_columns

        table = to_table(frame)
        if target not in table.column_names:
            raise InputError(f"no column {target!r}; columns are: {', '.join(table.column_names)}")
        columns, _ = read_columns(table.drop_columns([target]), missing=True)
        attributes = []
        for column in columns:
            if column.kind == "numeric":
                bins = _round_bins(column.data)
                known = column.data[np.isfinite(column.data)]
                whole = all(float(number).is_integer() for number in (*bins, *known))
                attributes.append(Attribute(name=column.name, kind="numeric", bins=bins, whole=whole))
            elif len(column.values) <= max(_MOST_VALUES, table.num_rows // 20):
                attributes.append(Attribute(name=column.name, kind="categorical", values=column.values))
        classes = sorted({str(value) for value in table.column(target).unique().to_pylist()})
        return cls(target=target, classes=tuple(classes), attributes=tuple(attributes))

    # -- using ----------------------------------------------------------------------------------------------------

    @property
    def usable(self) -> tuple[Attribute, ...]:
        """The attributes that a published tree may ask about: all but the sensitive ones."""
        return tuple(attribute for attribute in self.attributes if attribute.name not in self.sensitive)

    def columns(self, frame: Any) -> tuple[Any, Any, tuple[str, ...]]:
        """The usable attributes of a table, its classes, and the names of the columns that were left out."""
        from confide.core.tables.frames import to_table

        table = to_table(frame)
        names = [attribute.name for attribute in self.usable]
        lacking = [name for name in [*names, self.target] if name not in table.column_names]
        if lacking:
            raise InputError(
                f"no column {lacking[0]!r}, which is asked for; columns are: {', '.join(table.column_names)}"
            )
        known = {*names, self.target}
        left_out = tuple(name for name in table.column_names if name not in known)
        X = self.typed(table)
        y = np.array([str(value) for value in table.column(self.target).to_pylist()], dtype=object)
        return X, y, left_out

    def typed(self, frame: Any) -> Any:
        """The usable attributes of a table, numbers as numbers: those of a CSV file are text until here."""
        import pyarrow as pa
        import pyarrow.compute as pc

        from confide.core.tables.frames import to_table

        table = to_table(frame)
        arrays = []
        for attribute in self.usable:
            if attribute.name not in table.column_names:
                raise InputError(f"no column {attribute.name!r}, which is asked for")
            column = table.column(attribute.name)
            if attribute.kind == "numeric" and not _is_number(column.type):
                text = column.cast(pa.string())
                empty = pc.equal(pc.utf8_trim_whitespace(text), "")
                try:
                    column = pc.if_else(empty, None, pc.utf8_trim_whitespace(text)).cast(pa.float64())
                except pa.ArrowInvalid:  # whose message quotes the value
                    raise InputError(
                        "is declared with bins, but not all cells are numbers", column=attribute.name
                    ) from None
            if attribute.whole and pc.any(pc.not_equal(pc.ceil(column), column)).as_py():
                raise InputError("is declared whole, but not all numbers are", column=attribute.name)
            if attribute.kind == "categorical" and None in attribute.values:
                text = column.cast(pa.string())
                column = pc.if_else(pc.equal(text, ""), None, text)
            arrays.append(column)
        return pa.table(arrays, names=[attribute.name for attribute in self.usable])

    # -- leaving --------------------------------------------------------------------------------------------------

    def to_toml(self) -> str:
        """The file's text; reading it gives the same domains."""
        lines = [f"class = {_toml(self.target)}", f"classes = {_toml(list(self.classes))}", ""]
        for attribute in self.attributes:
            lines.append(f"[attributes.{_toml(attribute.name)}]")
            if attribute.kind == "numeric":
                lines.append(f"bins = {_toml([_plain(edge) for edge in attribute.bins])}")
                if attribute.whole:
                    lines.append("whole = true")
            else:
                lines.append(f"values = {_toml([value for value in attribute.values if value is not None])}")
                if None in attribute.values:
                    lines.append("missing = true")
            if attribute.name in self.sensitive:
                lines.append("sensitive = true")
            lines.append("")
        return "\n".join(lines)

    def write(self, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Write the TOML file."""
        write_text(path, self.to_toml(), replace=replace)


def _faults(plain: Any) -> "Sequence[str]":
    if not isinstance(plain, dict):
        return ["must be a table with class, classes and attributes"]
    faults = [f"unknown entry {name!r}" for name in plain if name not in ("class", "classes", "attributes")]
    if not isinstance(plain.get("class"), str) or not plain.get("class"):
        faults.append('class must name the class column, as class = "diagnosis"')
    faults += _text_list(plain.get("classes"), "classes")
    attributes = plain.get("attributes")
    if not isinstance(attributes, dict) or not attributes:
        return [*faults, "no [attributes.NAME] entry; declare every attribute the trees may use"]
    if isinstance(plain.get("class"), str) and plain["class"] in attributes:
        faults.append(f"{plain['class']!r} is the class and an attribute; it can be one of them only")
    for name, given in attributes.items():
        faults += _attribute_faults(name, given)
    return faults


def _attribute_faults(name: str, given: Any) -> list[str]:
    place = f"attribute {name!r}"
    if not isinstance(given, dict):
        return [f"{place}: must be a table with values or bins"]
    faults = [f"{place}: unknown entry {key!r}" for key in given if key not in _FIELDS]
    if ("values" in given) == ("bins" in given):
        return [*faults, f"{place}: give values (categories) or bins (numbers), one of them"]
    for key in ("missing", "sensitive", "whole"):
        if not isinstance(given.get(key, False), bool):
            faults.append(f"{place}: {key} is true or false")
    if "values" in given and "whole" in given:
        faults.append(f"{place}: whole is for numbers")
    if "values" in given:
        return faults + _text_list(given["values"], f"{place}: values")
    bins = given["bins"]
    numbers = isinstance(bins, list) and all(is_number(edge) for edge in bins)
    if not numbers or len(bins) < 2 or any(low >= high for low, high in itertools.pairwise(bins)):
        faults.append(f"{place}: bins must be two numbers or more, ascending")
    elif given.get("whole") is True and not all(float(edge).is_integer() for edge in bins):
        faults.append(f"{place}: whole numbers have bins with whole edges")
    if "missing" in given:
        faults.append(f"{place}: missing is for categories; missing numbers are always allowed")
    return faults


def _text_list(given: Any, place: str) -> list[str]:
    if not isinstance(given, list) or not given or not all(isinstance(value, str) for value in given):
        return [f"{place} must be a list of texts"]
    return [f"{place}: a value twice"] if len(set(given)) != len(given) else []


def _is_number(type: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(type) or pa.types.is_floating(type) or pa.types.is_decimal(type))


def _round_bins(data: Any) -> tuple[float, ...]:
    """About ten bins of a round width (1, 2 or 5 times a power of ten) around the numbers."""
    known = data[np.isfinite(data)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    rough = max((high - low) / 10, 1e-9 * max(abs(low), abs(high), 1.0))
    power = 10.0 ** math.floor(math.log10(rough))
    width = next(step * power for step in (1, 2, 5, 10) if step * power >= rough)
    first, last = math.floor(low / width), math.ceil(high / width)
    # a bin is (edge, edge]: the lowest number must lie above the first edge
    first -= first * width >= low
    return tuple(_plain(round(k * width, 12)) for k in range(first, max(last, first + 1) + 1))


def _plain(edge: float) -> float:
    return int(edge) if float(edge).is_integer() and abs(edge) < 2**53 else float(edge)


def _toml(value: Any) -> str:
    """JSON's quoting is TOML's, except that TOML wants DEL escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
