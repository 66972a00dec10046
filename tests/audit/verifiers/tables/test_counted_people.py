"""Verifiers of what is said of a population: random releases beside counting by hand, whatever their labels overlap."""

import numpy as np
import pyarrow as pa
import pytest
from tests.amounts import some
from tests.audit.verifiers.tables.test_look import passport_for
from tests.oracles.population import keeps

from confide import DeltaPresence, KAnonymity, KMap, KMapBySize, KMapByWeight
from confide.core.artefacts.originals import Population
from confide.core.passport import Passport
from confide.core.requirements.tables import all_of
from confide.core.stages import STAGES
from confide.core.tables.hierarchy import Hierarchy
from confide.core.tables.schema import Schema

PLACES = Hierarchy.from_rows([("a1", "a", "*"), ("a2", "a", "*"), ("b1", "b", "*"), ("b2", "b", "*")])
SCHEMA = Schema.from_dict(
    {
        "age": {"role": "quasi-identifier", "range": [0, 9]},
        "place": {"role": "quasi-identifier", "hierarchy": PLACES},
        "ill": {"role": "sensitive"},
        "w": {"role": "insensitive"},
    }
)


def stands_for(label, value):
    """Whether a label of age or place stands for a value."""
    if label == "*" or label == str(value):
        return True
    if "-" in label:
        low, high = map(int, label.split("-"))
        return str(value).isdigit() and low <= int(value) <= high
    return str(value)[0] == label


def checks(frame, requirement, population=None):
    shown = () if population is None else (Population(table=population, schema=SCHEMA),)
    passport = passport_for(requirement, SCHEMA.roles)
    return list(STAGES["by hand"].verifier(requirement.kind)(frame, passport, *shown))


@pytest.mark.parametrize("seed", some(range(500), every=10))
def test_random_releases_agree_with_counting_by_hand(seed):
    draw = np.random.default_rng(seed)
    apart = seed % 2  # labels that no value shares, or any
    ages, places = (["0-4", "5-9"], ["a", "b1", "b2"]) if apart else (["0-4", "3-6", "5", "*"], ["a", "b", "a1", "*"])
    n, people = int(draw.integers(1, 25)), int(draw.integers(1, 80))
    columns = {
        "age": draw.choice(ages, n).tolist(),
        "place": draw.choice(places, n).tolist(),
        "ill": draw.choice(["x", "y"], n).tolist(),
        "w": draw.choice([1, 2.5, 8], n).tolist(),
    }
    population = pa.table(
        {
            "place": draw.choice(["a1", "a2", "b1", "b2"], people),
            "age": draw.integers(0, 10, people),
            "id": range(people),
        }
    )
    k = int(draw.integers(2, 9))
    low, high = sorted(draw.choice([0, 0.1, 0.25, 0.5, 0.75, 0.9], 2, replace=False).tolist())
    groups: dict = {}
    for row in range(n):
        groups.setdefault((columns["age"][row], columns["place"][row]), []).append(row)
    pairs = list(zip(population["age"].to_pylist(), population["place"].to_pylist(), strict=True))
    who = {label: [i for i, values in enumerate(pairs) if all(map(stands_for, label, values))] for label in groups}
    for part in (
        KMap(k=k),
        DeltaPresence(low=0, high=high),
        DeltaPresence(low=low, high=high),
        KMapByWeight(k=k, weight="w"),
    ):
        expected = all(
            keeps(part, rows, len(who[label]), sum(columns["w"][row] for row in rows)) for label, rows in groups.items()
        )
        if isinstance(part, DeltaPresence) and part.low:
            expected &= len({i for fitting in who.values() for i in fitting}) == people
        for asked in (part, part & KAnonymity(k=2)):
            both = expected and (asked is part or min(map(len, groups.values())) >= 2)
            assert all(check.ok for check in checks(pa.table(columns), asked, population)) == both, asked


FRAME = pa.table({"age": ["0-4"] * 3 + ["5-9"] * 3, "place": ["a"] * 6, "ill": ["x"] * 6, "w": [4] * 6})


def test_without_the_population_nobody_is_counted_and_the_check_says_so():
    for requirement in (KMap(k=50), DeltaPresence(low=0.2, high=0.3)):
        (open_,) = [check for check in checks(FRAME, requirement) if check.unproved]
        assert open_.ok
        assert open_.outcome == "not checked"
        assert "--population" in open_.detail


def test_the_rule_of_sizes_is_worked_out_again():
    def verdict(**numbers):
        return [check.name for check in checks(FRAME, KMapBySize(**numbers)) if not check.ok]

    assert verdict(k=10, population=1000, sample=20) == []  # k' = 2
    assert verdict(k=10, population=60, sample=6) == ["k-map, estimated"]  # k' = 4
    assert verdict(k=10, population=1000, sample=5) == ["the sample is no smaller than the release"]


@pytest.mark.parametrize("weights", [["4"] * 5 + ["x"], [4] * 5 + [None], [4] * 5 + [0.5], [4.0] * 5 + [float("nan")]])
def test_weights_that_are_none_fail(weights):
    frame = FRAME.set_column(3, "w", pa.array(weights))
    assert "weights are numbers" in [
        check.name for check in checks(frame, KMapByWeight(k=3, weight="w")) if not check.ok
    ]


def test_weights_written_as_text_are_weights():
    frame = FRAME.set_column(3, "w", pa.array(["40.5"] * 6))
    assert all(check.ok for check in checks(frame, KMapByWeight(k=20, weight="w")))


def test_weights_that_are_not_there_fail():
    failed = [check.name for check in checks(FRAME.drop(["w"]), KMapByWeight(k=20, weight="w")) if not check.ok]
    assert failed  # no role fits


def test_a_population_without_a_column_is_refused():
    found = Passport.issue(KMap(k=2), stage="publish table", algorithm="by hand", context={"roles": SCHEMA.roles})
    evidence = Population(table=pa.table({"age": [1]}), schema=SCHEMA)
    with pytest.raises(Exception, match="no column 'place'"):
        list(STAGES["by hand"].verifier("k-map")(FRAME, found, evidence))


def test_parts_that_are_joined_are_all_counted():
    people = pa.table({"age": [1] * 9 + [6] * 9, "place": ["a1"] * 18})
    both = all_of(KMap(k=9), DeltaPresence(low=0.3, high=0.4))
    assert all(check.ok and not check.unproved for check in checks(FRAME, both, people))
    assert not all(check.ok for check in checks(FRAME, all_of(KMap(k=10), both.parts[1]), people))
