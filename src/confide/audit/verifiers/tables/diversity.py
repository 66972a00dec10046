"""Verify simple, distinct, entropy and recursive diversity of the sensitive values in each group.

Counts are of rows, or of persons where the table names them; then all but the simple one are asked of the filled
counts that `look` describes.

Source: paper 002, Definition 3; Machanavajjhala et al. 2007.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from confide.audit.verifiers.grouping import Tally
from confide.audit.verifiers.tables.look import TableLook, all_pass, not_of_trees, verified
from confide.core.artefacts import type_of
from confide.core.checks import Check
from confide.core.passport import Passport
from confide.core.requirements import (
    DistinctDiversity,
    EntropyDiversity,
    RecursiveDiversity,
    Requirement,
    SimpleDiversity,
)
from confide.core.requirements.tables import ESTIMATED, TableRequirement

__all__ = [
    "entropies_of",
    "entropies_reach",
    "judge_distinct_diversity",
    "judge_entropy_diversity",
    "judge_recursive_diversity",
    "judge_simple_diversity",
    "verify_distinct_diversity",
    "verify_entropy_diversity",
    "verify_recursive_diversity",
    "verify_simple_diversity",
]

R = TypeVar("R", bound=TableRequirement)


def verify_simple_diversity(artefact: Any, passport: Passport) -> Iterator[Check]:
    """In each group, no value of a sensitive column holds more than 1/l of the rows."""
    return _verified(artefact, passport, SimpleDiversity, judge_simple_diversity)


def verify_recursive_diversity(artefact: Any, passport: Passport) -> Iterator[Check]:
    """In each group, with counts f1 >= f2 >= ... of a sensitive column's values, f1 < c (fl + fl+1 + ...)."""
    return _verified(artefact, passport, RecursiveDiversity, judge_recursive_diversity)


def verify_distinct_diversity(artefact: Any, passport: Passport) -> Iterator[Check]:
    """In each group, a sensitive column has at least l different values."""
    return verified(artefact, passport, DistinctDiversity, judge_distinct_diversity)


def verify_entropy_diversity(artefact: Any, passport: Passport) -> Iterator[Check]:
    """In each group, the entropy of a sensitive column's values is at least ln l."""
    return verified(artefact, passport, EntropyDiversity, judge_entropy_diversity)


def judge_simple_diversity(look: TableLook, requirement: SimpleDiversity) -> Iterator[Check]:
    """f1 * l <= n."""
    for name in look.sensitive:
        ok = look.tally(name).tops * requirement.l <= look.sizes
        yield all_pass(f"simple diversity of {name!r}", look, ok, f"l={requirement.l}")


def judge_recursive_diversity(look: TableLook, requirement: RecursiveDiversity) -> Iterator[Check]:
    """f1 < c (fl + fl+1 + ...), strictly, with fractions of any length."""
    for name in look.sensitive:
        tally = look.filled(name)
        # Few pairs are different, so each can be judged by itself.
        pairs, place = np.unique(np.stack([tally.tops, tally.tails(requirement.l)]), axis=1, return_inverse=True)
        judged = [requirement.most_frequent_allowed(tail=int(t), top=int(f)) for f, t in pairs.T]
        ok = np.array(judged, dtype=np.bool_)[place.reshape(-1)]
        yield all_pass(f"recursive diversity of {name!r}", look, ok, f"c={requirement.c:g}, l={requirement.l}")


def judge_distinct_diversity(look: TableLook, requirement: DistinctDiversity) -> Iterator[Check]:
    """At least l counts above 0."""
    for name in look.sensitive:
        ok = look.filled(name).different >= requirement.l
        yield all_pass(f"distinct diversity of {name!r}", look, ok, f"l={requirement.l}")


def judge_entropy_diversity(look: TableLook, requirement: EntropyDiversity) -> Iterator[Check]:
    """The entropy of the counts, in exact arithmetic where rounding could matter."""
    for name in look.sensitive:
        ok = entropies_reach(look.filled(name), requirement)
        yield all_pass(f"entropy diversity of {name!r}", look, ok, f"l={requirement.l:g}")


def entropies_reach(tally: Tally, requirement: EntropyDiversity) -> NDArray[np.bool_]:
    """For each group whether it meets it: rounded logarithms decide where they are sure, equal counts once."""
    entropies = entropies_of(tally)
    spare = entropies - np.log(float(requirement.l))
    ok: NDArray[np.bool_] = spare > 0
    known: dict[bytes, bool] = {}
    ends = np.append(tally.starts[1:], len(tally.counts))
    for group in np.flatnonzero(np.abs(spare) < 1e-9):
        counts = tally.counts[tally.starts[group] : ends[group]]
        key = counts.tobytes()
        if key not in known:
            known[key] = requirement.allows(counts.tolist())
        ok[group] = known[key]
    return ok


def entropies_of(tally: Tally) -> NDArray[np.float64]:
    """The entropy of each group, in nats, rounded."""
    if not len(tally.starts):
        return np.zeros(0)
    counts = tally.counts.astype(np.float64)
    logs = counts * np.log(np.maximum(counts, 1))
    totals = tally.totals.astype(np.float64)
    return np.log(totals) - np.add.reduceat(logs, tally.starts) / totals


def _verified(
    artefact: Any, passport: Passport, cls: type[R], judge: Callable[[TableLook, R], Iterator[Check]]
) -> Iterator[Check]:
    requirement = Requirement.from_dict(passport.requirement)
    if type_of(artefact) != "tree" or not isinstance(requirement, SimpleDiversity | RecursiveDiversity):
        yield from verified(artefact, passport, cls, judge)
        return
    if requirement.column is not None:  # a tree has one class, and no columns by name
        yield not_of_trees(requirement)
        return
    from confide.audit.verifiers.trees import diversity_of_tree

    estimated = passport.context.get("estimated") is True
    if estimated:
        yield _estimate_check(passport)
    yield from diversity_of_tree(artefact, requirement, estimated=estimated)


def _estimate_check(passport: Passport) -> Check:
    """A promise that rests on an estimate says so where it says what it does not protect against."""
    ok = ESTIMATED in passport.does_not_protect_against
    said = "the passport says that the promise rests on an estimate" if ok else f"its limits do not say: {ESTIMATED}"
    return Check(name="the estimate is named", ok=ok, detail=said)
