from collections import Counter, defaultdict
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

from confide import Schema
from confide.publish.tables.risk.before_and_after import table_risk

SCHEMA = Schema.from_dict(
    {
        "age": {"role": "quasi-identifier"},
        "sex": {"role": "quasi-identifier"},
        "car": {"role": "insensitive"},
        "ill": {"role": "sensitive"},
    }
)


def random_people(seed):
    draw = np.random.default_rng(seed)
    rows = int(draw.integers(1, 30))
    return pa.table({name: draw.integers(0, 4, rows).astype(str) for name in SCHEMA.columns})


@pytest.mark.parametrize("seed", range(40))
def test_risks_are_those_of_counting_rows_that_look_alike(seed):
    rows = random_people(seed).to_pylist()
    found = table_risk(random_people(seed), SCHEMA).to_dict()
    alike = Counter((row["age"], row["sex"]) for row in rows)
    chances = [1 / alike[row["age"], row["sex"]] for row in rows]
    attackers = found["attackers"]
    assert attackers["prosecutor"] == pytest.approx(sum(chances) / len(rows))
    assert attackers["highest_journalist"] == max(chances)
    assert attackers["marketer"] == pytest.approx(len(alike) / len(rows))
    assert attackers["unique"] == pytest.approx(sum(chance == 1 for chance in chances) / len(rows))
    told = {tuple(one["columns"]): one["share"] for one in found["singled_out"]}
    known = ["age", "sex", "car"]
    for columns in [*combinations(known, 1), *combinations(known, 2)]:
        values = Counter(tuple(row[name] for name in columns) for row in rows)
        share = sum(count == 1 for count in values.values()) / len(rows)
        assert told.get(columns, 0.0) == pytest.approx(share)


@pytest.mark.parametrize("seed", range(20))
def test_people_with_several_rows_count_once(seed):
    table = random_people(seed)
    draw = np.random.default_rng(seed)
    table = table.append_column("who", pa.array(draw.integers(0, 6, table.num_rows).astype(str)))
    schema = Schema.from_dict(_with_person())
    people, groups = defaultdict(set), defaultdict(set)
    for row in table.to_pylist():
        groups[row["age"], row["sex"]].add(row["who"])
        people[row["who"]].add((row["age"], row["sex"]))
    worst = [max(1 / len(groups[key]) for key in keys) for keys in people.values()]
    attackers = table_risk(table, schema).to_dict()["attackers"]
    assert attackers["rows"] == len(people)
    assert attackers["prosecutor"] == pytest.approx(sum(worst) / len(people))


def _with_person():
    return {name: {"role": SCHEMA.roles[name]} for name in SCHEMA.columns} | {"who": {"role": "person"}}
