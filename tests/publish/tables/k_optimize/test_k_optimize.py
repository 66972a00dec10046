import numpy as np
import pyarrow as pa
import pytest
from tests.oracles import generalising
from tests.publish.tables.random_tables import random_table

from confide.core.errors import CannotMeetError, UsageError
from confide.core.requirements import DeltaDisclosure, KAnonymity, RecursiveDiversity, SimpleDiversity, TCloseness
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.k_optimize.k_optimize import KOptimize

AGES = pa.table({"age": [21, 22, 23, 41, 42, 43, 44, 90], "buys": ["no", "no", "no", "yes", "yes", "yes", "yes", "no"]})
SCHEMA = {"age": {"role": "quasi-identifier", "range": [20, 99]}, "buys": {"role": "class"}}


@pytest.mark.parametrize("seed", range(24))
def test_a_release_costs_what_the_best_cuts_cost(seed):
    frame, schema = random_table(seed, rows=24, columns=2, classes=2)
    requirement = [KAnonymity(k=3), SimpleDiversity(l=2), KAnonymity(k=2) & RecursiveDiversity(c=2, l=2)][seed % 3]
    table = CodedTable.of(frame, schema)
    loss = "classification" if seed % 2 else "discernibility"
    discern = loss == "discernibility"
    best = generalising.best_cuts(table, requirement, table.classes.codes, budget=4, discern=discern)
    publisher = KOptimize(requirement=requirement, loss=loss, suppress=0.17, time_limit=None)
    if best is None:
        with pytest.raises(CannotMeetError):
            publisher.publish(frame, schema)
        return
    recoding = publisher.recode(table)
    group, count = recoding.groups
    rows = [table.classes.codes[recoding.rows][group == g] for g in range(count)]
    if discern:
        assert best == sum(len(r) ** 2 for r in rows) + recoding.suppressed * 24
    else:
        assert best == recoding.suppressed + sum(len(r) - np.bincount(r).max() for r in rows)
    release = publisher.publish(frame, schema)  # which the auditor accepted
    assert release.passport.parameters["gap"] == 0
    assert publisher.transform(frame).num_rows == 24


def test_ranges_tile_the_declared_domain():
    release = KOptimize(requirement=KAnonymity(k=3), keep_order=True).publish(AGES, SCHEMA)
    found = release.data["age"].to_pylist()
    assert found[0] == found[1] == found[2] != found[3] == found[7]
    low, high = found[0].split("-"), found[3].split("-")
    assert low[0] == "20"
    assert high[1] == "99"
    assert int(high[0]) == int(low[1]) + 1
    assert release.passport.parameters["cuts"] == 1


def test_without_a_class_the_sensitive_column_is_it():
    schema = {**SCHEMA, "buys": {"role": "sensitive"}}
    release = KOptimize(requirement=KAnonymity(k=3) & RecursiveDiversity(c=4, l=2)).publish(AGES, schema)
    assert release.data.num_rows == 8


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"requirement": DeltaDisclosure(delta=1.0)}, "does not take delta-disclosure; use"),
        ({"requirement": TCloseness(t=0.5, ordered=False), "suppress": 0.2}, "does not take t-closeness with suppress"),
        ({"requirement": KAnonymity(k=2), "time_limit": 0}, "time_limit=0 must be"),
        ({"requirement": KAnonymity(k=2), "loss": "ncp"}, "KOptimize takes: classification, discernibility"),
    ],
)
def test_what_it_does_not_take_is_said(options, fault):
    frame, schema = random_table(2, rows=20)
    with pytest.raises(UsageError, match=fault):
        KOptimize(**options).publish(frame, schema)


def test_persons_missing_values_and_no_class_are_refused():
    frame, schema = random_table(2, rows=20, persons=True)
    with pytest.raises(UsageError, match="row per person"):
        KOptimize(requirement=KAnonymity(k=2)).publish(frame, schema)
    gaps = AGES.set_column(0, "age", [pa.array([21, None, 23, 41, 42, 43, 44, 90])])
    with pytest.raises(UsageError, match="missing values of 'age'"):
        KOptimize(requirement=KAnonymity(k=2), missing="category").publish(gaps, SCHEMA)
    with pytest.raises(UsageError, match="role class, or a sensitive one"):
        KOptimize(requirement=KAnonymity(k=2)).publish(AGES.select(["age"]), {"age": SCHEMA["age"]})
