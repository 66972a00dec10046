from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from tests.oracles import one_dimensional as oracle

from confide.core.errors import CannotMeetError, UsageError
from confide.core.requirements.tables import (
    AlphaK,
    BetaLikeness,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    RecursiveDiversity,
    SimpleDiversity,
    TCloseness,
)
from confide.core.samples.people import people
from confide.core.tables.hierarchy import Hierarchy
from confide.core.tables.schema import Schema
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.one_dimensional._group_kernels import diverse_groups
from confide.publish.tables.one_dimensional.one_dimensional import OneDimensional

TREE = Hierarchy.from_rows([(c, "vowel" if c in "ae" else "other", "*") for c in "abcdef"])
SCHEMA = Schema.from_dict(
    {
        "age": {"role": "quasi-identifier", "range": [0, 63]},
        "letter": {"role": "quasi-identifier", "hierarchy": TREE},
        "ill": {"role": "sensitive"},
    }
)
REQUIREMENTS = [
    KAnonymity(k=4),
    SimpleDiversity(l=2),
    SimpleDiversity(l=3),
    KAnonymity(k=5) & SimpleDiversity(l=2),
    DistinctDiversity(l=3),
    EntropyDiversity(l=2.5),
    RecursiveDiversity(c=2, l=2),
    RecursiveDiversity(c=1.2, l=3),
    AlphaK(alpha=0.5, k=3),
    TCloseness(t=0.25),
    BetaLikeness(beta=1.5),
]


def made(seed, rows=90):
    draw = np.random.default_rng(seed)
    return pa.table(
        {
            "age": draw.integers(0, 64, rows),
            "letter": [("abcdef")[i] for i in draw.integers(0, 6, rows)],
            "ill": [("v", "w", "x", "y", "z")[i] for i in draw.choice(5, rows, p=[0.3, 0.25, 0.2, 0.15, 0.1])],
        }
    )


@pytest.mark.parametrize("l", [2, 3, 4])
def test_the_groups_are_those_of_plain_lists(l):  # noqa: E741 - the paper's letter
    for seed in range(60):
        draw = np.random.default_rng(seed)
        n, values = int(draw.integers(l, 40)), int(draw.integers(l, 8))
        value = draw.integers(0, values, n).astype(np.int32)
        if np.bincount(value).max() * l > n:
            continue
        order = draw.permutation(n)
        rows, starts = diverse_groups(order, value, values, l)
        found = [set(rows[a:b].tolist()) for a, b in pairwise(starts)]
        assert found == oracle.diverse_groups(order.tolist(), value.tolist(), l)
        for group in found:
            assert max(np.bincount([value[row] for row in group])) * l <= len(group)


@pytest.mark.parametrize("curve", ["hilbert", "idistance"])
@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=str)
def test_every_group_keeps_the_requirement_and_its_labels_hold_its_rows(requirement, curve):
    for seed in range(8):
        frame = made(seed)
        table = CodedTable.of(frame, SCHEMA)
        if not GroupTest(requirement, table).passes(np.zeros(len(table), dtype=np.int32), 1)[0]:
            continue
        found = OneDimensional(requirement=requirement, curve=curve).recode(table)
        assert GroupTest(requirement, table).passes(*found.groups).all()
        for row, (age, letter) in enumerate(zip(frame["age"].to_pylist(), frame["letter"].to_pylist(), strict=True)):
            low, _, high = found.labels[0][found.codes[0][row]].partition("-")
            assert low == "*" or int(low) <= age <= int(high or low)
            assert found.labels[1][found.codes[1][row]] in TREE.rows["abcdef".index(letter)]


def test_simple_diversity_makes_groups_of_hardly_more_than_l_rows():
    frame = people(2000)
    roles = {"age": {"role": "quasi-identifier", "range": [0, 127]}, "diagnosis": {"role": "sensitive"}}
    frame = frame.select(["age", "diagnosis"])
    table = CodedTable.of(frame, Schema.from_dict(roles))
    most = int(len(table) // np.bincount(table.sensitive[0].codes).max())
    release = OneDimensional(requirement=SimpleDiversity(l=min(3, most))).publish(frame, roles)
    assert release.verification.ok
    assert release.passport.algorithm == "one-dimensional"
    assert release.data.num_rows == 2000


def test_a_column_without_a_common_top_keeps_its_parts_apart():
    tree = Hierarchy.from_rows([(c, "vowel" if c in "ae" else "other") for c in "abcdef"])
    schema = Schema.from_dict({"letter": {"role": "quasi-identifier", "hierarchy": tree}, "ill": {"role": "sensitive"}})
    frame = made(3).select(["letter", "ill"])
    release = OneDimensional(requirement=KAnonymity(k=4)).publish(frame, schema)
    assert set(release.data["letter"].to_pylist()) <= {*"abcdef", "vowel", "other"}


def test_l_too_large_names_the_largest_that_works():
    with pytest.raises(CannotMeetError, match="nearest that works: l="):
        OneDimensional(requirement=SimpleDiversity(l=5)).publish(made(1), SCHEMA)


def test_persons_and_unknown_curves_are_refused():
    with pytest.raises(UsageError, match="choose among hilbert, idistance"):
        OneDimensional(requirement=KAnonymity(k=2), curve="z").publish(made(1), SCHEMA)
    schema = Schema({**SCHEMA.columns, **Schema.from_dict({"who": {"role": "person"}}).columns})
    frame = made(1).append_column("who", [[str(i) for i in range(90)]])
    with pytest.raises(UsageError, match="one row per person"):
        OneDimensional(requirement=KAnonymity(k=2)).publish(frame, schema)
