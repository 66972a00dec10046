"""How far estimated itemsets are from the true ones, level by level (paper 003, section 2.3.1).

Mining from perturbed records makes two kinds of mistake: wrong supports, and so wrong itemsets.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from confide.core.errors import UsageError
from confide.core.itemsets.container import Itemsets
from confide.core.runtime.lazy import call
from confide.core.tables.framed import Framed
from confide.mining.rules.subsets import check_itemsets, positions

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Comparison", "LevelErrors", "compare_itemsets"]


@dataclass(frozen=True, kw_only=True)
class LevelErrors:
    """Errors among itemsets of one length. F are the truly frequent sets, R the reported ones.

        level        number of items; None for all lengths together
        true         |F|
        reported     |R|
        found        |F and R|
        sigma_plus   false positives, |R - F| / |F|, in percent; may pass 100
        sigma_minus  false negatives, |F - R| / |F|, in percent
        rho          mean over F and R of |reported support - true support| / true support, in percent

    A quotient without a denominator is infinite when something was there to divide, else nan: `sigma_plus` is
    infinite where sets are reported at a level that has none.
    """

    level: int | None
    true: int
    reported: int
    found: int
    sigma_plus: float
    sigma_minus: float
    rho: float


@dataclass(frozen=True, kw_only=True)
class Comparison(Framed):
    """Errors per level, ascending, and over all levels together."""

    levels: tuple[LevelErrors, ...]
    overall: LevelErrors

    def __len__(self) -> int:
        return len(self.levels)

    def __iter__(self) -> Iterator[LevelErrors]:
        return iter(self.levels)

    def __getitem__(self, level: int) -> LevelErrors:
        """The errors at this level, that is, among itemsets of this many items."""
        for errors in self.levels:
            if errors.level == level:
                return errors
        known = ", ".join(str(errors.level) for errors in self.levels)
        raise UsageError(f"no itemsets of {level} items on either side; levels are: {known or 'none'}")

    def _repr_html_(self) -> str:
        """For notebooks: a row a level, and all of them together."""
        rows = [
            ("all" if e.level is None else e.level, f"{e.true:,}", f"{e.reported:,}", f"{e.found:,}",
             f"{e.sigma_plus:.1f}", f"{e.sigma_minus:.1f}", f"{e.rho:.1f}")
            for e in (self.overall, *self.levels)
        ]  # fmt: skip
        columns = ("items", "true", "reported", "found", "false positives, %", "missed, %", "support error, %")
        return str(call("confide.report.notebook:table_html", columns, rows))

    def to_arrow(self) -> "pyarrow.Table":
        """A table with one row a level."""
        import pyarrow as pa

        names = [field.name for field in fields(LevelErrors)]
        return pa.table({name: [getattr(errors, name) for errors in self.levels] for name in names})


def compare_itemsets(true: Itemsets, estimated: Itemsets) -> Comparison:
    """Compare estimated frequent itemsets with the true ones: identity errors and support error, per level.

    Both are frequent itemsets at the same threshold, matched by label. Supports of `estimated` are its column
    `estimate` (counts, may be fractional) when it has one, else its supports. When the two sides count different
    numbers of records, supports are compared as shares. All errors are in percent; see `LevelErrors`.

    The support error averages over itemsets that are truly *and* reportedly frequent, so it is blind to those
    missed: read it beside `sigma_minus`.

    >>> true = Itemsets.from_pairs([(["a"], 8), (["b"], 5), (["c"], 4), (["a", "b"], 4)], n_transactions=10)
    >>> noisy = Itemsets.from_pairs([(["a"], 10), (["b"], 5), (["d"], 4)], n_transactions=10)
    >>> for e in compare_itemsets(true, noisy):
    ...     print(e.level, e.found, round(e.sigma_plus, 1), round(e.sigma_minus, 1), e.rho)
    1 2 33.3 33.3 12.5
    2 0 0.0 100.0 nan
    """
    for side in (true, estimated):
        check_itemsets(side)
    reported = np.asarray(estimated.columns.get("estimate", estimated.supports), dtype=np.float64)
    if estimated.n_transactions != true.n_transactions:
        reported = reported * (true.n_transactions / estimated.n_transactions)
    at = positions(estimated, true)
    found = at >= 0
    error = np.zeros(len(true))
    error[found] = np.abs(reported[at[found]] - true.supports[found]) / true.supports[found]

    def errors_at(level: int | None) -> LevelErrors:
        here = np.full(len(true), True) if level is None else true.lengths == level
        n_true, n_found = int(here.sum()), int((here & found).sum())
        n_reported = len(estimated) if level is None else int((estimated.lengths == level).sum())
        return LevelErrors(
            level=level,
            true=n_true,
            reported=n_reported,
            found=n_found,
            sigma_plus=_percent(n_reported - n_found, n_true),
            sigma_minus=_percent(n_true - n_found, n_true),
            rho=_percent(float(error[here & found].sum()), n_found),
        )

    levels = sorted({*true.level_counts(), *estimated.level_counts()})
    return Comparison(levels=tuple(errors_at(level) for level in levels), overall=errors_at(None))


def _percent(part: float, whole: int) -> float:
    if whole == 0:
        return float("inf") if part else float("nan")
    return 100 * part / whole
