"""Warnings about a table and its release: measured, with names of columns and never a value."""

import numpy as np
import pyarrow as pa
import pytest

from confide.core.jobs.outcome import Host
from confide.publish import PublishTable, publish_table
from confide.publish.tables.cautions import count_look_alikes
from confide.publish.tables.proposal.proposal import propose_schema

SCHEMA = {
    "mrn": {"role": "identifier"},
    "age": {"role": "quasi-identifier", "range": [0, 119]},
    "admission": {"role": "insensitive"},
    "weight": {"role": "insensitive"},
    "diagnosis": {"role": "sensitive"},
}


def hospital(rows=1000, *, people=None, seed=0):
    draw = np.random.default_rng(seed)
    return pa.table(
        {
            "mrn": [f"m{row % (people or rows)}" for row in range(rows)],
            "age": draw.integers(18, 90, rows),
            "admission": [f"2026-{month:02d}-{day:02d}" for month, day in draw.integers(1, 13, (rows, 2))],
            "weight": draw.integers(45, 110, rows),
            "diagnosis": draw.choice(["HIV", "flu", "gout"], rows),
        }
    )


def warnings(frame, schema=SCHEMA, **options):
    done = publish_table(PublishTable(table=frame, k=5, schema=schema, **options), Host(owner=True))
    found = [text for text in done.notes if text.startswith("warning: ") and "nothing is asked" not in text]
    shown = done.release.owner.tables["Look at this before you publish"].rows
    assert [f"warning: {text}" for (text,) in shown] == found or (not found and "do not repeat" in shown[0][0])
    return found


@pytest.mark.parametrize("method", ["auto", "incognito"])
def test_an_identifier_that_repeats_is_told(method):
    frame = hospital(people=200).drop(["admission", "weight"])
    schema = {name: SCHEMA[name] for name in frame.column_names}
    (told,) = warnings(frame, schema, method=method)
    assert "the identifier 'mrn' repeats, 200 different values in 1,000 rows" in told
    assert warnings(frame, schema | {"mrn": {"role": "person"}}, method=method) == []
    assert warnings(hospital().drop(["admission", "weight"]), schema, method=method) == []


def alone(frame, names):
    """How many rows have these values to themselves, by hand."""
    rows = list(zip(*(frame[name].to_pylist() for name in names), strict=True))
    return sum(rows.count(row) == 1 for row in rows)


def test_insensitive_columns_that_single_people_out_are_told_with_counts():
    frame = hospital()
    (told,) = warnings(frame)
    count = alone(frame, ["admission", "weight"])
    assert 850 < count < 1000
    assert f"columns 'admission' and 'weight' together single out {count} of 1,000 released rows;" in told
    told = warnings(frame.drop(["weight"]), {name: SCHEMA[name] for name in SCHEMA if name != "weight"})[-1]
    assert "the insensitive column 'admission' singles out" in told
    assert "once the quasi-identifiers as released are known" in told


def test_people_are_singled_out_not_rows():
    frame = hospital(people=100).set_column(2, "admission", pa.array([f"d{row % 100}" for row in range(1000)]))
    schema = SCHEMA | {"mrn": {"role": "person"}}
    told = warnings(frame, schema)
    assert any("'admission' singles out 100 of 100 people;" in text for text in told)


def test_sensitive_values_that_look_alike_are_told():
    frame = hospital().drop(["admission", "weight"])
    odd = frame.set_column(2, "diagnosis", pa.array(["HIV", "hiv ", "flu", "1", "01"] * 200))
    schema = {name: SCHEMA[name] for name in frame.column_names}
    (told,) = warnings(odd, schema)
    assert "4 values of 'diagnosis' in 800 rows differ from another only in case, blanks, normal form" in told
    assert "HIV" not in told
    assert any("4 values of 'diagnosis' differ from another" in text for text in propose_schema(odd).notes)


@pytest.mark.parametrize(
    ("labels", "many"),
    [
        (["HIV", "hiv "], 2),
        (["caf\u00e9", "cafe\u0301", "CAFE\u0301"], 3),
        (["A", "\uff21"], 2),
        (["1", "01", "001", "10", "100"], 3),
        (["0", "00"], 2),
        (["a b", "a  b", "a\u00a0b", "ab"], 3),
        (["a\u200bb", "ab"], 2),
        (["flu", "gout", "", "1.5", "15", "-1", "1"], 0),
    ],
)
def test_what_looks_alike(labels, many):
    assert count_look_alikes(labels) == many


def test_a_proposed_schema_tells_of_identifiers_that_repeat():
    frame = pa.table({"email": [f"a{row % 40}@b.org" for row in range(100)], "age": list(range(100))})
    proposal = propose_schema(frame)
    assert proposal.schema.roles["email"] == "identifier"
    assert "the identifier 'email' repeats, 40 different values in 100 rows" in proposal.notes[0]


def test_a_proposed_schema_counts_people():
    frame = pa.table(
        {"patient_id": [f"p{row % 30}" for row in range(120)], "city": [f"c{row % 30}" for row in range(120)]}
    )
    rows = {row["column"]: row for row in propose_schema(frame).rows()}
    assert rows["patient_id"]["role"] == "person"
    assert (rows["city"]["unique_rows"], rows["city"]["unique_people"]) == (0, 30)


def test_columns_that_cannot_be_compared_are_passed_over():
    frame = pa.table({"age": [30] * 6, "note": [[1.0], [2.0], [3.0], [1.0], None, []]})
    schema = {"age": {"role": "quasi-identifier"}, "note": {"role": "insensitive"}}
    assert warnings(frame, schema) == []


def test_numbers_without_a_range_are_told_and_what_to_do():
    frame = pa.table({"age": [20 + i % 10 for i in range(40)], "floor": [i % 3 for i in range(40)]})
    quasi = {"role": "quasi-identifier"}

    def notes(**age):
        schema = {"age": quasi | age, "floor": quasi}
        return [
            note
            for note in publish_table(PublishTable(table=frame, schema=schema, k=2)).notes
            if "kept or lost" in note
        ]

    (note,) = notes()
    assert note.startswith("note: 'age' holds numbers")
    assert "range = [0, 119]" in note
    assert notes(range=[0, 99]) == notes(hierarchy={"build": "intervals", "widths": [5]}) == []
