"""Is this table private? Without a passport: the strongest of each requirement that the table as it stands keeps.

Every number is one that holds: a requirement made with it is met. Where there is no strongest (a strict bound, or more
digits than are shown) the number is the next one, on the safe side, with six digits behind the point.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from confide.audit.verifiers.grouping import Tally, number_values
from confide.audit.verifiers.tables.closeness import Shares, places_of, work_of
from confide.audit.verifiers.tables.diversity import entropies_of, entropies_reach
from confide.audit.verifiers.tables.look import TableLook, look_through
from confide.core.errors import InputError
from confide.core.figures import ShownFields
from confide.core.requirements import BetaLikeness, EntropyDiversity
from confide.core.tables.frames import to_table

__all__ = ["ColumnStrength", "TableStrength", "measure_table"]

_STEP = Decimal("0.000001")
MOST_L = 5
"""Recursive diversity is told for l from 2 up to this."""


@dataclass(frozen=True, kw_only=True)
class ColumnStrength:
    """What holds of one sensitive column in every group. None: no number holds.

    `simple_l`, `distinct_l` and `entropy_l` are the largest l (1 protects nobody). `recursive_c` gives for each l the
    smallest c. `alpha`, `t`, `t_ordered`, `beta`, `enhanced_beta` and `delta` are the smallest that hold; `t_ordered`
    is None too where the values have no order.
    """

    simple_l: int
    distinct_l: int
    entropy_l: float
    recursive_c: Mapping[int, float | None]
    alpha: float
    t: float
    t_ordered: float | None
    beta: float
    enhanced_beta: float | None
    delta: float

    def lines(self) -> list[str]:
        """The same in words."""
        recursive = ", ".join(f"({_number(c)}, {l})" for l, c in self.recursive_c.items() if c is not None)  # noqa: E741
        ordered = "" if self.t_ordered is None else f", ordered {_number(self.t_ordered)}"
        return [
            f"l = {self.simple_l} simple, {self.distinct_l} distinct, {_number(self.entropy_l)} by entropy",
            f"(c, l) = {recursive or 'none'} recursive",
            f"alpha = {_number(self.alpha)}; t = {_number(self.t)}{ordered}",
            f"beta = {_number(self.beta)}, enhanced {_number(self.enhanced_beta)}; delta = {_number(self.delta)}",
        ]


@dataclass(frozen=True, kw_only=True)
class TableStrength(ShownFields):
    """What holds of a table. `k` is the smallest group, in rows or, where a column names them, in persons."""

    rows: int
    groups: int
    k: int
    counts_persons: bool
    identifiers: tuple[str, ...]
    sensitive: Mapping[str, ColumnStrength]

    def lines(self) -> list[str]:
        """The same in words, with a warning for every identifier that is still there."""
        members = "persons" if self.counts_persons else "rows"
        told = [f"{self.rows:,} rows in {self.groups:,} groups; k = {self.k:,} {members} in the smallest"]
        for name in self.identifiers:
            told.append(f"warning: {name!r} is an identifier and still there; no number below helps against that")
        for name, one in self.sensitive.items():
            told += [f"{name}: {text}" for text in one.lines()]
        return told


def measure_table(
    frame: Any, *, roles: Mapping[str, str], orders: Mapping[str, list[str]] | None = None
) -> TableStrength:
    """The largest k and l, the smallest t and so on that a table keeps as it stands; `roles` gives each column's role.

    `orders` declares orders of sensitive values that are not numbers. Persons are told apart by whatever their column
    holds. Identifiers that are still there are named: no number helps against those.

    >>> import pyarrow as pa
    >>> table = pa.table({"age": ["30-39"] * 4, "illness": ["flu", "flu", "gout", "none"]})
    >>> found = measure_table(table, roles={"age": "quasi-identifier", "illness": "sensitive"})
    >>> found.k, found.sensitive["illness"].distinct_l, found.sensitive["illness"].alpha
    (4, 3, 0.5)
    """
    table = to_table(frame)
    missing = [name for name, role in roles.items() if role != "identifier" and name not in table.column_names]
    if missing:
        raise InputError(f"no column {missing[0]!r}; columns are: {', '.join(table.column_names)}")
    if "quasi-identifier" not in roles.values():
        raise InputError("no column has the role quasi-identifier, so there is nothing to be found by")
    if table.num_rows == 0:
        raise InputError("there are no rows to look at")
    look = look_through(table, roles, sensitive=True)
    persons = [name for name, role in roles.items() if role == "person"]
    if persons:
        look = look.of_persons(number_values(table.column(persons[0]), name=persons[0]))
    return TableStrength(
        rows=table.num_rows,
        groups=len(look.sizes),
        k=int(look.sizes.min()),
        counts_persons=bool(persons),
        identifiers=tuple(name for name in table.column_names if roles.get(name) == "identifier"),
        sensitive={name: _column(look, name, (orders or {}).get(name)) for name in look.sensitive},
    )


def _column(look: TableLook, name: str, declared: list[str] | None) -> ColumnStrength:
    tally, filled, shares = look.tally(name), look.filled(name), Shares.of(look, name)
    gain = max(Fraction(0), _largest_ratio(shares) - 1)
    bounded = shares.judged(np.where(shares.gains > 0, -np.log(shares.release) - shares.gains, 1.0), _below_surprise)
    try:
        ordered: float | None = _distance(tally, look.sensitive[name], declared, name)
    except InputError:
        ordered = None
    return ColumnStrength(
        simple_l=int((look.sizes // tally.tops).min()),
        distinct_l=int(filled.different.min()),
        entropy_l=_largest_entropy(filled),
        recursive_c={rank: _smallest_c(filled, rank) for rank in range(2, MOST_L + 1)},
        alpha=_up(_largest(tally.tops, look.sizes)),
        t=_distance(tally, None, None, name),
        t_ordered=ordered,
        beta=_up(gain),
        enhanced_beta=_up(gain) if bounded.all() else None,
        delta=_up(Fraction(float(np.abs(np.log1p(shares.gains)).max()) + 1e-9)),
    )


def _below_surprise(*, group: Fraction, release: Fraction) -> bool:
    """The second bound of enhanced beta-likeness, which no beta can replace."""
    return BetaLikeness(beta=1e300, enhanced=True).allows(group=group, release=release)


def _largest(above: "np.ndarray[Any, Any]", below: "np.ndarray[Any, Any]") -> Fraction:
    """The largest of these fractions: floating point finds those that can be it, whole numbers decide."""
    ratio = above.astype(np.float64) / below.astype(np.float64)
    near = np.flatnonzero(ratio >= ratio.max() * (1 - 1e-9))
    pairs = {(int(above[at]), int(below[at])) for at in near}
    return max(Fraction(a, b) for a, b in pairs)


def _largest_ratio(shares: Shares) -> Fraction:
    near = np.flatnonzero(shares.gains + 1 >= (shares.gains.max() + 1) * (1 - 1e-9))
    keys = {(int(shares.f[at]), int(shares.n[at]), int(shares.F[at])) for at in near}
    return max(Fraction(f * shares.whole, n * F) for f, n, F in keys)


def _smallest_c(filled: Tally, l: int) -> float | None:  # noqa: E741 - the paper's letter
    """The smallest c that is strictly above f1 over the tail in every group."""
    tails = filled.tails(l)
    if (tails == 0).any():
        return None
    bound = _largest(filled.tops, tails)
    found = _up(bound)
    return found if Fraction(repr(found)) > bound else float(Decimal(repr(found)) + _STEP)


def _largest_entropy(filled: Tally) -> float:
    """The largest l of six digits; where the nearest one holds it is that, as with equally common values."""
    rounded = math.exp(max(0.0, float(entropies_of(filled).min())))
    nearest = round(rounded, 6)
    if nearest > 1 and entropies_reach(filled, EntropyDiversity(l=nearest)).all():
        return nearest
    return max(1.0, float((Decimal(repr(rounded)) - Decimal("1e-12")).quantize(_STEP, rounding=ROUND_FLOOR)))


def _distance(tally: Tally, column: Any, declared: list[str] | None, name: str) -> float:
    places = None if column is None else places_of(column, declared, name=name)
    work, unit = work_of(tally, places, tally.by_value(int(tally.value.max(initial=0)) + 1))
    return _up(_largest(work, tally.totals.astype(work.dtype) * int(tally.counts.sum()) * unit))


def _up(value: Fraction) -> float:
    scaled = -((-value.numerator * 10**6) // value.denominator)
    return float(Decimal(scaled).scaleb(-6).quantize(_STEP, rounding=ROUND_CEILING))


def _number(value: float | None) -> str:
    """All its digits: a rounded one might not hold."""
    return "none" if value is None else f"{value:.12g}"
