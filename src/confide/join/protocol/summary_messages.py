"""Summaries as messages: class and split summaries and back, the points of an intersection, the sums of a ledger."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import UnreachableError
from confide.join.protocol.ledger import Ledger
from confide.join.protocol.messages import Message, narrow
from confide.join.protocol.verbs import CertainTold
from confide.join.tree.entries import SplitSummary

__all__ = [
    "class_counts",
    "ledger_lines",
    "node_totals",
    "points_column",
    "points_of",
    "read_class_counts",
    "read_split_counts",
    "split_counts",
]


def class_counts(summary: NDArray[np.int64], *, run: str, step: int, certain_classes: float) -> Message:
    """CS(T_i -> T_j): row k holds the class counts of the k-th shared join value.

    `certain_classes` is the share that the target's owner allows, as it reached this site.
    """
    columns = {f"c{c}": narrow(np.ascontiguousarray(summary[:, c])) for c in range(summary.shape[1])}
    header = {"run": run, "step": step, "certain_classes": certain_classes}
    return Message("class-counts", header, columns)


def read_class_counts(message: Message, *, shared: int, classes: int, sender: str) -> NDArray[np.int64]:
    """The table of counts, if it has the size agreed upon."""
    counts = message.counts()
    if counts.shape != (shared, classes) or (counts.size and counts.min() < 0):
        raise UnreachableError(f"{sender} sent a class summary that does not fit the join values agreed upon")
    return counts


def split_counts(summary: SplitSummary, *, run: str, level: int, shared: int) -> Message:
    """SS(T_i -> T_j), child by child: join values by number, and a column of counts for each class."""
    import pyarrow as pa

    offsets = pa.array(summary.start.astype(np.int32))
    keys = summary.keys.astype(np.uint16 if shared <= 1 << 16 else np.int32, copy=False)
    columns: dict[str, Any] = {
        "parent": np.repeat(summary.parents, summary.n_children).astype(np.int32),
        "child": summary.children.astype(np.int32),
        "keys": pa.ListArray.from_arrays(offsets, pa.array(keys)),
    }
    for c in range(summary.counts.shape[1]):
        counts = narrow(np.ascontiguousarray(summary.counts[:, c]))
        columns[f"c{c}"] = pa.ListArray.from_arrays(offsets, pa.array(counts))
    return Message("split-counts", {"run": run, "level": level}, columns)


def read_split_counts(message: Message, *, shared: int, classes: int, sender: str) -> SplitSummary:
    """The summary, if every number in it is one that can be."""
    parents, children = message.columns["parent"].astype(np.int64), message.columns["child"].astype(np.int64)
    lists = message.columns["keys"]
    lengths = np.asarray(lists.value_lengths(), dtype=np.int64)
    keys = np.asarray(lists.flatten()).astype(np.int32, copy=False)
    names = [name for name in message.columns if name.startswith("c") and name[1:].isdigit()]
    counts = np.empty((len(keys), classes), dtype=np.int64)
    fits = len(names) == classes and bool(np.all(np.diff(children) > 0) and np.all(np.diff(parents) >= 0))
    for c, name in enumerate(names if fits else ()):
        column = message.columns[name]
        fits &= np.array_equal(np.asarray(column.value_lengths(), dtype=np.int64), lengths)
        if fits:
            counts[:, c] = np.asarray(column.flatten())
    if not fits or (len(keys) and (keys.min() < 0 or keys.max() >= shared or counts.min() < 0)):
        raise UnreachableError(f"{sender} sent a split summary that does not fit the join values agreed upon")
    told, n_children = np.unique(parents, return_counts=True)
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return SplitSummary(told, n_children.astype(np.int64), children, start, keys, counts)


def node_totals(nodes: NDArray[np.int64], counts: NDArray[np.int64], *, run: str) -> Message:
    """Class counts of nodes, for the coordinator: a row for each node."""
    columns: dict[str, Any] = {"node": np.ascontiguousarray(nodes, dtype=np.int32)}
    columns |= {f"c{c}": np.ascontiguousarray(counts[:, c]) for c in range(counts.shape[1])}
    return Message("totals", {"run": run}, columns)


def ledger_lines(ledger: Ledger, run: str, certain: Sequence[CertainTold] = ()) -> Message:
    """The sums of what a party sent, and what it counted for its neighbours, for the coordinator."""
    import pyarrow as pa

    sent = ledger.sent()
    columns: dict[str, Any] = {
        "to": pa.array([line.receiver for line in sent], pa.string()),
        "kind": pa.array([line.kind for line in sent], pa.string()),
    }
    for name in ("messages", "entries", "bytes"):
        columns[name] = np.array([getattr(line, name) for line in sent], dtype=np.int64)
    return Message("lines", {"run": run, "certain": [counted.model_dump() for counted in certain]}, columns)


def points_column(data: bytes) -> Any:
    """Points of 32 bytes, end to end, as the column of a message."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.binary(32), len(data) // 32, [None, pa.py_buffer(data)])


def points_of(message: Message) -> bytes:
    """The points of a message, end to end."""
    array = message.columns["point"]
    buffer = array.buffers()[1]
    if buffer is None:
        return b""
    return bytes(buffer[32 * array.offset : 32 * (array.offset + len(array))])
