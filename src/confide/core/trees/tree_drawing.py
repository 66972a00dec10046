"""A published tree for people: as indented text, as rules, as a drawing. Labels may come from data: made harmless.

sky = sun                                   one line an edge: the question's answer,
|   age <= 19.5: in (3 of 4 records)        and at a leaf the class with its hits among the records
|   age > 19.5: out (3 of 3 records)
sky = rain: in (7 of 7 records)
"""

import math
from html import escape
from typing import TYPE_CHECKING

from confide.core.errors import UsageError
from confide.core.runtime.terminal import safe_text
from confide.core.trees.nodes import Edge, Node

if TYPE_CHECKING:
    from confide.core.trees.published import PublishedTree

__all__ = ["condition_text", "outcome_text", "tree_html", "tree_rules", "tree_svg", "tree_text"]

_WIDTH, _HEIGHT, _GAP = 150, 44, 56  # of a node's box, and between two levels
_LONGEST = 22  # characters of a line in the drawing
_DRAWN = 40  # leaves up to which a notebook gets the drawing


def tree_text(tree: "PublishedTree", *, max_depth: int | None = None) -> str:
    """The tree as lines of text, indented by depth; below `max_depth` only the number of nodes is given."""
    _check_depth(max_depth)
    if tree.nodes[0].is_leaf:
        return outcome_text(tree.nodes[0])
    below = _sizes(tree)
    lines = []
    stack = [(edge, 0, 0) for edge in reversed(tree.nodes[0].edges)]
    while stack:
        edge, parent, depth = stack.pop()
        node = tree.nodes[edge.to]
        line = "|   " * depth + condition_text(str(tree.nodes[parent].attribute), edge)
        cut = max_depth is not None and depth + 1 >= max_depth
        if node.is_leaf:
            line += f": {outcome_text(node)}"
        elif cut:
            line += f": {outcome_text(node)}, {below[edge.to] - 1:,} nodes below not shown"
        else:
            stack += [(child, edge.to, depth + 1) for child in reversed(node.edges)]
        lines.append(line)
    return "\n".join(lines)


def tree_rules(tree: "PublishedTree") -> str:
    """The tree as rules, a line for each leaf, in the order of the edges."""
    lines = []
    for path in tree.paths():
        said = [
            condition_text(name, Edge(to=0, intervals=known, missing=name in path.missing))  # type: ignore[arg-type]
            if tree.attribute(name).kind == "numeric"
            else condition_text(name, Edge(to=0, values=known))  # type: ignore[arg-type]
            for name, known in path.conditions.items()
        ]
        lines.append(f"if {' and '.join(said)} then {outcome_text(path.node)}" if said else outcome_text(path.node))
    return "\n".join(lines)


def tree_svg(tree: "PublishedTree", *, max_depth: int | None = None) -> str:
    """The tree as an SVG image: a box a node, the question or the class in it, answers on the lines."""
    _check_depth(max_depth)
    depths = _depths(tree)
    limit = max(depths) if max_depth is None else max_depth
    shown = [i for i, depth in enumerate(depths) if depth <= limit]
    places = _places(tree, depths, limit)
    width = int(max(places[i] for i in shown) * (_WIDTH + 12)) + _WIDTH + 20
    height = (min(max(depths), limit) + 1) * (_HEIGHT + _GAP) - _GAP + 20
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    parts = [head + ' font-family="sans-serif" font-size="11" role="img" aria-label="decision tree">']
    answers = []  # behind all lines, each with a white rim, so that no line crosses a letter
    for i in shown:
        x, y = places[i] * (_WIDTH + 12) + 10, depths[i] * (_HEIGHT + _GAP) + 10
        for edge in tree.nodes[i].edges if depths[i] < limit else ():
            to_x, to_y = places[edge.to] * (_WIDTH + 12) + 10 + _WIDTH / 2, y + _HEIGHT + _GAP
            parts.append(
                f'<line x1="{x + _WIDTH / 2:.0f}" y1="{y + _HEIGHT}" x2="{to_x:.0f}" y2="{to_y}" stroke="#888"/>'
            )
            answers.append(
                f'<text x="{to_x:.0f}" y="{to_y - 6}" text-anchor="middle" stroke="#fff" stroke-width="4" '
                f'paint-order="stroke">{_short(_answer(edge))}</text>'
            )
    parts += answers
    for i in shown:
        node = tree.nodes[i]
        x, y = places[i] * (_WIDTH + 12) + 10, depths[i] * (_HEIGHT + _GAP) + 10
        leaf = node.is_leaf or depths[i] == limit
        first = node.label if leaf else f"{node.attribute}?"
        second = f"{node.hit:,} of {node.total:,}" + (" …" if leaf and not node.is_leaf else "")
        middle = f'x="{x + _WIDTH / 2:.0f}" text-anchor="middle"'
        parts.append(
            f'<rect x="{x:.0f}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="6" stroke="#555" '
            f'fill="{"#eef4fb" if leaf else "#fff"}"/>'
            f'<text {middle} y="{y + 18}" font-weight="bold">{_short(first)}</text>'
            f'<text {middle} y="{y + 34}">{second}</text>'
        )
    return "".join(parts) + "</svg>"


def tree_html(tree: "PublishedTree") -> str:
    """What a notebook shows: the drawing of a small tree, the first levels of a large one as text."""
    leaves = len(tree.leaves())
    head = f"<p><strong>Decision tree</strong>: {len(tree.nodes):,} nodes, {leaves:,} leaves, depth {tree.depth()}</p>"
    if leaves <= _DRAWN:
        return head + tree_svg(tree)
    return f"{head}<pre>{escape(tree_text(tree, max_depth=3))}</pre>"


def _check_depth(max_depth: object) -> None:
    if max_depth is not None and (isinstance(max_depth, bool) or not isinstance(max_depth, int) or max_depth < 1):
        raise UsageError(
            f"max_depth={max_depth!r} must be a whole number of 1 or more, or None for all levels",
            parameter="max_depth",
            value=max_depth,
        )


def outcome_text(node: Node) -> str:
    """The class, with its hits among the records."""
    return f"{safe_text(node.label)} ({node.hit:,} of {node.total:,} records)"


def condition_text(attribute: str, edge: Edge) -> str:
    """What is asked of an attribute."""
    name, answer = safe_text(attribute), _answer(edge)
    return f"{name} = {answer}" if len(edge.values) == 1 else f"{name} {answer}"


def _answer(edge: Edge) -> str:
    if edge.intervals or edge.missing:
        said = [_interval(low, high) for low, high in edge.intervals] + ["missing"] * edge.missing
        return " or ".join(said)
    values = ["missing" if value is None else safe_text(value) for value in edge.values]
    return values[0] if len(values) == 1 else f"in {{{', '.join(values)}}}" if values else "impossible"


def _interval(low: float, high: float) -> str:
    if math.isinf(low):
        return "any number" if math.isinf(high) else f"<= {high:.12g}"
    return f"> {low:.12g}" if math.isinf(high) else f"in ({low:.12g}, {high:.12g}]"


def _short(text: str) -> str:
    plain = safe_text(text).replace("\n", " ").replace("\t", " ")
    return escape(plain if len(plain) <= _LONGEST else plain[: _LONGEST - 1] + "…")


def _depths(tree: "PublishedTree") -> list[int]:
    depths = [0] * len(tree.nodes)
    for i, parent in enumerate(tree.parents):
        if parent >= 0:
            depths[i] = depths[parent] + 1
    return depths


def _sizes(tree: "PublishedTree") -> list[int]:
    """The number of nodes of the subtree at each node, itself included."""
    sizes = [1] * len(tree.nodes)
    for i in range(len(tree.nodes) - 1, 0, -1):
        sizes[tree.parents[i]] += sizes[i]
    return sizes


def _places(tree: "PublishedTree", depths: list[int], limit: int) -> list[float]:
    """Columns: leaves side by side from the left, a parent midway between its first and last child."""
    places = [0.0] * len(tree.nodes)
    column = 0
    stack = [(0, False)]
    while stack:
        i, done = stack.pop()
        children = [edge.to for edge in tree.nodes[i].edges] if depths[i] < limit else []
        if not children:
            places[i] = float(column)
            column += 1
        elif done:
            places[i] = (places[children[0]] + places[children[-1]]) / 2
        else:
            stack.append((i, True))
            stack += [(child, False) for child in reversed(children)]
    return places
