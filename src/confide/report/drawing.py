"""A chart as inline SVG: drawn by matplotlib, coloured by the page.

matplotlib places the marks; everything a page does better is left to it. Title, legend and axis names are HTML, which
wraps on a phone. Colours are placeholders here and become `var(--series-1)` and the like, so that one drawing suits
a light page, a dark one and paper. Text stays text: it can be selected, and takes the font of the page.

The same chart gives the same bytes: fixed salt, no date, matplotlib's own defaults instead of the user's.
"""

import math
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from confide.core.errors import UsageError
from confide.core.figures import Chart, Column, Table, Unit
from confide.report.blocks import Grid, grid
from confide.report.formats import clean, scalar, tick

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Drawing", "Key", "draw", "drawings_of"]

WIDTH = 400  # px at which letters have their nominal size; close to a phone's width and to half of a desktop column
HEIGHT = 230
LETTERS = 13
BARS_SHOWN = 40
LABEL_SHOWN = 22
POINTS_MARKED = 25
SERIES_COLOURS = 6

_INK, _RULE = "#0a0b01", "#0a0b02"
_SERIES = tuple(f"#0a0b1{n}" for n in range(1, SERIES_COLOURS + 1))
_COLOURS = {_INK: "var(--muted)", _RULE: "var(--rule)"} | {c: f"var(--series-{n})" for n, c in enumerate(_SERIES, 1)}
_DASHES = {"-": "", "--": "7 3", "-.": "7 3 2 3", ":": "2 3"}  # as matplotlib calls them, and as SVG in a legend
_MARKS = {
    "o": "M11 5a3 3 0 1 0 6 0a3 3 0 1 0-6 0",
    "s": "M11 2h6v6h-6z",
    "D": "M14 1l4 4-4 4-4-4z",
    "^": "M14 1l3.5 7h-7z",
    "v": "M14 9l3.5-7h-7z",
    "P": "M13 1.5h2V4h2.5v2H15v2.5h-2V6h-2.5V4H13z",
}
MOST_SERIES = {"bar": SERIES_COLOURS, "line": SERIES_COLOURS * len(_DASHES)}  # what the eye can still tell apart

_STYLE: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": _RULE,
    "axes.facecolor": "none",
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.h_pad": 2 / 72,
    "figure.constrained_layout.w_pad": 2 / 72,
    "figure.facecolor": "none",
    "font.size": LETTERS,
    "grid.color": _RULE,
    "grid.linewidth": 0.8,
    "svg.fonttype": "none",
    "text.color": _INK,
    "text.parse_math": False,  # a label may hold dollar signs
    "xtick.color": _INK,
    "xtick.major.pad": 6,
    "xtick.major.size": 0,
    "ytick.color": _INK,
    "ytick.major.pad": 6,
    "ytick.major.size": 0,
}


@dataclass(frozen=True)
class Key:
    """One entry of a legend: the series, the number of its colour, and for a line its dashes and its mark."""

    name: str
    colour: int
    line: bool
    dashes: str = ""
    mark: str = ""


@dataclass(frozen=True)
class Drawing:
    """A chart ready for a template. `svg` is safe markup; all else is text to be escaped."""

    title: str
    svg: str
    description: str
    legend: tuple[Key, ...]  # empty when one series needs none
    above: str  # name of the upright axis, set above it
    below: str
    note: str
    table: Grid


def drawings_of(charts: Iterable[Chart]) -> list[Drawing]:
    """Draw the charts of one page."""
    return [draw(chart, salt=f"{n} ") for n, chart in enumerate(charts)]


def draw(chart: Chart, *, salt: str = "") -> Drawing:
    """Draw one chart. `salt` keeps the ids of several drawings on one page apart."""
    for name, values in chart.series.items():
        if len(values) != len(chart.x):
            raise UsageError(
                f"chart {chart.title!r}: series {name!r} has {len(values)} values for {len(chart.x)} places along x"
            )
    for name, far in chart.spread.items():
        if len(far) != len(chart.series.get(name, ())):
            raise UsageError(f"chart {chart.title!r}: the spread of {name!r} does not fit its series")
    names = tuple(chart.series)
    along, upright = chart.x_label, chart.y_label
    if not upright and len(names) == 1 and names[0] != chart.title:
        upright = names[0]
    lying = _lying(chart)
    listed = {**chart.series, **{f"{name}, ±": far for name, far in chart.spread.items()}}
    table = Table(
        (Column(chart.x_label, chart.x_unit), *(Column(name, chart.y_unit) for name in listed)),
        tuple((x, *(values[n] for values in listed.values())) for n, x in enumerate(chart.x)),
    )
    shown = _limit_series(chart)
    return Drawing(
        title=chart.title,
        svg=_svg(shown, salt=salt) if names and chart.x else "",
        description=_description(chart),
        legend=_legend(shown) if len(names) > 1 else (),
        above=along if lying else upright,
        below=upright if lying else along,
        note=" ".join([chart.note, *_left_out(chart, lying=lying)]).strip(),
        table=grid(table, most=100),
    )


def _limit_series(chart: Chart) -> Chart:
    """The chart with as many series as a reader can distinguish."""
    return replace(chart, series=dict(list(chart.series.items())[: MOST_SERIES[chart.kind]]))


def _left_out(chart: Chart, *, lying: bool) -> list[str]:
    said = []
    if len(chart.series) > MOST_SERIES[chart.kind]:
        said.append(
            f"The first {MOST_SERIES[chart.kind]} of {len(chart.series):,} series are drawn; the table has all."
        )
    if lying and len(chart.x) > BARS_SHOWN:
        said.append(f"The first {BARS_SHOWN} of {len(chart.x):,} are drawn.")
    return said


def _legend(chart: Chart) -> tuple[Key, ...]:
    keys = []
    for n, name in enumerate(chart.series):
        colour, dash, mark = _look(n)
        marked = chart.kind == "line" and len(chart.x) <= POINTS_MARKED
        line = chart.kind == "line"
        keys.append(Key(name, colour, line, _DASHES[dash] if line else "", _MARKS[mark] if marked else ""))
    return tuple(keys)


def _look(n: int) -> tuple[int, str, str]:
    """Number of the colour, dashes and mark of the n-th series; when colours repeat, dashes and marks differ."""
    turn = n // SERIES_COLOURS
    marks = tuple(_MARKS)
    return n % SERIES_COLOURS + 1, tuple(_DASHES)[turn % len(_DASHES)], marks[(n + turn) % len(marks)]


def _named(chart: Chart) -> bool:
    """Whether the places on the x axis are names rather than numbers."""
    return any(isinstance(x, str) for x in chart.x)


def _lying(chart: Chart) -> bool:
    """Whether bars lie on their side, as their names would not fit beside each other."""
    return chart.kind == "bar" and _named(chart) and len(chart.x) > _room(_labels(chart))


def _room(labels: Sequence[str]) -> int:
    """How many such labels fit beside each other; a letter is about half as wide as high."""
    return max(1, int((WIDTH - 50) / (max(map(len, labels)) * LETTERS * 0.55 + 6)))


def _description(chart: Chart) -> str:
    """What the picture shows, for those who do not see it; the table beneath holds every number."""
    parts = []
    for name, values in chart.series.items():
        finite = [y for y in values if math.isfinite(y)]
        if finite:
            low, high = (scalar(y, chart.y_unit) for y in (min(finite), max(finite)))
            parts.append(f"{name}, {low} to {high}")
    over = f" over {chart.x_label}" if chart.x_label else ""
    size = f"{len(chart.x):,} {'bars' if chart.kind == 'bar' else 'points'}"
    return f"{chart.title}. {chart.kind.capitalize()} chart{over}, {size}: {'; '.join(parts) or 'no values'}."


def _svg(chart: Chart, *, salt: str) -> str:
    import io

    out = io.StringIO()
    with _our_style(salt + chart.title):
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH / 72, HEIGHT / 72), dpi=72, layout="constrained")
        axes = figure.add_subplot()
        if chart.kind == "line":
            _lines(axes, chart)
        else:
            _bars(figure, axes, chart)
        figure.savefig(
            out,
            format="svg",
            metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")),
        )
    return _for_the_page(out.getvalue())


@contextmanager
def _our_style(salt: str) -> Iterator[None]:
    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        # Only the measuring font lacks the glyph; the reader's browser picks its own.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({**_STYLE, "svg.hashsalt": salt})
        yield


def _lines(axes: "Axes", chart: Chart) -> None:
    places = list(range(len(chart.x))) if _named(chart) else [float(x) for x in chart.x]
    for n, (name, values) in enumerate(chart.series.items()):
        colour, dash, mark = _look(n)
        if name in chart.spread:
            low, high = _reach(values, chart.spread[name])
            axes.vlines(places, low, high, color=_SERIES[colour - 1], linewidth=1, clip_on=False)
        axes.plot(
            places,
            values,
            color=_SERIES[colour - 1],
            linestyle=dash,
            linewidth=2,
            marker=mark if len(places) <= POINTS_MARKED else None,
            markersize=5,
            clip_on=False,
        )
    if _named(chart):
        _name_ticks(axes, _labels(chart))
    else:
        axes.locator_params(axis="x", nbins=6)
        _format_values(axes, "x", chart.x_unit)
    if all(y >= 0 for ys in chart.series.values() for y in ys if math.isfinite(y)):
        axes.set_ylim(bottom=0)  # a cut axis would make a small loss look large
    _value_axis(axes, "y", chart.y_unit)


def _bars(figure: "Figure", axes: "Axes", chart: Chart) -> None:
    labels = _labels(chart)
    lying = _lying(chart)
    many = len(chart.series)
    if lying:
        labels = labels[:BARS_SHOWN]
        figure.set_figheight((30 + len(labels) * max(24, 13 * many + 8)) / 72)
    thick = 0.72 / many
    for n, (name, values) in enumerate(chart.series.items()):
        places = [i + (n - (many - 1) / 2) * thick for i in range(len(labels))]
        heights = [y if math.isfinite(y) else 0.0 for y in values[: len(labels)]]
        colour = _SERIES[n]
        bars = (
            axes.barh(places, heights, height=thick * 0.94, color=colour, clip_on=False)
            if lying
            else axes.bar(places, heights, width=thick * 0.94, color=colour, clip_on=False)
        )
        if name in chart.spread:
            low, high = _reach(heights, chart.spread[name])
            lines = axes.hlines if lying else axes.vlines
            lines(places, low, high, color=_INK, linewidth=1, clip_on=False)
        if many == 1 and len(labels) <= (BARS_SHOWN if lying else 8):
            shown = [scalar(y, chart.y_unit) for y in values[: len(labels)]]
            axes.bar_label(bars, labels=shown, padding=4, color=_INK, fontsize=LETTERS - 1)
            axes.margins(x=0.12) if lying else axes.margins(y=0.12)
    if lying:
        axes.set_yticks(range(len(labels)), labels)
        axes.set_ylim(len(labels) - 0.5, -0.5)
        axes.spines["left"].set_visible(True)
        axes.spines["bottom"].set_visible(False)
    else:
        _name_ticks(axes, labels)
    _value_axis(axes, "x" if lying else "y", chart.y_unit, hidden=bool(axes.texts))


def _reach(values: Sequence[float], far: Sequence[float]) -> tuple[list[float], list[float]]:
    """From where to where the thin lines go; nowhere, where a spread is not known."""
    known = [d if math.isfinite(d) else 0.0 for d in far[: len(values)]]
    return [y - d for y, d in zip(values, known, strict=True)], [y + d for y, d in zip(values, known, strict=True)]


def _labels(chart: Chart) -> list[str]:
    """The places along x as short texts."""
    return [_short(clean(" ".join(x.split())) if isinstance(x, str) else tick(x, chart.x_unit)) for x in chart.x]


def _short(text: str) -> str:
    return text if len(text) <= LABEL_SHOWN else text[: LABEL_SHOWN - 1].rstrip(" ,;") + "…"


def _name_ticks(axes: "Axes", labels: Sequence[str]) -> None:
    """Names under their places; when they would run into each other, every second, third, ... one."""
    step = math.ceil(len(labels) / _room(labels))
    axes.set_xticks(range(0, len(labels), step), labels[::step])


def _value_axis(axes: "Axes", side: str, unit: Unit, *, hidden: bool = False) -> None:
    """Grid lines and numbers along the values; neither where every bar carries its own number."""
    if hidden:
        axes.tick_params(axis=side, labelleft=False, labelbottom=False)  # type: ignore[arg-type]
        return
    axes.grid(axis=side)  # type: ignore[arg-type]
    axes.locator_params(axis=side, nbins=5)  # type: ignore[arg-type]
    _format_values(axes, side, unit)


def _format_values(axes: "Axes", side: str, unit: Unit) -> None:
    from matplotlib.ticker import FuncFormatter

    axis = axes.xaxis if side == "x" else axes.yaxis
    axis.set_major_formatter(FuncFormatter(lambda value, _: tick(value, unit)))


def _for_the_page(document: str) -> str:
    """The bare <svg>: no namespaces, ids only where something points at them, our colours for the placeholders."""
    root = ElementTree.fromstring(document.partition("?>")[2])
    for parent in root.iter():
        for child in list(parent):
            if child.tag.endswith("}style") or (child.tag.endswith("}defs") and child.find("{*}style") is not None):
                parent.remove(child)  # a style element would reach out of the drawing
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        element.attrib = {name.rpartition("}")[2]: value for name, value in element.attrib.items()}
        if element.tag == "g":
            element.attrib.pop("id", None)
        if "d" in element.attrib:
            element.set("d", " ".join(element.attrib["d"].split()))
        if "style" in element.attrib:
            style = re.sub(r"font-family:[^;]*;?\s*", "", element.attrib["style"])
            element.set(
                "style",
                re.sub(r"#[0-9a-f]{6}", lambda m: _COLOURS.get(m[0], m[0]), style),
            )
        if element.text is not None and not element.text.strip():
            element.text = None
        element.tail = None
    root.attrib = {
        "viewBox": root.attrib["viewBox"],
        "aria-hidden": "true",
        "focusable": "false",
    }
    return ElementTree.tostring(root, encoding="unicode")
