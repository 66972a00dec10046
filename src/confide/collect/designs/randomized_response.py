"""k-ary randomised response, field by field: each value stays or becomes another, gamma shared among the fields.

One field keeps all of gamma. With M fields each has gamma^(1/M), so errors grow quickly with M: ask one field a person
(`SampledDesign(size=1)`) unless combinations are wanted. Over whole records k-ary randomised response is
`GammaDiagonal`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.collect.designs.block_scheme import check_bound
from confide.collect.estimating.cell_estimates import CellEstimator, FieldByField, MergedRecords
from confide.collect.estimating.forecasts import column_error
from confide.collect.fields.field import is_finite, plain
from confide.collect.fields.fields import Fields
from confide.collect.schemes.promise import share
from confide.collect.schemes.record_scheme import RecordScheme
from confide.collect.schemes.scheme import Amplified, exact, log, only
from confide.collect.wording.languages import DeviceSentence
from confide.core.errors import CannotMeetError, InputError, RequirementError

if TYPE_CHECKING:
    from confide.core.randomness import Randomness

__all__ = ["RandomizedResponse"]

_DIGITS = 9


@dataclass(frozen=True, kw_only=True)
class RandomizedResponse(RecordScheme):
    """Each field's value stays with g/(g + k - 1) and becomes each of the k - 1 others with 1/(g + k - 1).

    `gamma` is for the whole record. `gammas`, one g for each field, may share it unevenly: a field with a larger g is
    estimated better. Their product may not pass gamma; by default all are gamma^(1/M), rounded down.

    >>> RandomizedResponse(domains={"ill": ["no", "yes"]}, gamma=19).gammas
    (19,)
    >>> RandomizedResponse(domains=[2, 2], gamma=19).gammas
    (4.358898943, 4.358898943)
    """

    kind = "randomized-response"

    gamma: float
    gammas: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_bound(self.gamma)
        m = len(self.fields)
        given = _share_gamma(self.gamma, m) if self.gammas is None else tuple(self.gammas)
        if len(given) != m:
            raise RequirementError(f"{len(given)} gammas for {m} fields; give one for each")
        if any(not is_finite(g) or g <= 1 for g in given):
            raise RequirementError(
                f"gammas={list(given)}: each must be a finite number above 1", parameter="gammas", value=list(given)
            )
        object.__setattr__(self, "gammas", given)
        if math.prod((exact(g) for g in given), start=Fraction(1)) > exact(self.gamma):
            raise RequirementError(
                f"gammas={list(given)} multiply to more than gamma={self.gamma}", parameter="gammas", value=list(given)
            )

    @property
    def each(self) -> tuple[float, ...]:
        """The gamma of each field."""
        assert self.gammas is not None
        return self.gammas

    def matrix(self, fields: Sequence[str] | None = None) -> NDArray[np.float64]:
        """A over the cells of these fields (default: all), the last field fastest."""
        chosen = self._chosen(fields)
        self._check_writable(math.prod(self.fields.sizes[i] for i in chosen))
        found: NDArray[Any] = np.ones((1, 1))
        for i in chosen:
            found = np.kron(found, _matrix(self.each[i], self.fields.sizes[i]))
        return found

    def condition_number(self, length: int | None = None) -> float:
        """The worst over `length` fields (default all): the product of the largest (g + k - 1)/(g - 1)."""
        each = sorted(((g + k - 1) / (g - 1) for g, k in zip(self.each, self.fields.sizes, strict=True)), reverse=True)
        return math.prod(each[:length])

    def amplification(self, max_length: int | None = None) -> Amplified:
        """The product of the fields' own, at most gamma."""
        gamma = math.prod((exact(g) for g in self.each), start=Fraction(1))
        return Amplified.from_log(log(gamma), gamma=gamma, per_item=None, max_length=None)

    def standard_error_at(self, gamma: float, *, length: int, support: float, records: int) -> float:
        given = _share_gamma(gamma, len(self.fields))
        rates = [(g / (g + k - 1), 1 - 1 / (g + k - 1)) for g, k in zip(given, self.fields.sizes, strict=True)]
        return column_error(rates, length=length, support=support, records=records)

    def device_steps(self) -> tuple[DeviceSentence, ...]:
        g, k = self.each[0], self.fields.sizes[0]
        first = DeviceSentence.of("by field", name=self.fields.names[0], p=share(g / (g + k - 1)), others=k - 1)
        return (first,) if len(self.fields) == 1 else (first, DeviceSentence.of("likewise"))

    def _over(self, fields: Fields) -> "RandomizedResponse":
        return replace(self, domains=fields, gammas=self.each[: len(fields)])

    # -- drawing --------------------------------------------------------------------------------------------------

    def _draw_one(self, codes: list[int], randomness: "Randomness") -> list[int]:
        found: list[int] = self._draw(np.array([codes], dtype=np.int32), randomness)[0].tolist()
        return found

    def _draw(self, codes: NDArray[np.int32], randomness: "Randomness") -> NDArray[np.int32]:
        from confide.collect.schemes.sampling import keep_or_uniform

        out = np.empty_like(codes)
        for j, (g, size) in enumerate(zip(self.each, self.fields.sizes, strict=True)):
            keep = (exact(g) - 1) / (exact(g) + size - 1)
            out[:, j] = keep_or_uniform(np.ascontiguousarray(codes[:, j : j + 1]), (size,), keep, randomness)[:, 0]
        return out

    # -- at the server --------------------------------------------------------------------------------------------

    def cell_estimator(self, cells: MergedRecords) -> CellEstimator:
        return FieldByField([_matrix(g, k) for g, k in zip(self.each, self.fields.sizes, strict=True)], cells)

    # -- as JSON --------------------------------------------------------------------------------------------------

    def parameters(self) -> dict[str, Any]:
        return {
            "fields": self.fields.to_list(),
            "gamma": plain(self.gamma),
            "gammas": [plain(g) for g in self.each],
        }

    @classmethod
    def from_parameters(cls, data: Mapping[str, Any]) -> "RandomizedResponse":
        only(data, cls.kind, ["fields", "gamma", "gammas"])
        if not isinstance(data["gammas"], list):
            raise InputError(f"gammas must be a list with a number for each field, not {type(data['gammas']).__name__}")
        return cls(domains=Fields.from_list(data["fields"]), gamma=data["gamma"], gammas=tuple(data["gammas"]))


def _share_gamma(gamma: float, fields: int) -> tuple[float, ...]:
    """gamma^(1/M) for each of M fields, rounded down to nine digits; gamma itself for one."""
    if fields == 1:
        return (gamma,)
    root = Decimal(repr(gamma ** (1 / fields)))
    each = float(root.quantize(Decimal(1).scaleb(-_DIGITS), rounding=ROUND_FLOOR))
    while exact(each) ** fields > exact(gamma):  # the root itself was rounded up
        each = float(Decimal(repr(each)) - Decimal(1).scaleb(-_DIGITS))
    if each <= 1:
        raise CannotMeetError(
            f"shared among {fields} fields, gamma={gamma:g} leaves nothing of the data; ask fewer fields, or one a "
            "person (SampledDesign with size=1)",
            parameter="gamma",
            value=gamma,
        )
    return (each,) * fields


def _matrix(gamma: float, size: int) -> NDArray[np.float64]:
    found = np.full((size, size), 1 / (gamma + size - 1))
    np.fill_diagonal(found, gamma / (gamma + size - 1))
    return found
