"""Itemsets as they leave: canonical order, labels of published sets alone."""

from typing import TYPE_CHECKING, Any

from confide.core.itemsets.container import Itemsets
from confide.core.transactions.labels import label_order

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

__all__ = ["as_kernels_take", "in_label_order", "made_itemsets", "published_sets", "sorted_by_labels"]

_WITHHELD = -(1 << 62)  # a value that no threshold lets pass
_SMALL = 1 << 26  # records in a window whose values fit 32 bits, whatever epsilon allows within reason
_FEW = 1 << 15  # labels that 16 bits can number
_MOST_RANKS = 1 << 16


class _Ranks(dict[str, tuple[int, int, str]]):
    """Labels ranked once: one window after another holds much the same."""

    def __missing__(self, label: str) -> tuple[int, int, str]:
        found = self[label] = label_order(label)
        return found


_RANKS = _Ranks()


def published_sets(itemsets: Itemsets, values: "Ints", leaves: "NDArray[np.bool_]") -> Itemsets:
    """The sets that leave, with their values, and the labels of those alone; in canonical order."""
    import numpy as np

    from confide.stream.paper import _class_kernels as kernels

    n = len(values)
    classes = np.zeros((5, n), dtype=np.int64)  # each set is a class of its own
    classes[1] = np.where(leaves, values, _WITHHELD)
    memory = kernels.Remembered(*(np.zeros(shape, dtype=np.int64) for shape in (1, (1, 2), 1)))
    offsets, items = as_kernels_take(itemsets.offsets), as_kernels_take(itemsets.items)
    used = np.zeros(len(itemsets.labels), np.int64)
    out = kernels.Published(
        np.empty(n + 1, offsets.dtype),
        np.empty(len(items), items.dtype),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        used,
    )
    kept, total, labels, ascending = kernels.put_out(
        kernels.ClassSets(offsets, items), np.arange(n), classes, _WITHHELD + 1, memory, 1, out
    )
    data = made_itemsets(
        out.offsets[: kept + 1],
        out.items[:total],
        out.values[:kept],
        tuple([itemsets.labels[code] for code in used[:labels].tolist()]),
        itemsets.n_transactions,
    )
    return data if ascending and in_label_order(data.labels) else sorted_by_labels(data)


def as_kernels_take(array: "NDArray[Any]") -> "NDArray[Any]":
    """As kernels take it: what cannot be written to would be another type to them, compiled anew."""
    return array if array.flags.c_contiguous and array.flags.writeable else array.copy()


def made_itemsets(offsets: "Ints", items: "Ints", values: "Ints", labels: tuple[str, ...], records: int) -> Itemsets:
    """As `Itemsets.from_arrays`, without looking through arrays whose types are known to do."""
    fits = records < _SMALL and offsets.itemsize == 4 and items.itemsize == (2 if len(labels) < _FEW else 4)
    if not fits:
        return Itemsets.from_arrays(offsets, items, values, labels=labels, n_transactions=records)
    return Itemsets(offsets=offsets, items=items, supports=values.astype("i4"), labels=labels, n_transactions=records)


def in_label_order(labels: tuple[str, ...]) -> bool:
    """Whether labels stand in the order in which releases write them."""
    if len(_RANKS) > _MOST_RANKS:
        _RANKS.clear()
    keys = [_RANKS[label] for label in labels]
    return keys == sorted(keys)


def sorted_by_labels(data: Itemsets) -> Itemsets:
    """The sets in canonical order, their codes in label order."""
    import numpy as np

    order = sorted(range(len(data.labels)), key=lambda i: label_order(data.labels[i]))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    items = rank[data.items]
    items = items[np.lexsort((items, np.repeat(np.arange(len(data)), data.lengths)))]  # codes ascend within each set
    labels = tuple(data.labels[i] for i in order)
    made = Itemsets.from_arrays(data.offsets, items, data.supports, labels=labels, n_transactions=data.n_transactions)
    return made.sorted()
