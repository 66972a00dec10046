from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from confide.core.errors import CannotMeetError, InputError, UsageError
from confide.core.requirements.tables import KAnonymity, RecursiveDiversity, SimpleDiversity
from confide.core.samples.people import people, people_hierarchies, people_schema
from confide.core.tables.hierarchy import Hierarchy
from confide.publish import GlobalMapping, PublishTable, publish_table
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.methods import METHODS, publisher_named
from confide.publish.tables.publisher import schema_of
from confide.publish.tables.recoding import Recoding

PEOPLE = people(600)
SCHEMA = {name: dict(spec) for name, spec in people_schema().items()}
for column, levels in people_hierarchies().items():
    SCHEMA[column]["hierarchy"] = Hierarchy.from_rows(levels)


@pytest.mark.parametrize("method", [name for name in METHODS if name != "k-optimize"])
def test_every_method_gives_a_verified_release_and_global_ones_a_mapping(method):
    requirement = KAnonymity(k=4) & RecursiveDiversity(c=6, l=2) if method != "blank" else KAnonymity(k=4)
    done = publish_table(
        PublishTable(table=PEOPLE, requirement=requirement, schema=SCHEMA, method=method, suppress=0.1)
    )
    assert done.release.verification.ok
    assert method.startswith(done.release.passport.algorithm.partition(" ")[0])
    assert (done.mapping is None) == (method not in ("incognito", "top-down"))
    if done.mapping is not None:
        assert GlobalMapping.from_json(done.mapping.to_json()) == done.needed_mapping()
    else:
        with pytest.raises(UsageError, match=f"{method} recodes equal values differently, so there is no mapping"):
            done.needed_mapping()


def test_auto_takes_what_loses_least_and_says_why():
    diverse = PublishTable(table=PEOPLE, requirement=SimpleDiversity(l=2), schema=SCHEMA)
    done = publish_table(replace(diverse, time_limit=0))
    assert done.method in METHODS
    assert done.notes[0].startswith(f"chose {done.method}: it loses least")
    searched = publish_table(replace(diverse, rounds=2))
    assert searched.method == "regrouped"
    assert searched.notes[0].startswith(f"chose regrouped: groups of {done.method}, regrouped in 2 rounds, lose least")
    assert searched.release.loss["detail_lost"] < done.release.loss["detail_lost"]
    alone = publish_table(PublishTable(table=PEOPLE, requirement=KAnonymity(k=3), schema=SCHEMA, rounds=1))
    assert any("nothing is asked of the sensitive columns" in note for note in alone.notes)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"method": "magic"}, UsageError, "is none of: auto, mondrian"),
        ({"suppress": 1.5}, UsageError, "is not a share of the rows"),
        ({"loss": "beauty"}, UsageError, "is none of: ncp, discernibility"),
        ({"requirement": KAnonymity(k=601)}, CannotMeetError, "larger than the table"),
        ({"requirement": SimpleDiversity(l=40)}, CannotMeetError, "nearest that works: l="),
        (
            {"schema": {**SCHEMA, "age": {"role": "quasi-identifier", "hierarchy": Hierarchy.flat(["1"])}}},
            InputError,
            "lacks",
        ),
        ({"schema": {name: spec for name, spec in SCHEMA.items() if name != "sex"}}, InputError, "'sex' has no role"),
        (
            {"schema": {**SCHEMA, "age": {"role": ["sensitive", "quasi-identifier"]}}},
            InputError,
            "one role, not several",
        ),
    ],
)
def test_bad_requests_get_one_line(change, error, words):
    with pytest.raises(error, match=words) as caught:
        publish_table(PublishTable(table=PEOPLE, **{"requirement": KAnonymity(k=3), "schema": SCHEMA, **change}))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("method", METHODS)
def test_a_table_of_which_every_row_would_have_to_go_is_refused(method):
    frame = pa.table({"q": [str(n) for n in range(40)], "ill": ["a", "b"] * 20})
    schema = {"q": {"role": "quasi-identifier", "levels": [0, 0]}, "ill": {"role": "sensitive"}}
    request = PublishTable(table=frame, requirement=KAnonymity(k=2), schema=schema, method=method, suppress=0.99)
    with pytest.raises(CannotMeetError, match="levels") as caught:
        publish_table(request)
    assert "\n" not in str(caught.value)
    assert "%" not in str(caught.value) or "100" in str(caught.value)


def test_a_recoding_that_keeps_no_row_is_refused():
    publisher = publisher_named("mondrian", requirement=KAnonymity(k=2), suppress=0.99)
    table = CodedTable.of(pa.table({"q": ["a", "b"]}), schema_of({"q": {"role": "quasi-identifier"}}))
    nothing = Recoding.at_levels(table, [0], kept=np.zeros(2, dtype=np.bool_))
    with pytest.raises(CannotMeetError, match="every row would have to be left out"):
        publisher.publish_recoded(nothing, table.table)


def test_missing_values_are_refused_by_default():
    ages = PEOPLE["age"].to_pylist()
    gaps = PEOPLE.set_column(2, "age", pa.array([None, *ages[1:]]))
    with pytest.raises(InputError, match="values are missing"):
        publish_table(PublishTable(table=gaps, requirement=KAnonymity(k=3), schema=SCHEMA))
    done = publish_table(PublishTable(table=gaps, requirement=KAnonymity(k=3), schema=SCHEMA, missing="drop"))
    assert done.release.data.num_rows == 599


def test_a_method_is_made_with_its_options():
    assert publisher_named("mondrian-relaxed", requirement=KAnonymity(k=2)).relaxed
    assert publisher_named("incognito-local", requirement=KAnonymity(k=2)).local
