import numpy as np
import pyarrow as pa
import pytest
from tests.publish.tables.random_tables import random_table

from confide.core.errors import CannotMeetError, UsageError
from confide.core.requirements import DeltaDisclosure, KAnonymity, SimpleDiversity, TCloseness
from confide.core.tables.hierarchy import Hierarchy
from confide.core.tables.schema import Column, Schema
from confide.publish.tables.specialization.top_down import TopDownSpecialization


@pytest.mark.parametrize("seed", range(20))
def test_releases_are_accepted_and_further_rows_recoded_alike(seed):
    frame, schema = random_table(seed, rows=50, columns=3, classes=2)
    requirement = [KAnonymity(k=3), KAnonymity(k=2) & SimpleDiversity(l=2)][seed % 2]
    publisher = TopDownSpecialization(
        requirement=requirement, keep_order=True, loss=["classification", "ncp"][seed % 2]
    )
    try:
        release = publisher.publish(frame, schema)  # which the auditor accepted
    except CannotMeetError:
        assert seed % 2
        return
    assert publisher.transform(frame).to_pydict() == release.data.to_pydict()


def test_missing_numbers_of_a_declared_range_are_a_value_that_is_not_divided():
    ages = [None, 21, 22, None, 38, 39, None, 40]
    frame = pa.table({"age": pa.array(ages, pa.int64()), "buys": list("nnnnyyyn")})
    schema = {"age": {"role": "quasi-identifier", "range": [18, 99]}, "buys": {"role": "class"}}
    publisher = TopDownSpecialization(requirement=KAnonymity(k=2), missing="category", keep_order=True)
    released = publisher.publish(frame, schema).data["age"].to_pylist()
    assert released == ["", "18-30", "18-30", "", "31-99", "31-99", "", "31-99"]
    for seed in range(20):
        draw = np.random.default_rng(seed)
        numbers = pa.array([None if draw.random() < 0.3 else int(v) for v in draw.integers(18, 99, 30)], pa.int64())
        table = pa.table({"age": numbers, "buys": draw.choice(["n", "y"], 30)})
        TopDownSpecialization(requirement=KAnonymity(k=3), missing="category", loss="ncp").publish(table, schema)


def test_values_of_the_same_name_are_refused_where_joining_may_break_the_promise():
    hierarchy = Hierarchy.from_rows([("a", "x", "*"), ("b", "x", "*"), ("x", "y", "*"), ("d", "y", "*")])
    frame = pa.table({"q": list("aabbxxdd") * 4, "s": list("uvuvuvuv") * 4, "c": list("mmmmnonn") * 4})
    roles = {"s": Column(role="sensitive"), "c": Column(role="class")}
    schema = Schema({"q": Column(role="quasi-identifier", hierarchy=hierarchy), **roles})
    with pytest.raises(UsageError, match="hierarchy of 'q' calls two of its values the same"):
        TopDownSpecialization(requirement=DeltaDisclosure(delta=2.0)).publish(frame, schema)
    assert TopDownSpecialization(requirement=KAnonymity(k=2)).publish(frame, schema).verification.ok


def test_what_it_does_not_take_is_said():
    frame, schema = random_table(1, rows=30, sensitive=1)
    with pytest.raises(UsageError, match="does not take t-closeness with suppress"):
        TopDownSpecialization(requirement=TCloseness(t=0.5, ordered=False), suppress=0.1).publish(frame, schema)
    frame, schema = random_table(1, rows=30, sensitive=0)
    with pytest.raises(UsageError, match="role class, or a sensitive one"):
        TopDownSpecialization(requirement=KAnonymity(k=2)).publish(frame, schema)
    assert TopDownSpecialization(requirement=KAnonymity(k=2), loss="ncp").publish(frame, schema).data.num_rows == 30
