"""The join graph: what is refused, in one clear line, and what a check finds."""

import datetime
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confide.core.errors import ConfideError, InputError, UsageError
from confide.join import JoinGraph, JoinTree
from confide.join.graph.join_values import share_keys

A = pa.table({"x": [1, 2, 2], "y": ["p", "q", None], "class": ["no", "yes", "yes"]})
B = pa.table({"x": [2, 2, 3], "z": [0.5, 1.5, 2.5]})
C = pa.table({"z": [0.5, 1.5], "y": ["p", "q"]})


def graph(joins, target="A.class", **tables):
    return JoinGraph(tables=tables or {"A": A, "B": B, "C": C}, joins=joins, target=target)


@pytest.mark.parametrize(
    ("joins", "target", "said"),
    [
        ([("A.x", "B.x"), ("B.z", "C.z"), ("C.y", "A.y")], "A.class", "go round in a circle: "),
        ([("A.x", "B.x")], "A.class", "C is not joined to A, the table with the class; add a join"),
        ([], "A.class", "B, C are not joined to A"),
        ([("A.x", "B.x"), ("B.z", "C.z")], "A.klass", "the class column is missing: no column 'A.klass'; columns of A"),
        ([("A.x", "B.x"), ("B.z", "C.z")], "D.class", "the class column 'D.class' is in no table of the join"),
        ([("A.x", "B.x"), ("B.z", "C.z")], "class", "the class column 'class' is in no table of the join"),
        ([("A.y", "B.x"), ("B.z", "C.z")], "A.class", "A.y is string and B.x is int64: join columns must be of one"),
        ([("A.x", "B.z"), ("B.z", "C.z")], "A.class", "A.x is int64 and B.z is double: join columns must be of one"),
        ([("A.x", "B.w")], "A.class", "no column 'B.w'; columns of B are: x, z"),
        ([("A.x", "D.x")], "A.class", "'D.x' names no column as 'table.column'; tables are: A, B, C"),
        ([("A.x", "A.x")], "A.class", "table A is joined to itself"),
        ([(("A.x", "A.y"), "B.x")], "A.class", "A and B are joined on 2 and 1 columns"),
        ([(("A.x", "B.x"), ("C.z", "C.y"))], "A.class", "one side of a join names columns of one table"),
        (["A.x"], "A.class", "a join is a pair of columns"),
    ],
)
def test_a_graph_that_is_not_a_tree_is_refused_in_one_line(joins, target, said):
    with pytest.raises(ConfideError) as refused:
        graph(joins, target)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert refused.value.exit_code == 2


def test_the_circle_is_named_in_order_and_nothing_else():
    table = pa.table({"k": [1], "c": ["a"]})
    tables = dict.fromkeys("ABCDE", table)
    joins = [("A.k", "B.k"), ("B.k", "C.k"), ("C.k", "D.k"), ("D.k", "B.k"), ("D.k", "E.k")]
    with pytest.raises(UsageError, match="circle: ") as refused:
        JoinGraph(tables=tables, joins=joins, target="A.c")
    circle = str(refused.value).split(": ")[1].split(";")[0].split(" - ")
    assert circle[0] == circle[-1]
    assert sorted(circle[:-1]) == ["B", "C", "D"]


def test_two_joins_of_the_same_tables_are_one_composite_key():
    left = pa.table({"a": [1, 1, 2], "b": ["u", "v", "u"], "class": list("xyx")})
    right = pa.table({"c": ["u", "u", "v"], "d": [1, 2, 2]})
    one = JoinGraph(tables={"L": left, "R": right}, joins=[("L.a", "R.d"), ("R.c", "L.b")], target="L.class")
    other = JoinGraph(tables={"L": left, "R": right}, joins=[(("L.a", "L.b"), ("R.d", "R.c"))], target="L.class")
    assert one.joins == other.joins
    assert one.check().joined_rows == other.check().joined_rows == 2


def test_names_may_have_dots():
    tables = {"a": pa.table({"k.c": [1, 2], "class": ["n", "y"]}), "a.b": pa.table({"c": [1, 1, 2]})}
    assert JoinGraph(tables=tables, joins=[("a.k.c", "a.b.c")], target="a.class").check().joined_rows == 3


def test_a_check_counts_shared_values_dangling_records_and_the_join():
    found = graph([("A.x", "B.x"), ("B.z", "C.z")]).check()
    assert found.joined_rows == 4
    assert found.class_counts == {"yes": 4}
    assert [(t.table, t.rows, t.dangling_rows) for t in found.tables] == [("A", 3, 1), ("B", 3, 1), ("C", 2, 0)]
    first, second = found.joins
    assert (first.join, first.types, first.left_values, first.right_values, first.shared_values) == (
        "A.x = B.x",
        ("int64",),
        2,
        2,
        1,
    )
    assert second.shared_values == 2
    assert json.loads(json.dumps(found.as_dict()))["tables"][0]["dangling_share"] == pytest.approx(1 / 3)


def test_a_record_that_dangles_two_tables_away_is_counted():
    middle = pa.table({"j": [1, 2], "k": [7, 8]})
    found = JoinGraph(
        tables={"A": pa.table({"j": [1, 2, 2], "class": list("aba")}), "B": middle, "C": pa.table({"k": [7]})},
        joins=[("A.j", "B.j"), ("B.k", "C.k")],
        target="A.class",
    ).check()
    assert [table.dangling_rows for table in found.tables] == [2, 1, 0]


@pytest.mark.parametrize("tables", [3, 7, 30])
def test_the_size_of_a_join_is_exact_however_large(tables):
    rows = 1000
    frames = {f"T{i}": pa.table({"k": [1] * rows}) for i in range(tables)}
    frames["T0"] = frames["T0"].append_column("class", pa.array(["a"] * 999 + ["b"]))
    joins = [(f"T{i}.k", f"T{i + 1}.k") for i in range(tables - 1)]
    made = JoinGraph(tables=frames, joins=joins, target="T0.class")
    found = made.check()
    assert found.joined_rows == rows**tables
    assert found.class_counts == {"a": 999 * rows ** (tables - 1), "b": rows ** (tables - 1)}
    if rows**tables > 2**62:
        assert "2**62" in found.fault
        with pytest.raises(InputError, match=r"more than 2\*\*62 records"):
            JoinTree().fit(made)
    else:
        assert found.fault is None


def test_a_middle_that_is_huge_but_joins_nothing_does_not_count():
    # A x B alone would be 10**24; only one record of A finds its way to C
    tables = {"A": pa.table({"k": [1] * 10**4 + [2], "class": ["a"] * 10**4 + ["b"]})}
    for i in range(5):
        tables[f"B{i}"] = pa.table({"k": [1] * 10**4 + [2, 2]})
    tables["C"] = pa.table({"k": [2]})
    joins = [("A.k", "B0.k"), *((f"B{i}.k", f"B{i + 1}.k") for i in range(4)), ("B4.k", "C.k")]
    found = JoinGraph(tables=tables, joins=joins, target="A.class").check()
    assert found.joined_rows == 32
    assert found.fault == "all joined records are of one class; there is nothing to learn"


@pytest.mark.parametrize(
    ("left", "right", "classes", "said"),
    [
        ([1, 2], [3, 4], ["a", "b"], "no join value is in both tables of A.k = B.k, so the join is empty"),
        ([1, 2], [1, 1], ["a", "b"], "all joined records are of one class"),
        ([None, None], [1, 1], ["a", "b"], "no join value is in both tables"),
        ([1, 2], [1, 2], ["a", None], "the class column A.class is empty in 1 records"),
        ([1, 2], [], ["a", "b"], "no join value is in both tables"),
    ],
)
def test_data_no_tree_can_be_grown_on_is_refused_in_one_line(left, right, classes, said):
    tables = {
        "A": pa.table({"k": pa.array(left, pa.int64()), "class": classes}),
        "B": pa.table({"k": pa.array(right, pa.int64())}),
    }
    with pytest.raises(InputError) as refused:
        JoinTree().fit(JoinGraph(tables=tables, joins=[("A.k", "B.k")], target="A.class"))
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_every_kind_of_frame_and_layout_of_one_type_joins():
    day = datetime.date(2024, 1, 1)
    target = {"k": [1, 2], "t": ["a", "b"], "d": [day, day], "class": ["n", "y"]}
    for frame in (pa.table(target), pd.DataFrame(target), pl.DataFrame(target)):
        other = pa.table(
            {
                "k": pa.array([1, 2, 2], pa.int8()),
                "t": pa.array(["a", "b", "b"]).dictionary_encode(),
                "d": pa.array([day] * 3, pa.date32()),
            }
        )
        joins = [(("A.k", "A.t"), ("B.k", "B.t"))]
        assert JoinGraph(tables={"A": frame, "B": other}, joins=joins, target="A.class").check().joined_rows == 3


def test_missing_parts_nan_and_signed_zero_are_what_they_should_be():
    left = [pa.chunked_array([[0.0, -0.0, float("nan"), None, 1.0]]), pa.chunked_array([["a", "a", "a", "a", None]])]
    right = [pa.chunked_array([[0.0, float("nan"), 1.0]]), pa.chunked_array([["a", "a", None]])]
    keys = share_keys(left, right)
    assert keys.left.tolist() == [0, 0, -1, -1, -1]
    assert keys.right.tolist() == [0, -1, -1]


CELLS = st.sampled_from(["", "a", "ab", "b", "a,b", None])


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=12), st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=12))
def test_composite_keys_are_coded_without_collisions(left, right):
    def columns(rows):
        return [pa.chunked_array([[row[i] for row in rows]], pa.string()) for i in range(3)]

    keys = share_keys(columns(left), columns(right))
    shared = {row for row in left if None not in row} & set(right)
    assert keys.shared == len(shared)
    place = {}
    for rows, codes in ((left, keys.left), (right, keys.right)):
        for row, code in zip(rows, codes.tolist(), strict=True):
            assert (code >= 0) == (row in shared)
            if code >= 0:
                assert place.setdefault(row, code) == code
    assert sorted(place.values()) == list(range(len(shared)))


def test_many_wide_parts_do_not_overflow_their_code():
    rng = np.random.default_rng(1)
    table = [pa.chunked_array([rng.integers(0, 2**62, 3000)]) for _ in range(9)]
    keys = share_keys(table, [column.slice(0, 1000) for column in table])
    assert keys.left[:1000].tolist() == keys.right.tolist()
    assert (keys.left[1000:] == -1).all()
    assert keys.shared == 1000


def test_the_command_prints_the_findings_and_refuses_what_cannot_be_learned(tmp_path):
    (tmp_path / "a.csv").write_text("k,class\n1,yes\n2,no\n2,no\n")
    (tmp_path / "b.csv").write_text("k\n1\n2\n9\n")
    command = [sys.executable, "-m", "confide", "join", "check", "--source", "A=a.csv", "--source", "B=b.csv"]

    def run(*options):
        return subprocess.run([*command, *options], cwd=tmp_path, capture_output=True, text=True)

    fine = run("--join", "A.k=B.k", "--target", "A.class", "--type", "A.k=integer", "--type", "B.k=integer")
    assert fine.returncode == 0, fine.stderr
    assert json.loads(fine.stdout)["joined_rows"] == 3
    empty = run("--join", "A.class=B.k", "--target", "A.class")
    assert empty.returncode == 2
    assert empty.stderr.splitlines()[-1].startswith("confide: no join value is in both tables of A.class = B.k")
    differ = run("--join", "A.k=B.k", "--target", "A.class", "--type", "A.k=integer")
    assert differ.returncode == 2
    assert "join columns must be of one type" in differ.stderr
