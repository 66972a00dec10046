"""A diagram as inline SVG: rows of boxes, the highest above, lines between neighbours. Drawn in its own light."""

from collections import defaultdict
from html import escape

from confide.core.figures import Box, Diagram
from confide.report.formats import clean

__all__ = ["diagram_svg"]

_HEIGHT, _ROW, _GAP, _LETTER = 34, 62, 8, 8  # of a box; from one row to the next; between two boxes; of a letter's room
_FILLS = {"plain": "#fff", "good": "#dcebf9", "best": "#8fc1ec"}


def diagram_svg(diagram: Diagram) -> str:
    """The diagram as an SVG image that stands for itself; pointing at a box tells its words."""
    rows: dict[int, list[int]] = defaultdict(list)
    for number, box in enumerate(diagram.boxes):
        rows[box.row].append(number)
    box_width = max(52, _LETTER * max((len(box.text) for box in diagram.boxes), default=0))
    step = box_width + _GAP
    width, top = step * max(map(len, rows.values()), default=0) + _GAP, max(rows, default=0)
    place = {
        number: (width / 2 + (i - (len(row) - 1) / 2) * step, 6 + (top - height) * _ROW)
        for height, row in rows.items()
        for i, number in enumerate(row)
    }
    high = top * _ROW + _HEIGHT + 12
    label = escape(clean(diagram.title), quote=True)
    size = f'viewBox="0 0 {width} {high}" width="{width}" height="{high}" font-family="sans-serif" font-size="11"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{label}">']
    for low, above in diagram.lines:
        (x, y), (to_x, to_y) = place[low], place[above]
        parts.append(
            f'<line x1="{x:.0f}" y1="{y}" x2="{to_x:.0f}" y2="{to_y + _HEIGHT}" stroke="#bbb" stroke-width="0.6"/>'
        )
    parts += [_box_svg(box, *place[number], box_width) for number, box in enumerate(diagram.boxes)]
    return "".join(parts) + "</svg>"


def _box_svg(box: Box, x: float, y: float, width: int) -> str:
    ink = "#777" if box.state == "plain" else "#222"
    words, text, below = (escape(clean(said)) for said in (box.words, box.text, box.below))
    return (
        f"<g><title>{words}</title>"
        f'<rect x="{x - width / 2:.0f}" y="{y}" width="{width}" height="{_HEIGHT}" rx="5" fill="{_FILLS[box.state]}" '
        f'stroke="#555" stroke-width="{2.5 if box.marked else 0.8}"/>'
        f'<text x="{x:.0f}" y="{y + 14}" text-anchor="middle" fill="{ink}">{text}</text>'
        f'<text x="{x:.0f}" y="{y + 28}" text-anchor="middle" fill="{ink}">{below}</text></g>'
    )
