"""Joined records drawn from a join that nobody makes: for a look at it, or for models that need one table.

Joined records have numbers, 0 to joined_rows - 1, and a number is turned into its record step by step. The target's
records come first, each with as many numbers as it is in joined records. What is left of a number says, as digits of
mixed base, which of the partners in each neighbouring table, and so on outward. All of it is whole numbers, so every
joined record is equally likely, however large the join.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confide.core.requirements.base import check_count
from confide.join.graph.forecast import Prepared, prepare, refuse_unusable
from confide.join.graph.summary_order import level_order

if TYPE_CHECKING:
    import pyarrow as pa

    from confide.core.randomness import Randomness
    from confide.join.graph.join_graph import JoinGraph

__all__ = ["number_records", "sample_join"]

Whole = NDArray[np.int64]


def sample_join(graph: "JoinGraph", rows: int, randomness: "Randomness") -> "pa.Table":
    """See `JoinGraph.sample`."""
    import pyarrow as pa

    check_count("rows", rows, least=1, why="is no sample")
    prepared = prepare(graph)
    refuse_unusable(prepared)
    chosen = number_records(graph, prepared, randomness.integers(prepared.joined_rows, rows))
    return pa.table(
        {
            f"{name}.{column}": table.column(column).take(pa.array(chosen[name]))
            for name, table in graph.tables.items()
            for column in table.column_names
        }
    )


def number_records(graph: "JoinGraph", prepared: Prepared, numbers: Whole) -> dict[str, Whole]:
    """{table: rows} of the joined records with these numbers."""
    outward = [(near, far) for far, near in reversed(level_order(graph.neighbours, graph.target)[: len(graph.joins)])]
    keys = {name: prepared.keys_of(name) for name in graph.tables}
    beyond = _weights(graph, prepared, keys, outward)
    rows, left = _find(beyond[graph.target], np.arange(len(beyond[graph.target])), numbers)
    chosen, rest = {graph.target: rows}, {graph.target: left}
    for near, far in outward:
        order = np.argsort(keys[far][near], kind="stable")
        running = np.concatenate([[0], np.cumsum(beyond[far][order])])
        wanted = keys[near][far][chosen[near]]
        begin = running[np.searchsorted(keys[far][near][order], wanted)]
        end = running[np.searchsorted(keys[far][near][order], wanted, side="right")]
        rest[near], digit = np.divmod(rest[near], end - begin)
        chosen[far], rest[far] = _find(beyond[far][order], order, begin + digit)
    return chosen


def _weights(graph: "JoinGraph", prepared: Prepared, keys: dict[str, Any], outward: Any) -> dict[str, Whole]:
    """Of each record of each table, in how many joined records of the tables beyond it it is; 0 where it dangles."""
    found = {name: prepared.alive[name].astype(np.int64) for name in graph.tables}
    for near, far in reversed(outward):
        alive = prepared.alive[far]
        sums = np.zeros(prepared.count_shared(far)[near] + 1, dtype=np.int64)  # the last is where -1 falls
        np.add.at(sums, keys[far][near][alive], found[far][alive])
        found[near] = found[near] * sums[keys[near][far]]
    return found


def _find(weights: Whole, places: Whole, numbers: Whole) -> tuple[Whole, Whole]:
    """The place whose stretch of the running sum holds each number, and how far into it the number lies."""
    running = np.cumsum(weights)
    at = np.searchsorted(running, numbers, side="right")
    return places[at], numbers - (running[at] - weights[at])
