"""The verifier of shared trees: what it recomputes and what it asks of the passport."""

import time

import pytest
from tests.oracles import anonymizing as oracles

from confide.audit.verifiers.shared_trees import verify_shared_tree
from confide.core.passport import Passport
from confide.core.requirements import KAnonymity, RecursiveDiversity, SimpleDiversity
from confide.core.requirements.tables import ESTIMATED
from confide.core.trees.caveats import NO_ROLES, PEOPLE, SHARES, UNDECLARED, split_on
from confide.core.trees.nodes import Attribute, Edge, Node
from confide.core.trees.published import PublishedTree

CLASSES = ("S1", "S2", "S3")


def tree(*leaves, declared=True, **options):
    """A root that splits on one attribute; leaves are class counts, or (class, hit, miss)."""
    nodes = []
    for leaf in leaves:
        if isinstance(leaf[0], str):
            nodes.append(Node(label=leaf[0], hit=leaf[1], miss=leaf[2], at_most=(leaf[3:] or (None,))[0]))
        else:
            nodes.append(
                Node(label=CLASSES[leaf.index(max(leaf))], hit=max(leaf), miss=sum(leaf) - max(leaf), counts=leaf)
            )
    values = tuple(f"a{i}" for i in range(len(leaves)))
    edges = tuple(Edge(to=i + 1, values=(value,)) for i, value in enumerate(values))
    if nodes[0].counts is None:
        info = oracles.merged([(CLASSES.index(n.label), n.hit, n.miss) for n in nodes], 3, "estimated")
        root = Node(label=CLASSES[info[0]], hit=info[1], miss=info[2], attribute="A", edges=edges)
    else:
        whole = tuple(sum(column) for column in zip(*(n.counts for n in nodes), strict=True))
        hit = max(whole)
        root = Node(
            label=CLASSES[whole.index(hit)], hit=hit, miss=sum(whole) - hit, counts=whole, attribute="A", edges=edges
        )
    attributes = (Attribute(name="A", kind="categorical", values=values),)
    return PublishedTree(classes=CLASSES, attributes=attributes, nodes=(root, *nodes), declared=declared, **options)


def passport(requirement, mode="exact", *, without=None, also=(), **context):
    estimated = mode == "estimated" and not isinstance(requirement, KAnonymity)
    caveats = [PEOPLE, *also] + [NO_ROLES] * ("roles" not in context) + [ESTIMATED] * estimated
    said = {"mode": mode, **({"estimated": True} if estimated else {}), **context}
    made = Passport.issue(requirement, stage="share", algorithm="ATP", context=said, caveats=tuple(caveats))
    kept = tuple(text for text in made.does_not_protect_against if text != without)
    return made.model_copy(update={"does_not_protect_against": kept})


def failed(artefact, known):
    return {check.name for check in verify_shared_tree(artefact, known) if not check.ok}


K5 = KAnonymity(k=5)


def test_what_holds_passes_in_every_mode():
    assert failed(tree((3, 2, 1), (2, 2, 1)), passport(K5)) == set()
    assert failed(tree((3, 2, 1), (2, 2, 2)), passport(SimpleDiversity(l=2))) == set()
    assert failed(tree(("S1", 2, 4), ("S2", 2, 2)), passport(RecursiveDiversity(c=3, l=3), "estimated")) == set()
    assert failed(tree(("S1", 2, 4), ("S2", 2, 3)), passport(RecursiveDiversity(c=3, l=3), "sound")) == set()


def test_hit_2_and_miss_2_is_an_estimate_not_a_proof():  # erratum 2: the truth may be <2, 2>
    leaves = tree(("S1", 2, 4), ("S2", 2, 2))
    assert failed(leaves, passport(RecursiveDiversity(c=3, l=3), "sound")) == {
        "recursive diversity of the class, from bounds"
    }


def test_bounds_of_a_merged_leaf_decide():
    requirement = SimpleDiversity(l=2)
    fine = tree(("S1", 5, 7, (6, 6, 6)), ("S2", 2, 3))
    assert failed(fine, passport(requirement, "sound")) == set()
    short = tree(("S1", 5, 7, (7, 6, 6)), ("S2", 2, 3))
    assert failed(short, passport(requirement, "sound")) == {"simple diversity of the class, from bounds"}


@pytest.mark.parametrize(
    ("artefact", "known", "fault"),
    [
        (tree((3, 2, 1), (2, 1, 1)), passport(K5), "k-anonymity"),
        (tree((3, 2, 1), (0, 0, 0)), passport(SimpleDiversity(l=2)), "simple diversity of the class"),
        (tree((3, 2, 1), (2, 2, 1), declared=False), passport(K5), "the passport names its limits"),
        (tree((3, 2, 1), (2, 2, 1)), passport(K5, without=PEOPLE), "the passport names its limits"),
        (tree((3, 2, 1), (2, 2, 1)), passport(K5, without=NO_ROLES), "the passport names its limits"),
        (tree((3, 2, 1), (2, 2, 1)), passport(K5, "guess"), "the mode is named"),
        (tree((3, 2, 1), (2, 2, 1)), passport(K5, "sound"), "nodes say what sound mode says"),
        (tree((3, 2, 1), (2, 2, 1)), passport(K5, secret="Ann"), "nothing else is in the context"),
        (tree((3, 2, 1), (2, 2, 1)), passport(K5, estimated=True), "an estimate is called one"),
        (tree(("S1", 3, 3), ("S2", 3, 3)), passport(K5), "nodes say what exact mode says"),
        (tree(("S1", 1, 9), ("S2", 3, 3)), passport(K5, "estimated"), "the class of each leaf is its commonest"),
        (tree((3, 2, 1), (2, 2, 1)), passport(K5, roles={"A": "identifier"}), "roles fit the splits"),
        (tree((3, 2, 1), (2, 2, 1)), passport(K5, roles={"A": "sensitive"}), "the passport names its limits"),
        (tree((3, 2, 1), (2, 2, 1)), passport(K5, roles={}), "roles fit the splits"),
        (
            tree((3, 2, 1), (2, 2, 1)),
            passport(K5, roles={"A": "insensitive", "Z": "sensitive"}),
            "roles fit the splits",
        ),
        (tree((3, 2, 1), (2, 2, 1), shares_of=11), passport(K5, also=(SHARES,)), "leaves count records"),
        (tree((3, 2, 1), (2, 2, 1), shares_of=11), passport(SimpleDiversity(l=2)), "the passport names its limits"),
        (
            tree(("S1", 2, 4), ("S2", 2, 2)),
            passport(RecursiveDiversity(c=3, l=3), "estimated", without=ESTIMATED),
            "the passport names its limits",
        ),
    ],
)
def test_each_fault_has_its_check(artefact, known, fault):
    assert fault in failed(artefact, known)


def test_a_sensitive_split_is_accepted_only_where_the_passport_says_so():
    fine = passport(K5, roles={"A": "sensitive"}, also=(split_on(["A"]),))
    assert failed(tree((3, 2, 1), (2, 2, 1)), fine) == set()
    undeclared = passport(K5, also=(UNDECLARED,))
    assert failed(tree((3, 2, 1), (2, 2, 1), declared=False), undeclared) == set()


def test_leaves_of_which_some_have_no_counts_are_refused_for_what_they_lack():  # found by fuzzing
    plain = tree((3, 2, 1), (2, 2, 1)).to_dict()
    leaf = next(node for node in plain["nodes"][1:] if node.get("counts"))
    del leaf["counts"]
    found = list(verify_shared_tree(PublishedTree.from_dict(plain), passport(K5, "exact")))
    assert "inner nodes follow from their leaves" in {check.name for check in found if not check.ok}


def test_inner_nodes_may_say_nothing_that_leaves_do_not():
    for mode, leaves in (("exact", [(3, 2, 1), (2, 2, 1)]), ("estimated", [("S1", 3, 3), ("S2", 3, 3)])):
        plain = tree(*leaves).to_dict()
        root = plain["nodes"][0]
        root["hit"], root["miss"] = root["hit"] + 1, root["miss"] - 1
        if "counts" in root:
            root["counts"] = [root["hit"], root["miss"], 0]
        assert failed(PublishedTree.from_dict(plain), passport(K5, mode)) == {"inner nodes follow from their leaves"}


def test_a_tree_of_many_classes_and_leaves_is_verified_in_time_linear_in_its_size():
    """Four times the leaves and the classes, one to one, each leaf saying hit and miss: not sixteen times the work."""

    def seconds(n):
        values = tuple(f"a{i}" for i in range(n))
        classes = tuple(f"S{i}" for i in range(n))
        edges = tuple(Edge(to=i + 1, values=(value,)) for i, value in enumerate(values))
        leaves = [Node(label=label, hit=3, miss=3) for label in classes]
        info = oracles.merged([(i, 3, 3) for i in range(2)], n, "estimated")
        root = Node(label="S0", hit=info[1], miss=6 * n - info[1], attribute="A", edges=edges)
        plain = PublishedTree(
            classes=classes,
            attributes=(Attribute(name="A", kind="categorical", values=values),),
            nodes=(root, *leaves),
            declared=True,
        ).to_json()
        took = []
        for _ in range(3):
            began = time.process_time()
            failed(PublishedTree.from_json(plain), passport(K5, "estimated"))
            took.append(time.process_time() - began)
        return min(took)

    assert seconds(16_000) < 24 * seconds(2_000)  # 8 times, were it no more than linear; 64 if it were quadratic
