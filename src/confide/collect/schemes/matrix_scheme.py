"""Any perturbation matrix of the user's own: one over whole records (joint), or one for each field.

Entry [v, u] is the chance that u becomes v, so every column is a law (Eq. 4.1), and within a row no entry may be more
than gamma times another (Eq. 4.2). Entries are decimals and mean what is written; a column whose decimals do not add up
to exactly 1 (thirds, say) may miss it by one part in 10^10 and is divided by its sum, exactly.
"""

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.collect.estimating.cell_estimates import CellEstimator, FieldByField, Joint, MergedRecords
from confide.collect.estimating.forecasts import column_error
from confide.collect.fields.field import plain
from confide.collect.fields.fields import Fields
from confide.collect.schemes.record_scheme import RecordScheme
from confide.collect.schemes.scheme import Amplified, exact, log, only, singular_ratio
from confide.collect.schemes.strict_parameters import column_moves, kept_rates
from confide.collect.wording.languages import DeviceSentence
from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.numbers import python_number

if TYPE_CHECKING:
    from confide.core.randomness import Randomness

__all__ = ["MatrixScheme"]

_TOLERANCE = Fraction(1, 10**10)
_SMALLEST_PIVOT = 1e-12  # below it doubles reconstruct nothing
_MOST = 1024  # values of a matrix: a million entries, read as exact decimals in a second or two

Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, kw_only=True, init=False)
class MatrixScheme(RecordScheme):
    """Perturbs by `matrix` over whole records, the last field fastest, or by one of `matrices` for each field.

    One for each field are drawn independently, and gamma is the product of the fields' own. Refused: entries below 0,
    columns that do not add up to 1, matrices that cannot be inverted, rows that hold both 0 and more (no finite gamma).

    >>> scheme = MatrixScheme(domains=[2], matrix=[[0.75, 0.25], [0.25, 0.75]])
    >>> scheme.amplification().gamma
    3.0
    """

    kind = "matrix"

    matrices: tuple[Rows, ...]
    joint: bool

    def __init__(self, *, domains: Any, matrix: Any = None, matrices: Any = None, joint: bool = False) -> None:
        """`matrices` with `joint` set is how a scheme file gives the one matrix."""
        if (matrix is None) == (matrices is None):
            raise RequirementError(
                "give either matrix (over whole records) or matrices (one for each field)",
                parameter="matrix",
                value=matrix,
            )
        object.__setattr__(self, "domains", domains)
        object.__setattr__(self, "matrices", _rows([matrix] if matrices is None else matrices))
        object.__setattr__(self, "joint", joint or matrix is not None)
        self.__post_init__()

    def __post_init__(self) -> None:
        super().__post_init__()
        sizes = (self.cells,) if self.joint else self.fields.sizes
        if len(self.matrices) != len(sizes):
            raise RequirementError(
                f"{len(self.matrices)} matrices for {len(sizes)} {'record' if self.joint else 'fields'}; give one each"
            )
        for name, size, rows in zip(self._names(), sizes, self.matrices, strict=True):
            _check_matrix(name, size, rows)

    def _names(self) -> tuple[str, ...]:
        return ("the matrix",) if self.joint else tuple(f"the matrix of {name!r}" for name in self.fields.names)

    # -- the law --------------------------------------------------------------------------------------------------

    @cached_property
    def laws(self) -> tuple[tuple[tuple[Fraction, ...], ...], ...]:
        """For each matrix and each of its columns u, the exact chances of v = 0, 1, ...; they add up to 1."""
        return tuple(_columns(rows) for rows in self.matrices)

    def matrix(self, fields: Sequence[str] | None = None) -> NDArray[np.float64]:
        """A over the cells of these fields (default: all), the last field fastest.

        A joint matrix is given for all fields only: what a few of them become depends on the others.
        """
        chosen = self._chosen(fields)
        if self.joint:
            if len(chosen) < len(self.fields):
                raise UsageError(
                    f"a joint matrix has none over {len(chosen)} of its {len(self.fields)} fields; leave out fields"
                )
            return _floats(self.laws[0])
        self._check_writable(math.prod(self.fields.sizes[i] for i in chosen))
        found: NDArray[Any] = np.ones((1, 1))
        for i in chosen:
            found = np.kron(found, _floats(self.laws[i]))
        return found

    def condition_number(self, length: int | None = None) -> float:
        """Of the joint matrix; else the worst over `length` fields (default all): the product of the largest ones."""
        each = sorted((singular_ratio(_floats(law)) for law in self.laws), reverse=True)
        return math.prod(each if length is None or self.joint else each[:length])

    def amplification(self, max_length: int | None = None) -> Amplified:
        """The largest ratio within a row; over independent fields their product."""
        each = [_gamma(law) for law in self.laws]
        epsilon = sum(log(gamma) for gamma in each)
        return Amplified.from_log(
            epsilon, gamma=math.prod(each, start=Fraction(1)) if epsilon < 709 else None, per_item=None, max_length=None
        )

    def standard_error_at(self, gamma: float, *, length: int, support: float, records: int) -> float:
        """With a matrix for each field, each as good as another: k-ary randomised response. nan if joint."""
        if self.joint:
            return math.nan
        rates = kept_rates(self.fields.sizes, column_moves(gamma, self.fields.sizes))
        return column_error(rates, length=length, support=support, records=records)

    def _over(self, fields: Fields) -> "MatrixScheme":
        raise UsageError(f"a matrix over {fields.cells:,} cells cannot be audited in parts; audit a smaller one")

    def device_steps(self) -> tuple[DeviceSentence, ...]:
        return (DeviceSentence.of("matrix"),)

    # -- drawing --------------------------------------------------------------------------------------------------

    @cached_property
    def _cumulative(self) -> tuple[list[list[Fraction]], ...]:
        return tuple([list(accumulate(column[:-1])) for column in law] for law in self.laws)

    def _draw_one(self, codes: list[int], randomness: "Randomness") -> list[int]:
        found: list[int] = self._draw(np.array([codes], dtype=np.int32), randomness)[0].tolist()
        return found

    def _draw(self, codes: NDArray[np.int32], randomness: "Randomness") -> NDArray[np.int32]:
        from confide.collect.schemes.sampling import choose

        if self.joint:
            return self.fields.split(choose(self.fields.join(codes), self._cumulative[0], randomness))
        out = np.empty_like(codes)
        for j, law in enumerate(self._cumulative):
            out[:, j] = choose(codes[:, j].astype(np.int64), law, randomness)
        return out

    # -- at the server --------------------------------------------------------------------------------------------

    def cell_estimator(self, cells: MergedRecords) -> CellEstimator:
        if self.joint:
            return Joint(self.matrix(), cells)
        return FieldByField([self.matrix([name]) for name in self.fields.names], cells)

    # -- as JSON --------------------------------------------------------------------------------------------------

    def parameters(self) -> dict[str, Any]:
        matrices = [[[plain(entry) for entry in row] for row in rows] for rows in self.matrices]
        return {"fields": self.fields.to_list(), "matrices": matrices, "joint": self.joint}

    @classmethod
    def from_parameters(cls, data: Mapping[str, Any]) -> "MatrixScheme":
        only(data, cls.kind, ["fields", "matrices", "joint"])
        if not isinstance(data["joint"], bool):
            raise InputError(f"joint must be true or false, not {type(data['joint']).__name__}")
        return cls(domains=Fields.from_list(data["fields"]), matrices=data["matrices"], joint=data["joint"])


def _rows(matrices: Any) -> tuple[Rows, ...]:
    """Plain tuples of plain numbers, whatever the caller has."""
    try:
        found = tuple(tuple(tuple(_number(entry) for entry in row) for row in rows) for rows in matrices)
    except TypeError:
        raise RequirementError("a matrix must be a list of rows of numbers") from None
    return found


def _number(entry: Any) -> float:
    entry = python_number(entry)
    if not isinstance(entry, int | float) or isinstance(entry, bool) or abs(entry) > sys.float_info.max:
        raise TypeError
    return entry


def _check_matrix(name: str, size: int, rows: Rows) -> None:
    if size > _MOST:
        raise RequirementError(f"{name} would have {size:,} rows; a written-out matrix has at most {_MOST:,}")
    if len(rows) != size or any(len(row) != size for row in rows):
        raise RequirementError(f"{name} must have {size} rows and {size} columns")
    entries = np.array(rows, dtype=np.float64)
    if not np.isfinite(entries).all() or (entries < 0).any():
        raise RequirementError(f"{name} has an entry below 0 or not finite (Eq. 4.1)")
    for u in range(size):
        total = sum((exact(row[u]) for row in rows), start=Fraction(0))
        if abs(total - 1) > _TOLERANCE:
            raise RequirementError(
                f"column {u + 1} of {name} adds up to {float(total):.9g}, not 1 (Eq. 4.1); entry [v, u] is the chance "
                "that u becomes v"
            )
    if ((entries == 0).any(axis=1)).any():
        raise RequirementError(f"a row of {name} holds a 0, so some truths are ruled out: no finite gamma (Eq. 4.2)")
    if _is_singular(entries):
        raise RequirementError(f"{name} cannot be inverted, so nothing can be reconstructed; make its columns differ")


def _is_singular(entries: NDArray[np.float64]) -> bool:
    """Gauss with the largest pivot of each column. The browser client does the same sums in the same order, so that
    both take the same schemes; a library's decomposition would round in its own way."""
    a = entries.copy()
    for k in range(len(a)):
        best = k + int(np.argmax(np.abs(a[k:, k])))
        if abs(a[best, k]) < _SMALLEST_PIVOT:
            return True
        a[[k, best]] = a[[best, k]]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k] / a[k, k], a[k, k + 1 :])
    return False


def _columns(rows: Rows) -> tuple[tuple[Fraction, ...], ...]:
    columns = []
    for u in range(len(rows)):
        entries = [exact(row[u]) for row in rows]
        total = sum(entries, start=Fraction(0))
        columns.append(tuple(entry / total for entry in entries))
    return tuple(columns)


def _floats(law: tuple[tuple[Fraction, ...], ...]) -> NDArray[np.float64]:
    """The matrix of a law given column by column."""
    return np.array([[float(entry) for entry in column] for column in law]).T


def _gamma(law: tuple[tuple[Fraction, ...], ...]) -> Fraction:
    return max(max(row) / min(row) for row in zip(*law, strict=True))
