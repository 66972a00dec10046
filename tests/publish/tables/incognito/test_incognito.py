import time

import numpy as np
import pyarrow as pa
import pytest
from tests.oracles import generalising
from tests.publish.tables.random_tables import random_table

from confide.core.errors import CannotMeetError, RequestError, UsageError
from confide.core.requirements import KAnonymity, SimpleDiversity, TCloseness
from confide.core.tables.hierarchy import Hierarchy
from confide.core.tables.schema import Column, Schema
from confide.publish import PublishTable, publish_table
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.incognito.incognito import Incognito

PEOPLE = pa.table(
    {
        "age": ["21", "23", "38", "39", "52"],
        "sex": ["f", "f", "m", "f", "m"],
        "illness": ["flu", "none", "flu", "none", "flu"],
    }
)
SCHEMA = {
    "age": {
        "role": "quasi-identifier",
        "hierarchy": {"build": "intervals", "widths": [10, 40], "origin": 20},
        "weight": 4,
    },
    "sex": {"role": "quasi-identifier"},
    "illness": {"role": "sensitive"},
}


@pytest.mark.parametrize("seed", range(25))
def test_a_release_is_the_optimum_and_holds_what_it_promises(seed):
    frame, schema = random_table(seed, rows=30, columns=3)
    requirement = [KAnonymity(k=3), SimpleDiversity(l=2), KAnonymity(k=2) & TCloseness(t=0.4, ordered=False)][seed % 3]
    table = CodedTable.of(frame, schema)
    found = generalising.all_generalisations(table, requirement, budget=6)
    publisher = Incognito(requirement=requirement, suppress=0.2)
    if not found:
        with pytest.raises(CannotMeetError):
            publisher.publish(frame, schema)
        return
    release = publisher.publish(frame, schema)  # which the auditor accepted
    levels = generalising.best_generalisation(found)
    names = [column.name for column in table.quasi]
    assert release.passport.parameters["levels"] == dict(zip(names, levels, strict=True))
    assert release.data.num_rows == frame.num_rows - found[levels][0]
    again = publisher.transform(frame)
    assert set(map(tuple, release.data.select(names).to_pylist()[0].items())) <= {
        item for row in again.select(names).to_pylist() for item in row.items()
    }


def test_suppression_keeps_the_others_finer():
    # The one person of 52 keeps all others coarse; without that row ages stay ranges of ten years.
    strict = Incognito(requirement=KAnonymity(k=2), keep_order=True).publish(PEOPLE, SCHEMA)
    assert set(strict.data["age"].to_pylist()) == {"20-59"}
    loose = Incognito(requirement=KAnonymity(k=2), suppress=0.2, keep_order=True).publish(PEOPLE, SCHEMA)
    assert loose.data["age"].to_pylist() == ["20-29", "20-29", "30-39", "30-39"]


def test_chosen_levels_are_used_and_checked():
    publisher = Incognito(requirement=KAnonymity(k=2), levels={"age": 3, "sex": 0})
    assert set(publisher.publish(PEOPLE, SCHEMA).data["age"].to_pylist()) == {"*"}
    with pytest.raises(CannotMeetError, match=r"suppress=0\.1 is too small.*suppress=0\.2$"):
        Incognito(requirement=KAnonymity(k=2), levels={"age": 1, "sex": 1}, suppress=0.1).publish(PEOPLE, SCHEMA)
    for levels, fault in (
        ({"age": 1}, "name each quasi-identifier"),
        ({"age": 1, "sex": 1, "shoe": 0}, "name each quasi-identifier"),
        ({"age": 4, "sex": 0}, "'age' may be at level 0 to 3, not 4"),
    ):
        with pytest.raises(UsageError, match=fault):
            Incognito(requirement=KAnonymity(k=2), levels=levels).publish(PEOPLE, SCHEMA)


def test_what_cannot_be_met_within_the_levels_says_what_would_do():
    limited = SCHEMA | {"age": SCHEMA["age"] | {"levels": [0, 1]}}
    with pytest.raises(CannotMeetError, match=r"levels allowed.*nearest that works: .*suppress=0\.2$"):
        Incognito(requirement=KAnonymity(k=2)).publish(PEOPLE, limited)


def test_all_minimal_generalisations_are_to_be_had():
    explored = Incognito(requirement=KAnonymity(k=2)).explore(PEOPLE, SCHEMA)
    assert explored.minimal_levels() == [(2, 0)]
    table = explored.to_arrow()
    assert table.num_rows == len(explored) == 8
    assert table.column_names == ["age", "sex", "safe", "minimal", "suppressed", "loss"]
    assert [row for row in table.to_pylist() if row["minimal"]] == [
        {"age": 2, "sex": 0, "safe": True, "minimal": True, "suppressed": 0, "loss": pytest.approx(0.8)}
    ]


def test_local_recoding_loses_less_and_cannot_transform():
    publisher = Incognito(requirement=KAnonymity(k=4), local=True)
    frame, schema = random_table(5, rows=200, columns=3)
    release = publisher.publish(frame, schema)
    plain = Incognito(requirement=publisher.requirement).publish(frame, schema)
    assert release.loss["detail_lost"] < plain.loss["detail_lost"]
    assert release.data.num_rows == 200
    with pytest.raises(UsageError, match="recodes equal values differently"):
        publisher.transform(frame)
    with pytest.raises(UsageError, match="local=True minimises"):
        Incognito(requirement=KAnonymity(k=2), local=True, loss="discernibility").publish(frame, schema)


def test_fourteen_columns_end_in_time_and_the_passport_says_what_is_proved():
    draw = np.random.default_rng(1)
    tree = Hierarchy.from_rows([(f"v{i}", f"w{i // 2}", f"x{i // 4}", f"y{i // 8}", "*") for i in range(16)])
    frame = pa.table({f"c{j}": [f"v{i}" for i in draw.integers(0, 16, 400)] for j in range(14)})
    schema = Schema({name: Column(role="quasi-identifier", hierarchy=tree) for name in frame.column_names})
    begun = time.monotonic()
    wide = Incognito(requirement=KAnonymity(k=5), time_limit=0.2).publish(frame, schema)
    assert time.monotonic() - begun < 60  # there are six thousand million generalisations
    assert wide.passport.parameters["optimal"] is False
    assert wide.loss["detail_lost"] < 1
    narrow = Incognito(requirement=KAnonymity(k=5)).publish(
        frame.select(["c0", "c1", "c2"]), Schema({n: schema.columns[n] for n in ("c0", "c1", "c2")})
    )
    assert narrow.passport.parameters["optimal"] is True
    with pytest.raises(UsageError, match="too many to look at each of them"):
        Incognito(requirement=KAnonymity(k=5), time_limit=None).publish(frame, schema)


@pytest.mark.parametrize("seconds", [-1, "long", float("nan")])
def test_a_time_limit_that_makes_no_sense_gets_one_line(seconds):
    with pytest.raises(UsageError, match="time_limit"):
        Incognito(requirement=KAnonymity(k=2), time_limit=seconds).publish(PEOPLE, SCHEMA)


def test_the_command_bounds_it_too():
    request = PublishTable(table=PEOPLE, schema=SCHEMA, k=2, method="incognito", time_limit=0.5)
    assert publish_table(request).release.passport.parameters["optimal"] is True
    with pytest.raises(RequestError, match="'auto' or 'incognito' only"):
        PublishTable(table=PEOPLE, schema=SCHEMA, k=2, method="mondrian", time_limit=0.5).check()
