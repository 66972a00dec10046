"""Published trees: paper 002's figure, soundness, JSON both ways."""

import contextlib
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide.core.errors import InputError
from confide.core.trees.published import Attribute, Edge, Node, PublishedTree, intersect

INF = math.inf
CLASSES = ("S1", "S2", "S3", "S4", "S5")


def figure_3():
    """The part of paper 002, Figure 3, that its text describes: A = {a1}, then B merged into value sets."""
    return PublishedTree(
        classes=CLASSES,
        attributes=(
            Attribute(name="A", kind="categorical", values=("a1", "a2")),
            Attribute(name="B", kind="categorical", values=("b1", "b2", "b3", "b4", "b5")),
            Attribute(name="D", kind="numeric"),
        ),
        nodes=(
            Node(label="S1", hit=20, miss=40, attribute="A",
                 edges=(Edge(to=1, values=("a1",)), Edge(to=5, values=("a2",)))),
            Node(label="S1", hit=12, miss=38, attribute="B",
                 edges=(Edge(to=2, values=("b1", "b2")), Edge(to=3, values=("b3",)), Edge(to=4, values=("b4", "b5")))),
            Node(label="S2", hit=5, miss=7),
            Node(label="S3", hit=5, miss=9),
            Node(label="S4", hit=8, miss=16),
            Node(label="S1", hit=8, miss=2, attribute="D",
                 edges=(Edge(to=6, intervals=((-INF, 2.0), (5.0, INF))), Edge(to=7, intervals=((2.0, 5.0),)))),
            Node(label="S1", hit=7, miss=1, counts=(7, 1, 0, 0, 0), attribute="D",
                 edges=(Edge(to=8, intervals=((-INF, 6.0),)), Edge(to=9, intervals=((6.0, INF),)))),
            Node(label="S1", hit=1, miss=1),
            Node(label="S1", hit=4, miss=0),
            Node(label="S1", hit=3, miss=1),
        ),
    )  # fmt: skip


def test_path_information_of_figure_3():  # Example 8 and Example 19
    first, _, third, *_ = figure_3().paths()
    assert (first.label, first.hit, first.miss) == ("S2", 5, 7)
    assert first.conditions == {"A": ("a1",), "B": ("b1", "b2")}
    assert (third.label, third.conditions) == ("S4", {"A": ("a1",), "B": ("b4", "b5")})


def test_a_repeated_attribute_is_intersected_along_a_path():
    paths = {path.leaf: path.conditions for path in figure_3().paths()}
    assert paths[8] == {"A": ("a2",), "D": ((-INF, 2.0), (5.0, 6.0))}
    assert paths[9] == {"A": ("a2",), "D": ((6.0, INF),)}


@pytest.mark.parametrize(
    ("record", "node"),
    [
        ({"A": "a1", "B": "b2"}, 2),
        ({"A": "a2", "D": 2.0}, 8),  # an interval holds its high end,
        ({"A": "a2", "D": 5.0}, 7),  # not its low end
        ({"A": "a2", "D": 5.5}, 8),
        ({"A": "a2", "D": "7"}, 9),
        ({"A": "a2", "D": None}, 5),
        ({"A": "a2", "D": math.nan}, 5),
        ({"A": "a3"}, 0),
        ({}, 0),
    ],
)
def test_a_record_goes_as_far_as_it_can_answer(record, node):
    tree = figure_3()
    assert tree.locate(record) == node
    assert tree.classify(record) == tree.nodes[node].label


def test_shape_of_a_tree():
    tree = figure_3()
    assert tree.leaves() == [2, 3, 4, 7, 8, 9]
    assert tree.parents == (-1, 0, 1, 1, 1, 0, 5, 5, 6, 6)
    assert tree.depth() == 3
    assert repr(tree) == "<PublishedTree 10 nodes, 6 leaves, 5 classes>"


def test_json_both_ways():
    tree = figure_3()
    text = tree.to_json()
    assert PublishedTree.from_json(text) == tree
    assert PublishedTree.from_json(text).to_json() == text
    assert "Infinity" not in text


def test_a_tree_cannot_be_changed():
    with pytest.raises(AttributeError):
        figure_3().nodes = ()


def spoiled(change):
    plain = figure_3().to_dict()
    change(plain)
    return json.dumps(plain)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.update(version=9), "tree.format: is 'confide-tree' version 9; this program reads"),
        (lambda t: t.pop("nodes"), "tree: no field 'nodes'"),
        (lambda t: t.update(nodes=[]), "nodes: a tree has at least one node"),
        (lambda t: t.update(nodes={}), "nodes: must be a list, not dict"),
        (lambda t: t["nodes"][2].update(hit=-1), r"nodes\[2\].hit: must be a whole number from 0"),
        (lambda t: t["nodes"][2].update(hit=1.5), r"nodes\[2\].hit: must be a whole number"),
        (lambda t: t["nodes"][2].update(hit=True), r"nodes\[2\].hit: must be a whole number"),
        (lambda t: t["nodes"][2].update(hit=10**40), r"nodes\[2\].hit: must be a whole number"),
        (
            lambda t: t["nodes"][2].update({"class": "S9"}),
            r"nodes\[2\].class: 'S9' is not a class; classes are: S1",
        ),
        (lambda t: t["nodes"][2].update({"class": 3}), r"nodes\[2\].class: must be text, not int"),
        (lambda t: t["nodes"][2].update(colour="red"), r"nodes\[2\]: unknown field 'colour'"),
        (lambda t: t["nodes"][6].update(counts=[7, 1]), r"nodes\[6\].counts: one count"),
        (lambda t: t["nodes"][6].update(counts=[1, 7, 0, 0, 0]), r"nodes\[6\].counts: do not agree"),
        (lambda t: t["nodes"][0].update(attribute="Z"), r"nodes\[0\].attribute: no attribute 'Z'; attributes are: A"),
        (lambda t: t["nodes"][0].pop("edges"), r"nodes\[0\]: an attribute needs edges"),
        (lambda t: t["nodes"][0]["edges"][1].update(to=0), r"nodes\[0\].edges\[1\].to: leads to node 0"),
        (lambda t: t["nodes"][0]["edges"][1].update(to=99), r"nodes\[0\].edges\[1\].to: leads to node 99"),
        (lambda t: t["nodes"][0]["edges"][1].update(to=3), r"nodes\[3\]: 2 edges lead here"),
        (lambda t: t["nodes"][0]["edges"][1].update(values=["a1"]), r"nodes\[0\].edges\[1\].values: a value on two"),
        (lambda t: t["nodes"][0]["edges"][1].update(values=["q"]), r"nodes\[0\].edges\[1\].values: a value outside"),
        (lambda t: t["nodes"][0]["edges"][1].update(values=[]), r"nodes\[0\].edges\[1\]: 'A' is categorical"),
        (lambda t: t["nodes"][5]["edges"][0].update(intervals=[[1, 0]]), r"edges\[0\].intervals: an interval's low"),
        (lambda t: t["nodes"][5]["edges"][0].update(intervals=[[0, "x"]]), r"edges\[0\].intervals\[0\]: an interval"),
        (lambda t: t["nodes"][5]["edges"][0].update(intervals=[[0, 3]]), r"intervals: two intervals overlap"),
        (lambda t: t["nodes"][5]["edges"][0].update(intervals=[[7, 8], [0, 1]]), "come in ascending order"),
        (lambda t: t["attributes"][0].update(kind="wild"), r"attributes\[0\].kind: is 'wild'; use categorical"),
        (lambda t: t["attributes"].append(t["attributes"][0]), "attributes: the same entry twice"),
        (lambda t: t["classes"].append("S1"), "classes: the same entry twice"),
    ],
)
def test_every_fault_names_its_place(change, message):
    with pytest.raises(InputError, match=message):
        PublishedTree.from_json(spoiled(change))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "3", "[" * 100_000])
def test_what_is_not_a_tree_is_refused(text):
    with pytest.raises(InputError):
        PublishedTree.from_json(text)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
                    lambda x: st.lists(x, max_size=3) | st.dictionaries(st.sampled_from(
                        ["format", "version", "classes", "nodes", "hit", "to"]), x, max_size=4)),
       st.sampled_from(["classes", "attributes", "nodes", "0.hit", "0.edges", "0.counts", "1.attribute"]))  # fmt: skip
def test_any_junk_in_any_place_is_an_input_error_or_a_tree(junk, place):
    plain = figure_3().to_dict()
    if "." in place:
        node, name = place.split(".")
        plain["nodes"][int(node)][name] = junk
    else:
        plain[place] = junk
    with contextlib.suppress(InputError):  # any other error fails the test
        tree = PublishedTree.from_json(json.dumps(plain))
        assert PublishedTree.from_json(tree.to_json()) == tree


bounds = st.lists(st.integers(-5, 5), min_size=2, max_size=6, unique=True).map(sorted)
unions = bounds.map(lambda b: tuple(zip(b[::2], b[1::2], strict=False)))


@given(unions, unions)
def test_intersection_holds_what_both_hold(a, b):
    both = Edge(to=1, intervals=intersect(a, b)) if intersect(a, b) else None
    for twice in range(-12, 13):
        x = twice / 2
        expected = Edge(to=1, intervals=a).holds(x) and Edge(to=1, intervals=b).holds(x)
        assert (both is not None and both.holds(x)) == expected
