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

from confide.collect.estimating.item_estimates import ItemWeights, LayerEstimator
from confide.collect.estimating.item_search import mine_items
from confide.collect.estimating.miner_questions import MinedLevels, Question
from confide.collect.estimating.rule_errors import item_covariances
from confide.collect.fields.field import is_label
from confide.collect.fields.fields import Fields, is_record
from confide.collect.numbered import MOST_OUTPUTS, NumberedRecords
from confide.collect.schemes.item_records import (
    check_one_of_each,
    compressed,
    items_held,
    matrix_rows,
    minable,
    numbered_items,
    pairs,
    universe_of,
)
from confide.collect.schemes.scheme import LENGTHS, Scheme
from confide.collect.wording.languages import DeviceSentence
from confide.core.datasets.loading import are_baskets
from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.runtime.threads import answers_ctrl_c
from confide.core.transactions.container import Transactions
from confide.core.transactions.intake import is_column, is_table, take_in
from confide.core.transactions.labels import as_label
from confide.mining.rules.association import Rules

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
            object.__setattr__(self, "items", universe_of(self.items))
        if self.max_length is not None:
            self._check_length(self.max_length)
            if self.universe is not None and self.max_length > len(self.universe):
                raise RequirementError(
                    f"max_length={self.max_length} is longer than the universe of {len(self.universe)} items",
                    parameter="max_length",
                    value=self.max_length,
                )
        if self.fields is not None and self.max_length not in (None, len(self.fields)):
            raise RequirementError(f"with {len(self.fields)} fields every record holds {len(self.fields)} items")

    @staticmethod
    def _check_length(length: object) -> None:
        if isinstance(length, bool) or not isinstance(length, int) or length < 1:
            raise RequirementError(
                f"max_length={length} must be a whole number of 1 or more", parameter="max_length", value=length
            )

    # -- the universe ---------------------------------------------------------------------------------------------

    @property
    def universe(self) -> tuple[str, ...] | None:
        """The items a perturbed record may hold, in wire order; None if the scheme is bound to none."""
        return self.fields.columns if self.fields is not None else self.items

    @property
    def sends_items(self) -> bool:
        return True

    @property
    def longest(self) -> int | None:
        """The length of the longest true record, if the scheme says it."""
        return len(self.fields) if self.fields is not None else self.max_length

    def for_items(self: S, items: Iterable[object], max_length: int | None = None) -> S:
        """The same scheme bound to this universe."""
        longest = self.max_length if max_length is None else max_length
        return replace(self, items=universe_of(items), fields=None, max_length=longest)

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
        one. A batch is `Transactions`, a list of lists, a 0/1 matrix (record x item), or a frame or column as
        `frequent_itemsets` takes them, and comes back so; but a long frame, which can hold no empty record, comes back
        as `Transactions`. With
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
        if is_table(records) or is_column(records):
            taken = take_in(records)
            made = self._perturb_transactions(taken.transactions, source)
            return taken.back(made)
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

    @answers_ctrl_c
    def _perturb_codes(self, codes: NDArray[np.int32], randomness: "Randomness") -> Transactions:
        assert self.fields is not None
        m = len(self.fields)
        held = codes + np.array(self.fields.starts[:-1], dtype=np.int32)
        indptr = np.arange(0, (len(codes) + 1) * m, m, dtype=np.int64)
        drawn = self._draw(indptr, np.ascontiguousarray(held).reshape(-1), len(self.fields.columns), randomness)
        return Transactions.from_arrays(*drawn, self.fields.columns)

    @answers_ctrl_c
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
            check_one_of_each(self.fields, records.indptr, indices)
        drawn = self._draw(records.indptr, indices, len(universe), randomness)
        if universe == records.labels:
            return Transactions(*drawn, universe)
        return Transactions.from_arrays(*drawn, universe)

    def _perturb_matrix(self, matrix: NDArray[Any], randomness: "Randomness") -> NDArray[Any]:
        rows = matrix_rows(matrix, self.universe)
        n = rows.shape[1]
        indptr, held = compressed(rows)
        self._check_lengths(np.diff(indptr))
        drawn, ones = self._draw(indptr, held, n, randomness)
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
            raise InputError(f"a record must be a list of items, not {type(record).__name__}")
        if isinstance(record, Mapping):
            record = items_held(record)
        try:
            found = {self.positions.get(as_label(item), -1) for item in record}
        except InputError as error:
            raise InputError(f"{error.what}; a record lists the items it holds") from None
        if -1 in found:
            raise self._outside(None)
        if truth and self.longest is not None and len(found) > self.longest:
            raise self._too_long(None)
        return sorted(found)

    def check_wire(self, wire: Any) -> None:
        n = len(self._needed())
        if not isinstance(wire, list | tuple) or any(type(i) is not int for i in wire):
            raise InputError("a perturbed record must be a list of whole numbers")
        if len(wire) > n or any(not 0 <= i < n for i in wire):
            raise InputError(f"a position lies outside 0..{n - 1}; use the collector's scheme file")
        if any(low >= high for low, high in pairwise(wire)):
            raise InputError("positions must rise")

    # -- about itself ---------------------------------------------------------------------------------------------

    def bound_to(self, records: Any, *, max_length: int | None = None) -> "ItemScheme":
        """This scheme; one that names no items, or no longest record, bound to those given."""
        if self.universe is not None:
            unsaid = max_length is not None and self.longest is None
            return replace(self, max_length=max_length) if unsaid else self
        if not are_baskets(records):
            raise InputError("a scheme without a universe perturbs transactions; bind it with .for_items(labels)")
        return self.for_items(records.labels, max_length)

    def loss(self, perturbed: Any) -> dict[str, Any]:
        found: dict[str, Any] = {"records": len(perturbed)}
        if are_baskets(perturbed):
            found["mean_length"] = round(perturbed.entries / max(1, len(perturbed)), 3)
        for length in LENGTHS[: self._conditioned()]:
            found[f"condition_number_length_{length}"] = float(f"{self.condition_number(length):.6g}")
        return found

    def _conditioned(self) -> int:
        """For how many lengths of itemsets a condition number is known."""
        return len(LENGTHS) if self.longest is None else self.longest

    def compared(self, records: Any, perturbed: Any) -> dict[str, int]:
        if not isinstance(records, Transactions):
            return {"items after": len(perturbed.indices)}
        held, shown = (pairs(tx, perturbed.codes) for tx in (records, perturbed))
        kept = len(np.intersect1d(held, shown, assume_unique=True))
        return {"true items": len(held), "true items still there": kept, "false items": len(shown) - kept}

    def question(self) -> DeviceSentence:
        if self.fields is not None:
            return self.fields.question()
        items = len(self._needed())
        if self.max_length is None:
            return DeviceSentence.of("asked items", n=items)
        return DeviceSentence.of("asked items most", n=items, most=self.max_length)

    def numbered(self) -> NumberedRecords:
        universe = self.universe
        if universe is None:
            raise UsageError("the scheme names no items, so its domain is open; bind it with .for_items(labels)")
        return numbered_items(self.perturb, universe, self.fields, self.longest)

    def smaller(self) -> "ItemScheme":
        """Over its first four items, or as many of its fields as leave no more than MOST_OUTPUTS answers."""
        if self.fields is not None:
            few = self.fields.first(lambda fields: 2 ** len(fields.columns) <= MOST_OUTPUTS)
            return self if few is self.fields else replace(self, fields=few, max_length=None)
        if self.items is not None and len(self.items) <= 14:
            return self
        longest = None if self.max_length is None else min(self.max_length, 4)
        return replace(self, items=(self.items or ("1", "2", "3", "4"))[:4], max_length=longest)

    # -- at the server --------------------------------------------------------------------------------------------

    def unpack(self, lengths: NDArray[np.int32], codes: NDArray[np.int32]) -> Transactions:
        indptr = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        return Transactions.from_arrays(indptr, codes, self._needed())

    @abstractmethod
    def layer_estimator(self, n: int, *, record_length: int | None = None) -> LayerEstimator:
        """How supports of sets of n items are estimated; `record_length` as for `mine`."""

    @abstractmethod
    def item_weights(self, n: int, *, record_length: int | None = None) -> ItemWeights:
        """The weight of sets of n items in a perturbed record; see `item_estimates`."""

    def longest_estimable(self, *, max_length: int | None, record_length: int | None) -> int | None:
        """The longest itemset that can be reconstructed and was asked for; None for no limit."""
        limits = [limit for limit in (max_length, self._fields_held()) if limit is not None]
        return min(limits, default=None)

    def _fields_held(self) -> int | None:
        return None if self.fields is None else len(self.fields)

    def search(self, perturbed: Any, question: Question) -> MinedLevels:
        records = minable(perturbed, self.universe, kind=self.kind)
        wanted = question.wanted(len(records))
        levels = mine_items(
            self,
            records,
            wanted,
            record_length=question.record_length,
            counter=question.counter,
            way=question.way,
        )
        return MinedLevels(levels=levels, wanted=wanted, labels=records.labels, records=len(records))

    def covariances(self, rules: Rules, *, record_length: int | None = None) -> NDArray[np.float64]:
        return item_covariances(rules, lambda n: self.item_weights(n, record_length=record_length))

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
            raise InputError(f"items must be a list of texts, or null, not {type(items).__name__}")
        if items is not None and not all(is_label(item) for item in items):
            raise InputError("an item is empty, has blanks around it, or UTF-8 cannot carry it")
        return {
            "items": None if items is None else tuple(items),
            "fields": None if fields is None else Fields.from_list(fields),
            "max_length": longest,
        }


BINDINGS = ("items", "fields", "max_length")
