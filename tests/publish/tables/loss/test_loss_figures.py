import numpy as np
import pyarrow as pa
import pytest

from confide.core.tables.schema import Schema
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.loss.loss_figures import TableLoss
from confide.publish.tables.recoding import Recoding

SCHEMA = Schema.from_dict({"q": {"role": "quasi-identifier"}, "job": {"role": "class"}})


def loss(suppressed, *, least=5, dropped=0):
    """Twenty kept rows, so many suppressed ones of another value, and so many with nothing in q."""
    values = ["a"] * 12 + ["b"] * 8 + ["c"] * suppressed + [""] * dropped
    frame = pa.table({"q": values, "job": ["x", "y"] * (len(values) // 2) + ["x"] * (len(values) % 2)})
    table = CodedTable.of(frame, SCHEMA, missing="drop")
    kept = np.array([True] * 20 + [False] * suppressed)
    return TableLoss(recoding=Recoding.at_levels(table, (0,), kept=kept), least=least, fewest=least)


@pytest.mark.parametrize("dropped", [0, 3])
def test_a_small_number_of_suppressed_rows_cannot_be_read_off_the_public_figures(dropped):
    told = [loss(number, dropped=dropped) for number in (1, 2, 3, 4)]
    assert all(dict(one.public()) == dict(told[0].public()) for one in told)
    assert all(one.headline() == told[0].headline() for one in told)
    assert told[0].public()["rows_suppressed"] == "fewer than 5"
    assert f"fewer than {9 if dropped else 5} rows are left out" in told[0].headline()
    assert [one.exact()["rows_suppressed"] for one in told] == [1, 2, 3, 4]


def test_none_and_many_are_told():
    assert loss(0).public()["rows_suppressed"] == 0
    assert loss(0).public()["rows"] == 20
    assert "no row is left out" in loss(0).headline()
    assert loss(6).public()["rows_suppressed"] == 6
    assert "6 rows (23.1%) are left out" in loss(6).headline()


def test_small_numbers_of_rows_with_missing_values_are_hidden_too():
    told = [loss(0, dropped=number) for number in (1, 2, 3, 4)]
    assert all(dict(one.public()) == dict(told[0].public()) for one in told)
    assert told[0].public()["rows_with_missing_values"] == "fewer than 5"


def test_rows_with_missing_values_are_rows_left_out():
    told = loss(0, dropped=20)
    assert (
        told.headline()
        == "50% of all detail is lost; 20 rows (50.0%) are left out; every row looks like at least 7 others."
    )
    assert (told.public()["rows_left_out"], told.public()["rows_suppressed"]) == (20, 0)
    assert told.public()["detail_lost"] == told.exact()["detail_lost"] == 0.5
    assert told.public()["classification_metric"] == 30 / 40
    assert told.public()["discernibility"] == 12**2 + 8**2 + 20 * 40


@pytest.mark.parametrize("many", [5, 97])
def test_a_small_number_cannot_be_read_off_beside_a_large_one(many):
    for told in (
        [loss(few, dropped=many) for few in (1, 2, 3, 4)],
        [loss(many, dropped=few) for few in (1, 2, 3, 4)],
    ):
        assert all(dict(one.public()) == dict(told[0].public()) for one in told)
        assert all(one.headline() == told[0].headline() for one in told)
        assert told[0].public()["rows_left_out"] == f"{many + 1} to {many + 4}"
        assert told[0].public()["rows"] == f"{many + 21} to {many + 24}"
        assert f"; {many + 1} to {many + 4} rows are left out;" in told[0].headline()


def test_a_release_never_looks_better_than_it_is():
    exact, public = loss(2).exact(), loss(2).public()
    for name in ("detail_lost", "discernibility", "classification_metric"):
        assert public[name] >= exact[name]


def test_charts_show_shares_of_the_release():
    columns, sizes = loss(3).charts()
    assert columns.x == ("q",)
    assert sum(sizes.series["released"]) == pytest.approx(1)


def test_persons_are_counted_where_they_are_named():
    schema = Schema({**SCHEMA.columns, **Schema.from_dict({"who": {"role": "person"}}).columns})
    frame = pa.table({"q": list("aaabb"), "job": list("xxyyx"), "who": list("ppqrs")})
    found = TableLoss(recoding=Recoding.at_levels(CodedTable.of(frame, schema), (0,)), least=2, fewest=2)
    assert found.public()["fewest_persons"] == 2
    assert found.headline().endswith("every row looks like rows of at least 1 other people.")
