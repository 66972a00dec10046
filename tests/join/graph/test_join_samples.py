"""Joined records by number: all numbers together are the join, each record once."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from tests.join.schemas import graph_of, random_schema
from tests.oracles import joining as oracles

from confide import Randomness
from confide.core.errors import ConfideError, InputError
from confide.join import JoinGraph
from confide.join.graph.forecast import prepare
from confide.join.graph.join_samples import number_records


@pytest.mark.parametrize("block", range(4))
def test_all_numbers_together_are_the_join_itself(block):
    compared = 0
    for seed in range(100 * block, 100 * block + 60):
        tables, _, frames, joins, target, *_ = random_schema(seed)
        graph = graph_of(frames, joins, target)
        prepared = prepare(graph)
        if not 0 < prepared.joined_rows < 5000:
            continue
        found = number_records(graph, prepared, np.arange(prepared.joined_rows))
        *_, places = oracles.materialise(tables, joins, target)
        ours = sorted(zip(*(found[name].tolist() for name in tables), strict=True))
        assert ours == sorted(tuple(chosen[name] for name in tables) for chosen in places)
        compared += 1
    assert compared > 20


def test_a_sample_is_uniform_over_the_joined_records_and_drawn_as_seeded():
    tables = {
        "people": pa.table({"town": ["A", "A", "B", "C"], "ill": ["yes", "no", "no", "no"]}),
        "towns": pa.table({"name": ["A", "B", "B", "B"], "air": [7, 2, 3, 4]}),
    }
    graph = JoinGraph(tables=tables, joins=[("people.town", "towns.name")], target="people.ill")
    drawn = graph.sample(50_000, randomness=Randomness.seeded(1))
    assert drawn.column_names == ["people.town", "people.ill", "towns.name", "towns.air"]
    counts = Counter(zip(drawn["people.ill"].to_pylist(), drawn["towns.air"].to_pylist(), strict=True))
    assert set(counts) == {("yes", 7), ("no", 7), ("no", 2), ("no", 3), ("no", 4)}
    assert all(abs(n - 10_000) < 450 for n in counts.values())  # five standard deviations
    assert drawn.equals(graph.sample(50_000, randomness=Randomness.seeded(1)))
    assert not drawn.equals(graph.sample(50_000))


def test_a_join_of_billions_is_sampled_without_being_made():
    n = 3000
    tables = {f"T{i}": pa.table({"k": [1] * n, "x": range(n)}) for i in range(5)}
    joins = [(f"T{i}.k", f"T{i + 1}.k") for i in range(4)]
    graph = JoinGraph(tables=tables, joins=joins, target="T2")
    assert graph.check().joined_rows == n**5
    drawn = graph.sample(20_000, randomness=Randomness.seeded(2))
    for i in range(5):
        assert abs(np.mean(drawn[f"T{i}.x"].to_numpy()) - (n - 1) / 2) < 5 * n / np.sqrt(12 * 20_000)


def test_an_empty_join_and_an_empty_sample_are_refused():
    tables = {"A": pa.table({"k": [1]}), "B": pa.table({"k": [2]})}
    graph = JoinGraph(tables=tables, joins=[("A.k", "B.k")], target="A")
    with pytest.raises(InputError, match="no join value is in both"):
        graph.sample(3)
    with pytest.raises(ConfideError, match="rows=0"):
        graph.sample(0)
