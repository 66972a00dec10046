"""The register: knows everybody's groups in every release, who came and left, and that values last.

    2025: {Ann, Bo, Cem} has flu, flu, gout         2026: {Bo, Cem, Dee} has flu, gout, gout
    Ann left and Dee came, a flu went and a gout came: Ann had flu, and Dee has gout.

The register is certain of what is so in every world, that is, every way to give each person a value such that each
group of each release counts what it does. To ask that exactly is hard (a transportation problem in whole numbers, of
as many dimensions as there are releases), so both ends are worked out:

- `certain_at_least`: bounds on how many people of each cohort have each value are passed between groups until nothing
  changes. Where one value remains, it is so in every world.
- `certain_at_most`: a world in which the person has another value is made from the true one by an exchange that changes
  no count: of two people of a cohort, or along a cycle. Releases are taken in two parts, and what a person's groups are
  in each part are two places; who has v is a way from the first place to the second, who has w a way back. Exchanging v
  and w along a cycle of ways changes no count, so whoever is on one may have either. Outside (in no release of a part)
  nothing is counted: that is one place for everybody.

        A1 --flu--> B1
         ^           |         four people on a cycle: all flu become gout, all gout flu
        gout        gout
         |           v
        B2 <--flu-- A2
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from confide.audit.adversaries.together.cohorts import Cohorts, number_columns
from confide.core.series.release_history import sort_different

__all__ = ["RegisterView", "ask_register"]

_ROUNDS = 1000  # of passing bounds; they settle after some ten
_MOST_PAIRS = 3000  # of values that are exchanged; further ones could only lower `certain_at_most`
_ALL_PARTS = 5  # releases up to which every division in two parts is tried


@dataclass(frozen=True, kw_only=True)
class RegisterView:
    """Of how many people a sensitive value is certain: at least so many, at most so many.

    `left` and `came` are those among them (of the larger number) whom the last, or the first, release does not have.
    """

    people: int
    certain_at_least: int
    certain_at_most: int
    left: int
    came: int


def ask_register(cohorts: Cohorts) -> RegisterView:
    """What the register is certain of.

    >>> import numpy as np
    >>> from confide.core.series.release_history import History
    >>> groups = np.array([[0, 0, 0, -1], [-1, 0, 0, 0]], dtype=np.int32)
    >>> history = History(groups=groups, values=np.array([0, 0, 1, 1], dtype=np.int32))
    >>> ask_register(Cohorts.of_history(history)).certain_at_least
    2
    """
    certain = _possible_values(cohorts)
    least = cohorts.settled(certain)
    doubted = _find_exchanges(cohorts, certain, least)
    unsure = ~np.asarray(doubted.all(axis=0))[cohorts.of]
    groups = cohorts.history.groups
    return RegisterView(
        people=cohorts.history.people,
        certain_at_least=cohorts.count_people(least),
        certain_at_most=cohorts.count_entries(unsure),
        left=cohorts.count_entries(unsure & (groups[-1] < 0)),
        came=cohorts.count_entries(unsure & (groups[0] < 0)),
    )


def _possible_values(cohorts: Cohorts) -> NDArray[np.bool_]:
    """For each common value of each cohort, whether bounds leave it possible."""
    from confide.audit.adversaries.together._slot_kernels import tighten_bounds

    _, slots = cohorts.common
    low = np.zeros(slots.shape[1], dtype=np.int64)
    high = cohorts.people[cohorts.entry_cohort]
    tighten_bounds(cohorts.ptr, slots, cohorts.people, cohorts.slot_rows, low, high, _ROUNDS)
    return high > 0


def _find_exchanges(cohorts: Cohorts, possible: NDArray[np.bool_], certain: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """For each sensitive column and cohort, whether everybody in the cohort may have another value than their own."""
    columns, values = cohorts.history.columns, cohorts.history.values
    width = cohorts.history.width
    held = sort_different(cohorts.of * width + values)  # one entry for each value that somebody of a cohort has
    cohort, value = held // width, (held % width).astype(np.int32)
    starts = np.flatnonzero(np.diff(cohort, prepend=-1))
    doubted = np.zeros((len(columns), len(cohorts.people)), dtype=np.bool_)
    for number, column in enumerate(columns):
        code = column[value]
        doubted[number] = np.minimum.reduceat(code, starts) != np.maximum.reduceat(code, starts)
    for nodes in _divisions(cohorts):
        open_still = ~certain & ~doubted.all(axis=0)
        for one, other in _pairs_to_try(cohorts, possible, open_still, (cohort, value)):
            moved = _on_cycles(nodes, cohort, value, one, other)
            for number, column in enumerate(columns):
                if column[one] != column[other]:
                    doubted[number, moved] = True
    return doubted


def _divisions(cohorts: Cohorts) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """For each division of the releases in two parts: the place of each cohort in the first and in the second."""
    releases = cohorts.history.releases
    sizes = range(1, releases // 2 + 1) if releases <= _ALL_PARTS else (1,)
    for size in sizes:
        for part in combinations(range(releases), size):
            if 2 * size == releases and 0 not in part:
                continue
            rest = [release for release in range(releases) if release not in part]
            if rest:
                yield _places(cohorts.groups[list(part)]), _places(cohorts.groups[rest])


def _places(groups: NDArray[np.int32]) -> NDArray[np.int64]:
    """What the groups of each cohort are, numbered from 1; 0 outside."""
    numbers = number_columns(groups, int(groups.max(initial=0)) + 1) + 1
    return np.where((groups < 0).all(axis=0), 0, numbers)


def _pairs_to_try(
    cohorts: Cohorts,
    possible: NDArray[np.bool_],
    open_still: NDArray[np.bool_],
    held: tuple[NDArray[np.int64], NDArray[np.int32]],
) -> list[tuple[int, int]]:
    """Pairs of values of which a cohort that is still open has one, and may have the other; the most frequent first."""
    width = cohorts.history.width
    cohort, value = held
    mine = np.full(len(cohorts.people), -1, dtype=np.int64)
    mine[cohort] = value  # an open cohort has one value, in some column at least
    entries = np.flatnonzero(possible & open_still[cohorts.entry_cohort])
    others, own = cohorts.common[0][entries].astype(np.int64), mine[cohorts.entry_cohort[entries]]
    keys = np.minimum(own, others) * width + np.maximum(own, others)
    pairs, counts = np.unique(keys[own != others], return_counts=True)
    chosen = pairs[np.argsort(-counts, kind="stable")[:_MOST_PAIRS]]
    return [(int(key // width), int(key % width)) for key in chosen]


def _on_cycles(
    nodes: tuple[NDArray[np.int64], NDArray[np.int64]],
    cohort: NDArray[np.int64],
    value: NDArray[np.int32],
    one: int,
    other: int,
) -> NDArray[np.int64]:
    """The cohorts of those who are on a cycle of people with value `one` and people with value `other`.

    An edge is on a directed cycle exactly where both its ends are in one strongly connected component.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    forth, back = cohort[value == one], cohort[value == other]
    first, second = nodes
    shift = int(first.max(initial=0))
    onward = np.where(second > 0, second + shift, 0)
    start = np.concatenate([first[forth], onward[back]])
    end = np.concatenate([onward[forth], first[back]])
    used = np.zeros(shift + int(second.max(initial=0)) + 1, dtype=np.bool_)
    used[start] = used[end] = True
    place = np.cumsum(used) - 1
    start, end = place[start], place[end]
    nodes_used = int(used.sum())
    graph = coo_array((np.ones(len(start), dtype=np.int8), (start, end)), shape=(nodes_used, nodes_used))
    _, component = connected_components(graph.tocsr(), directed=True, connection="strong")
    on_cycle = component[start] == component[end]
    found: NDArray[np.int64] = np.concatenate([forth, back])[on_cycle]
    return found
