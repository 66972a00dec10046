"""anonymize_tree: releases that verify, refusals, scikit-learn's trees, sensitive splits, growing again."""

import math

import numpy as np
import pytest
from tests.amounts import some
from tests.share.trees import random_pair, random_requirement, random_tree

from confide import Hierarchy, KAnonymity, RecursiveDiversity, Release, Schema, SimpleDiversity, verify
from confide.core.errors import CannotMeetError, InputError, RequirementError, UsageError
from confide.core.requirements.tables import ESTIMATED
from confide.core.trees.caveats import NO_ROLES, PEOPLE, SHARES, UNDECLARED, split_on
from confide.core.trees.covering import uncovered
from confide.core.trees.nodes import Attribute, Edge, Node
from confide.core.trees.published import PublishedTree
from confide.mining import DecisionTree
from confide.share import anonymize_tree

MODES = ("exact", "estimated", "sound")


def two_leaves(*counts, classes=("n", "p"), declared=True):
    """A split on `sex`, a leaf for each value, with these class counts."""
    leaves = [Node(label=classes[c.index(max(c))], hit=max(c), miss=sum(c) - max(c), counts=tuple(c)) for c in counts]
    whole = [sum(column) for column in zip(*counts, strict=True)]
    values = tuple(f"v{i}" for i in range(len(counts)))
    root = Node(
        label=classes[whole.index(max(whole))], hit=max(whole), miss=sum(whole) - max(whole), counts=tuple(whole),
        attribute="sex", edges=tuple(Edge(to=i + 1, values=(v,)) for i, v in enumerate(values)),
    )  # fmt: skip
    attributes = (Attribute(name="sex", kind="categorical", values=values),)
    return PublishedTree(classes=classes, attributes=attributes, nodes=(root, *leaves), declared=declared)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", range(60))
def test_a_release_is_verified_and_reads_back(seed, mode, tmp_path):
    tree, requirement = random_tree(seed), random_requirement(seed)
    try:
        release = anonymize_tree(tree, requirement, mode=mode)
    except CannotMeetError:
        return
    release.write(tmp_path / "tree.json")
    found = verify(tmp_path / "tree.json.passport.json")
    assert found.ok, found.summary()
    assert release.passport.context["mode"] == mode
    limits = release.passport.does_not_protect_against
    assert PEOPLE in limits
    assert NO_ROLES in limits
    assert UNDECLARED not in limits
    assert (ESTIMATED in limits) == (mode == "estimated" and not isinstance(requirement, KAnonymity))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", some(range(60), every=6))
def test_a_release_under_k_and_diversity_is_verified(seed, mode, tmp_path):
    try:
        release = anonymize_tree(random_tree(seed), random_pair(seed), mode=mode)
    except CannotMeetError:
        return
    release.write(tmp_path / "tree.json")
    found = verify(tmp_path / "tree.json.passport.json")
    assert found.ok, found.summary()
    names = [check.name for check in found.checks]
    assert "k-anonymity" in names
    assert any("diversity of the class" in name for name in names)


def test_what_a_tree_cannot_keep_is_refused_in_a_line():
    tree = two_leaves((30, 10), (20, 20))
    with pytest.raises(RequirementError, match="one diversity, beside k-anonymity"):
        anonymize_tree(tree, SimpleDiversity(l=2) & RecursiveDiversity(c=3, l=2))
    with pytest.raises(RequirementError, match="column='sex' is for tables"):
        anonymize_tree(tree, SimpleDiversity(l=2, column="sex"))
    with pytest.raises(CannotMeetError, match=r"k-anonymity \(k=100\) and simple-diversity") as refused:
        anonymize_tree(tree, KAnonymity(k=100) & SimpleDiversity(l=1 + 1), mode="exact")
    assert refused.value.parameter in ("k", "l")
    with pytest.raises(UsageError, match="shares cannot show k-anonymity"):
        anonymize_tree(tree, KAnonymity(k=5) & SimpleDiversity(l=2), shares_of=100)


@pytest.mark.parametrize("seed", range(60))
def test_every_record_of_the_domain_satisfies_exactly_one_path(seed):  # Proposition 18, its first part
    try:
        tree = anonymize_tree(random_tree(seed), random_requirement(seed)).data
    except CannotMeetError:
        return
    assert uncovered(tree) is None
    draw = np.random.default_rng(seed)
    for _ in range(40):
        record = {}
        for a in tree.attributes:
            if a.kind == "categorical":
                record[a.name] = a.values[draw.integers(len(a.values))]
            else:
                record[a.name] = float(draw.uniform(a.bins[0] - 1, a.bins[-1] + 1)) if draw.random() < 0.8 else None
        fits = [path for path in tree.paths() if satisfies(record, path, tree)]
        assert [path.leaf for path in fits] == [tree.locate(record)]


def satisfies(record, path, tree):
    for name, said in path.conditions.items():
        value = record[name]
        if tree.attribute(name).kind == "categorical":
            if value not in said:
                return False
        elif value is None:
            if name not in path.missing:
                return False
        elif not any(low < value <= high for low, high in said):
            return False
    return True


@pytest.mark.parametrize(
    ("requirement", "message"),
    [
        (KAnonymity(k=20), r"k-anonymity \(k=20\); nearest that works: k=13"),
        (SimpleDiversity(l=2), r"simple-diversity \(l=2\)$"),
        (RecursiveDiversity(c=2, l=3), r"recursive-diversity \(c=2, l=3\); nearest that works: l=2 with c="),
        (RecursiveDiversity(c=3, l=3), r"recursive-diversity \(c=3, l=3\); nearest that works: l=2"),
    ],
)
def test_what_the_whole_cannot_keep_is_refused_with_what_it_can(requirement, message):
    with pytest.raises(CannotMeetError, match=message):
        anonymize_tree(two_leaves([4, 1], [5, 3]), requirement)


@pytest.mark.parametrize("name", ["load_iris", "load_wine", "load_breast_cancer"])
def test_three_lines_make_a_tree_of_scikit_learn_anonymous(name):
    datasets, trees = pytest.importorskip("sklearn.datasets"), pytest.importorskip("sklearn.tree")
    X, y = getattr(datasets, name)(return_X_y=True)
    theirs = trees.DecisionTreeClassifier(random_state=0).fit(X, y)
    release = anonymize_tree(theirs, KAnonymity(k=5))
    ours = DecisionTree.from_published(release.data)
    assert min(path.node.total for path in release.data.paths()) >= 5
    assert UNDECLARED in release.passport.does_not_protect_against
    assert ours.score(X, y.astype(str)) > 0.94


@pytest.mark.parametrize("name", ["load_iris", "load_wine", "load_breast_cancer"])
def test_it_predicts_as_before_where_nothing_was_merged(name):
    datasets, trees = pytest.importorskip("sklearn.datasets"), pytest.importorskip("sklearn.tree")
    X, y = getattr(datasets, name)(return_X_y=True)
    theirs = trees.DecisionTreeClassifier(random_state=0, min_samples_leaf=2).fit(X, y)
    after = anonymize_tree(theirs, KAnonymity(k=3)).data
    ours = DecisionTree.from_published(after)
    same = np.isin(ours.apply(X), untouched_leaves(DecisionTree.from_sklearn(theirs).tree_, after))
    assert same.any() or name == "load_wine", "there every leaf takes a small one in"
    assert np.array_equal(ours.predict(X)[same], theirs.predict(X)[same].astype(str))
    unmerged = DecisionTree.from_published(anonymize_tree(theirs, KAnonymity(k=2)).data)
    assert np.array_equal(unmerged.predict(X), theirs.predict(X).astype(str)), "no leaf has fewer than two"


def untouched_leaves(before, after):
    """Leaves after that have the records of one leaf before: the same class counts on the same way."""
    ways = {tuple(sorted((k, v) for k, v in path.conditions.items())): path.node for path in before.paths()}
    found = []
    for path in after.paths():
        node = ways.get(tuple(sorted((k, v) for k, v in path.conditions.items())))
        if node is not None and node.counts == path.node.counts:
            found.append(path.leaf)
    return found


def test_diversity_makes_one_leaf_of_a_tree_that_separates_its_classes():
    trees = pytest.importorskip("sklearn.tree")
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    theirs = trees.DecisionTreeClassifier(random_state=0).fit(X, y)
    assert len(anonymize_tree(theirs, SimpleDiversity(l=3)).data.nodes) == 1


def test_exact_needs_counts_or_records():
    plain = two_leaves([4, 1], [5, 3])
    bare = PublishedTree(
        classes=plain.classes, attributes=plain.attributes,
        nodes=tuple(Node(label=n.label, hit=n.hit, miss=n.miss, attribute=n.attribute, edges=n.edges)
                    for n in plain.nodes),
    )  # fmt: skip
    with pytest.raises(UsageError, match="mode='exact' needs the count of each class"):
        anonymize_tree(bare, KAnonymity(k=5))
    X = np.array([["v0"]] * 5 + [["v1"]] * 8, dtype=object)
    y = ["n"] * 4 + ["p"] + ["n"] * 5 + ["p"] * 3
    release = anonymize_tree(bare, KAnonymity(k=5), data=(X, y))
    assert [node.counts for node in release.data.nodes] == [node.counts for node in plain.nodes]
    with pytest.raises(InputError, match="13 records but 2 classes"):
        anonymize_tree(bare, KAnonymity(k=5), data=(X, y[:2]))
    with pytest.raises(InputError, match="of a class that the tree does not know"):
        anonymize_tree(bare, KAnonymity(k=5), data=(X, ["q"] * 13))
    strange = np.array([["v7"]] * 13, dtype=object)
    with pytest.raises(InputError, match="a value outside the domain"):
        anonymize_tree(bare, KAnonymity(k=5), data=(strange, y))


def test_a_split_on_a_sensitive_attribute_is_refused_unless_allowed_by_name():  # the paper's Example 1
    tree = two_leaves([4, 3], [5, 3])
    schema = Schema.from_dict({"sex": {"role": "sensitive"}, "diagnosis": {"role": "class"}})
    with pytest.raises(UsageError, match="splits on 'sex', which is sensitive, and so gives it away"):
        anonymize_tree(tree, KAnonymity(k=5), schema=schema)
    release = anonymize_tree(tree, KAnonymity(k=5), schema=schema, allow_sensitive=["sex"])
    assert split_on(["sex"]) in release.passport.does_not_protect_against
    assert release.passport.context["roles"] == {"sex": "sensitive"}
    quasi = Schema.from_dict({"sex": {"role": "quasi-identifier"}})
    assert NO_ROLES not in anonymize_tree(tree, KAnonymity(k=5), schema=quasi).passport.does_not_protect_against
    for role, message in (("identifier", "whose role is 'identifier'"), ("class", "whose role is 'class'")):
        with pytest.raises(UsageError, match=message):
            anonymize_tree(tree, KAnonymity(k=5), schema=Schema.from_dict({"sex": {"role": role}}))
    with pytest.raises(UsageError, match="which has no role in the schema"):
        anonymize_tree(tree, KAnonymity(k=5), schema=Schema.from_dict({"age": {"role": "insensitive"}}))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "lucky"}, "no mode 'lucky'; modes are: exact, estimated, sound"),
        ({"regrow": True}, "give data="),
        ({"allow_sensitive": ["sex"]}, "give schema= too"),
        ({"allow_sensitive": "sex"}, "is a list of attributes"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, message):
    with pytest.raises((UsageError, RequirementError), match=message):
        anonymize_tree(two_leaves([4, 1], [5, 3]), KAnonymity(k=2), **options)
    with pytest.raises(UsageError, match="a decision tree is needed here, not Hierarchy"):
        anonymize_tree(Hierarchy.flat(["a"]), KAnonymity(k=2))


def test_the_class_of_a_leaf_must_be_its_commonest():
    plain = two_leaves([4, 1], [5, 3]).to_dict()
    plain["nodes"][1].update({"class": "p", "hit": 1, "miss": 4})
    with pytest.raises(InputError, match=r"nodes\[1\]: the class of a leaf is not its commonest"):
        anonymize_tree(PublishedTree.from_dict(plain), KAnonymity(k=2))


def test_public_figures_tell_no_small_count_of_the_tree_before():
    release = anonymize_tree(two_leaves([40, 10], [1, 0], [50, 30]), KAnonymity(k=5))
    assert isinstance(release, Release)
    assert dict(release.loss).keys() == {"leaves", "share_right", "points_lost"}
    assert release.loss["points_lost"] == math.floor(release.loss["points_lost"])
    assert release.owner.facts["leaves_failing"] == 1
    assert release.owner.facts["records_in_failing_leaves"] == 1


@pytest.mark.parametrize("seed", range(12))
def test_growing_again_keeps_the_promise_and_never_makes_fewer_leaves(seed):
    draw = np.random.default_rng(seed)
    X = np.array([[f"v{draw.integers(6)}", f"w{draw.integers(3)}", f"u{draw.integers(4)}"] for _ in range(300)], object)
    y = [f"c{(len(set(row)) + int(draw.integers(3))) % 4}" for row in X.tolist()]
    learned = DecisionTree(min_branch=1, confidence=None).fit(X, y)
    requirement = random_requirement(seed)
    try:
        plain = anonymize_tree(learned, requirement, data=(X, y)).data
    except CannotMeetError:
        return
    again = anonymize_tree(learned, requirement, data=(X, y), regrow=True)  # verified before it is given
    assert len(again.data.leaves()) >= len(plain.leaves())
    assert again.data.nodes[0].counts == plain.nodes[0].counts
    assert again.passport.algorithm == "ATP, regrown"
    where = DecisionTree.from_published(again.data)
    at = np.bincount(where.apply(X), minlength=len(again.data.nodes))
    assert at.tolist() == [node.total * node.is_leaf for node in again.data.nodes]


# -- shares ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(1, 60, 3))
def test_shares_keep_the_promise_too_and_hide_how_many_there_are(seed):
    requirement = [SimpleDiversity(l=2), RecursiveDiversity(c=3, l=2)][seed % 2]
    tree = random_tree(seed, most=40)
    try:
        release = anonymize_tree(tree, requirement, shares_of=10_000)
    except CannotMeetError:
        return
    leaves = [release.data.nodes[i] for i in release.data.leaves()]
    assert sum(leaf.total for leaf in leaves) == release.data.shares_of == 10_000
    assert SHARES in release.passport.does_not_protect_against
    plain = anonymize_tree(tree, requirement).data
    assert len(leaves) <= len(plain.leaves())
    known = {tuple(sorted(p.conditions.items())): p.node for p in plain.paths()}
    for path in release.data.paths():
        node = known.get(tuple(sorted(path.conditions.items())))
        if node is not None:
            exact = [n * 10_000 / plain.nodes[0].total for n in node.counts]
            assert all(abs(a - b) < 1 for a, b in zip(path.node.counts, exact, strict=True))


def test_shares_are_not_for_k_anonymity():
    with pytest.raises(UsageError, match="shares cannot show k-anonymity"):
        anonymize_tree(two_leaves([4, 1], [5, 3]), KAnonymity(k=2), shares_of=1000)
    with pytest.raises(UsageError, match="must be a whole number from 100"):
        anonymize_tree(two_leaves([4, 4], [5, 5]), SimpleDiversity(l=2), shares_of=7)


def test_the_owner_sees_where_the_estimate_was_wrong():
    """Erratum 2: d and e make (S2, 5, 7), which passes; their records are 7 of S1 and 5 of S2."""
    tree = two_leaves([3, 0, 0, 0, 0], [4, 5, 0, 0, 0], classes=("S1", "S2", "S3", "S4", "S5"))
    release = anonymize_tree(tree, SimpleDiversity(l=2), mode="estimated")
    assert (release.data.nodes[0].hit, release.data.nodes[0].miss) == (5, 7)
    assert release.owner.facts["leaves_failing_in_truth"] == 1


def test_marginals_of_another_promise_are_left_out():
    from tests.share.jobs.test_publishing import DOMAINS, people

    from confide import KAnonymity
    from confide.share import ShareTrain, train

    shared = train(ShareTrain(table=people(), domains=DOMAINS, requirement=KAnonymity(k=10))).release
    assert shared.data.marginals
    assert anonymize_tree(shared, KAnonymity(k=60)).data.marginals == ()


def test_a_pipeline_is_unwrapped_or_refused_with_what_to_give():
    sklearn = pytest.importorskip("sklearn")
    from sklearn.datasets import load_iris
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    assert sklearn
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(random_state=0)
    alone = make_pipeline(tree).fit(X, y)
    assert anonymize_tree(alone, KAnonymity(k=5)).data == anonymize_tree(alone[-1], KAnonymity(k=5)).data
    scaled = make_pipeline(StandardScaler(), tree).fit(X, y)
    with pytest.raises(UsageError, match="what standardscaler made of the columns; fit it on the columns"):
        anonymize_tree(scaled, KAnonymity(k=5))
    idle = make_pipeline("passthrough", tree).fit(X, y)
    assert anonymize_tree(idle, KAnonymity(k=5)).data == anonymize_tree(alone[-1], KAnonymity(k=5)).data
    for unfitted in (DecisionTreeClassifier(), make_pipeline(DecisionTreeClassifier())):
        with pytest.raises(UsageError, match=r"has learned nothing yet; call its fit\(X, y\) first"):
            anonymize_tree(unfitted, KAnonymity(k=5))
