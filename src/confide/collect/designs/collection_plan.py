"""A collection planned from what people want to know: single supports to within 2 points, pairs to within 3.

Every subset of 1, 2, ... fields may be asked, and the planner shares the people among the sizes so that the worst
length comes as near as it can to what was asked; with a number of people only, to the best that a design for that
length alone would give. Forecasts need no data: an answer of interest is given by a share `support` of the people.
"Within" is half a 95% interval, in points. Errors fall with the root of the number of people, so the number needed
follows.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations
from typing import Any

from confide.collect.designs.design_estimates import Part, covers
from confide.collect.designs.design_forecasts import set_variance
from confide.collect.designs.field_blocks import Block, best_law, cells_of, subsets_of
from confide.collect.designs.sampled_design import SampledDesign
from confide.collect.estimating.forecasts import column_error, cut_error, flip_error, keep_error
from confide.collect.fields.fields import Fields
from confide.collect.schemes.strict_parameters import (
    best_cut,
    check_gamma,
    column_moves,
    cut_choices,
    kept_rates,
    largest_p,
)
from confide.core.errors import CannotMeetError, RequirementError
from confide.core.figures import Shown

__all__ = ["CollectionPlan", "plan_collection"]

SUPPORT = 0.2  # of an answer of interest, where nobody says another
_LONGEST = 4
_INTERVAL = 1.96  # standard errors in half a 95% interval
_STEPS = (0.2, 0.1, 0.05)  # shares of the people that are tried elsewhere
_WORK, _FEWEST_SETS = 600, 3  # blocks times choices of fields that each try looks at; the fewest choices
_LEAST = 0.02  # a size asked of fewer people than this share is left out
_UNIT = 1_000_000  # parts that shares are rounded to


@dataclass(frozen=True, kw_only=True)
class CollectionPlan(Shown):
    """A design, and how far its supports will be off: `margins` by length of itemset, in points (95%).

    `needed` is how many people keep `within`, None where nothing was asked; `options` are the same figures of other
    ways to ask, the schemes of the sources among them; `shares` the share of people asked for so many fields.
    """

    fields: Fields
    gamma: float
    people: int
    within: Mapping[int, float] | None
    needed: int | None
    margins: Mapping[int, float]
    shares: Mapping[int, float]
    options: Mapping[str, Mapping[int, float]]
    reason: str
    design: SampledDesign = field(repr=False)

    def scheme(self) -> SampledDesign:
        """The scheme file's scheme, as `serve` and `send` take it."""
        return self.design

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "gamma": self.gamma,
            "people": self.people,
            "people_needed": self.needed,
            "within_points": None if self.within is None else {str(n): x for n, x in self.within.items()},
            "margin_points": {str(n): _rounded(x) for n, x in self.margins.items()},
            "share_of_people_by_fields_asked": {str(n): round(x, 4) for n, x in self.shares.items()},
            "bytes_sent": round(self.design.mean_bytes),
            "other_ways": {name: {str(n): _rounded(x) for n, x in each.items()} for name, each in self.options.items()},
            "reason": self.reason,
        }


def plan_collection(
    domains: Any,
    *,
    gamma: float = 19,
    people: int | None = None,
    within: Sequence[float] | None = None,
    lengths: Sequence[int] | None = None,
    support: float = SUPPORT,
) -> CollectionPlan:
    """Plan who is asked for what under `gamma`, for so many `people` or to keep `within` points.

    `within` has a number for each length from 1 on (or for each of `lengths`). With both, raises CannotMeetError if the
    people are too few, saying how many are needed. `lengths` are by default 1 to 3, or as many as `within` has.

    >>> plan = plan_collection({"ill": ["no", "yes"], "sex": ["f", "m"], "age": 5}, gamma=19, within=[2, 3])
    >>> plan.margins[1] <= 2 and plan.margins[2] <= 3
    True
    """
    fields = Fields.of(domains)
    check_gamma(gamma)
    wanted = _lengths(fields, within, lengths)
    goals = None if within is None else dict(zip(wanted, _goals(within), strict=True))
    if people is None and goals is None:
        raise RequirementError("say how many people will answer (people=), or how near supports must come (within=)")
    if people is not None and (isinstance(people, bool) or not isinstance(people, int) or people < 1):
        raise RequirementError(
            f"people={people} is not a number of people; use 1 or more", parameter="people", value=people
        )
    if not 0 < support < 1:
        raise RequirementError(
            f"support={support} is not a share of the people; use a number between 0 and 1",
            parameter="support",
            value=support,
        )
    families = {size: _blocks_of(fields, size, gamma) for size in range(1, max(wanted) + 1)}
    pure = {size: _margins(fields, gamma, blocks, wanted, support) for size, blocks in families.items()}
    best = {n: min(margins[n] for margins in pure.values() if n in margins) for n in wanted}
    shares = _share_people(fields, families, best if goals is None else goals, support)
    design = _design(fields, gamma, families, shares)
    one = {n: _points(design.standard_error(length=n, support=support, records=1)) for n in wanted}
    needed = None if goals is None else max(math.ceil((one[n] / goals[n]) ** 2) for n in wanted)
    count = people if people is not None else needed
    assert count is not None
    options = {f"{size} field{'s' * (size > 1)} a person": _scaled(pure[size], count) for size in pure}
    options |= {name: _scaled(each, count) for name, each in _sources(fields, gamma, wanted, support).items()}
    margins = _scaled(one, count)
    if goals is not None and people is not None and needed is not None and people < needed:
        raise _too_few(people, needed, margins, goals, options)
    return CollectionPlan(
        fields=fields,
        gamma=gamma,
        people=count,
        within=goals,
        needed=needed,
        margins=margins,
        shares=shares,
        options=options,
        reason=_reason(margins, options),
        design=design,
    )


def _lengths(fields: Fields, within: Sequence[float] | None, lengths: Sequence[int] | None) -> list[int]:
    usual = range(1, (3 if within is None else len(within)) + 1)
    found = list(usual if lengths is None else lengths)
    if lengths is None and within is None:
        found = [n for n in found if n <= len(fields)]
    wrong = [n for n in found if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= len(fields)]
    if wrong or not found:
        raise RequirementError(
            f"lengths={found}: there are {len(fields)} fields, so lengths go from 1 to {len(fields)}",
            parameter="lengths",
            value=found,
        )
    if max(found) > _LONGEST:
        raise RequirementError(
            f"lengths={found}: plans go up to sets of {_LONGEST} values", parameter="lengths", value=found
        )
    if within is not None and len(found) != len(within):
        raise RequirementError(
            f"{len(within)} numbers in within= for {len(found)} lengths; give one for each",
            parameter="within",
            value=within,
        )
    return sorted(found)


def _goals(within: Sequence[float]) -> list[float]:
    for x in within:
        if isinstance(x, bool) or not isinstance(x, int | float) or not 0 < x <= 100:
            raise RequirementError(
                f"within={x} is not a number of points; use one above 0, such as 2", parameter="within", value=x
            )
    return [float(x) for x in within]


def _points(error: float) -> float:
    return 100 * _INTERVAL * error


def _scaled(margins: Mapping[int, float], people: int) -> dict[int, float]:
    return {n: x / math.sqrt(people) for n, x in margins.items()}


def _rounded(points: float) -> float:
    return float(f"{points:.3g}")


def _blocks_of(fields: Fields, size: int, gamma: float) -> list[Block]:
    found = []
    for positions in subsets_of(fields, size):
        cells_of(fields, positions)
        found.append(Block(positions, best_law([fields.sizes[i] for i in positions], gamma=gamma)))
    return found


def _margins(
    fields: Fields, gamma: float, blocks: Sequence[Block], lengths: Sequence[int], support: float
) -> dict[int, float]:
    """For one person: half a 95% interval in points, by length; those it cannot estimate are left out."""
    design = SampledDesign(domains=fields, gamma=gamma, blocks=blocks)
    found = {n: _points(design.standard_error(length=n, support=support, records=1)) for n in lengths}
    return {n: x for n, x in found.items() if math.isfinite(x)}


# -- sharing the people among sizes of subsets ---------------------------------------------------------------------


def _share_people(
    fields: Fields, families: Mapping[int, Sequence[Block]], goals: Mapping[int, float], support: float
) -> dict[int, float]:
    """The share of people asked for so many fields: the worst ratio of error to goal is as small as moves make it."""
    sizes = list(families)
    looked_at = max(_FEWEST_SETS, _WORK // sum(map(len, families.values())))
    chosen = {n: _some_sets(len(fields), n, looked_at) for n in goals}

    def worst(shares: Mapping[int, float]) -> float:
        asked = [(block, share / len(families[size])) for size, share in shares.items() for block in families[size]]
        blocks, people = [block for block, x in asked if x], [x for _, x in asked if x]
        if not all(covers(blocks, sets[0]) for sets in chosen.values()):
            return math.inf
        variance = {
            n: sum(set_variance(blocks, people, fields.sizes, one, support=support) for one in sets) / len(sets)
            for n, sets in chosen.items()
        }
        return max(variance[n] / goals[n] ** 2 for n in goals)

    pure = [{size: float(size == only) for size in sizes} for only in sizes]
    least, shares = min(
        ((worst(x), x) for x in [dict.fromkeys(sizes, 1 / len(sizes)), *pure]), key=lambda found: found[0]
    )
    for step in _STEPS:
        improved = True
        while improved:
            improved = False
            for one, other in permutations(sizes, 2):
                if shares[one] < step * (1 - 1e-9):
                    continue
                moved = {**shares, one: max(0.0, shares[one] - step), other: shares[other] + step}
                if (found := worst(moved)) < least * (1 - 1e-6):
                    shares, least, improved = moved, found, True
    kept = {size: share for size, share in shares.items() if share >= _LEAST}
    total = sum(kept.values())
    return {size: share / total for size, share in kept.items()}


def _some_sets(fields: int, length: int, most: int) -> list[Part]:
    """Choices of so many fields, spread over all."""
    everything = list(combinations(range(fields), length))
    return everything[:: max(1, math.ceil(len(everything) / most))]


def _design(
    fields: Fields, gamma: float, families: Mapping[int, Sequence[Block]], shares: Mapping[int, float]
) -> SampledDesign:
    blocks = []
    for size, share in shares.items():
        weight = max(1, round(_UNIT * share / len(families[size])))
        blocks += [Block(block.positions, block.law, weight) for block in families[size]]
    return SampledDesign(domains=fields, gamma=gamma, blocks=blocks)


# -- beside the sources' schemes -----------------------------------------------------------------------------------


def _sources(fields: Fields, gamma: float, lengths: Sequence[int], support: float) -> dict[str, dict[int, float]]:
    """The same figures for one person through the schemes of the sources; those that cannot keep gamma are left out."""
    m, found = len(fields), {}
    found["gamma-diagonal"] = {
        n: keep_error(gamma, fields.sizes, length=n, support=support, records=1) for n in lengths
    }
    try:
        rates = kept_rates(fields.sizes, column_moves(gamma, fields.sizes))
        found["matrix"] = {n: column_error(rates, length=n, support=support, records=1) for n in lengths}
    except CannotMeetError:
        pass
    try:
        p = largest_p(gamma, places=2 * m)
        found["mask"] = {n: flip_error(p, p, length=n, support=support, records=1) for n in lengths}
    except CannotMeetError:
        pass
    try:
        cut = best_cut(cut_choices(gamma, K=None, record_length=m, length=min(3, m)), min(3, m))
        found["cut-and-paste"] = {
            n: cut_error(cut.K, cut.rho, record_length=m, length=n, support=support, records=1)
            for n in lengths
            if n <= cut.K
        }
    except CannotMeetError:
        pass
    return {name: {n: _points(x) for n, x in errors.items()} for name, errors in found.items()}


def _reason(margins: Mapping[int, float], options: Mapping[str, Mapping[int, float]]) -> str:
    n = min(margins)
    source = min(
        options.get(name, {}).get(n, math.inf) for name in ("gamma-diagonal", "matrix", "mask", "cut-and-paste")
    )
    return (
        f"each person is asked for a few fields only and spends all of gamma on them: sets of {n} come to within "
        f"{_rounded(margins[n]):g} points, where the best scheme of the sources comes to within {_rounded(source):g}"
    )


def _too_few(
    people: int,
    needed: int,
    margins: Mapping[int, float],
    goals: Mapping[int, float],
    options: Mapping[str, Mapping[int, float]],
) -> CannotMeetError:
    worst = max(goals, key=lambda n: margins[n] / goals[n])
    single = options.get("1 field a person", {}).get(1)
    other = "" if single is None else f", or one question a person gives single answers to within {_rounded(single):g}"
    return CannotMeetError(
        f"{people:,} people are too few: sets of {worst} come to within {_rounded(margins[worst]):g} points, not "
        f"{goals[worst]:g}; {needed:,} are needed{other}",
        parameter="people",
        value=people,
        cures=[{"people": needed}],
    )
