"""A lattice as a diagram: the coarsest generalisation above, a row for each number of levels up, lines between
neighbours. Filled boxes meet the requirement; a thick edge marks the minimal ones, the darkest box is the best.
"""

from typing import TYPE_CHECKING

import numpy as np

from confide.core.errors import UsageError
from confide.core.figures import Box, Column, Diagram, Table
from confide.publish.tables.incognito.lattice_search import better

if TYPE_CHECKING:
    from confide.publish.tables.incognito.lattice import Node
    from confide.publish.tables.incognito.lattice_exploration import ExploredLattice

__all__ = ["MOST_DRAWN", "best_node", "lattice_diagram"]

MOST_DRAWN = 300
"""Nodes up to which a lattice can be read as a drawing."""

_LEGEND = {
    "plain": "too many rows would have to be left out",
    "good": "meets the requirement",
    "best": "meets it at the least loss",
    "marked": "meets it, and nothing finer does",
}


def lattice_diagram(explored: "ExploredLattice", *, title: str = "All generalisations") -> Diagram:
    """The lattice as a diagram; the levels of the columns stand in a box in their order, with the loss below."""
    if len(explored) > MOST_DRAWN:
        raise UsageError(f"{len(explored):,} generalisations are too many to draw (up to {MOST_DRAWN}); use to_arrow()")
    nodes = list(np.ndindex(explored.safe.shape))
    number = {node: place for place, node in enumerate(nodes)}
    best = best_node(explored)
    above = (
        (node, (*node[:j], node[j] + 1, *node[j + 1 :])) for node in nodes for j in range(len(explored.safe.shape))
    )
    rows = explored.to_arrow().to_pylist()
    columns = (
        *(Column(name, "count") for name in explored.columns),
        *(Column("meets the requirement", "text"), Column("rows left out", "count"), Column("loss", "number")),
    )
    return Diagram(
        title=title,
        boxes=tuple(_box(explored, node, best=node == best) for node in nodes),
        lines=tuple((number[node], number[up]) for node, up in above if up in number),
        legend=_LEGEND,
        table=Table(
            columns,
            tuple(
                (
                    *(row[name] for name in explored.columns),
                    *("yes" if row["safe"] else "no", row["suppressed"], row["loss"]),
                )
                for row in rows
            ),
        ),
        note=f"A box tells the levels of {', '.join(explored.columns)}, and below them the loss.",
    )


def best_node(explored: "ExploredLattice") -> "Node | None":
    """The safe node of least loss, ties as in the search."""
    best: tuple[float, Node] | None = None
    for node in map(tuple, np.argwhere(explored.safe).tolist()):
        if better(float(explored.loss[node]), node, best):
            best = float(explored.loss[node]), node
    return None if best is None else best[1]


def _box(explored: "ExploredLattice", node: "Node", *, best: bool) -> Box:
    levels = [low + above for low, above in zip(explored.lowest, node, strict=True)]
    told = ", ".join(f"{name} {level}" for name, level in zip(explored.columns, levels, strict=True))
    rows, safe = int(explored.suppressed[node]), bool(explored.safe[node])
    left_out = f"{rows:,} row{'s' * (rows != 1)} left out"
    return Box(
        row=sum(node),
        text=" ".join(map(str, levels)),
        below=f"{explored.loss[node]:.3g}",
        words=f"{told}: loss {explored.loss[node]:.4g}, {left_out}{'' if safe else ', more than allowed'}",
        state="best" if best else "good" if safe else "plain",
        marked=bool(explored.minimal[node]),
    )
