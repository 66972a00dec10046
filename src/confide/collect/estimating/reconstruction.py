"""Frequent itemsets and rules of the true records, from perturbed ones.

    perturbed records, scheme --> mine --> Itemsets with estimate, std_error, low, high --> reconstructed_rules

The miner sees perturbed records only, and needs nothing else but the scheme. Supports come out with an error that the
scheme and the number of records decide, so each has a standard error and a confidence interval beside it.
"""

from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.collect.estimating.consistency import consistent as made_consistent
from confide.collect.estimating.item_search import ItemsetLevel
from confide.collect.estimating.miner_questions import Minable, MinedLevels, Question
from confide.collect.estimating.rule_errors import Covarying, EstimatedRules, with_errors
from confide.collect.estimating.selection import Family, half_width
from confide.core.errors import RequirementError
from confide.core.itemsets.container import Itemsets
from confide.mining.counting.memory_counts import Way
from confide.mining.counting.supports import CandidateCounter
from confide.mining.rules.association import Rules, association_rules

__all__ = ["itemsets_of", "mine", "reconstructed_rules", "shown_of", "surest"]


def mine(
    scheme: Minable,
    perturbed: Any,
    *,
    min_support: int | float,
    max_length: int | None = None,
    keep_near: float = 0.0,
    consistent: bool = False,
    population: bool = False,
    confidence: float = 0.95,
    record_length: int | None = None,
    counter: CandidateCounter | None = None,
    way: Way = "auto",
) -> Itemsets:
    """Find the itemsets whose estimated true support reaches `min_support`, from perturbed records.

    `perturbed` is what `scheme.perturb` gave for all people: transactions for Mask, Emask and Cut-and-Paste; a frame,
    list or array of codes for gamma-diagonal and matrix schemes, whose items are then called "name=value".
    `min_support` is a count of *true* records or a fraction; small ones are lost in the noise, so compare it with the
    standard errors.

    The result's `supports` are the estimates rounded, and its columns hold

        estimate     unbiased (unless `consistent`), may have a fraction
        std_error    of the estimate, over the randomness of the perturbation; the records are as they are
        low, high    the interval that holds the true support of a set *named beforehand* with probability
                     `confidence`, 0 and the number of records being its limits
        selected_low, selected_high
                     the interval to read when sets are shown because they were found: of those of each length, an
                     expected share of `confidence` or more holds the truth (see `selection`)

    Options, off by default; each leaves its mark in the result:

        keep_near    also keep sets whose estimate lies this many standard errors or less below the threshold, and go
                     on from them: fewer are missed, more are wrong. Column `near` is 1 for them, else 0
        consistent   project the estimates to the nearest that are consistent (see `consistency`); `estimate` is then
                     the projected one and column `unprojected` the unbiased one. Sets that fall below the threshold
                     by it are dropped, unless `keep_near` is set

    With `population` the estimates are of the population from which the people were drawn at random, each on their own:
    errors and all four limits also hold that other people would have come. Without it they are for these people.

    `record_length` is for Cut-and-Paste over plain items: how many items each true record holds. `max_length` bounds
    the search; Cut-and-Paste stops at K by itself and refuses more. `counter` counts candidates in place of our own
    counting, `way` says how ours counts pairs; neither changes the result.

    Cost: that of plain level-wise mining of records as full as the perturbed ones; see `confide.mining.counting`.

    >>> from confide.collect.schemes.mask import Emask
    >>> from confide.core.randomness import Randomness
    >>> from confide.core.transactions.container import Transactions
    >>> true = Transactions.from_lists([["tea", "milk"]] * 3000 + [["tea"]] * 2000 + [["beer"]] * 5000)
    >>> scheme = Emask(p=0.9, q=0.95)
    >>> found = scheme.mine(scheme.perturb(true, randomness=Randomness.seeded(1)), min_support=0.2)
    >>> [" ".join(labels) for labels, _ in found]
    ['beer', 'milk', 'tea', 'milk tea']
    >>> bool(found.columns["low"][3] <= 3000 <= found.columns["high"][3])
    True

    Sections 3.3.3, 3.3.4 and 4.5.
    """
    near, _ = _checked(max_length, keep_near, confidence)
    question = Question(
        min_support=min_support,
        near=near,
        max_length=max_length,
        record_length=record_length,
        counter=counter,
        way=way,
    )
    answer = scheme.search(perturbed, question)
    return itemsets_of(scheme, answer, confidence=confidence, project=consistent, population=population)


def itemsets_of(
    scheme: Minable, answer: MinedLevels, *, confidence: float, project: bool = False, population: bool = False
) -> Itemsets:
    """What a search answered, as itemsets with the columns of `mine`."""
    _, interval = _checked(None, 0.0, confidence)
    if population:
        answer = replace(answer, levels=[_of_population(level, answer.records) for level in answer.levels])
    found = _itemsets(answer, interval=interval, project=project)
    return shown_of(found, family=_family(scheme, answer.labels), confidence=confidence)


def _of_population(level: ItemsetLevel, records: int) -> ItemsetLevel:
    """The same estimates, with the variance of who was drawn from the population: s(1 - s) of each record."""
    shares = np.clip(level.estimates / records, 0, 1)
    return replace(level, variances=level.variances + records * shares * (1 - shares))


def surest(scheme: Minable, found: Itemsets, k: int, *, confidence: float = 0.95) -> Itemsets:
    """The k sets that most records hold for sure: those of the largest `selected_low`.

    The largest estimates are often those with the largest errors. Where k sets are shown instead of all, intervals are
    wider: `selected_low` and `selected_high` are worked out again for these k.
    """
    _checked(None, 0.0, confidence)
    order = np.lexsort((-found.columns["estimate"], -found.columns["selected_low"]))
    return shown_of(found.take(order[: max(k, 0)]), family=_family(scheme, found.labels), confidence=confidence)


def shown_of(found: Itemsets, *, family: Family, confidence: float) -> Itemsets:
    """The same itemsets, with the intervals that hold when just these of the family are shown."""
    unbiased = found.columns.get("unprojected", found.columns["estimate"])
    spread = half_width(confidence, np.asarray(found.lengths, dtype=np.int64), family) * found.columns["std_error"]
    limits = {
        "selected_low": np.clip(unbiased - spread, 0, found.n_transactions),
        "selected_high": np.clip(unbiased + spread, 0, found.n_transactions),
    }
    return replace(found, columns={**found.columns, **limits})


def _family(scheme: Minable | Covarying | None, labels: tuple[str, ...]) -> Family:
    if scheme is not None and scheme.fields is not None:
        return Family(sizes=scheme.fields.sizes)
    universe = None if scheme is None else scheme.universe
    return Family(n_items=max(len(labels), len(universe or ())))


def reconstructed_rules(
    itemsets: Itemsets,
    *,
    min_confidence: float,
    scheme: Covarying | None = None,
    confidence: float = 0.95,
    top: int | None = None,
    record_length: int | None = None,
) -> EstimatedRules:
    """Rules over what `mine` found, with confidences that are quotients of estimated supports.

    As `association_rules`, which may not be used on estimates: it skips rules that consistent supports would rule out.
    A confidence can pass 1 where a set's estimate exceeds that of a part of it; mine with `consistent=True` for
    confidences that cannot. Antecedents whose estimate is 0 make no rule.

    Columns `confidence_std_error`, `confidence_low` and `confidence_high` say how sure each is, the interval holding
    the true confidence of a rule named beforehand with probability `confidence` (see `rule_errors`). Of the rules that
    are shown because they were found, read `confidence_selected_low` and `confidence_selected_high`, as for `mine`;
    `top` gives the few of the largest confidence_selected_low. The columns need the `scheme` to know how far the
    two supports err together; without it, and for matrix schemes, errors are the largest that may be, so intervals are
    too wide rather than too narrow. `record_length` as for `mine`.
    """
    given: Any = min_confidence
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= min_confidence <= 1:
        raise RequirementError(
            f"min_confidence={min_confidence!r} is not a share; use a number from 0 to 1",
            parameter="min_confidence",
            value=min_confidence,
        )
    _, interval = _checked(None, 0.0, confidence)
    supports = np.asarray(itemsets.supports, dtype=np.int64)
    made = association_rules(replace(itemsets, supports=np.maximum(supports, 1)), min_confidence=0.0)
    some = replace(made, itemsets=itemsets).take(np.flatnonzero(supports[made.antecedent] > 0))
    strong = some.take(np.flatnonzero(some.confidence >= min_confidence))
    family = _family(scheme, itemsets.labels)

    def shown(rules: Rules) -> EstimatedRules:
        lengths = np.asarray(itemsets.lengths, dtype=np.int64)[rules.whole]
        selected = half_width(confidence, lengths, family, rules=True)
        return with_errors(rules, scheme=scheme, interval=interval, selected=selected, record_length=record_length)

    every = shown(strong)
    return every if top is None else shown(every.surest(top))


def _checked(max_length: Any, keep_near: Any, confidence: Any) -> tuple[float, float]:
    if max_length is not None and (
        isinstance(max_length, bool) or not isinstance(max_length, int | np.integer) or max_length < 1
    ):
        raise RequirementError(
            f"max_length={max_length!r} must be a whole number of 1 or more, or None for no limit",
            parameter="max_length",
            value=max_length,
        )
    if isinstance(keep_near, bool) or not isinstance(keep_near, int | float) or not 0 <= keep_near < float("inf"):
        raise RequirementError(
            f"keep_near={keep_near!r} must be a number of standard errors, 0 or more",
            parameter="keep_near",
            value=keep_near,
        )
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 < confidence < 1:
        raise RequirementError(
            f"confidence={confidence!r} must lie strictly between 0 and 1, such as 0.95",
            parameter="confidence",
            value=confidence,
        )
    return float(keep_near), NormalDist().inv_cdf((1 + confidence) / 2)


def _itemsets(answer: MinedLevels, *, interval: float, project: bool) -> Itemsets:
    wanted, records = answer.wanted, answer.records
    levels = [level for level in answer.levels if len(level.sets)]
    unprojected = _column([level.estimates for level in levels])
    if project and levels:
        levels = [
            ItemsetLevel(sets=level.sets, estimates=estimates, variances=level.variances)
            for level, estimates in zip(levels, made_consistent(levels, records=records), strict=True)
        ]
    estimates, errors = _column([x.estimates for x in levels]), np.sqrt(_column([x.variances for x in levels]))
    columns = {
        "estimate": estimates,
        "std_error": errors,
        "low": np.clip(unprojected - interval * errors, 0, records),
        "high": np.clip(unprojected + interval * errors, 0, records),
    }
    if project:
        columns["unprojected"] = unprojected
    if wanted.near:
        columns["near"] = (estimates < wanted.threshold).astype(np.float64)
    lengths = np.concatenate([np.zeros(1, np.int64), *(np.full(len(x.sets), x.sets.shape[1]) for x in levels)])
    bare = Itemsets.from_arrays(
        np.cumsum(lengths, dtype=np.int64),
        np.concatenate([np.zeros(0, np.int32), *(level.sets.ravel() for level in levels)]),
        np.rint(np.clip(estimates, 0, records)).astype(np.int64),
        labels=answer.labels,
        n_transactions=records,
    )
    found = replace(bare, columns=columns)
    if project and not wanted.near:
        # Nothing exceeds its parts any more, so with a set all sets that hold it go.
        return found.take(np.flatnonzero(estimates >= wanted.threshold))
    return found


def _column(parts: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    return np.concatenate([np.zeros(0), *parts])
