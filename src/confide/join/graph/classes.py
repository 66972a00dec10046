"""The classes of the target table's records, as codes."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError, UsageError
from confide.mining.trees.table import read_labels

if TYPE_CHECKING:
    from confide.join.graph.join_graph import JoinGraph

__all__ = ["code_classes"]


def code_classes(graph: "JoinGraph", rows: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """The classes that occur among some target records, ascending, and the class of each of those records."""
    import pyarrow as pa

    if not graph.class_column:
        raise UsageError(
            f"the graph names no class column; to learn from it, say target='{graph.target}.COLUMN'", parameter="target"
        )
    column = graph.tables[graph.target].column(graph.class_column)
    column = (column if len(rows) == len(column) else column.take(pa.array(rows))).combine_chunks()
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    name = f"{graph.target}.{graph.class_column}"
    if column.null_count:
        raise InputError(f"the class column {name} is empty in {column.null_count} records; leave them out")
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    labels = read_labels(column.dictionary)
    indices = np.asarray(column.indices)
    used = np.flatnonzero(np.bincount(indices, minlength=len(labels)))
    classes, codes = np.unique(labels[used], return_inverse=True)
    code_of = np.full(len(labels) + 1, -1, dtype=np.int32)
    code_of[used] = codes
    if len({str(label) for label in classes.tolist()}) != len(classes):
        raise InputError(f"two classes of {name} read the same as text")
    return classes, code_of[indices]
