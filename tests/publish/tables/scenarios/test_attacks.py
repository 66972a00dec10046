"""The promise holds against the attacker who looks people up: for every algorithm, whatever its labels look like."""

import pyarrow as pa
import pytest

from confide import Hierarchy, KAnonymity, Schema, SimpleDiversity
from confide.audit import attack_table
from confide.core.samples.people import people, people_hierarchies, people_schema
from confide.core.tables.schema import Column
from confide.publish import Incognito, KOptimize, Mondrian, OneDimensional, TopDownSpecialization

PEOPLE = people(600, seed=3)
GIVEN = people_hierarchies()
BY_HIERARCHY = Schema(
    {
        name: Column(role=spec["role"], hierarchy=Hierarchy.from_rows(GIVEN[name]) if name in GIVEN else None)
        for name, spec in people_schema().items()
    }
)
BY_RANGE = Schema({**BY_HIERARCHY.columns, "age": Column(role="quasi-identifier", range=(0, 120))})
REQUIREMENT = KAnonymity(k=5) & SimpleDiversity(l=2)
ALGORITHMS = [
    (Incognito, {}),
    (Incognito, {"local": True}),
    (Mondrian, {}),
    (OneDimensional, {}),
    (KOptimize, {"time_limit": 0.5}),
    (TopDownSpecialization, {}),
]


@pytest.mark.parametrize("schema", [BY_HIERARCHY, BY_RANGE], ids=["hierarchy", "range"])
@pytest.mark.parametrize(("algorithm", "options"), ALGORITHMS, ids=lambda part: getattr(part, "__name__", str(part)))
def test_nobody_is_found_and_nothing_is_certain(algorithm, options, schema):
    before = attack_table(PEOPLE, schema=schema)
    assert before.identified > 0.9
    release = algorithm(requirement=REQUIREMENT, suppress=0.1, **options).publish(PEOPLE, schema)
    after = attack_table(PEOPLE, schema=schema, release=release.data)
    assert after.identified == 0
    assert after.fewest_matches >= 5
    assert after.certain["diagnosis"] == 0
    assert after.absent <= 0.1  # those left out may still fit other rows


def test_missing_values_are_looked_up_by_their_own_label():
    ages = pa.array([None if n % 7 == 0 else age for n, age in enumerate(PEOPLE["age"].to_pylist())])
    table = PEOPLE.set_column(PEOPLE.column_names.index("age"), "age", ages)
    release = Mondrian(requirement=KAnonymity(k=5), missing="category").publish(table, BY_RANGE)
    after = attack_table(table, schema=BY_RANGE, release=release.data)
    assert after.absent == 0
    assert after.fewest_matches >= 5
