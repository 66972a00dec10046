import math

import numpy as np
import pyarrow as pa
import pytest
from tests.oracles.specialising import specialise
from tests.publish.tables.random_tables import random_table

from confide.core.errors import CannotMeetError
from confide.core.requirements import (
    DeltaDisclosure,
    KAnonymity,
    RecursiveDiversity,
    SimpleDiversity,
    TCloseness,
)
from confide.core.tables.hierarchy import Hierarchy
from confide.core.tables.schema import Column, Schema
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.specialization.descent import _Descent, descend

# A table of our own, of the kind Fung, Wang and Yu 2005 explain the method with; what is expected of it is worked out
# below by their formulas, and by the slow twin: (education, sex, hours a week, rows of class yes, of class no)
PEOPLE = [
    ("9th", "M", 30, 0, 3),
    ("10th", "M", 32, 0, 4),
    ("11th", "M", 35, 2, 3),
    ("12th", "F", 37, 3, 1),
    ("Bachelors", "F", 42, 4, 2),
    ("Bachelors", "F", 44, 4, 0),
    ("Masters", "M", 44, 4, 0),
    ("Masters", "F", 44, 3, 0),
    ("Doctorate", "F", 44, 1, 0),
]
EDUCATION = Hierarchy.from_rows(
    [
        ("9th", "Junior Sec.", "Secondary", "*"),
        ("10th", "Junior Sec.", "Secondary", "*"),
        ("11th", "Senior Sec.", "Secondary", "*"),
        ("12th", "Senior Sec.", "Secondary", "*"),
        ("Bachelors", "Bachelors", "University", "*"),
        ("Masters", "Grad School", "University", "*"),
        ("Doctorate", "Grad School", "University", "*"),
    ]
)

REQUIREMENTS = [
    KAnonymity(k=2),
    KAnonymity(k=4),
    SimpleDiversity(l=2),
    KAnonymity(k=2) & RecursiveDiversity(c=2, l=2),
]


def people():
    rows = [row for *row, yes, no in PEOPLE for _ in range(yes + no)]
    classes = [label for *_, yes, no in PEOPLE for label in ["Y"] * yes + ["N"] * no]
    frame = pa.table(
        {
            "education": [row[0] for row in rows],
            "sex": [row[1] for row in rows],
            "hours": [row[2] for row in rows],
            "class": classes,
        }
    )
    schema = Schema(
        {
            "education": Column(role="quasi-identifier", hierarchy=EDUCATION),
            "sex": Column(role="quasi-identifier"),
            "hours": Column(role="quasi-identifier", range=(1, 99)),
            "class": Column(role="class"),
        }
    )
    return CodedTable.of(frame, schema)


def bits(*counts):
    """The entropy of these counts."""
    return -sum(count / sum(counts) * math.log2(count / sum(counts)) for count in counts if count)


def test_the_first_scores_worked_out_by_hand():
    """34 rows, 21 of class yes and 13 no. By education 16 (5 yes, 11 no) and 18 (16, 2); by sex 16 men (6, 10) and 18
    women (15, 3); hours are cut where that tells most: 12 rows below 37 (2, 10), 22 from there on (19, 3)."""
    table = people()
    descent = _Descent(table, GroupTest(KAnonymity(k=4), table), table.classes.codes, 0)
    education, sex, hours = descent.places
    assert [part.label for part in education.parts] == ["Secondary", "University"]
    assert education.gain == pytest.approx(bits(21, 13) - 16 / 34 * bits(5, 11) - 18 / 34 * bits(16, 2))
    assert sex.gain == pytest.approx(bits(21, 13) - 16 / 34 * bits(6, 10) - 18 / 34 * bits(15, 3))
    assert [part.label for part in hours.parts] == ["1-36", "37-99"]
    assert hours.gain == pytest.approx(bits(21, 13) - 12 / 34 * bits(2, 10) - 22 / 34 * bits(19, 3))
    grouping, ok = descent.groups()
    smallest, lost = descent.judged([place for place in descent.places if place.parts], grouping, ok)
    assert smallest.tolist() == [16, 16, 12]
    assert lost.tolist() == [0, 0, 0]


@pytest.mark.parametrize("k", [2, 4, 7, 17, 34])
def test_the_small_table_is_divided_as_the_slow_twin_does(k):
    table = people()
    values, kept, _ = descend(table, GroupTest(KAnonymity(k=k), table), classes=table.classes.codes, budget=0)
    assert as_sets(values) == specialise(table, KAnonymity(k=k), table.classes.codes, budget=0)
    assert kept.all()


def numeric(seed):
    """A random table with a column of numbers beside two with hierarchies."""
    frame, schema = random_table(seed, rows=30, columns=2, classes=2)
    draw = np.random.default_rng(seed)
    frame = frame.append_column("number", [draw.integers(0, 12, 30)])
    levels = (1, 4) if seed % 3 == 0 else None
    described = {**schema.columns, "number": Column(role="quasi-identifier", range=(0, 11), levels=levels)}
    return CodedTable.of(frame, Schema(described))


def as_sets(values):
    return [{frozenset(int(leaf) for leaf in value.leaves) for value in column} for column in values]


@pytest.mark.parametrize("seed", range(60))
def test_the_same_divisions_as_trying_every_one_on_the_rows(seed):
    table = numeric(seed)
    requirement = REQUIREMENTS[seed % len(REQUIREMENTS)]
    for classes, budget in ((table.classes.codes, 0), (None, 0), (table.classes.codes, 4)):
        expected = specialise(table, requirement, classes, budget=budget)
        if expected is None:
            with pytest.raises(CannotMeetError):
                descend(table, GroupTest(requirement, table), classes=classes, budget=budget)
            continue
        values, kept, _ = descend(table, GroupTest(requirement, table), classes=classes, budget=budget)
        assert as_sets(values) == expected
        assert len(table) - int(kept.sum()) <= budget


@pytest.mark.parametrize(
    "requirement", [DeltaDisclosure(delta=1.2), KAnonymity(k=2) & TCloseness(t=0.4, ordered=False)]
)
def test_requirements_that_look_at_the_whole_table(requirement):
    for seed in range(8):
        table = numeric(100 + seed)
        values, kept, _ = descend(table, GroupTest(requirement, table), classes=table.classes.codes, budget=0)
        assert as_sets(values) == specialise(table, requirement, table.classes.codes, budget=0)
        assert kept.all()


def test_persons_are_counted_instead_of_rows():
    for seed in range(10):
        table = CodedTable.of(*random_table(seed, rows=40, columns=2, classes=2, persons=True))
        values, _, _ = descend(table, GroupTest(KAnonymity(k=5), table), classes=table.classes.codes, budget=0)
        assert as_sets(values) == specialise(table, KAnonymity(k=5), table.classes.codes, budget=0)
