from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from tests.oracles import generalising
from tests.oracles.group_tests import group_passes
from tests.publish.tables.random_tables import random_table

from confide import Hierarchy
from confide.core.errors import CannotMeetError, UsageError
from confide.core.requirements import (
    BetaLikeness,
    DeltaDisclosure,
    KAnonymity,
    RecursiveDiversity,
    SimpleDiversity,
    TCloseness,
)
from confide.publish import Incognito
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.incognito.lattice_rounds import _cheapest, recode_in_rounds

REQUIREMENTS = [
    KAnonymity(k=3),
    SimpleDiversity(l=2),
    KAnonymity(k=2) & RecursiveDiversity(c=2, l=2),
    KAnonymity(k=2) & TCloseness(t=0.45, ordered=False),
]


@pytest.mark.parametrize("seed", range(60))
def test_every_group_passes_and_no_more_is_lost_than_by_one_generalisation(seed):
    frame, schema = random_table(seed, rows=60, columns=3)
    table = CodedTable.of(frame, schema)
    requirement = REQUIREMENTS[seed % len(REQUIREMENTS)]
    best = generalising.all_generalisations(table, requirement, budget=0)
    if not best:
        with pytest.raises(CannotMeetError):
            recode_in_rounds(table, GroupTest(requirement, table), budget=0)
        return
    recoding = recode_in_rounds(table, GroupTest(requirement, table), budget=0)
    assert recoding.kept.all()
    group, count = recoding.groups
    secrets = [(None, int(value)) for value in table.sensitive[0].codes]
    for g in range(count):
        assert group_passes(requirement, [secrets[row] for row in np.flatnonzero(group == g)], secrets)
    for column, codes, labels in zip(table.quasi, recoding.codes, recoding.labels, strict=True):
        for leaf, code in set(zip(column.codes.tolist(), codes.tolist(), strict=True)):
            allowed = range(column.lowest, column.highest + 1)
            assert labels[code] in {column.labels[level][column.maps[level][leaf]] for level in allowed}


def test_rows_that_nothing_saves_are_suppressed_within_the_budget():
    frame, schema = random_table(3, rows=30, columns=2)
    alike = frame.slice(0, 30).set_column(2, "s0", [["a"] * 18 + ["b"] * 12])
    table = CodedTable.of(alike, schema)
    test = GroupTest(SimpleDiversity(l=2), table)
    enough = min(gone for gone, _ in generalising.all_generalisations(table, SimpleDiversity(l=2), budget=29).values())
    assert 6 <= recode_in_rounds(table, test, budget=enough).suppressed <= enough
    with pytest.raises(CannotMeetError):
        recode_in_rounds(table, test, budget=5)


@pytest.mark.parametrize("seed", range(20))
def test_nothing_is_suppressed_where_that_would_move_the_reference(seed):
    table = CodedTable.of(*random_table(seed, rows=40, columns=2))
    requirement = KAnonymity(k=3) & BetaLikeness(beta=1, enhanced=False)
    try:
        recoding = recode_in_rounds(table, GroupTest(requirement, table), budget=8)
    except CannotMeetError:
        assert not generalising.all_generalisations(table, requirement, budget=0)
        return
    assert recoding.kept.all()
    assert GroupTest(requirement, table).passes(*recoding.groups).all()


def test_a_requirement_that_joining_breaks_is_refused():
    table = CodedTable.of(*random_table(1))
    with pytest.raises(UsageError, match="groups can be joined"):
        recode_in_rounds(table, GroupTest(DeltaDisclosure(delta=1.0), table), budget=0)


def test_the_cheapest_rows_bound_the_mean():
    assert _cheapest(np.array([0.5, 0.0, 1.0]), np.array([2, 3, 5]), 4) == pytest.approx(0.5 / 4)


def test_a_lattice_too_wide_for_memory_is_recoded_in_rounds_all_the_same():
    """26 columns of 5 levels each have more combinations than any memory holds."""
    draw = np.random.default_rng(1)
    names = [f"c{n}" for n in range(26)]
    tree = Hierarchy.from_rows([(str(v), str(v // 2), f"h{v // 4}", f"q{v // 8}", "*") for v in range(16)])
    frame = pa.table({name: draw.integers(0, 16, 60).astype(str) for name in names})
    schema = {name: {"role": "quasi-identifier", "hierarchy": tree} for name in names}
    release = Incognito(requirement=KAnonymity(k=3), local=True).publish(frame, schema)
    assert release.data.num_rows == 60
    rows = Counter(tuple(row.values()) for row in release.data.to_pylist())
    assert min(rows.values()) >= 3
