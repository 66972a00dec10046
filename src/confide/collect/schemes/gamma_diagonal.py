"""FRAPP's gamma-diagonal matrix: the whole record stays with a certain chance, else any record is as likely (ch. 4).

    A[v, u] = gamma x  if v = u, else x,      x = 1/(gamma + n - 1),      n = number of possible records

Written as a mixture this is: keep the record with probability (gamma - 1) x, else draw one uniformly from all n. That
is how `perturb` draws; the paper's own column by column chain (Eq. 4.26) has the same law. Both are k-ary randomised
response. Among symmetric positive definite matrices under the same gamma none has a smaller condition number; a
symmetric one that is not definite may (see the errata in the docs: 4.616 against 5.056 with 73 cells).

RAN-GD (alpha > 0): each client first draws its own r, uniform on [-a, a] with a = alpha gamma x, keeps its record with
probability gamma x + r and else moves to one of the others. Nobody sees r, so what leaves has the law of alpha = 0:
the same gamma, the same posterior, the same accuracy. The paper's "33%" guarantees nothing.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.collect.estimating.cell_estimates import KeepOrUniform, MergedRecords
from confide.collect.estimating.forecasts import keep_error
from confide.collect.estimating.rule_errors import cell_covariances
from confide.collect.fields.field import is_finite, plain
from confide.collect.fields.fields import Fields
from confide.collect.schemes.promise import posterior_range, share
from confide.collect.schemes.record_scheme import RecordScheme
from confide.collect.schemes.scheme import Amplified, exact, only
from confide.collect.wording.languages import DeviceSentence
from confide.core.errors import RequirementError
from confide.core.requirements.amplification import NO_ALPHA
from confide.mining.rules.association import Rules

if TYPE_CHECKING:
    from confide.core.randomness import Randomness

__all__ = ["GammaDiagonal"]


@dataclass(frozen=True, kw_only=True)
class GammaDiagonal(RecordScheme):
    """Keeps the whole record with probability (gamma - 1)/(gamma + n - 1), else draws one of all n records uniformly.

    A larger gamma estimates better and protects worse; 19 keeps a property of prior 5% below 50%. `alpha` (RAN-GD), in
    multiples of gamma x, adds a secret r per client and no privacy that can be promised; at most
    min(1, (n-1)/gamma).

    >>> scheme = GammaDiagonal(domains={"sex": ["F", "M"], "smokes": ["no", "yes"]}, gamma=19)
    >>> scheme.matrix()[0].round(3).tolist()
    [0.864, 0.045, 0.045, 0.045]
    """

    kind = "gamma-diagonal"

    gamma: float
    alpha: float = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_finite(self.gamma):
            raise RequirementError(
                f"gamma={self.gamma} bounds nothing; use a finite number above 1, such as 19",
                parameter="gamma",
                value=self.gamma,
            )
        if self.gamma <= 1:
            raise RequirementError(
                f"gamma={self.gamma} erases the data; use a number above 1, such as 19",
                parameter="gamma",
                value=self.gamma,
            )
        if not is_finite(self.alpha) or self.alpha < 0:
            raise RequirementError(
                f"alpha={self.alpha} must be a number of 0 or more, in multiples of gamma x",
                parameter="alpha",
                value=self.alpha,
            )
        if exact(self.alpha) > self._largest_alpha():
            raise RequirementError(
                f"alpha={self.alpha} would make probabilities negative; with gamma={self.gamma} and {self.cells:,} "
                f"cells use at most min(1, (n-1)/gamma) = {float(self._largest_alpha()):.6g}",
                parameter="alpha",
                value=self.alpha,
            )

    def _largest_alpha(self) -> Fraction:
        """From alpha gamma x <= min(gamma x, (n-1) x)."""
        return min(Fraction(1), (self.cells - 1) / exact(self.gamma))

    # -- the law --------------------------------------------------------------------------------------------------

    @property
    def x(self) -> Fraction:
        """The chance of one particular other record: 1/(gamma + n - 1)."""
        return 1 / (exact(self.gamma) + self.cells - 1)

    @property
    def keep(self) -> Fraction:
        """The chance that the record is kept before anything is drawn: (gamma - 1) x."""
        return (exact(self.gamma) - 1) * self.x

    def matrix(self, fields: Sequence[str] | None = None) -> NDArray[np.float64]:
        """A over the cells of these fields (default: all), the last field fastest (Eq. 4.13 and 4.28, as corrected)."""
        cells = math.prod(self.fields.sizes[i] for i in self._chosen(fields))
        self._check_writable(cells)
        found = np.full((cells, cells), float(self.x * (self.cells // cells)))
        np.fill_diagonal(found, float(self.keep + self.x * (self.cells // cells)))
        return found

    def condition_number(self, length: int | None = None) -> float:
        """(gamma + n - 1)/(gamma - 1), whatever the length; no symmetric positive definite matrix under gamma has a
        smaller one."""
        return float(1 / self.keep)

    def amplification(self, max_length: int | None = None) -> Amplified:
        """gamma, whatever the data and alpha."""
        return Amplified.of(exact(self.gamma))

    def caveats(self) -> tuple[str, ...]:
        if not self.alpha:
            return ()
        return (NO_ALPHA,)

    def posterior_ranges(self, priors: Sequence[float]) -> list[dict[str, float]]:
        if not self.alpha:
            return []
        ranges = [posterior_range(prior, gamma=self.gamma, alpha=self.alpha, cells=self.cells) for prior in priors]
        return [{"rho1": prior, "low": low, "high": high} for prior, (low, high) in zip(priors, ranges, strict=True)]

    def loss(self, perturbed: Any) -> dict[str, Any]:
        return {
            "records": len(perturbed),
            "chance_a_record_stays": float(self.keep + self.x),
            "condition_number": float(f"{self.condition_number():.6g}"),  # the same for every length
        }

    def item_rates(self, data: Any = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        keep = (self.gamma - 1) / (self.gamma + self.cells - 1)
        other = np.repeat([(1 - keep) / size for size in self.fields.sizes], self.fields.sizes)
        order = self.fields.label_order()
        return (keep + other)[order], (1 - other)[order]

    def standard_error_at(self, gamma: float, *, length: int, support: float, records: int) -> float:
        return keep_error(gamma, self.fields.sizes, length=length, support=support, records=records)

    def device_steps(self) -> tuple[DeviceSentence, ...]:
        keep = (self.gamma - 1) / (self.gamma + self.cells - 1)
        own = keep + (1 - keep) / self.cells
        return (DeviceSentence.of("gamma-diagonal", keep=share(keep), cells=self.cells, own=share(own)),)

    # -- drawing --------------------------------------------------------------------------------------------------

    def _draw_one(self, codes: list[int], randomness: "Randomness") -> list[int]:
        if self.alpha:
            found: list[int] = self._draw(np.array([codes], dtype=np.int32), randomness)[0].tolist()
            return found
        if randomness.bernoulli(self.keep, 1)[0]:
            return codes
        return [int(randomness.integers(size, 1)[0]) for size in self.fields.sizes]

    def _draw(self, codes: NDArray[np.int32], randomness: "Randomness") -> NDArray[np.int32]:
        from confide.collect.schemes import sampling

        if self.alpha:
            a = exact(self.alpha) * exact(self.gamma) * self.x
            stay = exact(self.gamma) * self.x
            return sampling.stay_or_move(codes, self.fields.sizes, stay - a, stay + a, randomness)
        return sampling.keep_or_uniform(codes, self.fields.sizes, self.keep, randomness)

    def _draw_cells(self, cells: NDArray[Any], randomness: "Randomness") -> NDArray[Any]:
        """A record is kept or drawn as a whole, so its cell may stand for it as one field of n values."""
        from confide.collect.schemes import sampling

        if self.alpha or self.cells > sampling.LARGEST:
            return super()._draw_cells(cells, randomness)
        return sampling.keep_or_uniform(cells.reshape(-1, 1), (self.cells,), self.keep, randomness).reshape(-1)

    # -- at the server --------------------------------------------------------------------------------------------

    def cell_estimator(self, cells: MergedRecords) -> KeepOrUniform:
        return KeepOrUniform(float(self.keep), cells)

    def covariances(self, rules: Rules, *, record_length: int | None = None) -> NDArray[np.float64]:
        return cell_covariances(rules, keep=float(self.keep), sizes=self.fields.sizes)

    def kept_regions(self) -> tuple[float, Fields]:
        return float(self.keep), self.fields

    # -- as JSON --------------------------------------------------------------------------------------------------

    def parameters(self) -> dict[str, Any]:
        return {"fields": self.fields.to_list(), "gamma": plain(self.gamma), "alpha": plain(self.alpha)}

    @classmethod
    def from_parameters(cls, data: Mapping[str, Any]) -> "GammaDiagonal":
        only(data, cls.kind, ["fields", "gamma"], ["alpha"])
        return cls(domains=Fields.from_list(data["fields"]), gamma=data["gamma"], alpha=data.get("alpha", 0))
