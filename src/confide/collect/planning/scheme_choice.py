"""Which scheme fits which data: what each would promise, and how far off its supports would be.

    records of a few fields, all itemset lengths       gamma-diagonal
    records of a few fields, pairs at most             Mask over "name=value" columns
    short records over a few items                     Mask, or Cut-and-Paste for itemsets up to K
    sparse records over many items                     Emask: averages (basic privacy), hardly a strict promise

Errors are those of a support of `support` (a share): standard errors of one itemset, before any mining.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from confide.collect.planning.emask_plan import plan_emask
from confide.collect.planning.strict_plans import GammaPlan, cut_matrix, plan_cut_and_paste, plan_mask
from confide.collect.schemes.fields import Fields
from confide.core.errors import CannotMeetError, InputError, RequirementError
from confide.core.transactions.container import Transactions

__all__ = ["Description", "describe", "fields_of", "rare_values", "usable_columns"]

MOST_VALUES = 64
"""A column with more values is not taken for categories: it wants bins, or should stay at home."""

RARE = 5
"""A value that fewer records hold may point at one of them."""

LONGEST = 8  # lengths of itemsets that errors are told of
JUDGED = 3  # the length by whose error schemes for fields are ordered
SMALL_UNIVERSE = 40  # items over which a record can be flipped item by item without drowning it


@dataclass(frozen=True, kw_only=True)
class Description:
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
    if isinstance(data, Transactions):
        return _of_items(data, gamma=gamma, support=support, records=records, max_length=max_length)
    found = fields_of(data) if fields is None else fields
    return _of_fields(found, gamma=gamma, support=support, records=records or _rows(data))


def fields_of(
    frame: Any,
    *,
    columns: Sequence[str] | None = None,
    bins: Mapping[str, Sequence[float]] | None = None,
    values: Mapping[str, Sequence[str]] | None = None,
) -> Fields:
    """Fields from a frame: the values of each column in label order; `bins` gives the edges of numeric columns and
    `values` the values of columns where you declare them.

    Values that are not declared come from the frame, and a scheme makes them public: so only from a sample whose values
    are no secret (see `rare_values`); a value it lacks is refused later. A column of more than 64 values without bins
    is refused: it would be noise, or point at people.
    """
    from confide.collect.schemes.fields import Bins
    from confide.core.tables.frames import to_table
    from confide.core.transactions.labels import label_order

    table = to_table(frame)
    names = table.column_names if columns is None else list(columns)
    for declared, what in ((bins, "bins"), (values, "values")):
        unknown = set(declared or {}) - set(names)
        if unknown:
            raise InputError(
                f"{what} for {sorted(unknown)[0]!r}, which is no column chosen; columns are: {', '.join(names)}"
            )
    twice = set(bins or {}) & set(values or {})
    if twice:
        raise RequirementError(f"column {sorted(twice)[0]!r} is given both bins and values; give one of the two")
    domains: dict[str, Any] = {}
    for name in names:
        if name not in table.column_names:
            raise InputError(f"no column {name!r}; columns are: {', '.join(table.column_names)}")
        _check_none_missing(table[name], name)
        if bins and name in bins:
            _check_numbers(table[name], name)
            domains[name] = Bins(tuple(bins[name]))
        elif values and name in values:
            domains[name] = list(values[name])
        else:
            domains[name] = _checked_values({str(value) for value in table[name].unique().to_pylist()}, name)
            domains[name].sort(key=label_order)
    return Fields.of(domains)


def _checked_values(present: set[str], name: str) -> list[str]:
    if len(present) > MOST_VALUES:
        raise RequirementError(
            f"column {name!r} has {len(present):,} values; give edges to cut it at (bins), or leave it out (columns)"
        )
    if len(present) < 2:
        raise RequirementError(f"column {name!r} has one value only, so there is nothing to ask; leave it out")
    return list(present)


def _check_none_missing(column: Any, name: str) -> None:
    first = _first(column, _is_missing)
    if first is not None:
        raise InputError(
            f"a value of column {name!r} is missing; fill it in, write a value for it (such as unknown), or leave the "
            "column out",
            source=f"record {first:,}",
        )


def _check_numbers(column: Any, name: str) -> None:
    """Refuse to cut a column at edges that holds no numbers."""
    first = _first(column, lambda value: not _is_number(value))
    if first is not None:
        raise InputError(
            f"a value of column {name!r} is no number (decimals have a point), so the column cannot be cut at edges; "
            "leave out its bins",
            source=f"record {first:,}",
        )


def _first(column: Any, wrong: Callable[[Any], bool]) -> int | None:
    """The first record, from 1, whose value is wrong; different values are looked at once."""
    if not any(wrong(value) for value in column.unique().to_pylist()):
        return None
    return next(i for i, value in enumerate(column.to_pylist(), start=1) if wrong(value))


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value)) or (value == "" or str(value).isspace())


def _is_number(value: Any) -> bool:
    try:
        return not isinstance(value, bool) and math.isfinite(float(value))
    except (TypeError, ValueError):
        return False


def rare_values(frame: Any, fields: Fields, *, declared: Iterable[str] = (), fewer_than: int = RARE) -> dict[str, int]:
    """{column: how many of its values fewer than this many records hold}, for columns that are not declared.

    Such values may point at a person, and a scheme that lists them is public.
    """
    from confide.core.tables.frames import to_table

    table = to_table(frame)
    found = {}
    for field in fields:
        if field.edges is None and field.name not in set(declared):
            counts = table[field.name].value_counts().field("counts").to_pylist()
            found[field.name] = sum(count < fewer_than for count in counts)
    return {name: count for name, count in found.items() if count}


def usable_columns(
    frame: Any,
    *,
    bins: Mapping[str, Sequence[float]] | None = None,
    values: Mapping[str, Sequence[str]] | None = None,
) -> list[str]:
    """The columns that can be fields as they are, or through `bins` or `values`: no value missing, two at least and 64
    at most."""
    from confide.core.tables.frames import to_table

    table = to_table(frame)
    declared = {*(bins or {}), *(values or {})}
    return [
        name
        for name in table.column_names
        if name in declared
        or (2 <= len(table[name].unique()) <= MOST_VALUES and _first(table[name], _is_missing) is None)
    ]


def _rows(frame: Any) -> int:
    from confide.core.tables.frames import to_table

    return int(to_table(frame).num_rows)


def _of_fields(fields: Fields, *, gamma: float, support: float, records: int) -> Description:
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
        mask = plan_mask(gamma, fields=m)
        options.append(
            {
                "scheme": "mask",
                "parameters": {"p": mask.p},
                "gamma": mask.attained,
                "standard_error": {str(n): mask_error(mask.p, mask.p, n, support, records) for n in lengths},
            }
        )
    except CannotMeetError as refusal:
        reasons.append(f"no Mask under gamma {gamma:g}: {refusal.what}")
    try:
        cut = plan_cut_and_paste(gamma, fields=m, length=min(3, m))
        reach = [n for n in lengths if n <= cut.K]
        options.append(
            {
                "scheme": "cut-and-paste",
                "parameters": {"K": cut.K, "rho": cut.rho},
                "gamma": cut.attained,
                "standard_error": {str(n): cut_error(cut.K, cut.rho, m, n, support, records) for n in reach},
            }
        )
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
    """By what the options are ordered, and what the first is no use for."""
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
    even = len(tx) > 0 and int(tx.lengths.min()) == int(tx.lengths.max()) == longest
    try:
        if not even:
            raise CannotMeetError(
                "records differ in length, and it can be mined only where all hold equally many items"
            )
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
