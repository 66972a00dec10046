"""Dates with the day first and numbers with a comma: proposed, confirmed in the schema, and released as plain ones."""

import datetime as dt

import pyarrow as pa
import pytest

from confide.audit import attack_table
from confide.core.errors import InputError, UsageError
from confide.core.jobs.outcome import Host
from confide.core.tables.formats.written import read_written, written_form
from confide.core.tables.schema import Schema
from confide.publish import PublishTable, propose_schema, publish_table


def read(form, *texts):
    return read_written(pa.table({"x": list(texts)}), {"x": form}).column("x").to_pylist()


def test_dates_are_read_in_the_order_that_the_schema_says():
    assert read("day-first", "3.4.1987", "", None, "31/12/1990") == [
        dt.date(1987, 4, 3),
        None,
        None,
        dt.date(1990, 12, 31),
    ]
    assert read("month-first", "3-4-1987") == [dt.date(1987, 3, 4)]
    timed = read("day-first", "03.04.1987 8:30", "04.04.1987", "05.04.1987 08:30:01")
    assert timed == [dt.datetime(1987, 4, 3, 8, 30), dt.datetime(1987, 4, 4), dt.datetime(1987, 4, 5, 8, 30, 1)]


def test_a_comma_is_a_decimal_mark_and_a_point_divides_thousands():
    assert read("decimal-comma", "1.234,5", "-7", "1 234 567", "") == [1234.5, -7.0, 1234567.0, None]
    assert read("decimal-comma", "1.234", "12") == [1234, 12]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("day-first", "31.02.1987"),
        ("day-first", "12/31/1987"),
        ("month-first", "31.12.1987"),
        ("day-first", "1.2.87"),
        ("decimal-comma", "1.5"),
        ("decimal-comma", "1,234.5"),
        ("date", "31.12.1987"),
    ],
)
def test_what_is_written_otherwise_is_refused_with_its_row_and_without_its_value(form, text):
    good = {"decimal-comma": "1,5", "date": "1987-12-31"}.get(form, "1.2.1987")
    with pytest.raises(InputError, match=f"row 2 holds a value that is not written {form}") as caught:
        read(form, good, text, text)
    assert text not in str(caught.value)


def test_columns_that_are_dates_or_numbers_already_stay():
    table = pa.table({"d": pa.array([dt.date(1987, 4, 3)]), "n": [1.5], "iso": ["1987-04-03"]})
    assert read_written(table, {"d": "day-first", "n": "decimal-comma", "iso": "day-first"}).equals(table)


def test_a_time_that_is_always_midnight_is_left_out_and_any_other_refused():
    days = pa.table({"x": pa.array([dt.datetime(1987, 4, 3), None], pa.timestamp("ns"))})
    assert read_written(days, {"x": "date"}).column("x").to_pylist() == [dt.date(1987, 4, 3), None]
    timed = pa.table({"x": pa.array([dt.datetime(1987, 4, 3, 5)], pa.timestamp("ns"))})
    with pytest.raises(InputError, match="have a time of day"):
        read_written(timed, {"x": "date"})


def test_the_form_is_guessed_by_what_occurs():
    assert written_form(("1.2.1987", "3.4.1987")) == "day-first"
    assert written_form(("13/13/1987",)) is None
    assert written_form(("32/1/1987",)) is None
    assert written_form(("12", "13")) is None
    assert written_form(("Berlin, Mitte",)) is None
    assert written_form(()) is None


TABLE = pa.table(
    {
        "birth date": ["03.04.1987", "31.12.1990", "1.2.1991", "07.08.1985"] * 5,
        "weight": ["71,5", "80", "65,25", "90,1"] * 5,
        "illness": ["a", "b"] * 10,
    }
)


def test_a_schema_is_proposed_that_says_so_and_a_release_has_plain_dates_and_numbers():
    proposal = propose_schema(TABLE)
    assert "the day is taken to come first: check it" in proposal.to_toml()
    schema = Schema.from_dict(
        {
            "birth date": {"role": "quasi-identifier", "hierarchy": {"build": "dates"}, "written": "day-first"},
            "weight": {"role": "quasi-identifier", "range": [60, 100], "step": 0.5, "written": "decimal-comma"},
            "illness": {"role": "sensitive"},
        }
    )
    assert proposal.schema.columns == schema.columns
    done = publish_table(PublishTable(table=TABLE, k=5, schema=schema, method="incognito"))
    assert {str(value) for value in done.release.data.column("birth date").to_pylist()} == {
        "1987-04-03",
        "1990-12-31",
        "1991-02-01",
        "1985-08-07",
    }
    again = type(done.mapping).from_json(done.mapping.to_json())
    assert again == done.mapping
    assert set(again.transform(TABLE).column("weight").to_pylist()) == set(done.release.data["weight"].to_pylist())
    assert attack_table(TABLE, schema=schema, release=done.release.data).people == 20


def test_a_datetime64_column_is_proposed_as_a_date():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"birth": pandas.to_datetime(["1987-04-03", "1990-12-31", "1991-02-01", None] * 5)})
    column = propose_schema(frame).schema.columns["birth"]
    assert (column.written, column.hierarchy) == ("date", {"build": "dates"})
    frame["birth"] += pandas.to_timedelta(range(20), "h")
    column = propose_schema(frame).schema.columns["birth"]
    assert (column.written, column.hierarchy["levels"]) == (None, ["day", "month", "year", "decade"])


def test_an_unknown_form_is_refused_and_so_are_files_that_stay_on_disk(tmp_path):
    with pytest.raises(InputError, match="written must be one of day-first"):
        Schema.from_dict({"x": {"role": "sensitive", "written": "backwards"}})
    import pyarrow.parquet as pq

    pq.write_table(TABLE, tmp_path / "t.parquet")
    schema = {
        "birth date": {"role": "quasi-identifier", "hierarchy": {"build": "dates"}, "written": "day-first"},
        "weight": {"role": "insensitive"},
        "illness": {"role": "sensitive"},
    }
    with pytest.raises(UsageError, match="is text that says a date or number"):
        publish_table(
            PublishTable(table=tmp_path / "t.parquet", k=5, schema=schema, method="incognito", engine="stream"),
            Host(output=tmp_path / "out"),
        )
