from xml.etree import ElementTree

from tests.report.made import EVIL

from confide.core.figures import Box, Column, Diagram, Table
from confide.report.svg_diagrams import diagram_svg

SVG = "{http://www.w3.org/2000/svg}"


def diagram(text="0 1"):
    return Diagram(
        title=f"A lattice {text}",
        boxes=(
            Box(row=0, text=text, below="0.1", words=f"fine: {text}"),
            Box(row=1, text="1 1", below="0.4", words="coarser", state="good", marked=True),
            Box(row=1, text="0 2", below="0.3", words="best", state="best"),
        ),
        lines=((0, 1), (0, 2)),
        legend={"good": "meets it"},
        table=Table((Column("a", "count"),), ((1,),)),
    )


def test_boxes_stand_in_rows_with_lines_between():
    drawn = ElementTree.fromstring(diagram_svg(diagram()))
    boxes = [group.find(f"{SVG}rect") for group in drawn.findall(f"{SVG}g")]
    assert [box.get("y") for box in boxes] == ["68", "6", "6"]
    assert float(boxes[1].get("x")) < float(boxes[0].get("x")) < float(boxes[2].get("x"))
    assert [box.get("stroke-width") for box in boxes] == ["0.8", "2.5", "0.8"]
    assert len({box.get("fill") for box in boxes}) == 3
    assert len(drawn.findall(f"{SVG}line")) == 2


def test_names_are_made_harmless():
    drawn = ElementTree.fromstring(diagram_svg(diagram(EVIL)))
    assert "<script>" in drawn.find(f"{SVG}g/{SVG}title").text
    assert drawn.find(f".//{SVG}script") is None


def test_nothing_is_an_empty_picture():
    nothing = Diagram(title="", boxes=(), lines=(), legend={}, table=diagram().table)
    assert len(ElementTree.fromstring(diagram_svg(nothing))) == 0
