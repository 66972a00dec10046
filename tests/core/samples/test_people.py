"""The invented registry: hierarchies that fit it, columns that depend on each other."""

import hashlib
from collections import Counter

import pytest

from confide.core.errors import RequirementError
from confide.core.samples import people, people_hierarchies, people_schema
from confide.core.tables.hierarchy import Hierarchy
from confide.core.tables.schema import Schema


def share(rows, column, value):
    return sum(row[column] == value for row in rows) / len(rows)


@pytest.fixture(scope="module")
def many():
    return people(20_000, seed=1).to_pylist()


def test_the_people_are_the_same_on_every_machine():
    lines = "".join(";".join(map(str, row.values())) + "\n" for row in people(200, seed=7).to_pylist())
    assert (
        hashlib.sha256(lines.encode()).hexdigest() == "3094dfbfb77ba67a3443170283fd0d1fcf83fbc21a2c188ec13207bfec49ecf4"
    )


def test_same_seed_same_people_and_another_seed_others():
    assert people(50, seed=3).equals(people(50, seed=3))
    assert not people(50, seed=3).equals(people(50, seed=4))


def test_every_column_has_a_role_and_every_quasi_identifier_a_hierarchy():
    schema = Schema.from_dict(people_schema())
    assert list(schema.columns) == people(1).column_names
    assert set(people_hierarchies()) == set(schema.named("quasi-identifier"))
    assert schema.named("sensitive") == ("diagnosis",)


@pytest.mark.parametrize("column", sorted(people_hierarchies()))
def test_a_hierarchy_covers_every_value_and_each_level_is_a_function_of_the_one_below(column, many):
    rows = people_hierarchies()[column]
    Hierarchy.from_rows(rows).require(str(row[column]) for row in many)
    assert {str(row[column]) for row in many} <= {row[0] for row in rows}
    assert len({row[0] for row in rows}) == len(rows)
    assert len({len(row) for row in rows}) == 1
    assert {row[-1] for row in rows} == {"*"}
    for level in range(1, len(rows[0])):
        above = {(row[level - 1], row[level]) for row in rows}
        assert len(above) == len({low for low, _ in above})


def test_identifiers_are_unique(many):
    assert len({row["id"] for row in many}) == len(many)


def test_income_follows_education_and_work(many):
    university = [row for row in many if row["education"] in ("bachelor", "master", "doctorate")]
    school = [row for row in many if row["education"] == "primary"]
    assert share(university, "income", "over 80k") > 5 * share(school, "income", "over 80k")
    assert share([r for r in many if r["occupation"] == "doctor"], "income", "over 80k") > 0.4


def test_diagnosis_follows_age_and_sex(many):
    old, young = [r for r in many if r["age"] >= 70], [r for r in many if r["age"] < 35]
    assert share(old, "diagnosis", "heart disease") > 10 * share(young, "diagnosis", "heart disease")
    women, men = [r for r in many if r["sex"] == "female"], [r for r in many if r["sex"] == "male"]
    assert share(women, "diagnosis", "migraine") > 1.5 * share(men, "diagnosis", "migraine")


def test_nobody_is_too_young_for_what_they_are(many):
    assert min(row["age"] for row in many if row["education"] == "doctorate") >= 27
    assert min(row["age"] for row in many if row["occupation"] == "retired") > 58


def test_a_fair_part_of_the_people_is_unique_on_age_sex_and_postcode():
    counts = Counter((row["age"], row["sex"], row["postcode"]) for row in people(1000).to_pylist())
    assert sum(count == 1 for count in counts.values()) / 1000 > 0.5


def test_a_registry_may_be_empty_but_not_negative():
    assert people(0).num_rows == 0
    with pytest.raises(RequirementError, match="rows=-1"):
        people(-1)
