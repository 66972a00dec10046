"""A scheme as the likelihood auditor wants it: true records and answers are numbers, drawn by the scheme itself."""

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UsageError
from confide.core.transactions.container import Transactions

if TYPE_CHECKING:
    from confide.core.randomness import Randomness

__all__ = ["MOST_OUTPUTS", "perturber_of", "smaller", "worst_records"]

_WORST = ("likelier_truth", "less_likely_truth", "answer")

MOST_OUTPUTS = 1 << 14
"""A larger domain cannot be audited cell by cell in a sensible number of draws; audit a smaller one of its kind."""


def perturber_of(
    scheme: Any, *, randomness: "Randomness | None" = None
) -> tuple[Callable[[int, int], NDArray[np.int64]], int, int]:
    """(draw, number of true records, number of answers) of a scheme over a small domain.

    An answer of an item scheme is its set of positions read as bits; its true records are numbered by length, then
    position by position, the empty one first (with fields: cell by cell). `draw(truth, times)` perturbs that record so
    often, through `scheme.perturb`.
    """
    if hasattr(scheme, "cells"):
        _check_size(scheme.cells)

        def cells(truth: int, times: int) -> NDArray[np.int64]:
            return np.asarray(scheme.perturb(np.full(times, truth, dtype=np.int64), randomness=randomness))

        return cells, scheme.cells, scheme.cells
    universe = scheme.universe
    if universe is None:
        raise UsageError("the scheme names no items, so its domain is open; bind it with .for_items(labels)")
    _check_size(1 << min(len(universe), 60))
    truths = _true_records(scheme)
    order = {label: bit for bit, label in enumerate(universe)}

    def items(truth: int, times: int) -> NDArray[np.int64]:
        held = truths[truth]
        rows = Transactions.from_arrays(
            np.arange(times + 1, dtype=np.int64) * len(held), np.tile(np.array(held, dtype=np.int32), times), universe
        )
        sent = scheme.perturb(rows, randomness=randomness)
        bits = np.array([1 << order[label] for label in sent.labels], dtype=np.float64)
        records = np.repeat(np.arange(times), sent.lengths)
        return np.bincount(records, weights=bits[sent.indices], minlength=times).astype(np.int64)

    return items, len(truths), 1 << len(universe)


def worst_records(scheme: Any, worst: tuple[int, int, int]) -> dict[str, Any]:
    """What the numbers (u1, u2, v) of an audit stand for: two possible truths, and an answer that tells them apart."""
    u1, u2, v = worst
    if hasattr(scheme, "cells"):
        fields = scheme.fields
        rows = [dict(zip(fields.names, fields.decode_one(row), strict=True)) for row in fields.split(np.array(worst))]
        return dict(zip(_WORST, rows, strict=True))
    universe, truths = scheme.universe, _true_records(scheme)
    answer = [label for bit, label in enumerate(universe) if v >> bit & 1]
    return dict(
        zip(_WORST, ([universe[i] for i in truths[u1]], [universe[i] for i in truths[u2]], answer), strict=True)
    )


def smaller(scheme: Any) -> Any:
    """The same law over a domain small enough to audit: the scheme itself, or its first four items, or as many of its
    fields as leave no more than MOST_OUTPUTS answers."""
    from dataclasses import replace

    from confide.collect.schemes.fields import Fields

    fields = scheme.fields
    if fields is None:
        labels = scheme.universe or ("1", "2", "3", "4")
        if scheme.universe is not None and len(labels) <= 14:
            return scheme
        longest = None if scheme.max_length is None else min(scheme.max_length, 4)
        return replace(scheme, items=labels[:4], max_length=longest)
    of_items = hasattr(scheme, "universe")
    kept = list(fields)
    while len(kept) > 1 and _answers(Fields(tuple(kept)), of_items) > MOST_OUTPUTS:
        kept.pop()
    if len(kept) == len(fields):
        return scheme
    if scheme.kind == "matrix":
        raise UsageError("a matrix over so many cells cannot be audited in parts; audit a smaller one")
    few = Fields(tuple(kept))
    return replace(scheme, fields=few, max_length=None) if of_items else replace(scheme, domains=few)


def _answers(fields: Any, of_items: bool) -> int:
    return 2 ** len(fields.columns) if of_items else int(fields.cells)


def _true_records(scheme: Any) -> list[tuple[int, ...]]:
    n = len(scheme.universe)
    if scheme.fields is not None:
        starts = scheme.fields.starts
        return [
            tuple(start + code for start, code in zip(starts, codes, strict=False))
            for codes in itertools.product(*map(range, scheme.fields.sizes))
        ]
    longest = n if scheme.longest is None else scheme.longest
    return [held for length in range(longest + 1) for held in itertools.combinations(range(n), length)]


def _check_size(outputs: int) -> None:
    if outputs > MOST_OUTPUTS:
        raise UsageError(
            f"the domain has {outputs:,} possible answers, too many to audit one by one (at most {MOST_OUTPUTS:,}); "
            "audit the same scheme over fewer items or fields"
        )
