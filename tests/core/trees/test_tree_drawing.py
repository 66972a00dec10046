"""A tree for people: the lines, the drawing, and labels that would do harm."""

import math
import xml.etree.ElementTree as ElementTree

import pytest

from confide.core.errors import UsageError
from confide.core.trees.published import Attribute, Edge, Node, PublishedTree


def tree(label="in", value="sun"):
    return PublishedTree(
        classes=(label, "out"),
        attributes=(
            Attribute(name="sky", kind="categorical", values=(value, "fog", "rain", None)),
            Attribute(name="age", kind="numeric"),
        ),
        nodes=(
            Node(
                label=label,
                hit=8,
                miss=3,
                attribute="sky",
                edges=(Edge(to=1, values=(value,)), Edge(to=2, values=("fog", None))),
            ),
            Node(
                label=label,
                hit=4,
                miss=3,
                attribute="age",
                edges=(
                    Edge(to=3, intervals=((-math.inf, 19.5),)),
                    Edge(to=4, intervals=((19.5, 30.0), (40.0, math.inf))),
                ),
            ),
            Node(label=label, hit=4, miss=0),
            Node(label=label, hit=3, miss=1),
            Node(label="out", hit=2, miss=1),
        ),
    )


def test_text_has_a_line_an_edge():
    assert tree().to_text().splitlines() == [
        "sky = sun",
        "|   age <= 19.5: in (3 of 4 records)",
        "|   age in (19.5, 30] or > 40: out (2 of 3 records)",
        "sky in {fog, missing}: in (4 of 4 records)",
    ]
    assert tree().to_text(max_depth=1).splitlines()[0] == "sky = sun: in (4 of 7 records), 2 nodes below not shown"
    leaf = PublishedTree(classes=("a",), attributes=(), nodes=(Node(label="a", hit=3, miss=0),))
    assert leaf.to_text() == "a (3 of 3 records)"


def test_the_drawing_has_a_box_a_node_and_a_line_an_edge():
    kinds = [element.tag.rpartition("}")[2] for element in ElementTree.fromstring(tree().to_svg()).iter()]
    assert (kinds.count("rect"), kinds.count("line")) == (5, 4)
    cut = [element.tag.rpartition("}")[2] for element in ElementTree.fromstring(tree().to_svg(max_depth=1)).iter()]
    assert (cut.count("rect"), cut.count("line")) == (3, 2)


def test_labels_cannot_leave_their_place():
    nasty = tree(label="<script>alert(1)</script>", value='"&\x1b[2J')
    assert "\x1b" not in nasty.to_text()
    for html in (nasty.to_svg(), nasty._repr_html_()):
        assert "<script" not in html
        assert "\x1b" not in html
    ElementTree.fromstring(nasty.to_svg())


def test_a_large_tree_is_shown_in_a_notebook_by_its_first_levels():
    nodes, n = [], 200
    for i in range(n):
        ends = [(-math.inf, float(i)), (float(i), math.inf)]
        edges = tuple(Edge(to=2 * i + 1 + k, intervals=(end,)) for k, end in enumerate(ends))
        nodes += [Node(label="<b>", hit=2, miss=0, attribute="x", edges=edges), Node(label="<b>", hit=1, miss=0)]
    nodes.append(Node(label="<b>", hit=1, miss=0))
    deep = PublishedTree(
        classes=("<b>",),
        attributes=(Attribute(name="x", kind="numeric"),),
        nodes=tuple(nodes),
    )
    assert len(deep.to_text().splitlines()) == 2 * n
    assert "nodes below not shown" in deep._repr_html_()
    assert "&lt;b&gt;" in deep._repr_html_()


@pytest.mark.parametrize("depth", [0, True, "2"])
def test_a_depth_that_makes_no_sense_is_refused(depth):
    with pytest.raises(UsageError, match="max_depth"):
        tree().to_text(max_depth=depth)
    with pytest.raises(UsageError, match="max_depth"):
        tree().to_svg(max_depth=depth)
