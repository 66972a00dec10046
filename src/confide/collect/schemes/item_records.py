"""Records of items in the forms that drawing, mining, auditing and their owner look at."""

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.collect.fields.fields import Fields
from confide.collect.numbered import NumberedRecords, check_size
from confide.core.datasets.loading import are_baskets
from confide.core.datasets.stored_transactions import StoredTransactions
from confide.core.errors import InputError, RequirementError
from confide.core.transactions.container import Transactions
from confide.core.transactions.intake import as_transactions
from confide.core.transactions.labels import as_label

if TYPE_CHECKING:
    from confide.core.randomness import Randomness

__all__ = [
    "check_one_of_each",
    "compressed",
    "items_held",
    "matrix_rows",
    "minable",
    "numbered_items",
    "pairs",
    "true_records",
    "universe_of",
]


def universe_of(items: Iterable[object]) -> tuple[str, ...]:
    """The labels of a universe; refuses none at all, and two that are the same."""
    if isinstance(items, str | bytes):
        raise RequirementError("items must be a list of labels, not one text", parameter="items", value=items)
    try:
        labels = tuple(as_label(item) for item in items)
    except InputError as error:
        raise RequirementError(error.what) from None
    if not labels:
        raise RequirementError("the universe holds no items")
    if len(set(labels)) < len(labels):
        twice = next(label for place, label in enumerate(labels) if label in labels[:place])
        raise RequirementError(f"two items of the universe have the same label {twice!r}")
    return labels


def items_held(record: Mapping[Any, Any]) -> list[Any]:
    """The items of a boolean record {item: 0 or 1}."""
    if any(value not in (0, 1) for value in record.values()):
        raise InputError("a cell is neither 0 nor 1")
    return [item for item, value in record.items() if value]


def matrix_rows(matrix: NDArray[Any], universe: tuple[str, ...] | None) -> NDArray[Any]:
    """A 0/1 matrix, or one row of it, as rows over the universe; refuses another shape and other cells."""
    n = matrix.shape[-1]
    if matrix.ndim not in (1, 2) or (universe is not None and n != len(universe)):
        known = "" if universe is None else f" {len(universe)}"
        raise InputError(f"a 0/1 matrix has one row a record and{known} columns; its shape is {matrix.shape}")
    rows = matrix.reshape(-1, n)
    if not np.all((rows == 0) | (rows == 1)):
        where = np.argwhere((rows != 0) & (rows != 1))[0]
        raise InputError("a cell is neither 0 nor 1", source="records", line=int(where[0]) + 1)
    return rows


def minable(perturbed: Any, universe: tuple[str, ...] | None, *, kind: str) -> Transactions | StoredTransactions:
    """Perturbed records in the form in which they are counted; `kind` of scheme is for the message."""
    if are_baskets(perturbed):
        return perturbed
    if isinstance(perturbed, np.ndarray):
        if perturbed.ndim != 2 or (universe is not None and perturbed.shape[1] != len(universe)):
            raise InputError(f"a 0/1 matrix has a row a record and a column an item; its shape is {perturbed.shape}")
        labels = universe if universe is not None else tuple(str(i) for i in range(perturbed.shape[1]))
        return Transactions.from_arrays(*compressed(perturbed), labels)
    try:
        return as_transactions(perturbed)
    except InputError as refusal:
        raise InputError(f"records of a {kind} scheme: {refusal}") from None


def compressed(matrix: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """A 0/1 matrix as compressed rows of ascending positions."""
    rows, columns = np.nonzero(matrix)
    indptr = np.searchsorted(rows, np.arange(len(matrix) + 1)).astype(np.int64)
    return indptr, columns.astype(np.int32)


def check_one_of_each(fields: Fields, indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> None:
    """Refuse rows of positions that do not hold exactly one boolean column of each field."""
    m = len(fields)
    fits = bool(np.all(np.diff(indptr) == m))
    if fits:
        field = np.searchsorted(np.array(fields.starts[1:]), indices, side="right")
        fits = np.array_equal(field.reshape(-1, m), np.broadcast_to(np.arange(m), (len(indptr) - 1, m)))
    if not fits:
        raise InputError(f"a record does not hold one value of each field: {', '.join(fields.names)}")


def pairs(tx: Transactions, codes: Mapping[str, int]) -> NDArray[np.int64]:
    """One number for each item of each record, comparable between two databases of the same labels."""
    place = np.array([codes[label] for label in tx.labels], dtype=np.int64)
    return np.repeat(np.arange(len(tx), dtype=np.int64), tx.lengths) * len(codes) + place[tx.indices]


def numbered_items(
    perturb: Callable[..., Transactions], universe: tuple[str, ...], fields: Fields | None, longest: int | None
) -> NumberedRecords:
    """A scheme over a small universe, for an auditor.

    An answer is its set of positions read as bits; true records are numbered by length, then position by position, the
    empty one first (with `fields`: cell by cell).
    """
    check_size(1 << min(len(universe), 60))
    truths = true_records(len(universe), fields, longest)
    order = {label: bit for bit, label in enumerate(universe)}

    def draw(truth: int, times: int, randomness: "Randomness | None") -> NDArray[np.int64]:
        held = np.tile(np.array(truths[truth], dtype=np.int32), times)
        rows = Transactions.from_arrays(np.arange(times + 1, dtype=np.int64) * len(truths[truth]), held, universe)
        sent = perturb(rows, randomness=randomness)
        bits = np.array([1 << order[label] for label in sent.labels], dtype=np.float64)
        records = np.repeat(np.arange(times), sent.lengths)
        return np.bincount(records, weights=bits[sent.indices], minlength=times).astype(np.int64)

    return NumberedRecords(
        truths=len(truths),
        answers=1 << len(universe),
        draw=draw,
        truth=lambda number: [universe[i] for i in truths[number]],
        answer=lambda number: [label for bit, label in enumerate(universe) if number >> bit & 1],
    )


def true_records(n: int, fields: Fields | None, longest: int | None) -> list[tuple[int, ...]]:
    """Every true record there may be, as positions in a universe of n items: by length, the empty one first; with
    `fields` cell by cell."""
    if fields is not None:
        return [
            tuple(start + code for start, code in zip(fields.starts, codes, strict=False))
            for codes in itertools.product(*map(range, fields.sizes))
        ]
    most = n if longest is None else longest
    return [held for length in range(most + 1) for held in itertools.combinations(range(n), length)]
