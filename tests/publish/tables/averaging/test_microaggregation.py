import numpy as np
import pyarrow as pa
import pytest
from tests.amounts import some

from confide import KAnonymity, Schema
from confide.core.errors import CannotMeetError, UsageError
from confide.publish import Microaggregation, PublishTable, explore_table, publish_table
from confide.publish.tables.averaging.microaggregation import group_near_rows

NUMBER = {"role": "quasi-identifier", "range": [-10, 10], "release": "mean"}


def squared_error(points, group):
    """The sum of squared distances of all rows from the centre of their group."""
    return sum(
        float(((points[group == g] - points[group == g].mean(axis=0)) ** 2).sum()) for g in range(group.max() + 1)
    )


def cut_slowly(points, k):
    """Groups as lists of rows, by trying every cut of every column."""
    waiting, done = [list(range(len(points)))], []
    while waiting:
        rows = waiting.pop()
        best, parts = 1e-12, None
        whole = squared_error(points[rows], np.zeros(len(rows), dtype=int))
        for j in range(points.shape[1]):
            ordered = sorted(rows, key=lambda row: points[row, j])
            for cut in range(k, len(rows) - k + 1):
                halves = ordered[:cut], ordered[cut:]
                saved = whole - sum(squared_error(points[half], np.zeros(len(half), dtype=int)) for half in halves)
                if saved > best:
                    best, parts = saved, halves
        if parts is None:
            done.append(rows)
        else:
            waiting += parts
    return done


@pytest.mark.parametrize("seed", some(range(60), every=6))
def test_cuts_are_those_that_save_most(seed):
    draw = np.random.default_rng(seed)
    points, k = draw.normal(size=(int(draw.integers(4, 40)), int(draw.integers(1, 4)))), int(draw.integers(2, 5))
    group, count = group_near_rows(points, k, rounds=0)
    expected = cut_slowly(points, k)
    assert count == len(expected)
    assert {frozenset(np.flatnonzero(group == g).tolist()) for g in range(count)} == set(map(frozenset, expected))


@pytest.mark.parametrize("seed", some(range(60), every=6))
def test_moves_save_error_and_leave_k_rows(seed):
    draw = np.random.default_rng(seed)
    points, k = draw.normal(size=(int(draw.integers(20, 300)), 3)), int(draw.integers(2, 7))
    cut, _ = group_near_rows(points, k, rounds=0)
    moved, count = group_near_rows(points, k, rounds=3)
    assert np.bincount(moved, minlength=count).min() >= min(k, len(points))
    assert squared_error(points, moved) <= squared_error(points, cut) + 1e-9


def test_auto_averages_tables_of_numbers_alone():
    draw = np.random.default_rng(1)
    table = pa.table({name: draw.normal(size=300) for name in "abc"})
    schema = Schema.from_dict(dict.fromkeys("abc", NUMBER))
    done = publish_table(PublishTable(table=table, k=5, schema=schema))
    mondrian = publish_table(PublishTable(table=table, k=5, schema=schema, method="mondrian")).release
    assert done.method == "microaggregation"
    assert done.release.verification.ok
    assert sum(done.release.loss["squared_error_by_column"].values()) < sum(
        mondrian.loss["squared_error_by_column"].values()
    )
    rows = explore_table(PublishTable(table=table, k=(5,), schema=schema)).rows()
    assert next(row["holds"] for row in rows if row["method"] == "microaggregation")


@pytest.mark.parametrize(
    ("columns", "schema", "options", "words"),
    [
        ({"a": [1, 2], "b": ["x", "x"]}, {"b": {"role": "quasi-identifier"}}, {}, "'b' is not released as a mean"),
        ({"a": [1, 2]}, {}, {"k": 3}, "larger than the table"),
        ({"a": [1, None]}, {}, {"missing": "category"}, "values of 'a' are missing"),
        ({"a": [1, 2], "s": ["u", "v"]}, {"s": {"role": "sensitive"}}, {"l": 2}, "keeps k-anonymity alone"),
        ({"a": [1, 2], "p": ["u", "v"]}, {"p": {"role": "person"}}, {}, "one row per person"),
    ],
)
def test_what_it_does_not_take_gets_one_line(columns, schema, options, words):
    asked = {"k": 2, **options} if "l" not in options else options
    request = PublishTable(table=pa.table(columns), schema={"a": NUMBER, **schema}, method="microaggregation", **asked)
    with pytest.raises((UsageError, CannotMeetError), match=words) as caught:
        publish_table(request)
    assert "\n" not in str(caught.value)


def test_weights_and_a_constant_column():
    table = pa.table({"a": [0.0, 0.1, 5.0, 5.1] * 5, "b": [1.0] * 20, "c": list(range(-10, 10))})
    heavy = {"a": {**NUMBER, "weight": 1000}, "b": NUMBER, "c": NUMBER}
    loss = Microaggregation(requirement=KAnonymity(k=5)).publish(table, heavy).loss["squared_error_by_column"]
    assert loss["a"] < 0.01 < loss["c"]
    assert loss["b"] == 0
