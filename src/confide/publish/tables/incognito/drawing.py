"""A lattice as a drawing: the coarsest generalisation above, a row for each number of levels up, lines between
neighbours. Filled boxes meet the requirement; a thick edge marks the minimal ones, the darkest box is the best.
"""

from collections import defaultdict
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from confide.core.errors import UsageError
from confide.publish.tables.incognito.search import better

if TYPE_CHECKING:
    from confide.publish.tables.incognito.exploration import ExploredLattice

__all__ = ["MOST_DRAWN", "lattice_svg"]

MOST_DRAWN = 300
"""Nodes up to which a lattice can be read as a drawing."""

_HEIGHT, _ROW, _GAP = 34, 62, 8  # of a box; from one row to the next; between two boxes
_FILLS = {"unsafe": "#fff", "safe": "#dcebf9", "best": "#8fc1ec"}


def lattice_svg(explored: "ExploredLattice") -> str:
    """The lattice as an SVG image; the levels of the columns stand in a box in their order, with the loss below."""
    if len(explored) > MOST_DRAWN:
        raise UsageError(f"{len(explored):,} generalisations are too many to draw (up to {MOST_DRAWN}); use to_arrow()")
    nodes = list(np.ndindex(explored.safe.shape))
    rows: dict[int, list[tuple[int, ...]]] = defaultdict(list)
    for node in nodes:
        rows[sum(node)].append(node)
    step = max(52, 8 * 2 * explored.safe.ndim) + _GAP
    width = step * max(map(len, rows.values())) + _GAP
    top = max(rows)
    place = {
        node: (width / 2 + (i - (len(row) - 1) / 2) * step, 6 + (top - height) * _ROW)
        for height, row in rows.items()
        for i, node in enumerate(row)
    }
    best = best_node(explored)
    size = f'viewBox="0 0 {width} {top * _ROW + _HEIGHT + 12}" width="{width}" height="{top * _ROW + _HEIGHT + 12}"'
    label = escape(f"lattice of generalisations: {', '.join(explored.columns)}", quote=True)
    style = 'font-family="sans-serif" font-size="11"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style} role="img" aria-label="{label}">']
    for node in nodes:
        for j in range(len(node)):
            above = (*node[:j], node[j] + 1, *node[j + 1 :])
            if above in place:
                (x, y), (to_x, to_y) = place[node], place[above]
                parts.append(
                    f'<line x1="{x:.0f}" y1="{y}" x2="{to_x:.0f}" y2="{to_y + _HEIGHT}" stroke="#bbb" '
                    'stroke-width="0.6"/>'
                )
    for node in nodes:
        parts.append(_box(explored, node, *place[node], step - _GAP, best=node == best))
    return "".join(parts) + "</svg>"


def best_node(explored: "ExploredLattice") -> tuple[int, ...] | None:
    """The safe node of least loss, ties as in the search."""
    best: tuple[float, tuple[int, ...]] | None = None
    for node in map(tuple, np.argwhere(explored.safe).tolist()):
        if better(float(explored.loss[node]), node, best):
            best = float(explored.loss[node]), node
    return None if best is None else best[1]


def _box(explored: "ExploredLattice", node: tuple[int, ...], x: float, y: float, width: int, *, best: bool) -> str:
    levels = [low + above for low, above in zip(explored.lowest, node, strict=True)]
    fill = _FILLS["best" if best else "safe" if explored.safe[node] else "unsafe"]
    told = ", ".join(f"{name} {level}" for name, level in zip(explored.columns, levels, strict=True))
    rows = int(explored.suppressed[node])
    text = "#222" if explored.safe[node] else "#777"
    return (
        f"<g><title>{escape(told)}: loss {explored.loss[node]:.4g}, {rows:,} row{'s' * (rows != 1)} suppressed"
        f"{'' if explored.safe[node] else ', not safe'}</title>"
        f'<rect x="{x - width / 2:.0f}" y="{y}" width="{width}" height="{_HEIGHT}" rx="5" fill="{fill}" stroke="#555" '
        f'stroke-width="{2.5 if explored.minimal[node] else 0.8}"/>'
        f'<text x="{x:.0f}" y="{y + 14}" text-anchor="middle" fill="{text}">{" ".join(map(str, levels))}</text>'
        f'<text x="{x:.0f}" y="{y + 28}" text-anchor="middle" fill="{text}">{explored.loss[node]:.3g}</text></g>'
    )
