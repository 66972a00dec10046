import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from confide import verify
from confide.core.errors import InputError, UsageError
from confide.core.requirements.tables import KAnonymity, SimpleDiversity, TCloseness
from confide.core.tables.hierarchy import Hierarchy
from confide.core.tables.schema import Schema
from confide.publish.tables.mondrian.mondrian import Mondrian

ROWS = 60
DATA = {
    "name": [f"person {i}" for i in range(ROWS)],
    "age": [20 + i % 30 for i in range(ROWS)],
    "flag": [bool(i % 2) for i in range(ROWS)],
    "note": [f"note {i}" for i in range(ROWS)],
    "size": ["small", "middle", "large"] * (ROWS // 3),
}
SCHEMA = {
    "name": {"role": "identifier"},
    "age": {"role": "quasi-identifier", "range": [0, 99]},
    "flag": {"role": "quasi-identifier"},
    "note": {"role": "insensitive"},
    "size": {"role": "sensitive", "hierarchy": Hierarchy.flat(["small", "middle", "large"])},
}


@pytest.mark.parametrize("make", [pa.table, pd.DataFrame, pl.DataFrame])
def test_a_release_has_the_callers_type_and_columns_in_place(make):
    frame = make(DATA)
    release = Mondrian(requirement=KAnonymity(k=5)).publish(frame, SCHEMA)
    assert type(release.data) is type(frame)
    table = pa.table(release.data) if make is not pd.DataFrame else pa.Table.from_pandas(release.data)
    assert table.column_names == ["age", "flag", "note", "size"]
    assert table["flag"].to_pylist().count(True) == ROWS // 2  # nothing became coarser, so it keeps its type


def test_rows_are_shuffled_and_keep_together_unless_order_is_asked_for():
    release = Mondrian(requirement=KAnonymity(k=5)).publish(pd.DataFrame(DATA, index=range(7, 67)), SCHEMA)
    notes = release.data["note"].tolist()
    assert notes != DATA["note"]
    assert sorted(notes) == sorted(DATA["note"])
    assert release.data.index.tolist() == list(range(ROWS))
    ages = dict(zip(notes, release.data["age"], strict=True))
    for note, age in zip(DATA["note"], DATA["age"], strict=True):
        low, _, high = ages[note].partition("-")
        assert int(low) <= age <= int(high or low)
    kept = Mondrian(requirement=KAnonymity(k=5), keep_order=True).publish(pa.table(DATA), SCHEMA)
    assert kept.data["note"].to_pylist() == DATA["note"]
    assert any("order" in limit for limit in kept.passport.does_not_protect_against)


def test_a_written_release_is_verified_from_its_files(tmp_path):
    requirement = KAnonymity(k=5) & SimpleDiversity(l=2) & TCloseness(t=0.4, ordered=True)
    release = Mondrian(requirement=requirement).publish(pa.table(DATA), SCHEMA)
    for name in ("out.csv", "out.parquet"):
        release.write(tmp_path / name)
        assert verify(tmp_path / f"{name}.passport.json").ok


def test_pseudonyms_need_the_key_and_are_told():
    key = b"0123456789abcdef"
    release = Mondrian(requirement=KAnonymity(k=5), pseudonyms=key).publish(pa.table(DATA), SCHEMA)
    made = dict(zip(release.data["note"].to_pylist(), release.data["name"].to_pylist(), strict=True))
    again = Mondrian(requirement=KAnonymity(k=5), pseudonyms=key).publish(pa.table(DATA), SCHEMA)
    other = Mondrian(requirement=KAnonymity(k=5), pseudonyms=key[::-1]).publish(pa.table(DATA), SCHEMA)
    assert made == dict(zip(again.data["note"].to_pylist(), again.data["name"].to_pylist(), strict=True))
    assert not set(made.values()) & set(other.data["name"].to_pylist())
    assert release.passport.context["pseudonyms"] == ["name"]
    with pytest.raises(UsageError, match="16 bytes"):
        Mondrian(requirement=KAnonymity(k=5), pseudonyms=b"short").publish(pa.table(DATA), SCHEMA)
    with pytest.raises(InputError, match="in several rows"):
        twice = pa.table({**DATA, "name": ["same"] * ROWS})
        Mondrian(requirement=KAnonymity(k=5), pseudonyms=key).publish(twice, SCHEMA)


def test_where_people_have_several_rows_the_promise_counts_people(tmp_path):
    sizes = [DATA["size"][i // 2] for i in range(ROWS)]
    data = {**DATA, "name": [f"person {i // 2}" for i in range(ROWS)], "size": sizes}
    schema = {**SCHEMA, "name": {"role": "person"}}
    wanted = KAnonymity(k=5) & SimpleDiversity(l=2)
    release = Mondrian(requirement=wanted).publish(pa.table(data), schema)
    assert release.passport.promise.startswith("At least 5 people share every combination of values")
    assert "in more than 1/2 of the people." in release.passport.promise
    assert "rows of at least 5 people fit" in release.passport.protects_against[0]
    release.write(tmp_path / "t.csv")
    assert "it claims: At least 5 people share" in str(verify(tmp_path / "t.csv.passport.json").checks[0])
    rows = Mondrian(requirement=KAnonymity(k=5)).publish(pa.table(DATA), SCHEMA).passport
    assert rows.promise.startswith("At least 5 rows share")
    forged = rows.model_copy(update={"promise": release.passport.promise})
    assert not next(
        check for check in verify(forged, artefact=tmp_path / "t.csv").checks if "its words" in check.name
    ).ok


def test_a_release_does_not_print_its_data_nor_the_owners_part():
    release = Mondrian(requirement=KAnonymity(k=5)).publish(pa.table(DATA), SCHEMA, explain=True)
    assert repr(release) == f"<Release publish table, holds: {release.passport.headline}>"
    assert "note 1" not in repr(release)


def test_dictionaries_of_the_input_do_not_leak_values_of_rows_left_out():
    frame = pd.DataFrame(DATA)
    frame["note"] = pd.Categorical(frame["note"])
    frame.loc[0, "age"] = None
    release = Mondrian(requirement=KAnonymity(k=5), missing="drop").publish(frame, SCHEMA)
    assert "note 0" not in str(release.artefact.to_pydict())
    assert not any(pa.types.is_dictionary(field.type) for field in release.artefact.schema)
    assert release.artefact.schema.metadata is None
    assert release.loss["rows_with_missing_values"] == "fewer than 5"


def test_a_schema_may_be_a_file_or_a_mapping(tmp_path):
    Schema.from_dict({**SCHEMA, "size": {"role": "sensitive"}}).write(tmp_path / "s.toml")
    release = Mondrian(requirement=KAnonymity(k=5)).publish(pa.table(DATA), tmp_path / "s.toml")
    assert release.verification.ok
    assert release.passport.stage == "publish table"


def test_every_row_of_the_input_can_be_explained():
    release = Mondrian(requirement=KAnonymity(k=5)).publish(pa.table(DATA), SCHEMA)
    for row in (0, 17, ROWS - 1):
        cells = {cell[0]: cell for cell in release.explain(row).rows}
        assert cells["age"][1] == str(DATA["age"][row])
        assert cells["flag"][-1] == "as it was"
        assert cells["age"][3] >= 5 > cells["age"][4]
        assert "fails" in cells["age"][-1]
    with pytest.raises(UsageError, match="rows are 0 to 59"):
        release.explain(ROWS)
    plain = Mondrian(requirement=KAnonymity(k=5)).publish(pa.table(DATA), SCHEMA, explain=False)
    with pytest.raises(UsageError, match="explain=True"):
        plain.explain(0)


def test_owner_facts_are_exact_and_public_figures_are_not():
    release = Mondrian(requirement=KAnonymity(k=5)).publish(pa.table(DATA), SCHEMA)
    assert release.loss["rows"] == release.owner.facts["rows"] == ROWS
    assert release.loss["smallest_group"] >= 5
    assert "every row looks like at least" in release.passport.headline
