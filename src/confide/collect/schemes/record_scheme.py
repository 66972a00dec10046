"""What the schemes for categorical records share: fields in order, records as codes, the wire."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.collect.estimating.cell_estimates import CellEstimator, MergedRecords
from confide.collect.estimating.field_search import mine_fields
from confide.collect.estimating.miner_questions import MinedLevels, Question
from confide.collect.fields.fields import Fields, is_record
from confide.collect.numbered import MOST_OUTPUTS, NumberedRecords, check_size
from confide.collect.schemes.scheme import LENGTHS, Scheme
from confide.collect.wording.languages import DeviceSentence
from confide.core.errors import InputError, UsageError
from confide.core.runtime.threads import answers_ctrl_c

if TYPE_CHECKING:
    import pyarrow as pa

    from confide.core.randomness import Randomness

__all__ = ["RecordScheme"]

MOST_CELLS = 4096
"""The largest joint matrix that is written out: 128 MiB."""


@dataclass(frozen=True, kw_only=True)
class RecordScheme(Scheme):
    """A scheme for records with one value in each field; `domains` as `Fields.of` takes them."""

    domains: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "domains", Fields.of(self.domains))

    @property
    def fields(self) -> Fields:
        """The fields, in order."""
        found: Fields = self.domains
        return found

    @property
    def universe(self) -> tuple[str, ...]:
        return self.fields.columns

    @property
    def sends_items(self) -> bool:
        return False

    @property
    def longest(self) -> int:
        return len(self.fields)

    @property
    def cells(self) -> int:
        """n, the number of records that are possible."""
        return self.fields.cells

    # -- perturbing -----------------------------------------------------------------------------------------------

    @abstractmethod
    def _draw_one(self, codes: list[int], randomness: "Randomness") -> list[int]:
        """Perturb the codes of one record."""

    @abstractmethod
    def _draw(self, codes: NDArray[np.int32], randomness: "Randomness") -> NDArray[np.int32]:
        """Perturb rows of codes, known to be within their fields."""

    def perturb(self, records: Any, *, randomness: "Randomness | None" = None) -> Any:
        """Perturb one record (a dict, or a tuple or list in field order) or a batch; the same type comes back.

        A batch is a pandas, polars or Arrow frame with exactly the scheme's columns, a list of records, an array of
        codes [N, M], or an array of N cells. Numbers of a field with edges come back as the labels of bins.
        """
        from confide.core.randomness import Randomness

        source = Randomness.system() if randomness is None else randomness
        if is_record(records):
            row = self.fields.decode_one(self._draw_one(self.fields.encode_one(records), source))
            if isinstance(records, Mapping):
                return dict(zip(self.fields.names, row, strict=True))
            return list(row) if isinstance(records, list) else row
        return self._perturb_batch(records, source)

    @answers_ctrl_c
    def _perturb_batch(self, records: Any, randomness: "Randomness") -> Any:
        if isinstance(records, np.ndarray) and records.ndim == 1:
            self.fields.check_cells(records)
            return self._draw_cells(records, randomness).astype(records.dtype, copy=False)
        return self.fields.decode(self._draw(self.fields.encode(records), randomness), like=records)

    def _draw_cells(self, cells: NDArray[Any], randomness: "Randomness") -> NDArray[Any]:
        """Perturb cells, known to be within 0..n-1."""
        return self.fields.join(self._draw(self.fields.split(cells), randomness))

    # -- the wire -------------------------------------------------------------------------------------------------

    def encode(self, record: Any) -> list[int]:
        """The code of each field's value, in order."""
        return self.fields.encode_one(record)

    def check_wire(self, wire: Any) -> None:
        order = f"fields come in the order: {', '.join(self.fields.names)}"
        if not isinstance(wire, list | tuple) or any(type(code) is not int for code in wire):
            raise InputError("a perturbed record must be a list of whole numbers")
        if len(wire) != len(self.fields):
            raise InputError(f"a record has {len(wire)} codes for {len(self.fields)} fields; {order}")
        for name, size, code in zip(self.fields.names, self.fields.sizes, wire, strict=True):
            if not 0 <= code < size:
                raise InputError(f"a code of field {name!r} lies outside 0..{size - 1}; {order}")

    # -- about itself ---------------------------------------------------------------------------------------------

    def _chosen(self, fields: Sequence[str] | None) -> tuple[int, ...]:
        """Positions of the named fields, in the scheme's order; all of them by default."""
        if fields is None:
            return tuple(range(len(self.fields)))
        found = sorted({self.fields.position(name) for name in fields})
        if not found:
            raise UsageError(f"name at least one field of: {', '.join(self.fields.names)}")
        return tuple(found)

    def _check_writable(self, cells: int) -> None:
        if cells > MOST_CELLS:
            raise UsageError(f"the matrix over {cells:,} cells is too large to write out; name fewer fields")

    def loss(self, perturbed: Any) -> dict[str, Any]:
        lengths = LENGTHS[: len(self.fields)]
        return {"records": len(perturbed), **{f"condition_number_length_{n}": self._condition(n) for n in lengths}}

    def _condition(self, length: int) -> float:
        return float(f"{self.condition_number(length):.6g}")

    def compared(self, records: Any, perturbed: Any) -> dict[str, int]:
        before, after = self.fields.encode(records), self.fields.encode(perturbed)
        facts = {"records unchanged": int((before == after).all(axis=1).sum())}
        return facts | {
            f"values of {name!r} unchanged": int((before[:, i] == after[:, i]).sum())
            for i, name in enumerate(self.fields.names)
        }

    def numbered(self) -> NumberedRecords:
        """Records and answers are cells."""
        check_size(self.cells)

        def draw(truth: int, times: int, randomness: "Randomness | None") -> NDArray[np.int64]:
            return np.asarray(self.perturb(np.full(times, truth, dtype=np.int64), randomness=randomness))

        def shown(cell: int) -> dict[str, str]:
            row = self.fields.split(np.array([cell]))[0]
            return dict(zip(self.fields.names, self.fields.decode_one(row), strict=True))

        return NumberedRecords(truths=self.cells, answers=self.cells, draw=draw, truth=shown, answer=shown)

    def smaller(self) -> "RecordScheme":
        """Over its first fields, as many as leave no more than MOST_OUTPUTS cells."""
        kept = self.fields.first(lambda fields: fields.cells <= MOST_OUTPUTS)
        return self if kept is self.fields else self._over(kept)

    def _over(self, fields: Fields) -> "RecordScheme":
        """The same law over other fields."""
        return replace(self, domains=fields)

    def question(self) -> DeviceSentence:
        return self.fields.question()

    # -- at the server --------------------------------------------------------------------------------------------

    def unpack(self, lengths: NDArray[np.int32], codes: NDArray[np.int32]) -> NDArray[np.int32]:
        return codes.reshape(-1, len(self.fields))

    def released(self, records: Any) -> "pa.Table":
        return self.fields.to_table(records)

    @abstractmethod
    def cell_estimator(self, cells: MergedRecords) -> CellEstimator:
        """How supports are estimated from these perturbed records."""

    def search(self, perturbed: Any, question: Question) -> MinedLevels:
        if question.counter is not None:
            raise UsageError(
                f"a {self.kind} scheme needs tables of values, not counts of candidates; leave out counter"
            )
        cells = MergedRecords.perturbed(self.fields, perturbed)
        wanted = question.wanted(cells.records)
        levels = mine_fields(self, cells, wanted)
        return MinedLevels(levels=levels, wanted=wanted, labels=self.fields.columns, records=cells.records)
