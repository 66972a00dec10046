"""What a refusal of a larger table proposes works, also where the coarsest groups do not decide."""

import time
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests.amounts import some

from confide import (
    BetaLikeness,
    DeltaDisclosure,
    EntropyDiversity,
    Hierarchy,
    KAnonymity,
    RecursiveDiversity,
    Schema,
    SimpleDiversity,
    TCloseness,
)
from confide.core.errors import CannotMeetError, UsageError
from confide.core.requirements.tables.weaker import to_distinct, weaken
from confide.core.tables.schema import Column
from confide.publish import Incognito, KOptimize, Mondrian, OneDimensional, TopDownSpecialization
from confide.publish.tables.refusals import cures

ROWS = 7000  # times 3 columns: above what was once the most that a method was tried on
SETTINGS = ("k", "l", "c", "alpha", "t", "beta", "delta", "suppress")
KINDS = {"mondrian": Mondrian, "incognito": Incognito}


def larger_table(seed, rows=ROWS):
    """People of twelve towns, each with its own mix of diagnoses; the schema keeps four regions apart."""
    draw = np.random.default_rng([seed, 23])
    towns = draw.integers(0, 12, rows)
    mixes = draw.dirichlet([0.6] * 5, 12)
    diagnoses = [f"d{draw.choice(5, p=mixes[town])}" for town in towns]
    frame = pa.table(
        {
            "town": [f"t{town:02}" for town in towns],
            "age": draw.integers(0, 80, rows),
            "sex": draw.choice(["f", "m"], rows),
            "diagnosis": diagnoses,
        }
    )
    regions = Hierarchy.from_rows([(f"t{town:02}", f"r{town // 3}", "*") for town in range(12)])
    columns = {
        "town": Column(role="quasi-identifier", hierarchy=regions, levels=(0, 1)),
        "age": Column(role="quasi-identifier", hierarchy={"build": "intervals", "widths": [10, 40]}),
        "sex": Column(role="quasi-identifier"),
        "diagnosis": Column(role="sensitive"),
    }
    return frame, Schema(columns)


def with_cure(publisher, schema, cure):
    """The publisher and the schema with the settings of a cure."""
    requirement, options, columns = publisher.requirement, {}, dict(schema.columns)
    kind = KINDS.get(cure.get("method", ""), type(publisher))
    if cure.get("diversity") == "distinct":
        requirement = to_distinct(requirement, cure["l"])
    for name, value in cure.items():
        if name in ("method", "diversity"):
            continue
        if name.startswith("columns."):
            column = name.split(".")[1]
            columns[column] = replace(columns[column], levels=tuple(value))
        elif name == "suppress":
            options["suppress"] = value
        else:
            assert name in SETTINGS, name
            requirement = weaken(requirement, name, value)
    return kind(requirement=requirement, **{"suppress": publisher.suppress} | options), Schema(columns)


REQUIREMENTS = (
    RecursiveDiversity(c=0.4, l=4),
    KAnonymity(k=5) & RecursiveDiversity(c=0.3, l=5),
    TCloseness(t=0.02),
    BetaLikeness(beta=0.1) & SimpleDiversity(l=4),
    DeltaDisclosure(delta=0.1),
    EntropyDiversity(l=4.9),
)
METHODS = (Mondrian, Incognito, OneDimensional, TopDownSpecialization, KOptimize)
CASES = [(m, r, s) for r in range(len(REQUIREMENTS)) for m in range(len(METHODS)) for s in (0.0, 0.05)]


@pytest.mark.parametrize(("method", "requirement", "suppress"), some(CASES, every=7))
def test_what_is_proposed_for_a_larger_table_works_and_something_is(method, requirement, suppress):
    frame, schema = larger_table(method)
    publisher = METHODS[method](requirement=REQUIREMENTS[requirement], suppress=suppress)
    try:
        publisher.publish(frame, schema)
    except CannotMeetError as error:
        assert error.cures, error  # at l=2 or with regions joined something always works
        for cure in error.cures:
            other, changed = with_cure(publisher, schema, cure)
            other.publish(frame, changed, explain=False)  # raises where it does not
    except UsageError as error:
        pytest.skip(f"not offered: {error}")


def test_when_time_is_over_something_that_works_is_still_proposed_and_not_called_the_nearest(monkeypatch):
    frame, schema = larger_table(0)
    publisher = Incognito(requirement=TCloseness(t=0.02), suppress=0.05)
    trials = cures.SettingTrials
    monkeypatch.setattr(cures, "SettingTrials", lambda: trials(seconds=-1))
    with pytest.raises(CannotMeetError, match="these work, nearer settings were not all tried: t=") as refusal:
        publisher.publish(frame, schema)
    for cure in refusal.value.cures:
        other, changed = with_cure(publisher, schema, cure)
        other.publish(frame, changed, explain=False)


def test_a_refusal_of_many_rows_comes_in_bounded_time():
    frame, schema = larger_table(1, rows=20_000)
    publisher = Incognito(requirement=RecursiveDiversity(c=0.2, l=5), suppress=0.01)
    began = time.process_time()
    with pytest.raises(CannotMeetError) as refusal:
        publisher.publish(frame, schema)
    assert refusal.value.cures
    assert time.process_time() - began < 60
