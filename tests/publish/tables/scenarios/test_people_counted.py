"""What says people counts people, not rows: risks, owner's pages, attacks, explanations; for every method."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests.publish.tables.random_tables import random_table

from confide import KAnonymity
from confide.audit import attack_table, link_table
from confide.audit.adversaries.attacker_columns import fits
from confide.core.tables.schema import Schema
from confide.publish import PublishTable, explore_table, group_risk, unique_rows
from confide.publish.tables.methods import METHODS, publisher_named
from confide.publish.tables.risk.groups import count_people

SCHEMA = {
    "age": {"role": "quasi-identifier", "range": [0, 63]},
    "who": {"role": "person"},
    "ill": {"role": "sensitive"},
}


ROWS_ALONE = ("one-dimensional", "mondrian-relaxed", "k-optimize", "blank")
TAKE_PERSONS = [name for name in METHODS if name not in ROWS_ALONE]


def sixty_people():
    """60 people of 60 ages, with 8 rows each."""
    rows = [(age, f"p{age}", "abc"[(age + visit) % 3]) for age in range(60) for visit in range(8)]
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(SCHEMA)})


def test_the_owners_page_tells_the_risk_of_people():
    release = publisher_named("mondrian", requirement=KAnonymity(k=5)).publish(sixty_people(), SCHEMA)
    table = release.owner.tables["Risk before and after"]
    told = {name: (before, after) for name, before, after in table.rows}
    fewest = release.loss["fewest_persons"]
    assert 5 <= fewest < 10
    assert told["prosecutor: chance to find a person known to be in the table, at worst"] == (1.0, 1 / fewest)
    assert told["people in the smallest group"] == (1, fewest)
    assert told["share of people that no other looks like"] == (1.0, 0.0)
    assert any("among 6,000 people too" in name for name in told)
    columns = release.owner.tables["Columns that give people away"]
    assert columns.rows == (("age", 1.0, 0.0),)
    explained = release.explain(0)
    assert explained.columns[3].name == "people who look alike"
    assert fewest <= explained.rows[0][3] < 10
    assert explained.rows[0][4] == 1


def test_the_attack_finds_people():
    found = attack_table(sixty_people(), schema=SCHEMA)
    assert (found.people, found.identified, found.fewest_matches) == (60, 1.0, 1)
    assert found.lines()[0].startswith("100.0% of 60 people are found")
    assert link_table(sixty_people(), roles=Schema.from_dict(SCHEMA).roles).unique == 1.0


def test_exploring_says_how_many_people_there_are():
    found = explore_table(PublishTable(table=sixty_people(), k=5, schema=SCHEMA, method="mondrian"))
    assert "480 rows of 60 people" in found.lead


def by_hand(frame, target, schema, *, released):
    """People, how many are identified and whose value is certain, one row and one group at a time."""
    quasi, person = schema.named("quasi-identifier"), schema.named("person")[0]
    original, table = frame.to_pydict(), target.to_pydict()
    groups = defaultdict(list)
    for row in range(target.num_rows):
        groups[tuple(str(table[name][row]) for name in quasi)].append(row)
    covers = []
    for place, name in enumerate(quasi):
        values, labels = sorted(set(original[name])), sorted({key[place] for key in groups})
        found = fits(values, labels, hierarchy=schema.hierarchy(name, values) if released else None, column=name)
        covers.append({(v, label): found[i, j] for i, v in enumerate(values) for j, label in enumerate(labels)})
    identified, certain, fewest = set(), set(), []
    for row in range(frame.num_rows):
        fit = [
            key
            for key in groups
            if all(covers[place][original[name][row], key[place]] for place, name in enumerate(quasi))
        ]
        people = max((len({table[person][i] for i in groups[key]}) for key in fit), default=0)
        units = {(key, table[person][i]) for key in fit for i in groups[key]}
        if people:
            fewest.append(people)
        if people == 1:
            identified.add(original[person][row])
        for value in set(table["s0"]):
            having = {(key, table[person][i]) for key in fit for i in groups[key] if table["s0"][i] == value}
            if units and having == units:
                certain.add(original[person][row])
    everybody = len(set(original[person]))
    return everybody, min(fewest, default=0), len(identified) / everybody, len(certain) / everybody


@pytest.mark.parametrize("method", TAKE_PERSONS)
@pytest.mark.parametrize("seed", range(6))
def test_an_attack_on_people_is_what_counting_by_hand_finds(method, seed):
    frame, schema = random_table(seed, rows=40, columns=2, persons=True)
    release = publisher_named(method, requirement=KAnonymity(k=3), suppress=0.2).publish(frame, schema)
    for target in (None, release.data):
        found = attack_table(frame, schema=schema, release=target)
        expected = by_hand(frame, frame if target is None else target, schema, released=target is not None)
        assert (found.people, found.fewest_matches) == expected[:2]
        assert (found.identified, found.certain["s0"]) == pytest.approx(expected[2:])
    risk = {name: after for name, _, after in release.owner.tables["Risk before and after"].rows}
    assert risk["people in the smallest group"] >= 3
    assert risk["prosecutor: chance to find a person known to be in the table, at worst"] <= 1 / 3


@pytest.mark.parametrize("seed", range(20))
def test_risks_of_people_are_what_counting_by_hand_gives(seed):
    draw = np.random.default_rng(seed)
    rows = int(draw.integers(1, 60))
    group = np.unique(draw.integers(0, 12, rows), return_inverse=True)[1]
    person = np.unique(draw.integers(0, 20, rows), return_inverse=True)[1]
    members = [set(person[group == g].tolist()) for g in range(group.max() + 1)]
    sizes, worst = count_people(group, person)
    risk = group_risk(sizes, worst=worst)
    smallest = [min(len(of) for of in members if p in of) for p in range(person.max() + 1)]
    assert sizes.tolist() == list(map(len, members))
    assert risk.rows == len(smallest)
    assert risk.unique == pytest.approx(np.mean([size == 1 for size in smallest]))
    assert risk.prosecutor == pytest.approx(np.mean([1 / size for size in smallest]))
    assert risk.below[5] == pytest.approx(np.mean([size < 5 for size in smallest]))
    assert sum(share for _, share in risk.sizes) == pytest.approx(1)
    (alone,) = unique_rows(["g"], [group], persons=person)
    assert alone.share == pytest.approx(np.mean([size == 1 for size in smallest]))


def test_with_a_row_each_people_are_rows():
    frame, schema = random_table(3, rows=50, columns=2)
    named = frame.append_column("who", pa.array([f"p{row}" for row in range(50)]))
    with_persons = Schema({**schema.columns, **Schema.from_dict({"who": {"role": "person"}}).columns})
    assert attack_table(frame, schema=schema) == attack_table(named, schema=with_persons)
    rows, people = link_table(frame, roles=schema.roles), link_table(named, roles=with_persons.roles)
    assert people.mean_success == pytest.approx(rows.mean_success)
    assert replace(people, mean_success=rows.mean_success) == rows
