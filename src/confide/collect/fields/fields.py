"""The fields of a categorical record: names, values, and how a caller's records become integer codes and back.

    Fields.of({"age": Bins((35, 55, 75)), "sex": ["F", "M"], "rooms": 4})

    record    {"age": 41, "sex": "M", "rooms": 2}      dict, tuple in field order, or a row of a frame
    codes     [1, 1, 2]                                position of each value within its field
    cell      1 * 8 + 1 * 4 + 2 = 14                   one number for the whole record, last field fastest
    columns   "age=(35,55]", "sex=M", "rooms=2"        the boolean columns that hold a 1 (section 4.6)

Client, server and auditor must agree on every one of these numbers, so they come from one object that travels with the
scheme.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.collect.fields.field import MOST_VALUES, Field
from confide.collect.fields.field_coding import check_codes, encode_table
from confide.collect.wording.languages import DeviceSentence
from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.transactions.labels import label_order

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Fields", "is_record"]

_MOST_LISTED = 8  # names that a sentence lists
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")


@dataclass(frozen=True)
class Fields:
    """The fields of a record, in order.

    >>> from confide.collect.fields.field import Bins
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
            number = f"{len(self.fields):,}" if self.fields else "no"
            raise RequirementError(f"{number} fields are declared; a categorical record needs 1 to {MOST_VALUES:,}")
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
        raise RequirementError(
            "domains must map each field's name to its values, or list the number of values of each; not "
            f"{type(domains).__name__}",
            parameter="domains",
        )

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

    def first(self, fits: Callable[["Fields"], bool]) -> "Fields":
        """As many of the first fields as fit, one at least; these fields themselves if all do."""
        kept = self
        while len(kept) > 1 and not fits(kept):
            kept = Fields(kept.fields[:-1])
        return kept

    def question(self) -> DeviceSentence:
        """What people are asked, as a sentence."""
        if len(self) == 1:
            return DeviceSentence.of("asked field", name=self.names[0])
        if len(self) > _MOST_LISTED:
            return DeviceSentence.of(
                "asked many fields", names=", ".join(self.names[:_MOST_LISTED]), n=len(self) - _MOST_LISTED
            )
        return DeviceSentence.of("asked fields", names=self.names)

    def label_order(self) -> NDArray[np.int64]:
        """Where the boolean columns, sorted as labels are, stand in field order."""
        return np.array(sorted(range(len(self.columns)), key=lambda i: label_order(self.columns[i])), dtype=np.int64)

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
                f"{extra[0]!r} is not a field of the scheme and would be sent unperturbed; drop it (fields: "
                f"{', '.join(self.names)})",
                source=_source(line),
            )

    def check_columns(self, names: Sequence[str]) -> None:
        """The same of the columns of a table."""
        self.check_names([name for name in self.names if name not in names], [n for n in names if n not in self.names])

    def unknown(
        self,
        position: int,
        line: int | None,
        value: object = None,
        *,
        ordered: bool = False,
        perturbed: bool = False,
        also: str = "",
    ) -> InputError:
        """What to say of a value that this field does not know, without saying the value.

        `ordered`: it came by position, so that the order of fields may be the mistake. `perturbed`: it should have
        been perturbed. `also` says what else there is.
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
        return InputError(what + also, source=_source(line))

    # -- many records ---------------------------------------------------------------------------------------------

    def encode(self, records: Any, *, perturbed: bool = False) -> NDArray[np.int32]:
        """The codes of many records, [N, M]: a frame, a list of records, or an array of codes that are checked.

        An array of one dimension holds cells (see `join`). `perturbed` records hold the labels of bins; a number in
        place of one was never perturbed and is refused.
        """
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
            raise UsageError(
                f"the fields have too many combinations ({self.cells:.3g}) to number them; give codes per field"
            )


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
    """Records are counted, not lines: the caller knows whether a file has a header."""
    return None if record is None else f"record {record:,}"
