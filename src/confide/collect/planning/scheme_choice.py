"""Which scheme fits which data: what each would promise, and how far off its supports would be.

    records of a few fields, all itemset lengths       gamma-diagonal
    records of a few fields, pairs at most             a matrix for each field (k-ary randomised response)
    short records over a few items                     Mask, or Cut-and-Paste for itemsets up to K
    sparse records over many items                     Emask: averages (basic privacy), hardly a strict promise

Errors are those of a support of `support` (a share): standard errors of one itemset, before any mining, averaged over
the fields it may be over. Where they depend on how many records hold a part of it, the data say so (`held_shares`).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from confide.collect.estimating.forecasts import column_error, cut_error, flip_error
from confide.collect.fields.fields import Fields
from confide.collect.planning.emask_plan import plan_emask
from confide.collect.planning.held_shares import Shares, shares_of_fields, shares_of_items
from confide.collect.planning.sample_fields import fields_of
from confide.collect.planning.strict_plans import (
    CutAndPastePlan,
    GammaPlan,
    plan_columns,
    plan_cut_and_paste,
    plan_mask,
)
from confide.core.errors import CannotMeetError, RequirementError
from confide.core.figures import Shown
from confide.core.tables.frames import to_table
from confide.core.transactions.container import Transactions
from confide.core.transactions.intake import as_transactions, is_column, is_list, is_table

__all__ = ["LONGEST", "Description", "describe"]

LONGEST = 8  # lengths of itemsets for which errors are forecast
JUDGED = 3  # the length by whose error schemes for fields are ordered
SMALL_UNIVERSE = 40  # items over which a record can be flipped item by item without drowning it


@dataclass(frozen=True, kw_only=True)
class Description(Shown):
    """What was found: `options`, each with scheme, parameters, gamma and standard errors by itemset length, and
    `reasons` in plain words. Errors are shares of all records, to be held against `support`; options for fields are
    ordered by their error for itemsets of three."""

    kind: str
    records: int
    facts: Mapping[str, Any]
    options: tuple[Mapping[str, Any], ...]
    reasons: tuple[str, ...]
    support: float

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "kind": self.kind,
            "records": self.records,
            **self.facts,
            "options": [dict(option) for option in self.options],
            "reasons": list(self.reasons),
        }


def describe(
    data: Any,
    *,
    gamma: float = 19,
    support: float = 0.02,
    records: int | None = None,
    fields: Fields | None = None,
    max_length: int | None = None,
) -> Description:
    """Say which scheme fits `data` (transactions, or any frame of categories) under amplification `gamma`.

    `support` is the share an itemset of interest has; `records` how many will be collected (default: as many as
    here); `fields` the fields of a table, where they are not all its columns; `max_length` the longest record to
    promise for (default: the longest here).
    """
    if not 1e-9 <= support <= 1:
        raise RequirementError(
            f"support={support} is not a share of records that can be planned for; use 0.02, say",
            parameter="support",
            value=support,
        )
    if fields is None and _are_records(data):
        data = as_transactions(data)
    if isinstance(data, Transactions):
        return _of_items(data, gamma=gamma, support=support, records=records, max_length=max_length)
    found = fields_of(data) if fields is None else fields
    shares = _shares(data, found)
    return _of_fields(found, gamma=gamma, support=support, records=records or _rows(data), shares=shares)


def _are_records(data: Any) -> bool:
    """Whether these are lists of items, in whatever form, and no table of categories."""
    if not is_table(data) or is_column(data) or hasattr(data, "tocsr"):
        return True
    schema = to_table(data).schema
    return len(schema) == 1 and is_list(schema.field(0).type)


def _rows(frame: Any) -> int:
    return int(to_table(frame).num_rows)


def _shares(frame: Any, fields: Fields) -> Shares:
    """From the records, if they have these fields; else nothing is known."""
    table = to_table(frame)
    if not set(fields.names) <= set(table.column_names) or table.num_rows == 0:
        return lambda length, support: None
    return shares_of_fields(fields.encode(table.select(list(fields.names))))


def _of_fields(fields: Fields, *, gamma: float, support: float, records: int, shares: Shares) -> Description:
    m = len(fields)
    lengths = range(1, min(m, LONGEST) + 1)
    errors = GammaPlan(gamma=gamma, rho1=0.05, rho2=0.5).standard_errors(fields, records=records, support=support)
    options: list[dict[str, Any]] = [
        {
            "scheme": "gamma-diagonal",
            "parameters": {"gamma": gamma},
            "gamma": gamma,
            "standard_error": {str(n): errors[n] for n in lengths},
            "condition_number": 1 + fields.cells / (gamma - 1),
        }
    ]
    reasons = [f"{m} fields with {fields.cells:,} combinations: a record can be perturbed as a whole"]
    try:
        columns = plan_columns(gamma, fields)
        options.append(
            {
                "scheme": "matrix",
                "parameters": {"gamma_per_field": gamma ** (1 / m)},
                "gamma": columns.attained,
                "standard_error": {
                    str(n): column_error(
                        columns.rates, length=n, support=support, records=records, held=shares(n, support)
                    )
                    for n in lengths
                },
            }
        )
    except (CannotMeetError, RequirementError) as refusal:
        reasons.append(f"no matrix for each field under gamma {gamma:g}: {refusal}")
    try:
        mask = plan_mask(gamma, fields=m)
        options.append(
            _option("mask", mask, {"p": mask.p}, _flipped(mask.p, mask.p, lengths, support, records, shares))
        )
    except CannotMeetError as refusal:
        reasons.append(f"no Mask under gamma {gamma:g}: {refusal.what}")
    try:
        cut = plan_cut_and_paste(gamma, fields=m, length=min(3, m))
        by_length = {str(n): _cut(cut, m, n, support, records, shares) for n in lengths if n <= cut.K}
        options.append(_option("cut-and-paste", cut, {"K": cut.K, "rho": cut.rho}, by_length))
    except CannotMeetError as refusal:
        reasons.append(f"no Cut-and-Paste under gamma {gamma:g}: {refusal.what}")
    judged = min(m, JUDGED)
    options.sort(key=lambda option: option["standard_error"].get(str(judged), math.inf))
    reasons.append(_closest(options, lengths))
    reasons.append(_order(options[0], judged, support))
    if fields.cells / (gamma - 1) > 10_000:
        reasons.append(
            "so many combinations leave little of a record; drop fields or make bins coarser, or collect more records"
        )
    if errors[m] > support:
        reasons.append(
            f"with {records:,} records even whole records come with a standard error of {errors[m]:.2g}, above the "
            f"support {support:g}: collect more, or raise gamma"
        )
    return Description(
        kind="categorical records",
        records=records,
        facts={"fields": {field.name: len(field.values) for field in fields}, "cells": fields.cells},
        options=tuple(options),
        reasons=tuple(reasons),
        support=support,
    )


def _closest(options: Sequence[Mapping[str, Any]], lengths: Iterable[int]) -> str:
    """Which scheme has the smallest error at which length, in words."""
    runs: list[tuple[str, list[int]]] = []
    for n in lengths:
        best = min(options, key=lambda option: option["standard_error"].get(str(n), math.inf))["scheme"]
        if runs and runs[-1][0] == best:
            runs[-1][1].append(n)
        else:
            runs.append((best, [n]))
    return "smallest errors: " + "; ".join(f"{name} for itemsets of {_spoken(part)}" for name, part in runs)


def _order(first: Mapping[str, Any], judged: int, support: float) -> str:
    """By what the options are ordered, and for which itemsets the first is too noisy."""
    said = f"the options are ordered by their error for itemsets of {_spoken([judged])}"
    drowned = [int(n) for n, error in first["standard_error"].items() if error > support]
    if not drowned:
        return said
    worst = max(first["standard_error"].values())
    return (
        f"{said}; {first['scheme']}, the first, drowns a support of {support:.4g} among itemsets of {_spoken(drowned)} "
        f"(standard errors of up to {worst:.2g})"
    )


def _spoken(lengths: Sequence[int]) -> str:
    if len(lengths) == 1:
        return f"{lengths[0]} field{'s' * (lengths[0] > 1)}"
    return f"{lengths[0]} to {lengths[-1]} fields"


def _of_items(
    tx: Transactions, *, gamma: float, support: float, records: int | None, max_length: int | None
) -> Description:
    n = records or len(tx)
    used = int(np.count_nonzero(tx.supports()))
    longest = max_length or int(tx.lengths.max(initial=1)) or 1
    average = float(tx.lengths.mean()) if len(tx) else 0.0
    shares = shares_of_items(tx)
    options: list[dict[str, Any]] = []
    reasons = [f"records hold {average:.1f} of {used:,} items on average, the longest {longest}"]
    try:
        plan = plan_emask(sample=tx, records=n)
        swap = plan.p * plan.q / ((1 - plan.p) * (1 - plan.q)) if plan.q < 1 and plan.p < 1 else math.inf
        options.append(
            {
                "scheme": "emask",
                "parameters": {"p": plan.p, "q": plan.q},
                "gamma": _power(swap, longest),
                "gamma_per_swapped_item": _power(swap, 1),
                "basic_privacy": 1 - plan.attained["breach"],
                "standard_error": _flipped(plan.p, plan.q, (1, 2, 3), support, n, shares),
            }
        )
    except CannotMeetError as refusal:
        reasons.append(f"no Emask: {refusal.what}")
    try:
        mask = plan_mask(gamma, max_length=longest, universe=used)
        flipped = _flipped(mask.p, mask.p, (1, 2, 3), support, n, shares)
        options.append(_option("mask", mask, {"p": mask.p}, flipped))
    except CannotMeetError as refusal:
        reasons.append(f"no Mask under gamma {gamma:g}: {refusal.what}")
    even = len(tx) > 0 and int(tx.lengths.min()) == int(tx.lengths.max()) == longest
    try:
        if not even:
            raise CannotMeetError(
                f"records differ in length (up to {longest}), it can be mined only where all hold equally many items"
            )
        cut = plan_cut_and_paste(gamma, max_length=longest, length=min(3, longest))
        lengths = range(1, min(3, cut.K, longest) + 1)
        by_length = {str(k): _cut(cut, longest, k, support, n, shares) for k in lengths}
        options.append(_option("cut-and-paste", cut, {"K": cut.K, "rho": cut.rho}, by_length))
    except CannotMeetError as refusal:
        reasons.append(f"no Cut-and-Paste under gamma {gamma:g}: {refusal.what}")
    if used <= SMALL_UNIVERSE:
        options.sort(key=lambda option: option["scheme"] == "emask")
        reasons.append(f"{used} items are few enough for a strict promise on whole records")
    else:
        reasons.append(
            "over so many items a strict promise leaves nothing to mine: Emask protects on average (basic and "
            "reinterrogation privacy) and its gamma is for each swapped item; shorten records, or group items, for a "
            "strict one"
        )
    return Description(
        kind="transactions",
        records=n,
        facts={"items": used, "average_length": average, "longest": longest},
        options=tuple(options),
        reasons=tuple(reasons),
        support=support,
    )


def _option(
    scheme: str, plan: Any, parameters: Mapping[str, float], standard_error: Mapping[str, float]
) -> dict[str, Any]:
    """A scheme that keeps the promise: its parameters, the gamma it attains, and errors by length of itemset."""
    return {
        "scheme": scheme,
        "parameters": dict(parameters),
        "gamma": plan.attained,
        "standard_error": dict(standard_error),
    }


def _flipped(
    p: float, q: float, lengths: Iterable[int], support: float, records: int, shares: Shares
) -> dict[str, float]:
    return {
        str(n): flip_error(p, q, length=n, support=support, records=records, held=shares(n, support)) for n in lengths
    }


def _cut(plan: CutAndPastePlan, held: int, length: int, support: float, records: int, shares: Shares) -> float:
    return cut_error(
        plan.K,
        plan.rho,
        record_length=held,
        length=length,
        support=support,
        records=records,
        held=shares(length, support),
    )


def _power(base: float, exponent: int) -> float | None:
    """None where no number is large enough to hold it; JSON knows no infinity."""
    return None if base == math.inf or exponent * math.log(base) > 700 else base**exponent
