"""Verify t-closeness, beta-likeness and delta-disclosure: how far each group differs from the whole release.

The reference is the release itself: all its rows. Where persons are named, a value's share is that of the persons
who have it, in a group and (each person counted once for each of their groups) in the whole; t-closeness, whose shares
must sum to 1, is asked of the pairs of person and value, each once in a group.

Counts decide, not shares: f and n of a group, F and N of the whole. Floating point only says which comparisons are far
from their bound; the others are made in exact arithmetic.

Source: Li et al. 2007; Cao and Karras 2012; Brickell and Shmatikov 2008.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.audit.verifiers.grouping import NumberedColumn, Tally
from confide.audit.verifiers.tables.look import TableLook, all_pass, verified
from confide.core.checks import Check
from confide.core.errors import InputError
from confide.core.passport import Passport
from confide.core.requirements import BetaLikeness, DeltaDisclosure, TCloseness
from confide.core.requirements.base import exact

__all__ = [
    "Shares",
    "judge_beta_likeness",
    "judge_delta_disclosure",
    "judge_t_closeness",
    "places_of",
    "verify_beta_likeness",
    "verify_delta_disclosure",
    "verify_t_closeness",
    "work_of",
]

_NUMBER = re.compile(r"[+-]?([0-9]{1,100}(\.[0-9]{0,100})?|\.[0-9]{1,100})([eE][+-]?[0-9]{1,3})?")
_CELLS_A_BLOCK = 1 << 22


def verify_t_closeness(artefact: Any, passport: Passport) -> Iterator[Check]:
    """In each group, the distance of a sensitive column's values from the whole release is at most t."""
    return verified(artefact, passport, TCloseness, judge_t_closeness)


def verify_beta_likeness(artefact: Any, passport: Passport) -> Iterator[Check]:
    """In each group, no sensitive value has gained more than beta (enhanced: or more than -ln of its share)."""
    return verified(artefact, passport, BetaLikeness, judge_beta_likeness)


def verify_delta_disclosure(artefact: Any, passport: Passport) -> Iterator[Check]:
    """In each group, |ln(share in the group / share in the release)| < delta for each value that occurs there."""
    return verified(artefact, passport, DeltaDisclosure, judge_delta_disclosure)


def judge_t_closeness(look: TableLook, requirement: TCloseness) -> Iterator[Check]:
    """The work to move the group onto the release, in whole numbers: at most t n N (times m - 1 if ordered)."""
    for name, column in look.sensitive.items():
        label = f"t={requirement.t:g}{', ordered' * requirement.ordered}"
        places = None
        if requirement.ordered:
            try:
                places = places_of(column, look.orders.get(name), name=name)
            except InputError as error:
                yield Check(name=f"t-closeness of {name!r}", ok=False, detail=f"{label}: {error.what}")
                continue
        tally = look.tally(name)
        n, totals = tally.totals, look.whole_counts(name, tally)
        whole = int(totals.sum())
        work, unit = work_of(tally, places, totals)
        sizes, place = np.unique(n, return_inverse=True)
        most = [int(exact(requirement.t) * int(size) * whole * unit) for size in sizes]
        ok = work <= np.array(most, dtype=work.dtype)[place]
        yield all_pass(f"t-closeness of {name!r}", look, ok.astype(np.bool_), label)


def judge_beta_likeness(look: TableLook, requirement: BetaLikeness) -> Iterator[Check]:
    """f/n <= (1 + beta) F/N for each value; enhanced, the gain is at most -ln(F/N) too."""
    for name in look.sensitive:
        shares = Shares.of(look, name)
        spare = requirement.beta - shares.gains
        if requirement.enhanced:
            spare = np.minimum(spare, np.where(shares.gains > 0, -np.log(shares.release) - shares.gains, np.inf))
        ok = shares.judged(spare, requirement.allows)
        label = f"beta={requirement.beta:g}{', enhanced' * requirement.enhanced}"
        yield all_pass(f"beta-likeness of {name!r}", look, ok, label)


def judge_delta_disclosure(look: TableLook, requirement: DeltaDisclosure) -> Iterator[Check]:
    """|ln(f N / (F n))| < delta for each value with f > 0."""
    for name in look.sensitive:
        shares = Shares.of(look, name)
        ok = shares.judged(requirement.delta - np.abs(np.log1p(shares.gains)), requirement.allows)
        yield all_pass(f"delta-disclosure of {name!r}", look, ok, f"delta={requirement.delta:g}")


class Shares:
    """For each value of each group: its share there, in the whole release, and its relative gain (rounded)."""

    def __init__(self, tally: Tally, sizes: NDArray[np.int64], totals: NDArray[np.int64], whole: int):
        self.tally = tally
        self.f, self.n = tally.counts, sizes[tally.group]
        self.whole = whole
        self.F = totals[tally.value]
        self.release = self.F / max(1, self.whole)
        self.gains = (self.f / self.n) / self.release - 1

    @classmethod
    def of(cls, look: TableLook, name: str) -> "Shares":
        """The shares of a sensitive column."""
        tally = look.tally(name)
        return cls(tally, look.sizes, look.whole_counts(name, tally), look.whole_members)

    def judged(self, spare: NDArray[np.float64], allows: Callable[..., bool]) -> NDArray[np.bool_]:
        """For each group whether all its values are allowed: by the sign of `spare` where that is sure, or exactly."""
        ok = spare > 0
        known: dict[tuple[int, int, int], bool] = {}
        for at in np.flatnonzero(~(np.abs(spare) > 1e-9 * (1 + np.abs(self.gains)))):
            key = (int(self.f[at]), int(self.n[at]), int(self.F[at]))
            if key not in known:
                known[key] = allows(group=Fraction(key[0], key[1]), release=Fraction(key[2], self.whole))
            ok[at] = known[key]
        return self.tally.of_all(ok)


def work_of(tally: Tally, places: NDArray[np.int64] | None, totals: NDArray[np.int64]) -> tuple[NDArray[Any], int]:
    """The earth mover's work for each group, n N times the distance, in whole numbers; and m - 1, by which it is to be
    divided too if values stand at `places` in an order (else 1). `totals` counts each value in the whole."""
    n, whole = tally.totals, int(totals.sum())
    m = 2 if places is None else int(places.max(initial=0)) + 1
    small = whole * whole * m < 2**62
    kind: Any = np.int64 if small else object
    if not len(n):
        return np.zeros(0, dtype=np.int64), 1
    if places is None:
        # the shares of both sides sum to 1, so what is too much here is what is missing elsewhere
        excess = tally.counts.astype(kind) * whole - totals[tally.value].astype(kind) * n[tally.group].astype(kind)
        return np.add.reduceat(np.where(excess > 0, excess, 0), tally.starts), 1
    if m == 1:
        return np.zeros(len(n), dtype=np.int64), 1
    reference = np.zeros(m, dtype=kind)
    np.add.at(reference, places, totals.astype(kind))
    upto = np.cumsum(reference)[:-1]
    work = np.empty(len(n), dtype=kind)
    step = max(1, _CELLS_A_BLOCK // m)
    ends = np.append(tally.starts, len(tally.counts))
    for low in range(0, len(n), step):
        high = min(low + step, len(n))
        part = slice(ends[low], ends[high])
        counts = np.zeros((high - low, m), dtype=kind)
        np.add.at(counts, (tally.group[part] - low, places[tally.value[part]]), tally.counts[part].astype(kind))
        moved = np.cumsum(counts, axis=1)[:, :-1] * whole - upto * n[low:high, None].astype(kind)
        work[low:high] = np.abs(moved).sum(axis=1)
    return work, m - 1


def places_of(column: NumberedColumn, declared: Any, *, name: str) -> NDArray[np.int64]:
    """For each value of a column its place in the order: as declared, or by number."""
    import pyarrow as pa

    assert column.values is not None
    values = column.values.to_pylist()
    if any(value is None for value in values):
        raise InputError("a missing value has no place in an order", column=name)
    if declared is not None:
        texts = column.values.cast(pa.large_string()).to_pylist()  # as a file shows them
        if not isinstance(declared, list) or len(set(map(str, declared))) != len(declared):
            raise InputError("its order must be a list of values, each once", column=name)
        place = {str(value): n for n, value in enumerate(declared)}
        if not place.keys() >= set(texts):
            raise InputError("its declared order lacks values that occur", column=name)
        keys: list[Any] = [place[text] for text in texts]
    else:
        keys = [_key(value, name) for value in values]
    if len({type(key) for key in keys}) > 1:
        raise InputError("its values cannot be put in one order", column=name)
    rank: Mapping[Any, int] = {key: n for n, key in enumerate(sorted(set(keys)))}
    return np.array([rank[key] for key in keys], dtype=np.int64)


def _key(value: Any, name: str) -> Any:
    """What a value is ordered by: numbers, also as text, and dates; nothing else has an order of its own."""
    from datetime import date

    if isinstance(value, str):
        if not _NUMBER.fullmatch(value):
            raise InputError("its values are not all numbers, and no order is declared", column=name)
        return Fraction(value)
    if isinstance(value, date):
        return value
    try:
        return Fraction(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError("its values have no order of their own, and none is declared", column=name) from None
