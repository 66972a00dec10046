"""Charts: every number in words too, nothing that looks alike, the page's own colours."""

import math
import re
from dataclasses import replace

import pytest
from tests.report.made import CHARTS, release

from confide.core.errors import UsageError
from confide.core.figures import Chart
from confide.report import (
    render,
)
from confide.report.drawing import BARS_SHOWN, draw


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.title)
def test_a_chart_comes_with_words_and_with_all_its_numbers(chart):
    drawing = draw(chart)
    assert drawing.svg.startswith("<svg viewBox=")
    assert "<path" in drawing.svg
    assert "var(--series-1)" in drawing.svg
    assert not re.search(r"#[0-9a-f]{6}\b", drawing.svg)  # every colour is the page's
    assert chart.title in drawing.description
    assert len(drawing.table.rows) == len(chart.x)
    assert [key.name for key in drawing.legend] == (list(chart.series) if len(chart.series) > 1 else [])


def test_drawing_leaves_the_users_matplotlib_alone():
    import matplotlib

    before = dict(matplotlib.rcParams)
    with matplotlib.rc_context({"axes.linewidth": 9, "axes.grid": True, "axes.spines.right": True}):
        styled = draw(CHARTS[3])
    assert dict(matplotlib.rcParams) == before
    assert styled == draw(CHARTS[3])


def test_gaps_and_emptiness_are_drawn_without_fuss():
    gaps = Chart(title="Gaps", x=("a", "b", "c"), series={"y": (math.nan, 1.0, math.inf)}, y_unit="number")
    assert "no value" in draw(gaps).table.rows[0][1].text
    assert draw(replace(gaps, kind="line")).svg
    assert draw(Chart(title="Empty", x=(), series={}, y_unit="count")).svg == ""
    assert "No values to draw" in render(
        release(charts=(Chart(title="Empty", x=(), series={"y": ()}, y_unit="count"),))
    )


def test_of_very_many_bars_the_first_are_drawn_and_the_reader_is_warned():
    drawing = draw(
        Chart(title="Many", x=tuple(f"i{n}" for n in range(1000)), series={"y": tuple(range(1000))}, y_unit="count")
    )
    assert f"The first {BARS_SHOWN} of 1,000 are drawn." in drawing.note
    assert drawing.table.more == 900


def test_no_two_series_look_alike_and_the_legend_shows_how_they_differ():
    many = {f"s{n}": (1.0, 2.0, float(n)) for n in range(30)}
    lines = draw(Chart(title="Many", x=(1, 2, 3), series=many, y_unit="number", kind="line"))
    assert len({(key.colour, key.dashes) for key in lines.legend}) == len(lines.legend) == 24
    assert len({(key.colour, key.mark) for key in lines.legend}) == len(lines.legend)
    assert "The first 24 of 30 series are drawn; the table has all." in lines.note
    assert len(lines.table.columns) == 31
    bars = draw(Chart(title="Many", x=("a", "b", "c"), series=many, y_unit="number"))
    assert len({key.colour for key in bars.legend}) == len(bars.legend) == 6
    page = render(release(charts=(Chart(title="Nine", x=(1, 2), series={k: v[:2] for k, v in list(many.items())[:9]},
                                        y_unit="number", kind="line"),)))  # fmt: skip
    assert page.count('class="sample ink-1"') == 2
    assert page.count('stroke-dasharray="7 3"') == 3


def test_a_series_that_does_not_fit_its_axis_is_named():
    with pytest.raises(UsageError, match=r"series 'y' has 1 values for 2"):
        draw(Chart(title="Odd", x=(1, 2), series={"y": (1,)}, y_unit="count"))


def test_a_chart_may_stand_on_a_page_twice():
    ids = re.findall(r' id="([^"]+)"', render(release(charts=(CHARTS[3], CHARTS[3]))))
    assert any(len(name) > 8 and name.startswith("m") for name in ids)  # the marks of a line
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(("kind", "x"), [("line", (1, 2)), ("bar", ("a", "b")), ("bar", ("a" * 60, "b" * 60))])
def test_a_spread_is_drawn_and_stands_in_the_table(kind, x):
    plain = Chart(title="Spread", x=x, series={"y": (0.5, 0.6), "z": (0.1, 0.2)}, y_unit="share", kind=kind)
    spread = replace(plain, spread={"y": (0.1, math.nan)})
    drawn = draw(spread)
    assert drawn.svg.count("<path") > draw(plain).svg.count("<path")
    assert [column.text for column in drawn.table.rows[0]][-1] == "10.0%"
    assert [key.name for key in drawn.legend] == ["y", "z"]
    with pytest.raises(UsageError, match="the spread of 'y' does not fit its series"):
        draw(replace(plain, spread={"y": (0.1,)}))
