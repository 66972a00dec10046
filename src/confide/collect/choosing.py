"""Which scheme fits which data: what each would promise, and how far off its supports would be.

    records of a few fields, all itemset lengths       gamma-diagonal
    records of a few fields, pairs at most             Mask over "name=value" columns
    short records over a few items                     Mask, or Cut-and-Paste for itemsets up to K
    sparse records over many items                     Emask: averages (basic privacy), hardly a strict promise

Errors are those of a support of `support` (a share): standard errors of one itemset, before any mining.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from confide.collect.fields import Fields
from confide.collect.planner import plan_emask
from confide.collect.plans import GammaPlan, cut_matrix, plan_cut_and_paste, plan_mask
from confide.core.errors import CannotMeetError, InputError, RequirementError
from confide.core.transactions import Transactions

__all__ = ["Description", "describe", "fields_of", "usable_columns"]

MOST_VALUES = 64
"""A column with more values is not taken for categories: it wants bins, or should stay at home."""

SMALL_UNIVERSE = 40  # items over which a record can be flipped item by item without drowning it


@dataclass(frozen=True, kw_only=True)
class Description:
    """What was found: `options` (best first; each with scheme, parameters, gamma and standard errors by itemset
    length), and `reasons` in plain words. Errors are shares of all records, to be held against `support`."""

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
    if isinstance(data, Transactions):
        return _of_items(data, gamma=gamma, support=support, records=records, max_length=max_length)
    found = fields_of(data) if fields is None else fields
    return _of_fields(found, gamma=gamma, support=support, records=records or _rows(data))


def fields_of(
    frame: Any, *, columns: Sequence[str] | None = None, bins: Mapping[str, Sequence[float]] | None = None
) -> Fields:
    """Fields from a frame: the values of each column in label order; `bins` gives the edges of numeric columns.

    The values come from the frame, so only from a sample whose values are no secret; a value it lacks is refused
    later. A column of more than 64 values without bins is refused: it would be noise, or point at people.
    """
    from confide.collect.fields import Bins
    from confide.core.labels import label_order
    from confide.core.tables import to_table

    table = to_table(frame)
    names = table.column_names if columns is None else list(columns)
    domains: dict[str, Any] = {}
    for name in names:
        if name not in table.column_names:
            raise InputError(f"no column {name!r}; columns are: {', '.join(table.column_names)}")
        if bins and name in bins:
            domains[name] = Bins(tuple(bins[name]))
            continue
        present = {str(value) for value in table[name].unique().to_pylist() if value is not None}
        values = sorted(present, key=label_order)
        if len(values) > MOST_VALUES:
            raise RequirementError(
                f"column {name!r} has {len(values):,} values; give edges to cut it at (bins), or leave it out (columns)"
            )
        if len(values) < 2:
            raise RequirementError(f"column {name!r} has one value only, so there is nothing to ask; leave it out")
        domains[name] = values
    unknown = set(bins or {}) - set(names)
    if unknown:
        raise InputError(f"bins for {sorted(unknown)[0]!r}, which is no column chosen; columns are: {', '.join(names)}")
    return Fields.of(domains)


def usable_columns(frame: Any, *, bins: Mapping[str, Sequence[float]] | None = None) -> list[str]:
    """The columns that can be fields as they are, or through `bins`."""
    from confide.core.tables import to_table

    table = to_table(frame)
    sizes = {name: len(table[name].unique()) for name in table.column_names}
    return [name for name, size in sizes.items() if name in (bins or {}) or 2 <= size <= MOST_VALUES]


def _rows(frame: Any) -> int:
    from confide.core.tables import to_table

    return int(to_table(frame).num_rows)


def _of_fields(fields: Fields, *, gamma: float, support: float, records: int) -> Description:
    m = len(fields)
    lengths = range(1, min(m, 4) + 1)
    errors = GammaPlan(gamma=gamma, rho1=0.05, rho2=0.5).standard_errors(fields, records=records, support=support)
    mask = plan_mask(gamma, fields=m)
    cut = plan_cut_and_paste(gamma, fields=m, length=min(3, m))
    options: list[dict[str, Any]] = [
        {
            "scheme": "gamma-diagonal",
            "parameters": {"gamma": gamma},
            "gamma": gamma,
            "standard_error": {str(n): errors[n] for n in [*lengths, m] if n in errors},
            "condition_number": 1 + fields.cells / (gamma - 1),
        },
        {
            "scheme": "mask",
            "parameters": {"p": mask.p},
            "gamma": mask.attained,
            "standard_error": {str(n): mask_error(mask.p, mask.p, n, support, records) for n in [*lengths, m]},
        },
        {
            "scheme": "cut-and-paste",
            "parameters": {"K": cut.K, "rho": cut.rho},
            "gamma": cut.attained,
            "standard_error": {
                str(n): cut_error(cut.K, cut.rho, m, n, support, records) for n in lengths if n <= cut.K
            },
        },
    ]
    better = [n for n in lengths if mask_error(mask.p, mask.p, n, support, records) < errors[n]]
    reasons = [f"{m} fields with {fields.cells:,} combinations: a record can be perturbed as a whole"]
    if better:
        short = "single values" if better[-1] == 1 else f"itemsets of {better[-1]} fields or fewer"
        reasons.append(f"for {short} Mask is closer; beyond that gamma-diagonal is, and it alone finds the longest")
    if fields.cells / (gamma - 1) > 10_000:
        reasons.append(
            "so many combinations leave little of a record; drop fields or make bins coarser, or collect more records"
        )
    if errors[m] > support:
        reasons.append(
            f"with {records:,} records even whole records come with a standard error of {errors[m]:.2g}, above the "
            f"support {support:g}: collect more, or raise gamma"
        )
    if better == list(lengths):
        options.sort(key=lambda option: option["scheme"] != "mask")
    return Description(
        kind="categorical records",
        records=records,
        facts={"fields": {field.name: len(field.values) for field in fields}, "cells": fields.cells},
        options=tuple(options),
        reasons=tuple(reasons),
        support=support,
    )


def _of_items(
    tx: Transactions, *, gamma: float, support: float, records: int | None, max_length: int | None
) -> Description:
    n = records or len(tx)
    used = int(np.count_nonzero(tx.supports()))
    longest = max_length or int(tx.lengths.max(initial=1)) or 1
    average = float(tx.lengths.mean()) if len(tx) else 0.0
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
                "standard_error": {str(k): mask_error(plan.p, plan.q, k, support, n) for k in (1, 2, 3)},
            }
        )
    except CannotMeetError as refusal:
        reasons.append(f"no Emask: {refusal.what}")
    try:
        mask = plan_mask(gamma, max_length=longest, universe=used)
        options.append(
            {
                "scheme": "mask",
                "parameters": {"p": mask.p},
                "gamma": mask.attained,
                "standard_error": {str(k): mask_error(mask.p, mask.p, k, support, n) for k in (1, 2, 3)},
            }
        )
    except CannotMeetError as refusal:
        reasons.append(f"no Mask under gamma {gamma:g}: {refusal.what}")
    try:
        cut = plan_cut_and_paste(gamma, max_length=longest, length=min(3, longest))
        lengths = range(1, min(3, cut.K, longest) + 1)
        options.append(
            {
                "scheme": "cut-and-paste",
                "parameters": {"K": cut.K, "rho": cut.rho},
                "gamma": cut.attained,
                "standard_error": {str(k): cut_error(cut.K, cut.rho, longest, k, support, n) for k in lengths},
            }
        )
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


def mask_error(p: float, q: float, length: int, support: float, records: int) -> float:
    """Standard error of a support estimated through Mask or Emask, records holding all of the itemset or nothing."""
    d = p + q - 1
    m1, m0 = 1 + p * (1 - p) / d**2, q * (1 - q) / d**2
    return math.sqrt((support * m1**length + (1 - support) * m0**length - support) / records)


def cut_error(K: int, rho: float, longest: int, length: int, support: float, records: int) -> float:
    """The same through Cut-and-Paste, for records of `longest` items."""
    law = cut_matrix(K, rho, longest, length)
    row = np.linalg.inv(law)[-1]
    seen = support * law[:, -1] + (1 - support) * law[:, 0]
    given = support * (row @ law[:, -1]) ** 2 + (1 - support) * (row @ law[:, 0]) ** 2
    return math.sqrt(float(row**2 @ seen - given) / records)


def _power(base: float, exponent: int) -> float | None:
    """None where no number is large enough to hold it; JSON knows no infinity."""
    return None if base == math.inf or exponent * math.log(base) > 700 else base**exponent
