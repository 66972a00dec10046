"""Verify what is said of people of a population: how many fit a group, and how many of those are in the release.

No file says how many people fit. Whoever has the population gives it, with the schema, as evidence, and they are
counted; without it a check says that they were not. What is estimated from the size of the population, or from weights
in the release, is worked out again from the release alone.

Source: Sweeney 2001; Nergiz, Atzori, Clifton 2007; El Emam, Dankar 2008; Benedetti, Franconi 1998.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.audit.verifiers.grouping import Sizes
from confide.audit.verifiers.tables.fitting import people_who_fit
from confide.audit.verifiers.tables.look import GroupCheck, TableLook, all_pass, verified
from confide.core.artefacts.originals import Population
from confide.core.checks import Check, Findings
from confide.core.passport import Passport
from confide.core.requirements import DeltaPresence, KMap, KMapBySize, KMapByWeight

__all__ = [
    "judge_delta_presence",
    "judge_k_map",
    "judge_k_map_by_size",
    "judge_k_map_by_weight",
    "verify_delta_presence",
    "verify_k_map",
    "verify_k_map_by_size",
    "verify_k_map_by_weight",
]

_COUNTED = "people of the population"


def verify_k_map(artefact: Any, passport: Passport, population: Population | None = None) -> Iterator[Check]:
    """Each released combination fits k people of the population, where that is given."""
    return verified(artefact, passport, KMap, judge_k_map, population)


def verify_delta_presence(artefact: Any, passport: Passport, population: Population | None = None) -> Iterator[Check]:
    """Of those who fit a combination, a share within the bounds is in the release, where the population is given."""
    return verified(artefact, passport, DeltaPresence, judge_delta_presence, population)


def verify_k_map_by_size(artefact: Any, passport: Passport, population: Population | None = None) -> Iterator[Check]:
    """The rows that look alike are as many as speak for k people, by the sizes of population and sample."""
    return verified(artefact, passport, KMapBySize, judge_k_map_by_size)


def verify_k_map_by_weight(artefact: Any, passport: Passport, population: Population | None = None) -> Iterator[Check]:
    """The chance that weights in the release let estimate is at most 1/k in each group."""
    return verified(artefact, passport, KMapByWeight, judge_k_map_by_weight)


def judge_k_map(look: TableLook, requirement: KMap) -> Iterator[Check]:
    """k-map of the groups."""

    def enough(people: NDArray[np.int64]) -> NDArray[np.bool_]:
        return people >= requirement.k

    yield from _judge_fitting("k-map", look, enough, f"k={requirement.k}")


def judge_delta_presence(look: TableLook, requirement: DeltaPresence) -> Iterator[Check]:
    """delta-presence of the groups; with a lower bound, everybody must fit one."""

    def within(people: NDArray[np.int64]) -> NDArray[np.bool_]:
        pairs, place = np.unique(np.stack([look.sizes, people], axis=1), axis=0, return_inverse=True)
        ok = [requirement.allows(members=members, people=fit) for members, fit in pairs.tolist()]
        return np.array(ok, dtype=np.bool_)[place.reshape(-1)]

    yield Check(
        name="rows are counted, one for each person",
        ok=not look.counts_persons,
        detail="presence is asked of tables with a row per person" if look.counts_persons else "",
    )
    yield from _judge_fitting("delta-presence", look, within, f"low={requirement.low:g}, high={requirement.high:g}")
    if requirement.low > 0 and look.population is not None:
        everybody = look.whole is None and people_who_fit(look, look.population).everybody
        detail = "" if everybody else "some fit no row, or the table is in parts, in which nobody can be followed"
        yield Check(name="everybody of the population fits a row", ok=everybody, detail=detail)


def judge_k_map_by_size(look: TableLook, requirement: KMapBySize) -> Iterator[Check]:
    """Groups of the size that the rule gives; no more members than the sample has."""
    told = f"k'={requirement.k_prime} for k={requirement.k}"
    yield all_pass("k-map, estimated", look, look.sizes >= requirement.k_prime, told)
    fits = look.counts_persons or look.whole_members <= requirement.sample
    yield Check(name="the sample is no smaller than the release", ok=fits, detail=f"sample={requirement.sample:,}")


def judge_k_map_by_weight(look: TableLook, requirement: KMapByWeight) -> Iterator[Check]:
    """The estimate from rows and weights, group by group."""
    column = look.weights.get(requirement.weight)
    weights = None if column is None or column.values is None else _numbers(column.values)
    usable = weights is not None and bool((weights >= 1).all()) and not look.counts_persons
    detail = "" if usable else f"{requirement.weight!r} must hold a number of 1 or more for each row, of a person each"
    yield Check(name="weights are numbers", ok=usable, detail=detail)
    if not usable or weights is None or column is None:
        return
    times = np.ones(len(column.codes)) if look.groups.times is None else look.groups.times
    sums = np.bincount(look.groups.of, weights=weights[column.codes] * times, minlength=len(look.sizes))
    pairs = zip(look.sizes.tolist(), sums.tolist(), strict=True)
    ok = np.array([requirement.allows(rows=rows, weight=weight) for rows, weight in pairs], dtype=np.bool_)
    yield all_pass("k-map, estimated from weights", look, ok, f"k={requirement.k}")


def _judge_fitting(
    name: str, look: TableLook, holds: Callable[[NDArray[np.int64]], NDArray[np.bool_]], parameters: str
) -> Iterator[Check]:
    if look.population is None:
        why = "not counted: that takes the population itself (--population) and the schema"
        yield Check(name=_COUNTED, ok=True, unproved=True, detail=why)
        return
    found = people_who_fit(look, look.population)
    yield Check(name=_COUNTED, ok=True, detail="counted", findings=Findings(settled=frozenset({"population"})))
    ok = holds(found.people)
    failing = None if ok.all() else Sizes.of(found.people[~ok])
    sizes = Sizes.of(found.people) if len(found.people) else None
    yield GroupCheck.of(name, parameters, "people of the population", sizes, failing)


def _numbers(values: Any) -> NDArray[np.float64] | None:
    """Values as numbers, also where they are written as text; None where one is not, or is missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        numbers = pc.cast(values, pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:
        return None
    return numbers if np.isfinite(numbers).all() else None
