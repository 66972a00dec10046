"""Sending the records of a graph down a tree without joining them.

The engines that grow a tree also walk it: the joined records of one target record part at every split, and its counts
say how many of them end at each leaf.
"""

from collections.abc import Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from confide.core.errors import InputError
from confide.core.trees.published import Node, PublishedTree
from confide.join.graph.forecast import prepare, refuse_unusable
from confide.join.graph.join_graph import JoinGraph
from confide.join.tree.column_codes import CodedColumn
from confide.join.tree.level_growth import tell
from confide.join.tree.local_engines import open_engines
from confide.join.tree.table_engine import TableEngine

__all__ = ["leaf_shares", "leaf_votes"]

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]
Number = TypeVar("Number", np.int64, np.float64)


def leaf_votes(tree: PublishedTree, graph: JoinGraph) -> I64:
    """For each record of the target table and each class, the joined records the tree puts in that class."""
    places = [tree.classes.index(node.label) for node in tree.nodes]
    return _sum_weights(tree, graph, np.eye(len(tree.classes), dtype=np.int64)[places])


def leaf_shares(tree: PublishedTree, graph: JoinGraph) -> F64:
    """For each record of the target table, the classes of the training records where its joined records end.

    The mean over its joined records; zeros where it has none.
    """
    counts = np.array([node.counts for node in tree.nodes], dtype=np.float64)
    sums = _sum_weights(tree, graph, counts / counts.sum(axis=1, keepdims=True))
    totals = sums.sum(axis=1, keepdims=True)
    return np.divide(sums, totals, out=np.zeros_like(sums), where=totals > 0)


def _sum_weights(tree: PublishedTree, graph: JoinGraph, weights: NDArray[Number]) -> NDArray[Number]:
    """For each record of the target table, the weights (a row a node) of the nodes its joined records end at, summed.

    A joined record whose value an inner node does not know stays there and ends at that node.
    """
    prepared = prepare(graph)
    if prepared.joined_rows > 0:
        refuse_unusable(prepared)
    sums = np.zeros((graph.tables[graph.target].num_rows, len(tree.classes)), dtype=weights.dtype)
    if prepared.joined_rows == 0:
        return sums
    categorical = [attribute.name for attribute in tree.attributes if attribute.kind == "categorical"]
    one_class = np.zeros(len(prepared.target_rows), dtype=np.int32)
    known = {attribute.name for attribute in tree.attributes}
    others = [f"{table}.{name}" for table in graph.tables for name in graph.attributes(table)]
    left_out = [name for name in others if name not in known]
    engines = open_engines(graph, prepared, one_class, 1, categorical=categorical, exclude=left_out)
    place = _places(tree, engines)

    here = {0: 0}  # open node of the walk -> node of the tree
    made = 1
    while here:
        asked = [number for number, node in here.items() if tree.nodes[node].attribute is not None]
        for number in here.keys() - set(asked):
            _count(sums, engines[graph.target], number, weights[here[number]])
        if not asked:
            break
        names, branches, n_children = [], [], []
        following: dict[int, int] = {}
        for number in asked:
            node = tree.nodes[here[number]]
            table, j = place[str(node.attribute)]
            child_of, ends = _branches(node, engines[table].columns[j], own=here[number])
            names.append(table)
            branches.append((j, child_of))
            n_children.append(len(ends))
            following |= {made + k: end for k, end in enumerate(ends)}
            made += len(ends)
        sizes = np.array(n_children, dtype=np.int64)
        first = made - sizes.sum() + np.cumsum(sizes) - sizes
        nodes, owner = np.array(asked, dtype=np.int64), np.array(names)
        for table in set(names):
            mine = np.flatnonzero(owner == table)
            engines[table].split_by(nodes[mine], [branches[i] for i in mine], first[mine], sizes[mine])
        tell(graph, engines, nodes, first, sizes, names)
        stopped = {number for number, end in following.items() if end in here.values()}
        for number in stopped:
            _count(sums, engines[graph.target], number, weights[following[number]])
        here = {number: end for number, end in following.items() if number not in stopped}
    return sums


def _places(tree: PublishedTree, engines: Mapping[str, TableEngine]) -> dict[str, tuple[str, int]]:
    """Where the tree's attributes are: table and column."""
    kinds = {attribute.name: attribute.kind for attribute in tree.attributes}
    place: dict[str, tuple[str, int]] = {}
    for table, engine in engines.items():
        for j, column in enumerate(engine.columns):
            place[column.name] = table, j
            if kinds.get(column.name, column.kind) != column.kind:
                raise InputError(f"is {column.kind} here but was {kinds[column.name]} in training", column=column.name)
    for node in tree.nodes:
        if node.attribute is not None and node.attribute not in place:
            raise InputError(f"the tree asks for {node.attribute}, which no table of the graph has")
    return place


def _branches(node: Node, column: CodedColumn, *, own: int) -> tuple[I32, list[int]]:
    """The branch each code takes, and the tree's node at the end of each; `own` for values the node does not know."""
    ends = [edge.to for edge in node.edges] + [own]
    child_of = np.full(column.width, len(ends) - 1, dtype=np.int32)
    for k, edge in enumerate(node.edges):
        if column.numbers is not None:
            for low, high in edge.intervals:
                child_of[np.flatnonzero((column.numbers > low) & (column.numbers <= high))] = k
            if edge.missing and column.gaps:
                child_of[-1] = k
        else:
            known = set(edge.values)
            child_of[[value in known for value in column.values]] = k
    return child_of, ends


def _count(sums: NDArray[Number], target: TableEngine, number: int, weights: NDArray[Number]) -> None:
    rows, counts = target.records(number)
    sums[rows] += counts[:, :1] * weights
