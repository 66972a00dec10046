"""The engines of all tables in one process: keys agreed, classes propagated, columns coded."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from confide.core.runtime.threads import cores, in_threads
from confide.join.graph.forecast import Prepared
from confide.join.graph.join_graph import JoinGraph
from confide.join.graph.summary_order import propagation
from confide.join.tree.column_codes import CodedColumn, code_column
from confide.join.tree.layout import at_once
from confide.join.tree.table_engine import TableEngine
from confide.mining.trees.table import read_columns

__all__ = ["open_engines"]

LARGE = 50_000
"""From this many records on, columns are coded side by side."""

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]


def open_engines(
    graph: JoinGraph,
    prepared: Prepared,
    codes: I32,
    n_classes: int,
    *,
    categorical: Iterable[str] = (),
    exclude: Iterable[str] = (),
) -> dict[str, TableEngine]:
    """An engine for every table, after class propagation. `codes` are the classes of `prepared.target_rows`."""
    chosen, left_out = set(categorical), set(exclude)
    threads = cores(most=8)
    engines: dict[str, TableEngine] = {}
    for name in graph.tables:
        classes = None
        if name == graph.target:
            classes = np.full(graph.tables[name].num_rows, -1, dtype=np.int32)
            classes[prepared.target_rows] = codes
        engines[name] = TableEngine(
            _Coder(graph, name, chosen, left_out),
            keys=prepared.keys_of(name),
            shared=prepared.count_shared(name),
            classes=classes,
            n_classes=n_classes,
            threads=threads,
        )
    for sender, receiver in propagation(graph.neighbours, graph.target):
        engines[receiver].receive_class(sender, engines[sender].class_summary(receiver))
    rows = max(table.num_rows for table in graph.tables.values())
    at_once([engine.open for engine in engines.values()], threads if rows >= LARGE else 1)
    return engines


class _Coder:
    """Codes the columns of a table's records, named "table.column"."""

    def __init__(self, graph: JoinGraph, table: str, categorical: set[str], exclude: set[str]):
        names = [name for name in graph.attributes(table) if f"{table}.{name}" not in exclude]
        self.frame = graph.tables[table].select(names).rename_columns([f"{table}.{name}" for name in names])
        self.categorical = categorical
        self.threads = cores(most=8)

    def __call__(self, rows: I64) -> list[CodedColumn]:
        import pyarrow as pa

        if not self.frame.num_columns:
            return []
        frame = self.frame if len(rows) == self.frame.num_rows else self.frame.take(pa.array(rows))

        def code(name: str) -> CodedColumn:
            columns, _ = read_columns(
                frame.select([name]), categorical=[name] if name in self.categorical else [], missing=True
            )
            return code_column(columns[0])

        if len(rows) < LARGE:
            return [code(name) for name in frame.column_names]
        return in_threads(code, frame.column_names, threads=self.threads)
