"""The fields of a categorical record: names, values, and how a caller's records become integer codes and back.

    Fields.of({"age": Bins((35, 55, 75)), "sex": ["F", "M"], "rooms": 4})

    record    {"age": 41, "sex": "M", "rooms": 2}      dict, tuple in field order, or a row of a frame
    codes     [1, 1, 2]                                position of each value within its field
    cell      1 * 8 + 1 * 4 + 2 = 14                   one number for the whole record, last field fastest
    columns   "age=(35,55]", "sex=M", "rooms=2"        the boolean columns that hold a 1 (section 4.6)

Client, server and auditor must agree on every one of these numbers, so they come from one object that travels with the
scheme. Numeric columns are cut at declared edges, never at edges learnt from people's data.
"""

import math
import re
import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.transactions.labels import as_label

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Bins", "Field", "Fields", "is_finite", "is_label", "is_record", "plain"]

_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")

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
        object.__setattr__(self, "edges", tuple(self.edges))
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
                f"field {self.name!r} has a value that is no text, is empty, or has blanks around it; values are texts"
            )
        if len(set(self.values)) < len(self.values):
            raise RequirementError(f"field {self.name!r} lists a value twice")
        if self.edges is not None:
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


@dataclass(frozen=True)
class Fields:
    """The fields of a record, in order.

    >>> fields = Fields.of({"age": Bins((35, 55)), "sex": ["F", "M"]})
    >>> fields.encode_one({"sex": "M", "age": 41})
    [1, 1]
    >>> fields.columns
    ('age=<=35', 'age=(35,55]', 'age=>55', 'sex=F', 'sex=M')
    >>> fields.cells
    6
    """

    fields: tuple[Field, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.fields) <= MOST_VALUES:
            raise RequirementError("no fields are declared; a categorical record needs at least one")
        twice = [name for name, times in Counter(field.name for field in self.fields).items() if times > 1]
        if twice:
            raise RequirementError(f"two fields are named {twice[0]!r}")

    @classmethod
    def of(cls, domains: object) -> "Fields":
        """From {name: values | number of values | Bins}, or from plain sizes (fields a0, a1, ...)."""
        if isinstance(domains, Fields):
            return domains
        if isinstance(domains, Mapping):
            return cls(tuple(Field.of(str(name), values) for name, values in domains.items()))
        if isinstance(domains, Sequence | np.ndarray) and not isinstance(domains, str | bytes):
            if all(isinstance(part, Field) for part in domains):
                return cls(tuple(domains))
            return cls(tuple(Field.of(f"a{i}", values) for i, values in enumerate(domains)))
        raise RequirementError("domains must map each field's name to its values, or list the number of values of each")

    @classmethod
    def from_list(cls, data: object) -> "Fields":
        """Read back what `to_list` gave."""
        if not isinstance(data, list) or any(not isinstance(part, dict) for part in data):
            raise InputError("fields must be a list of objects with name and values")
        made = []
        for part in data:
            if not {"name", "values"} <= set(part) <= {"name", "values", "edges"}:
                raise InputError("a field has name, values and, for a number, edges; nothing else")
            edges = part.get("edges")
            if not isinstance(part["values"], list) or not isinstance(edges, list | None):
                raise InputError("values and edges of a field must be lists")
            made.append(
                Field(name=part["name"], values=tuple(part["values"]), edges=None if edges is None else tuple(edges))
            )
        return cls(tuple(made))

    def to_list(self) -> list[dict[str, Any]]:
        """As in a scheme file."""
        return [field.to_dict() for field in self.fields]

    def __len__(self) -> int:
        return len(self.fields)

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    def __getitem__(self, name: str) -> Field:
        return self.fields[self.position(name)]

    def position(self, name: str) -> int:
        """Where the field of this name stands."""
        if name not in self.names:
            raise UsageError(f"no field {name!r}; fields are: {', '.join(self.names)}")
        return self.names.index(name)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names, in order."""
        return tuple(field.name for field in self.fields)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many values each field has."""
        return tuple(len(field.values) for field in self.fields)

    @cached_property
    def cells(self) -> int:
        """n, the number of records that are possible: the product of the sizes."""
        return math.prod(self.sizes)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Where each field's boolean columns begin; one more for the end."""
        found = [0]
        for size in self.sizes:
            found.append(found[-1] + size)
        return tuple(found)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The boolean columns "name=value", field by field."""
        return tuple(f"{field.name}={value}" for field in self.fields for value in field.values)

    # -- one record -----------------------------------------------------------------------------------------------

    def encode_one(self, record: object, *, line: int | None = None, perturbed: bool = False) -> list[int]:
        """The codes of one record: a mapping by name, or values in field order; `perturbed` as for `encode`."""
        if isinstance(record, Mapping):
            values = self._by_name(record, line)
        elif isinstance(record, Sequence | np.ndarray) and not isinstance(record, str | bytes):
            values = list(record)
            if len(values) != len(self):
                raise InputError(
                    f"a record has {len(values)} values for {len(self)} fields, in the order: {', '.join(self.names)}",
                    source=_source(line),
                )
        else:
            raise InputError(f"a record must be a dict or a tuple, not {type(record).__name__}")
        codes = [
            field.sent_code(value) if perturbed else field.code(value)
            for field, value in zip(self.fields, values, strict=True)
        ]
        if -1 in codes:
            at = codes.index(-1)
            raise self.unknown(at, line, values[at], ordered=not isinstance(record, Mapping), perturbed=perturbed)
        return codes

    def decode_one(self, codes: Sequence[int]) -> tuple[str, ...]:
        """The values these codes stand for, in field order."""
        return tuple(field.values[code] for field, code in zip(self.fields, codes, strict=True))

    def _by_name(self, record: Mapping[Any, Any], line: int | None) -> list[Any]:
        missing = [name for name in self.names if name not in record]
        extra = [str(name) for name in record if name not in self.names]
        self.check_names(missing, extra, line)
        return [record[name] for name in self.names]

    def check_names(self, missing: list[str], extra: list[str], line: int | None = None) -> None:
        """Refuse a record or frame with names missing, or with names that would leave unperturbed."""
        if missing:
            raise InputError(f"field {missing[0]!r} is missing", source=_source(line))
        if extra:
            raise InputError(
                f"{extra[0]!r} is no field of the scheme and would leave unperturbed; drop it (fields: "
                f"{', '.join(self.names)})",
                source=_source(line),
            )

    def unknown(
        self, position: int, line: int | None, value: object = None, *, ordered: bool = False, perturbed: bool = False
    ) -> InputError:
        """What to say of a value that this field does not know, without saying the value.

        `ordered`: it came by position, so that the order of fields may be the mistake. `perturbed`: it should have
        been perturbed.
        """
        field = self.fields[position]
        few = ", ".join(field.values[:8]) + (", ..." if len(field.values) > 8 else "")
        text = str(value).strip() if value is not None else ""
        if not text or text == "nan":
            what = f"a value of field {field.name!r} is missing; fill it in, or declare a value for it"
        elif perturbed and field.code(value) >= 0:
            what = (
                f"a value of field {field.name!r} is a plain number, which no perturbed record holds; perturb the "
                f"records first (a perturbed one holds one of: {few})"
            )
        else:
            known = "a number or " if field.edges is not None and not perturbed else ""
            what = f"a value of field {field.name!r} is not {known}one of: {few}"
            if field.edges is not None and _DECIMAL_COMMA.fullmatch(text):
                what += "; write decimals with a point, not a comma"
        if ordered:
            what += f"; fields come in the order: {', '.join(self.names)}"
        return InputError(what, source=_source(line))

    # -- many records ---------------------------------------------------------------------------------------------

    def encode(self, records: Any, *, perturbed: bool = False) -> NDArray[np.int32]:
        """The codes of many records, [N, M]: a frame, a list of records, or an array of codes that are checked.

        An array of one dimension holds cells (see `join`). `perturbed` records hold the labels of bins; a number in
        place of one was never perturbed and is refused.
        """
        from confide.collect.schemes.field_coding import check_codes, encode_table

        if isinstance(records, np.ndarray):
            return check_codes(self, records)
        if isinstance(records, Sequence) and not isinstance(records, str | bytes):
            found = [self.encode_one(record, line=i, perturbed=perturbed) for i, record in enumerate(records, 1)]
            return np.array(found, dtype=np.int32).reshape(len(found), len(self))
        return encode_table(self, records, perturbed=perturbed)

    def decode(self, codes: NDArray[np.int32], like: Any) -> Any:
        """Records for these codes, in the type of `like`."""
        from confide.core.tables import frames as tables

        if isinstance(like, np.ndarray):
            found = self.join(codes) if like.ndim == 1 else codes
            return found.astype(like.dtype, copy=False)
        if isinstance(like, Sequence):
            rows = [self.decode_one(row) for row in codes.tolist()]
            return [
                dict(zip(self.names, row, strict=True)) if isinstance(was, Mapping) else _as(row, was)
                for row, was in zip(rows, like, strict=True)
            ]
        return tables.like(self.to_table(codes), like)

    def to_table(self, codes: NDArray[np.int32]) -> "pa.Table":
        """An Arrow table of text columns."""
        import pyarrow as pa

        columns = {
            field.name: pa.DictionaryArray.from_arrays(pa.array(codes[:, i]), pa.array(field.values)).cast(pa.string())
            for i, field in enumerate(self.fields)
        }
        return pa.table(columns)

    def join(self, codes: NDArray[np.int32]) -> NDArray[np.int64]:
        """One cell number for each row of codes; the last field changes fastest."""
        self._check_joinable()
        cells = np.zeros(len(codes), dtype=np.int64)
        for i, size in enumerate(self.sizes):
            cells *= size
            cells += codes[:, i]
        return cells

    def split(self, cells: NDArray[Any]) -> NDArray[np.int32]:
        """The rows of codes of cell numbers."""
        self.check_cells(cells)
        found = np.empty((len(cells), len(self)), dtype=np.int32)
        rest = cells.astype(np.int64)
        for i in range(len(self) - 1, -1, -1):
            rest, found[:, i] = np.divmod(rest, self.sizes[i])
        return found

    def check_cells(self, cells: NDArray[Any]) -> None:
        """Raise InputError unless these are whole numbers of cells."""
        self._check_joinable()
        if not np.issubdtype(cells.dtype, np.integer):
            raise InputError(f"an array of cells must hold whole numbers, not {cells.dtype}")
        if len(cells) and not (cells.min() >= 0 and cells.max() < self.cells):
            raise InputError(f"a cell lies outside 0..{self.cells - 1}")

    def _check_joinable(self) -> None:
        if self.cells >= 1 << 63:
            raise UsageError("the fields have too many combinations to number them; give codes per field")


def is_label(value: object) -> bool:
    """Whether this is text fit for a name or value: not empty, no blanks around it, and UTF-8 can carry it."""
    if not isinstance(value, str) or not value or value != value.strip():
        return False
    return not any("\ud800" <= mark <= "\udfff" for mark in value)


def is_finite(value: object) -> bool:
    """Whether this is a number that a double can hold; a scheme file may hold whole numbers of any size."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def plain(value: float) -> float:
    """19.0 as 19: whoever means the same number writes the same scheme file."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def is_record(records: object) -> bool:
    """Whether this is one categorical record, not a batch: a dict, or a tuple or list of plain values."""
    if isinstance(records, Mapping):
        return True
    if not isinstance(records, Sequence) or isinstance(records, str | bytes) or len(records) == 0:
        return False
    return all(isinstance(value, str | int | float | np.integer | np.floating) or value is None for value in records)


def _as(row: tuple[str, ...], was: object) -> Any:
    return list(row) if isinstance(was, list) else row


def _source(record: int | None) -> str | None:
    """Records are counted, not lines: whoever reads a file knows whether it has a header."""
    return None if record is None else f"record {record:,}"
