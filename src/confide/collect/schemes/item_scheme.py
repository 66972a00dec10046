"""What the schemes for transactions share: a universe of items, boolean-mapped fields, the wire, the longest record.

A record is a set of items of a universe. The universe is `items`; or the boolean columns "name=value" of `fields`
(section 4.6), and then every true record holds exactly one item of each field; or, for a scheme bound to neither, the
labels of the transactions it is given. After perturbation a record of fields is a set of columns like any other: it may
hold no value of a field, or several.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from confide.collect.schemes.fields import Fields, is_label, is_record
from confide.collect.schemes.scheme import Scheme
from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.transactions.container import Transactions
from confide.core.transactions.labels import as_label

if TYPE_CHECKING:
    from confide.core.randomness import Randomness

__all__ = ["ItemScheme"]

S = TypeVar("S", bound="ItemScheme")


@dataclass(frozen=True, kw_only=True)
class ItemScheme(Scheme):
    """A scheme for sets of items; see this module's text for `items`, `fields` and `max_length`."""

    items: tuple[str, ...] | None = None
    fields: Fields | None = None
    max_length: int | None = None

    def __post_init__(self) -> None:
        if self.items is not None and self.fields is not None:
            raise RequirementError("give items or fields, not both: fields bring their own items, name=value")
        if self.fields is not None:
            object.__setattr__(self, "fields", Fields.of(self.fields))
            if len(set(self.fields.columns)) < len(self.fields.columns):
                raise RequirementError("two boolean columns name=value read the same; rename a field")
        if self.items is not None:
            object.__setattr__(self, "items", self._checked(self.items))
        if self.max_length is not None:
            self._check_length(self.max_length)
            if self.universe is not None and self.max_length > len(self.universe):
                raise RequirementError(
                    f"max_length={self.max_length} is longer than the universe of {len(self.universe)} items"
                )
        if self.fields is not None and self.max_length not in (None, len(self.fields)):
            raise RequirementError(f"with {len(self.fields)} fields every record holds {len(self.fields)} items")

    @staticmethod
    def _checked(items: Iterable[object]) -> tuple[str, ...]:
        if isinstance(items, str | bytes):
            raise RequirementError("items must be a list of labels, not one text")
        try:
            labels = tuple(as_label(item) for item in items)
        except InputError as error:
            raise RequirementError(error.what) from None
        if not labels:
            raise RequirementError("the universe holds no items")
        if len(set(labels)) < len(labels):
            raise RequirementError("two items of the universe have the same label")
        return labels

    @staticmethod
    def _check_length(length: object) -> None:
        if isinstance(length, bool) or not isinstance(length, int) or length < 1:
            raise RequirementError(f"max_length={length} must be a whole number of 1 or more")

    # -- the universe ---------------------------------------------------------------------------------------------

    @property
    def universe(self) -> tuple[str, ...] | None:
        """The items a perturbed record may hold, in wire order; None if the scheme is bound to none."""
        return self.fields.columns if self.fields is not None else self.items

    @property
    def longest(self) -> int | None:
        """The length of the longest true record, if the scheme says it."""
        return len(self.fields) if self.fields is not None else self.max_length

    def for_items(self: S, items: Iterable[object], max_length: int | None = None) -> S:
        """The same scheme bound to this universe."""
        longest = self.max_length if max_length is None else max_length
        return replace(self, items=self._checked(items), fields=None, max_length=longest)

    def _longest(self, max_length: int | None) -> int | None:
        """The longest true record: as asked, else as the scheme says, else as long as the universe."""
        for length in (max_length, self.max_length):
            if length is not None:
                self._check_length(length)
                return length
        return None if self.universe is None else len(self.universe)

    def _needed(self) -> tuple[str, ...]:
        if self.universe is None:
            raise UsageError(
                f"this {self.kind} scheme knows no universe, and any item outside the record may have to enter it; "
                "bind it with .for_items(labels)"
            )
        return self.universe

    @cached_property
    def positions(self) -> dict[str, int]:
        """Where each item of the universe stands."""
        return {label: i for i, label in enumerate(self._needed())}

    # -- perturbing -----------------------------------------------------------------------------------------------

    @abstractmethod
    def _draw_one(self, held: list[int], n: int, randomness: "Randomness") -> list[int]:
        """Perturb one record of positions within a universe of n items."""

    @abstractmethod
    def _draw(
        self, indptr: NDArray[np.int64], indices: NDArray[np.int32], n: int, randomness: "Randomness"
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Perturb many: compressed rows of ascending positions in, the same out."""

    def perturb(self, records: Any, *, randomness: "Randomness | None" = None) -> Any:
        """Perturb one record or a batch of them; the input is left as it is.

        A record is a list (or set, or tuple) of items, and comes back as a list; a dict {item: 0 or 1} comes back as
        one. A batch is `Transactions`, a list of lists, or a 0/1 matrix (record x item), and comes back so. With
        `fields` a record is a dict or a tuple in field order, and comes back as the list of boolean columns that hold
        a 1; a batch is a frame, a list of records or an array of codes, and comes back as `Transactions`.
        """
        from confide.core.randomness import Randomness

        source = Randomness.system() if randomness is None else randomness
        if isinstance(records, Transactions):
            return self._perturb_transactions(records, source)
        if self.fields is not None:
            if is_record(records):
                held = self._held(self.fields.encode_one(records))
                return self._labels(self._draw_one(held, len(self.fields.columns), source))
            return self._perturb_codes(self.fields.encode(records), source)
        if isinstance(records, np.ndarray):
            return self._perturb_matrix(records, source)
        if isinstance(records, list) and records and all(isinstance(r, list | tuple | set) for r in records):
            return list(self.perturb(Transactions.from_lists(records), randomness=source))
        drawn = self._labels(self._draw_one(self.encode(records, truth=True), len(self._needed()), source))
        if isinstance(records, Mapping):
            ones = set(drawn)
            return {label: int(label in ones) for label in self._needed()}
        return drawn

    def _held(self, codes: Sequence[int]) -> list[int]:
        assert self.fields is not None
        return [start + code for start, code in zip(self.fields.starts, codes, strict=False)]

    def _labels(self, positions: Sequence[int]) -> list[str]:
        universe = self._needed()
        return [universe[i] for i in positions]

    def _perturb_codes(self, codes: NDArray[np.int32], randomness: "Randomness") -> Transactions:
        assert self.fields is not None
        m = len(self.fields)
        held = codes + np.array(self.fields.starts[:-1], dtype=np.int32)
        indptr = np.arange(0, (len(codes) + 1) * m, m, dtype=np.int64)
        drawn = self._draw(indptr, np.ascontiguousarray(held).reshape(-1), len(self.fields.columns), randomness)
        return Transactions.from_arrays(*drawn, self.fields.columns)

    def _perturb_transactions(self, records: Transactions, randomness: "Randomness") -> Transactions:
        universe = records.labels if self.universe is None else self.universe
        indices = records.indices
        if universe != records.labels:
            place = np.array([self.positions.get(label, -1) for label in records.labels], dtype=np.int32)
            indices = place[indices]
            if len(indices) and indices.min() < 0:
                raise self._outside(int(np.searchsorted(records.indptr, np.argmin(indices), side="right")))
            if np.any(np.diff(place[place >= 0]) < 0):  # another order than the records': sort each row anew
                rows = np.repeat(np.arange(len(records), dtype=np.int64), records.lengths)
                indices = (np.sort(rows << 32 | indices) & 0xFFFFFFFF).astype(np.int32)
        self._check_lengths(records.lengths)
        if self.fields is not None:
            self._check_one_of_each(records.indptr, indices)
        drawn = self._draw(records.indptr, indices, len(universe), randomness)
        if universe == records.labels:
            return Transactions(*drawn, universe)
        return Transactions.from_arrays(*drawn, universe)

    def _perturb_matrix(self, matrix: NDArray[Any], randomness: "Randomness") -> NDArray[Any]:
        n = matrix.shape[-1]
        if matrix.ndim not in (1, 2) or (self.universe is not None and n != len(self.universe)):
            known = "" if self.universe is None else f" {len(self.universe)}"
            raise InputError(f"a 0/1 matrix has one row a record and{known} columns; its shape is {matrix.shape}")
        rows = matrix.reshape(-1, n)
        if not np.all((rows == 0) | (rows == 1)):
            where = np.argwhere((rows != 0) & (rows != 1))[0]
            raise InputError("a cell is neither 0 nor 1", source="records", line=int(where[0]) + 1)
        at, held = np.nonzero(rows)
        indptr = np.searchsorted(at, np.arange(len(rows) + 1)).astype(np.int64)
        self._check_lengths(np.diff(indptr))
        drawn, ones = self._draw(indptr, held.astype(np.int32), n, randomness)
        found = np.zeros_like(rows)
        found[np.repeat(np.arange(len(rows)), np.diff(drawn)), ones] = 1
        return found.reshape(matrix.shape)

    def _check_lengths(self, lengths: NDArray[np.int64]) -> None:
        if self.longest is not None and len(lengths) and lengths.max() > self.longest:
            raise self._too_long(int(np.argmax(lengths > self.longest)) + 1)

    def _too_long(self, line: int | None) -> InputError:
        return InputError(
            f"a record is longer than max_length={self.longest}, so the promised gamma would not hold for it",
            source=None if line is None else "records",
            line=line,
        )

    def _check_one_of_each(self, indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> None:
        assert self.fields is not None
        m = len(self.fields)
        fits = bool(np.all(np.diff(indptr) == m))
        if fits:
            field = np.searchsorted(np.array(self.fields.starts[1:]), indices, side="right")
            fits = np.array_equal(field.reshape(-1, m), np.broadcast_to(np.arange(m), (len(indptr) - 1, m)))
        if not fits:
            raise InputError(f"a record does not hold one value of each field: {', '.join(self.fields.names)}")

    def _outside(self, line: int | None) -> InputError:
        return InputError(
            "an item is not in the scheme's universe, so it would stand out; use the collector's scheme file",
            source=None if line is None else "records",
            line=line,
        )

    # -- the wire -------------------------------------------------------------------------------------------------

    def encode(self, record: Any, *, truth: bool = False) -> list[int]:
        """The ascending positions of the record's items; `truth` also holds it against `max_length`."""
        if isinstance(record, str | bytes) or not isinstance(record, Iterable):
            raise InputError("a record must be a list of items")
        if isinstance(record, Mapping):
            record = self._from_booleans(record)
        try:
            found = {self.positions.get(as_label(item), -1) for item in record}
        except InputError as error:
            raise InputError(f"{error.what}; a record lists the items it holds") from None
        if -1 in found:
            raise self._outside(None)
        if truth and self.longest is not None and len(found) > self.longest:
            raise self._too_long(None)
        return sorted(found)

    @staticmethod
    def _from_booleans(record: Mapping[Any, Any]) -> list[Any]:
        """The items of a boolean record {item: 0 or 1}."""
        if any(value not in (0, 1) for value in record.values()):
            raise InputError("a cell is neither 0 nor 1")
        return [item for item, value in record.items() if value]

    def check_wire(self, wire: Any) -> None:
        n = len(self._needed())
        if not isinstance(wire, list | tuple) or any(type(i) is not int for i in wire):
            raise InputError("a perturbed record must be a list of whole numbers")
        if len(wire) > n or any(not 0 <= i < n for i in wire):
            raise InputError(f"a position lies outside 0..{n - 1}; use the collector's scheme file")
        if any(low >= high for low, high in pairwise(wire)):
            raise InputError("positions must rise")

    def decode_wire(self, wire: Sequence[int]) -> list[str]:
        self.check_wire(wire)
        return self._labels(wire)

    def decode_batch(self, wires: Sequence[Sequence[int]]) -> Transactions:
        indptr = np.zeros(len(wires) + 1, dtype=np.int64)
        np.cumsum([len(wire) for wire in wires], out=indptr[1:])
        flat = np.fromiter((i for wire in wires for i in wire), dtype=np.int32, count=int(indptr[-1]))
        return Transactions.from_arrays(indptr, flat, self._needed())

    # -- as JSON --------------------------------------------------------------------------------------------------

    def _bindings(self) -> dict[str, Any]:
        return {
            "items": None if self.items is None else list(self.items),
            "fields": None if self.fields is None else self.fields.to_list(),
            "max_length": self.max_length,
        }

    @staticmethod
    def _read_bindings(data: Mapping[str, Any]) -> dict[str, Any]:
        items, fields, longest = data.get("items"), data.get("fields"), data.get("max_length")
        if items is not None and (not isinstance(items, list) or any(not isinstance(i, str) for i in items)):
            raise InputError("items must be a list of texts, or null")
        if items is not None and not all(is_label(item) for item in items):
            raise InputError("an item is empty, has blanks around it, or UTF-8 cannot carry it")
        return {
            "items": None if items is None else tuple(items),
            "fields": None if fields is None else Fields.from_list(fields),
            "max_length": longest,
        }


BINDINGS = ("items", "fields", "max_length")
