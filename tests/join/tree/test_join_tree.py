"""JoinTree against DecisionTree on the materialised join: the same tree, to the last count and threshold."""

import itertools

import numpy as np
import pyarrow as pa
import pytest
from tests.join.schemas import TYPES, graph_of, random_schema, tree_on_the_join
from tests.oracles.joining import materialise

from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.randomness import Randomness
from confide.core.runtime.progress import reporting
from confide.core.samples.chain import chain_tables
from confide.join import JoinGraph, JoinTree
from confide.mining import DecisionTree


def joined_frame(tables, types, joins, target):
    names, records, classes, chosen = materialise(tables, joins, target)
    kinds = [types[t, c] for t in tables for c in tables[t] if (t, c) != target]
    columns = list(zip(*records, strict=True)) if records else [[] for _ in names]
    arrays = [pa.array(list(column), type=TYPES[kind]) for column, kind in zip(columns, kinds, strict=True)]
    return pa.table(dict(zip(names, arrays, strict=True))), pa.array(classes, TYPES[types[target]]), chosen


@pytest.mark.parametrize("batch", range(10))
def test_500_random_schemas_give_the_tree_of_the_joined_table(batch):
    compared = grown = 0
    for seed in range(1_000 * batch, 1_000 * batch + 1_000):
        tables, types, frames, joins, target, options, exclude = random_schema(seed)
        frame, classes, chosen = joined_frame(tables, types, joins, target)
        frame = frame.drop_columns(exclude)
        graph = graph_of(frames, joins, target)
        assert graph.check().joined_rows == len(classes)
        if len(set(classes.to_pylist())) < 2:
            continue
        expected = tree_on_the_join(frame, classes, options)
        found = JoinTree(**options, exclude=exclude).fit(graph)
        assert found.tree_ == expected.tree_, seed
        assert found.classes_.tolist() == expected.classes_.tolist()
        assert found.predict(frame).tolist() == expected.predict(frame).tolist()
        votes = np.zeros((len(tables[target[0]]["class"]), len(expected.classes_)), dtype=np.int64)
        place = {label: c for c, label in enumerate(expected.classes_.tolist())}
        for label, rows in zip(expected.predict(frame).tolist(), chosen, strict=True):
            votes[rows[target[0]], place[label]] += 1
        assert found.votes(graph).tolist() == votes.tolist(), seed
        compared += 1
        grown += len(found.tree_.nodes) > 3
        if compared >= 50 and grown >= 20:
            break
    assert compared >= 50
    assert grown >= 20


def test_min_leaf_binds_every_leaf_and_min_branch_two_branches():
    town = ["A"] * 20 + ["B"] * 20 + ["C"]
    people = pa.table({"town": town, "ill": ["yes"] * 18 + ["no"] * 22 + ["yes"]})
    air = pa.table({"town": ["A", "B", "C"], "dust": [70, 20, 30]})
    joins = [("people.town", "air.town")]
    graph = JoinGraph(tables={"people": people, "air": air}, joins=joins, target="people.ill")
    rule = {"confidence": None, "exclude": ["air.dust", "air.town"]}
    by_branch = JoinTree(min_branch=20, **rule).fit(graph).tree_
    assert sorted(path.hit + path.miss for path in by_branch.paths()) == [1, 20, 20], (
        "C4.5's rule lets one leaf be small"
    )
    assert len(JoinTree(min_leaf=20, **rule).fit(graph).tree_.nodes) == 1
    cut = JoinTree(min_leaf=20, confidence=None, exclude=["people.town", "air.town"]).fit(graph).tree_
    assert sorted(path.hit + path.miss for path in cut.paths()) == [20, 21], "a threshold keeps both sides large"


def test_no_leaf_of_random_schemas_is_smaller_than_min_leaf():
    grown = 0
    for seed in range(300):
        _, _, frames, joins, target, options, exclude = random_schema(seed)
        graph = graph_of(frames, joins, target)
        if len(graph.check().class_counts) < 2:
            continue
        tree = JoinTree(**{**options, "min_leaf": 4}, exclude=exclude).fit(graph).tree_
        assert len(tree.nodes) == 1 or min(path.hit + path.miss for path in tree.paths()) >= 4, seed
        grown += len(tree.nodes) > 1
    assert grown > 50


def test_the_random_schemas_have_all_that_makes_joins_hard():
    seen = {"composite": 0, "missing": 0, "dangling": 0, "duplicates": 0, "three tables": 0, "three classes": 0}
    for seed in range(200):
        tables, _, frames, joins, target, _, _ = random_schema(seed)
        found = graph_of(frames, joins, target).check()
        seen["composite"] += any(len(columns) > 1 for join in joins for _, columns in join)
        seen["missing"] += any(None in tables[t][c] for join in joins for t, columns in join for c in columns)
        seen["dangling"] += any(0 < table.dangling_rows < table.rows for table in found.tables)
        seen["duplicates"] += found.joined_rows > max(table.rows for table in found.tables)
        seen["three tables"] += len(tables) > 2
        seen["three classes"] += len(found.class_counts) > 2
    assert min(seen.values()) > 40, seen


@pytest.mark.parametrize("criterion", ["information_gain", "gain_ratio", "gini"])
@pytest.mark.parametrize("k", [2, 3])
def test_a_chain_of_tables_gives_the_tree_of_its_join(k, criterion):
    chain = chain_tables(k, rows=300, attributes=3)
    found = JoinTree(criterion=criterion, max_depth=5).fit(JoinGraph(**chain._asdict()))
    frames = [table.to_pandas().add_prefix(f"{name}.") for name, table in chain.tables.items()]
    joined = frames[0]
    for (left, right), frame in zip(chain.joins, frames[1:], strict=True):
        joined = joined.merge(frame, left_on=left, right_on=right)
    joined = joined[[column for frame in frames for column in frame.columns]]
    expected = DecisionTree(criterion=criterion, max_depth=5).fit(joined.drop(columns="T1.class"), joined["T1.class"])
    assert found.tree_ == expected.tree_
    assert found.joined_rows_ == len(joined)


def big_counts(tables, rows):
    """A chain with one join value in which T0.x tells the class and a million million records do not change that."""
    frames = {f"T{i}": pa.table({"k": [1] * rows, "x": list(range(rows))}) for i in range(tables)}
    frames["T0"] = frames["T0"].append_column("class", pa.array(["low"] * (rows // 3) + ["high"] * (rows - rows // 3)))
    return JoinGraph(tables=frames, joins=[(f"T{i}.k", f"T{i + 1}.k") for i in range(tables - 1)], target="T0.class")


@pytest.mark.parametrize("tables", [2, 4, 6, 9])
def test_counts_stay_exact_up_to_2_to_62(tables):
    rows = 99
    tree = JoinTree(confidence=None).fit(big_counts(tables, rows)).tree_
    assert len(tree.nodes) == 3
    assert tree.nodes[0].attribute == "T0.x"
    fan_out = rows ** (tables - 1)
    assert [node.counts for node in tree.nodes] == [(66 * fan_out, 33 * fan_out), (0, 33 * fan_out), (66 * fan_out, 0)]


def test_pruning_on_targets_counts_each_target_record_once():
    # Ten people, fifty visits each: by joined records a chance difference looks certain, by people it does not.
    people = pa.table({"id": list(range(10)), "class": ["a", "b"] * 4 + ["a", "a"]})
    visits = pa.table(
        {"id": [i for i in range(10) for _ in range(50)], "ward": ["x" if i % 3 else "y" for i in range(500)]}
    )
    graph = JoinGraph(tables={"P": people, "V": visits}, joins=[("P.id", "V.id")], target="P.class")
    by_rows = JoinTree(max_depth=3).fit(graph)
    by_people = JoinTree(max_depth=3, prune_on="targets").fit(graph)
    assert len(by_rows.tree_.nodes) > 1
    assert len(by_people.tree_.nodes) == 1
    unpruned = [JoinTree(max_depth=3, confidence=None, prune_on=p).fit(graph).tree_ for p in ("rows", "targets")]
    assert unpruned[0] == unpruned[1]


def test_target_records_are_classed_by_the_vote_of_their_joined_records():
    people = pa.table({"id": [1, 2, 3, 4], "class": ["a", "b", "a", "b"]})
    tests = pa.table({"id": [1, 1, 2, 3, 4, 4], "value": [5.0, 6.0, 1.0, 5.5, 1.5, 0.5]})
    graph = JoinGraph(tables={"P": people, "T": tests}, joins=[("P.id", "T.id")], target="P.class")
    tree = JoinTree(min_branch=1, confidence=None, categorical=["P.id"]).fit(graph)
    fresh = JoinGraph(
        tables={
            "P": pa.table({"id": [7, 8, 9], "class": ["?", "?", "?"]}),
            "T": pa.table({"id": [7, 7, 7, 8], "value": [9.0, 8.0, 0.0, 0.0]}),
        },
        joins=[("P.id", "T.id")],
        target="P.class",
    )
    value_only = JoinTree(min_leaf=2, confidence=None).fit(graph)
    assert value_only.tree_.nodes[0].attribute == "T.value"
    assert value_only.votes(fresh).tolist() == [[2, 1], [0, 1], [0, 0]]
    assert value_only.predict(fresh).tolist() == [
        "a",
        "b",
        "a",
    ]  # the third is in no joined record: the root's majority
    assert tree.predict(graph).tolist() == ["a", "b", "a", "b"]


def test_a_table_the_tree_does_not_know_is_refused():
    chain = chain_tables(2, rows=60, attributes=1)
    tree = JoinTree(max_depth=2, confidence=None).fit(JoinGraph(**chain._asdict()))
    asked = {node.attribute for node in tree.tree_.nodes if node.attribute}
    table, column = next(name.split(".") for name in sorted(asked) if ".j" not in name)
    without = {name: t.drop_columns([column]) if name == table else t for name, t in chain.tables.items()}
    with pytest.raises(InputError, match="which no table of the graph has"):
        tree.predict(JoinGraph(tables=without, joins=chain.joins, target=chain.target))


def test_progress_is_reported_and_ends_at_the_joined_records():
    heard = []
    chain = chain_tables(3, rows=100)
    with reporting(lambda label, done, total: heard.append((done, total))):
        tree = JoinTree(max_depth=3).fit(JoinGraph(**chain._asdict()))
    assert heard[-1] == (tree.joined_rows_, tree.joined_rows_)
    assert all(a[0] <= b[0] for a, b in itertools.pairwise(heard))


def test_parameters_that_make_no_sense_are_refused():
    graph = JoinGraph(**chain_tables(2, rows=20)._asdict())
    for wrong in (
        {"min_leaf": 0},
        {"min_branch": 0},
        {"min_branch": True},
        {"max_depth": 0},
        {"criterion": "luck"},
        {"prune_on": "wings"},
        {"confidence": 2},
    ):
        with pytest.raises(RequirementError):
            JoinTree(**wrong).fit(graph)
    with pytest.raises(UsageError, match=r"no column 'T9\.x' to take as categorical"):
        JoinTree(categorical=["T9.x"]).fit(graph)
    with pytest.raises(UsageError, match=r"no column 'T9\.x' to exclude"):
        JoinTree(exclude=["T9.x"]).fit(graph)
    with pytest.raises(UsageError, match="every column is excluded"):
        JoinTree(exclude=[f"{t}.{c}" for t in graph.tables for c in graph.attributes(t)]).fit(graph)
    with pytest.raises(UsageError, match="not fitted"):
        JoinTree().votes(graph)
    with pytest.raises(UsageError, match="not fitted"):
        JoinTree().predict(graph.tables["T1"])
    assert repr(JoinTree(max_depth=3)) == "JoinTree(max_depth=3)"


@pytest.mark.parametrize(
    ("ages", "classes", "low", "high"),
    [
        ([20, 21, 30, 31, None, None], "aabbbb", (((-np.inf, 25.5),), False), (((25.5, np.inf),), True)),
        ([20, 21, 30, 31, None, None], "aabbaa", (((-np.inf, 25.5),), True), (((25.5, np.inf),), False)),
        ([20, 21, 30, 31, None, None], "aaaabb", (((-np.inf, np.inf),), False), ((), True)),  # apart from all numbers
        ([20, 21, 30, 31, 32, 33], "aabbbb", (((-np.inf, 25.5),), False), (((25.5, np.inf),), False)),
    ],
)
def test_missing_numbers_go_where_they_gain_more_and_the_tree_says_so(ages, classes, low, high):
    people = pa.table({"id": [*range(6)], "age": pa.array(ages, pa.int64()), "class": [*classes]})
    visits = pa.table({"id": [*range(6), 5]})
    graph = JoinGraph(tables={"P": people, "V": visits}, joins=[("P.id", "V.id")], target="P.class")
    found = JoinTree(confidence=None, exclude=["P.id", "V.id"]).fit(graph)
    assert [(edge.intervals, edge.missing) for edge in found.tree_.nodes[0].edges] == [low, high]
    assert found.predict(graph).tolist() == [*classes]
    asked = graph.tables["P"].select(["age"]).rename_columns(["P.age"])
    assert found.predict(asked.append_column("P.id", people["id"]).append_column("V.id", people["id"])).tolist() == [
        *classes
    ]


def test_an_infinite_number_in_the_join_is_refused_but_not_in_a_dangling_record():
    people = pa.table({"id": [1, 2, 3], "age": [20.0, np.inf, 30.0], "class": ["a", "b", "b"]})
    for ids, fits in (([1, 3], True), ([1, 2], False)):
        graph = JoinGraph(tables={"P": people, "V": pa.table({"id": ids})}, joins=[("P.id", "V.id")], target="P.class")
        if fits:
            assert JoinTree(min_branch=1).fit(graph).joined_rows_ == 2
        else:
            with pytest.raises(InputError, match=r"column 'P\.age': Input contains infinity"):
                JoinTree().fit(graph)


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("criterion", ["information_gain", "gain_ratio", "gini"])
@pytest.mark.parametrize("seed", [1, 2])
def test_columns_of_many_values_are_cut_where_the_joined_table_is(seed, criterion, classes):
    # Enough values to be outlined before they are scored; some informative, some noise, some with the same order.
    rng = np.random.default_rng(seed)
    n, keys = 600, 150
    left = pa.table({"k": rng.integers(0, keys, n), "noise": rng.integers(0, 400, n), "x": rng.normal(size=n).round(2)})
    label = np.digitize(np.asarray(left["x"]) + rng.normal(size=n) / 2, np.linspace(-1, 1, classes - 1))
    left = left.append_column("class", pa.array(label)).append_column("same", pa.array(np.asarray(left["x"]) * 4))
    right = pa.table({"k": rng.integers(0, keys, n), "y": rng.exponential(size=n).round(1), "z": rng.integers(0, 9, n)})
    graph = JoinGraph(tables={"R": right, "L": left}, joins=[("L.k", "R.k")], target="L.class")
    found = JoinTree(criterion=criterion, max_depth=7, confidence=None).fit(graph)
    joined = left.to_pandas().add_prefix("L.").merge(right.to_pandas().add_prefix("R."), left_on="L.k", right_on="R.k")
    columns = ["R.k", "R.y", "R.z", "L.k", "L.noise", "L.x", "L.same"]
    expected = DecisionTree(criterion=criterion, max_depth=7, confidence=None).fit(joined[columns], joined["L.class"])
    assert found.tree_ == expected.tree_


def test_the_fast_logarithm_keeps_within_its_bound():
    from confide.join.tree import _score_kernels as kernels

    drawn = np.random.default_rng(1).integers(1, 2**53, 20_000).astype(np.float64)
    steps = np.concatenate([np.arange(0, 10_000), 2.0 ** np.arange(53), 2.0 ** np.arange(1, 53) - 1, drawn])
    for begin in range(0, len(steps), kernels.CHUNK):
        x = np.zeros(kernels.CHUNK)
        part = steps[begin : begin + kernels.CHUNK]
        x[: len(part)] = part
        room, sums = np.empty(kernels.CHUNK, dtype=np.int64), np.zeros(kernels.CHUNK)
        kernels.add_logs(x, x.view(np.int64), room, room.view(np.float64), kernels.CHUNK, 1.0, sums)
        true = x * np.log2(np.maximum(x, 1))
        assert np.all(np.abs(sums - true) <= kernels.LOG2_ERROR * x)


def test_a_table_may_only_join_and_offer_nothing_to_split_on():
    people = pa.table({"id": [1, 2, 3, 4], "age": [20, 30, 40, 50], "class": ["a", "a", "b", "b"]})
    links = pa.table({"person": [1, 1, 2, 3, 4], "ward": [7, 8, 7, 8, 8]})
    wards = pa.table({"ward": [7, 8, 8], "beds": [10, 20, 30]})
    graph = JoinGraph(
        tables={"P": people, "L": links, "W": wards},
        joins=[("P.id", "L.person"), ("L.ward", "W.ward")],
        target="P.class",
    )
    tree = JoinTree(min_branch=1, confidence=None, exclude=["L.person", "L.ward", "P.id", "P.age"]).fit(graph)
    assert {node.attribute for node in tree.tree_.nodes} <= {"W.ward", "W.beds", None}
    assert tree.tree_.nodes[0].counts == (4, 4)
    assert tree.predict(graph).tolist() == ["b", "a", "b", "b"]


@pytest.mark.parametrize("k", [2, 4])
def test_several_threads_grow_the_same_tree(k, monkeypatch, with_cores):
    from confide.join.tree import local_engines, table_engine

    chain = chain_tables(k, rows=200, attributes=2)
    graph = JoinGraph(**chain._asdict())
    alone = JoinTree(max_depth=6, confidence=None).fit(graph)
    monkeypatch.setattr(table_engine, "SMALL", 0)
    monkeypatch.setattr(local_engines, "LARGE", 0)
    with_cores(4)
    for _ in range(3):
        together = JoinTree(max_depth=6, confidence=None).fit(graph)
        assert together.tree_ == alone.tree_
        assert together.votes(graph).tolist() == alone.votes(graph).tolist()


PATIENTS = pa.table({"town": ["A", "A", "A", "B", "B", "B"], "ill": ["yes", "yes", "no", "no", "no", "no"]})
AIR = pa.table({"town": ["A", "B"], "dust": [70, 20]})
TOWNS = [("P.town", "T.town")]


def test_new_records_need_no_class_column():
    tree = JoinTree(confidence=None, exclude=["P.town", "T.town"])
    tree.fit(JoinGraph(tables={"P": PATIENTS, "T": AIR}, joins=TOWNS, target="P.ill"))
    new = pa.table({"town": ["B", "A", "Z"]})
    air = pa.table({"town": ["A", "B", "B"], "dust": [90, 10, 99]})
    graph = JoinGraph(tables={"P": new, "T": air}, joins=TOWNS, target="P")
    assert repr(graph) == "JoinGraph(P.town = T.town; target P)"
    assert tree.votes(graph).tolist() == [[1, 1], [0, 1], [0, 0]]
    assert tree.predict(graph).tolist() == ["no", "yes", "no"]
    mean = [(1 + 1 / 3) / 2, 2 / 3 / 2]  # the leaves of its two joined records are no:3, and no:1 with yes:2
    assert tree.predict_proba(graph) == pytest.approx(np.array([mean, [1 / 3, 2 / 3], [4 / 6, 2 / 6]]))
    assert graph.check().fault is None
    with pytest.raises(UsageError, match=r"names no class column.*target='P\.COLUMN'"):
        JoinTree().fit(graph)


def test_the_shares_of_joined_records_are_those_of_their_leaf():
    tree = JoinTree(confidence=None, exclude=["P.town", "T.town"])
    tree.fit(JoinGraph(tables={"P": PATIENTS, "T": AIR}, joins=TOWNS, target="P.ill"))
    rows = pa.table({"P.town": ["A", "B"], "T.town": ["A", "B"], "T.dust": [70, 20]})
    rows = rows.select([attribute.name for attribute in tree.tree_.attributes])
    assert tree.predict_proba(rows).tolist() == [[1 / 3, 2 / 3], [1.0, 0.0]]
    assert tree.predict(rows).tolist() == tree.classes_[tree.predict_proba(rows).argmax(axis=1)].tolist()


def test_shares_of_target_records_are_the_mean_of_their_joined_records():
    chain = chain_tables(3, rows=80)
    graph = JoinGraph(**chain._asdict())
    tree = JoinTree(max_depth=3).fit(graph)
    few = JoinGraph(
        tables={**chain.tables, "T1": chain.tables["T1"].slice(5, 1)}, joins=chain.joins, target=chain.target
    )
    drawn = few.sample(20_000, randomness=Randomness.seeded(1))
    names = tree.feature_names_in_.tolist()
    exact = tree.predict_proba(graph)
    assert exact.sum(axis=1) == pytest.approx(np.ones(80))
    assert tree.predict_proba(drawn.select(names)).mean(axis=0) == pytest.approx(exact[5], abs=0.02)


def test_a_tree_of_a_join_can_be_read_and_scored():
    graph = JoinGraph(tables={"P": PATIENTS, "T": AIR}, joins=TOWNS, target="P.ill")
    tree = JoinTree(confidence=None, exclude=["P.town", "T.town"])
    assert "not fitted yet" in tree._repr_html_()
    with pytest.raises(UsageError, match="not fitted yet"):
        tree.to_text()
    tree.fit(graph)
    assert tree.to_text() == tree.tree_.to_text()
    assert "T.dust" in tree.to_text()
    assert tree.to_svg().startswith("<svg")
    assert "T.dust" in tree._repr_html_()
    assert dict(zip(tree.feature_names_in_, tree.feature_importances_, strict=True)) == {"T.dust": 1.0}
    assert tree.score(graph) == 5 / 6
    with pytest.raises(UsageError, match="names no class column"):
        tree.score(JoinGraph(tables={"P": PATIENTS, "T": AIR}, joins=TOWNS, target="P"))


@pytest.mark.parametrize("given", [None, AIR, {"T": AIR}])
def test_only_a_graph_can_be_learned_from(given):
    with pytest.raises(UsageError, match=r"a JoinTree learns from a JoinGraph, .* not from"):
        JoinTree().fit(given)


def test_scikit_learn_can_clone_it():
    clone = pytest.importorskip("sklearn.base").clone
    tree = JoinTree(max_depth=3, exclude=["P.town"])
    assert repr(clone(tree)) == repr(tree)
    assert tree.set_params(min_leaf=7).get_params()["min_leaf"] == 7
    with pytest.raises(UsageError, match="Invalid parameter 'leaves'"):
        tree.set_params(leaves=1)


def test_the_headline_counts_what_the_tree_was_grown_from():
    made = chain_tables(2, rows=200, seed=1)
    tree = JoinTree(max_depth=2).fit(JoinGraph(tables=made.tables, joins=made.joins, target=made.target))
    assert tree.headline().startswith(f"{len(tree.tree_.nodes):,} nodes over {tree.joined_rows_:,} joined records")
    with pytest.raises(UsageError, match="not fitted yet"):
        JoinTree().headline()
