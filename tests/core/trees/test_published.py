"""Published trees: paper 002's figure, soundness, JSON both ways."""

import contextlib
import json
import math
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide.core.errors import InputError
from confide.core.trees.covering import cover, uncovered
from confide.core.trees.nodes import intersect, joined
from confide.core.trees.published import Attribute, Edge, Node, PublishedTree

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
        (lambda t: t.update(version=1), "tree.format: is 'confide-tree' version 1; this program reads"),
        (lambda t: t.update(declared=1), "tree.declared: must be true or false"),
        (lambda t: t.update(declared=True), r"attributes\[2\]: no domain; declare the bins of 'D'"),
        (lambda t: t["attributes"][0].pop("values"), r"attributes\[0\]: no domain; a categorical"),
        (lambda t: t["attributes"][0].update(bins=[0, 1]), r"attributes\[0\]: a categorical attribute has values"),
        (lambda t: t["attributes"][2].update(bins=[1, 0]), r"attributes\[2\].bins: two edges of bins or more"),
        (lambda t: t["attributes"][2].update(bins=[1]), r"attributes\[2\].bins: two edges of bins or more"),
        (lambda t: t["attributes"][2].update(bins=[0, "x"]), r"attributes\[2\].bins\[1\]: must be a number"),
        (lambda t: t["nodes"][2].update(at_most=[5, 5]), r"nodes\[2\].at_most: without counts, one bound"),
        (lambda t: t["nodes"][2].update(at_most=[9, 4, 9, 9, 9]), r"nodes\[2\].at_most: do not agree"),
        (lambda t: t["nodes"][2].update(at_most=[0, 5, 0, 0, 0]), r"nodes\[2\].at_most: do not agree"),
        (
            lambda t: t["nodes"][0]["edges"][0].update(missing=True),
            r"edges\[0\]: 'A' is categorical; give values, null",
        ),
        (lambda t: t["nodes"][5]["edges"][0].update(missing=False), r"edges\[0\].missing: is true, or left out"),
        (lambda t: [e.update(missing=True) for e in t["nodes"][5]["edges"]], "two edges take missing numbers"),
        (lambda t: t.update(shares_of=7), "shares_of: is 7, but the leaves have 60 together"),
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


# -- covering, and declared domains -----------------------------------------------------------------------------------


def declared():
    plain = cover(figure_3()).to_dict()
    plain["attributes"][2]["bins"] = [0, 2, 5, 6, 9]
    plain["declared"] = True
    return plain


def test_unseen_values_and_missing_numbers_go_with_the_largest_child():
    tree = figure_3()
    assert uncovered(tree) == 5, "nobody takes missing numbers there"
    whole = cover(tree)
    assert uncovered(whole) is None
    assert [edge.missing for edge in whole.nodes[5].edges] == [True, False]  # 8 records against 2
    assert [edge.missing for edge in whole.nodes[6].edges] == [True, False]  # 4 against 4: the first
    assert whole.locate({"A": "a2", "D": None}) == 8
    assert cover(whole) is whole
    assert PublishedTree.from_json(whole.to_json()) == whole


def test_a_gap_in_the_line_goes_with_the_largest_child_too():
    numeric = Attribute(name="x", kind="numeric")
    edges = (Edge(to=1, intervals=((0.0, 1.0),)), Edge(to=2, intervals=((2.0, 3.0),), missing=True))
    leaves = (Node(label="a", hit=1, miss=0), Node(label="a", hit=2, miss=0))
    root = Node(label="a", hit=3, miss=0, attribute="x", edges=edges)
    whole = cover(PublishedTree(classes=("a",), attributes=(numeric,), nodes=(root, *leaves)))
    assert whole.nodes[0].edges[1].intervals == ((-INF, 0.0), (1.0, INF))
    assert whole.nodes[0].edges[0] == edges[0]


def test_a_declared_tree_is_read_back():
    tree = PublishedTree.from_dict(declared())
    assert tree.declared
    assert tree.attribute("D").cuts == (2.0, 5.0, 6.0)
    assert PublishedTree.from_json(tree.to_json()).to_json() == tree.to_json()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t["attributes"][2].update(bins=[0, 2, 5, 9]), r"nodes\[6\].edges: a cut of 'D' that is no edge"),
        (lambda t: t["attributes"][2].update(bins=[2, 5, 6, 9]), r"nodes\[5\].edges: a cut of 'D' that is no edge"),
        (lambda t: t["nodes"][5]["edges"][0].pop("missing"), r"nodes\[5\].edges: the domain of 'D' is declared, and"),
        (lambda t: t["attributes"][0]["values"].append("a3"), r"nodes\[0\].edges: the domain of 'A' is declared, and"),
    ],
)
def test_a_tree_that_says_declared_must_be_so(change, message):
    plain = declared()
    change(plain)
    with pytest.raises(InputError, match=message):
        PublishedTree.from_dict(plain)


def test_a_tree_as_rules():
    assert cover(figure_3()).to_rules().splitlines()[2:5] == [
        "if A = a1 and B in {b4, b5} then S4 (8 of 24 records)",
        "if A = a2 and D <= 2 or in (5, 6] or missing then S1 (4 of 4 records)",
        "if A = a2 and D > 6 then S1 (3 of 4 records)",
    ]


def test_missing_numbers_of_a_path_are_those_every_edge_takes():
    by_leaf = {path.leaf: path.missing for path in cover(figure_3()).paths()}
    assert by_leaf == {2: set(), 3: set(), 4: set(), 7: set(), 8: {"D"}, 9: set()}


@given(unions, unions)
def test_joining_holds_what_either_holds(a, b):
    b = tuple((low + 20, high + 20) for low, high in b)
    whole = Edge(to=1, intervals=joined(a, b))
    for twice in range(-12, 53):
        x = twice / 2
        assert whole.holds(x) == (Edge(to=1, intervals=a).holds(x) or Edge(to=1, intervals=b).holds(x))


def stump_of(tree, *counts, name="A"):
    values = tree.attribute(name).values
    leaves = tuple(
        Node(label=tree.classes[c.index(max(c))], hit=max(c), miss=sum(c) - max(c), counts=c) for c in counts
    )
    total = tuple(map(sum, zip(*counts, strict=True)))
    root = Node(
        label=tree.classes[total.index(max(total))],
        hit=max(total),
        miss=sum(total) - max(total),
        counts=total,
        attribute=name,
        edges=tuple(Edge(to=i + 1, values=(value,)) for i, value in enumerate(values)),
    )
    return PublishedTree(classes=tree.classes, attributes=tree.attributes, nodes=(root, *leaves))


def with_domain():
    attributes = (Attribute(name="A", kind="categorical", values=("a", "b")),)
    return PublishedTree(classes=("x", "y"), attributes=attributes, nodes=(Node(label="x", hit=3, miss=2),))


def test_marginals_travel_with_the_tree():
    tree = with_domain()
    shared = replace(tree, marginals=(stump_of(tree, (2, 1), (1, 1)),))
    assert PublishedTree.from_json(shared.to_json()) == shared
    assert "marginals" not in tree.to_dict()


def test_a_marginal_asks_one_question_about_an_attribute_of_its_own():
    tree = with_domain()
    stump = stump_of(tree, (2, 1), (1, 1))
    with pytest.raises(InputError, match=r"marginals\[1\].*a second one about 'A'"):
        replace(tree, marginals=(stump, stump))
    with pytest.raises(InputError, match="must ask one question"):
        replace(tree, marginals=(tree,))
    with pytest.raises(InputError, match="classes and attributes of its tree"):
        replace(tree, marginals=(replace(stump, classes=("x", "y", "z"), nodes=tree.nodes),))
    with pytest.raises(InputError, match="no marginals"):
        replace(tree, marginals=(replace(stump, marginals=(stump,)),))


def test_a_published_tree_predicts_for_frames_as_it_classifies_records():
    leaf = Node(label="no", hit=3, miss=0)
    edges = (Edge(to=1, intervals=((-math.inf, 30.0),)), Edge(to=2, intervals=((30.0, math.inf),)))
    root = Node(label="yes", hit=5, miss=4, attribute="age", edges=edges)
    age = Attribute(name="age", kind="numeric")
    tree = PublishedTree(classes=("no", "yes"), attributes=(age,), nodes=(root, leaf, Node(label="yes", hit=5, miss=1)))
    ages = [22.0, 30.0, 31.0, 99.0]
    wanted = [tree.classify({"age": value}) for value in ages]
    assert tree.predict(pa.table({"age": ages})).tolist() == wanted
    assert tree.predict([[value] for value in ages]).tolist() == wanted
