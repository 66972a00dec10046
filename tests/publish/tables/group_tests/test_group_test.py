from functools import cache

import numpy as np
import pyarrow as pa
import pytest
from tests.oracles.group_tests import group_passes

from confide.core.errors import CannotMeetError, UsageError
from confide.core.requirements import Amplification
from confide.core.requirements.tables import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    OthersKnown,
    RecursiveDiversity,
    SimpleDiversity,
    TCloseness,
)
from confide.core.tables.hierarchy import Hierarchy
from confide.core.tables.schema import Schema
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest
from confide.publish.tables.mondrian.mondrian import Mondrian

OF_ROWS = [
    KAnonymity(k=3),
    SimpleDiversity(l=2),
    SimpleDiversity(l=3),
    AlphaK(alpha=0.5, k=2),
    AlphaK(alpha=0.3, k=3),
    DistinctDiversity(l=2),
    DistinctDiversity(l=4),
    EntropyDiversity(l=2),
    EntropyDiversity(l=3),
    EntropyDiversity(l=1.5),
    RecursiveDiversity(c=2, l=2),
    RecursiveDiversity(c=0.7, l=3),
    RecursiveDiversity(c=3, l=3),
]
OF_THE_RELEASE = [
    TCloseness(t=0.25),
    TCloseness(t=0.5),
    TCloseness(t=0.2, ordered=True),
    BetaLikeness(beta=1),
    BetaLikeness(beta=0.5, enhanced=True),
    BetaLikeness(beta=4, enhanced=True),
    DeltaDisclosure(delta=0.6),
    DeltaDisclosure(delta=1.5),
]
COMBINED = [
    KAnonymity(k=3) & RecursiveDiversity(c=2, l=2) & TCloseness(t=0.4),
    OthersKnown(of=SimpleDiversity(l=2)),
    OthersKnown(of=AlphaK(alpha=0.7, k=3)),
    OthersKnown(of=RecursiveDiversity(c=2, l=2)) & KAnonymity(k=4),
    OthersKnown(of=TCloseness(t=0.4)),
    OthersKnown(of=TCloseness(t=0.4, ordered=True)),
    OthersKnown(of=BetaLikeness(beta=1)),
]
LETTERS = ["a", "b", "c", "d", "e"]


@cache
def made(seed, *, persons=False, columns=2):
    """A table of some groups of rows, and the same as lists."""
    draw = np.random.default_rng(seed)
    n = int(draw.integers(4, 40))
    data = {"who": [f"p{i}" for i in draw.integers(0, max(3, n // 2), n)]} if persons else {}
    data["q"] = [str(i) for i in draw.integers(0, 4, n)]
    width = int(draw.integers(1, 6))
    for c in range(columns):
        data[f"s{c}"] = [LETTERS[i] for i in np.minimum(draw.geometric(0.4, n) - 1, width - 1)]
    roles = {"who": "person", "q": "quasi-identifier"}
    spec = {name: {"role": roles.get(name, "sensitive")} for name in data}
    for c in range(columns):
        spec[f"s{c}"]["hierarchy"] = Hierarchy.flat(LETTERS)
    table = CodedTable.of(pa.table(data), Schema.from_dict(spec))
    rows = list(zip(data.get("who", [None] * n), *(data[f"s{c}"] for c in range(columns)), strict=True))
    groups = [[rows[i] for i in range(n) if data["q"][i] == q] for q in sorted(set(data["q"]))]
    return table, np.unique(data["q"], return_inverse=True)[1].astype(np.int32), groups, rows


@pytest.mark.parametrize("requirement", OF_ROWS + OF_THE_RELEASE + COMBINED, ids=str)
def test_the_test_agrees_with_fractions(requirement):
    for seed in range(25):
        table, group, groups, rows = made(seed)
        test = GroupTest(requirement, table)
        wanted = [group_passes(requirement, g, rows, orders=[LETTERS, LETTERS]) for g in groups]
        assert test.passes(group, len(groups)).tolist() == wanted, seed


@pytest.mark.parametrize("requirement", OF_ROWS, ids=str)
def test_persons_count_once(requirement):
    for seed in range(25):
        table, group, groups, rows = made(seed, persons=True)
        wanted = [group_passes(requirement, g, rows) for g in groups]
        assert GroupTest(requirement, table).passes(group, len(groups)).tolist() == wanted, seed


@pytest.mark.parametrize("requirement", OF_ROWS + OF_THE_RELEASE + COMBINED, ids=str)
def test_flags_hold_on_random_groups(requirement):
    for seed in range(25):
        table, group, groups, _ = made(seed)
        test = GroupTest(requirement, table)
        ok = test.passes(group, len(groups))
        joined = np.minimum(group, 1)  # all groups but the first become one
        if test.monotone and ok[1:].all() and len(groups) > 1:
            assert test.passes(joined, 2)[1]
        if test.monotone_suppressed and len(groups) > 1 and ok[1:].any():
            assert test.passes(joined, 2)[1]
        assert (test.relaxation().passes(group, len(groups)) >= ok).all()
        assert test.relaxation().monotone_suppressed


def test_flags_are_those_of_the_errata():
    table = made(1)[0]
    flags = {
        requirement.kind: (GroupTest(requirement, table).monotone, GroupTest(requirement, table).monotone_suppressed)
        for requirement in OF_ROWS + OF_THE_RELEASE
    }
    assert [kind for kind, (_, suppressed) in flags.items() if suppressed] == ["k-anonymity", "distinct-diversity"]
    assert [kind for kind, (plain, _) in flags.items() if not plain] == ["delta-disclosure"]
    with_persons = made(1, persons=True)[0]
    assert not GroupTest(SimpleDiversity(l=2), with_persons).monotone
    assert GroupTest(KAnonymity(k=2), with_persons).monotone_suppressed


def test_entropy_ties_are_decided_exactly():
    # 1/2 and four times 1/8: exactly as diverse as four equally common values
    values = ["a"] * 4 + ["b", "c", "d", "e"]
    table = CodedTable.of(
        pa.table({"q": ["0"] * 8, "s": values}),
        Schema.from_dict({"q": {"role": "quasi-identifier"}, "s": {"role": "sensitive"}}),
    )
    everything = np.zeros(8, dtype=np.int32)
    assert GroupTest(EntropyDiversity(l=4), table).passes(everything, 1).all()
    assert not GroupTest(EntropyDiversity(l=4.000001), table).passes(everything, 1).any()


def test_the_reference_is_what_is_released():
    table, group, _, _ = made(5)
    kept = group != 0
    test = GroupTest(TCloseness(t=0.01), table).with_released(kept)
    only = np.zeros(int(kept.sum()), dtype=np.int32)
    assert test.passes(only, 1, rows=np.flatnonzero(kept)).all()


@pytest.mark.parametrize(
    ("requirement", "words"),
    [
        (KAnonymity(k=9), "k=8"),
        (SimpleDiversity(l=3), "nearest that works: l=2"),
        (AlphaK(alpha=0.3, k=2), "alpha=0.5"),
        (DistinctDiversity(l=4), "nearest that works: l=3"),
        (EntropyDiversity(l=3), "l=2.82"),
        (RecursiveDiversity(c=1.5, l=3), "nearest that works: l=2, or c=2.01"),
        (OthersKnown(of=SimpleDiversity(l=3)), "nearest that works: others_known=False with l=2"),
    ],
)
def test_what_nothing_can_meet_is_refused_with_the_nearest(requirement, words):
    values = ["a"] * 4 + ["b"] * 2 + ["c"] * 2
    roles = {"q": "quasi-identifier", "s": "sensitive", "r": "sensitive"}
    schema = Schema.from_dict({name: {"role": role} for name, role in roles.items()})
    with pytest.raises(CannotMeetError) as caught:
        Mondrian(requirement=requirement).publish(pa.table({"q": list("00001111"), "s": values, "r": values}), schema)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("requirement", "persons", "words"),
    [
        (Amplification(gamma=19), False, "not a requirement of tables"),
        (TCloseness(t=0.2), True, "not offered"),
        (OthersKnown(of=SimpleDiversity(l=2)), True, "not defined"),
    ],
)
def test_what_makes_no_sense_is_refused(requirement, persons, words):
    with pytest.raises(UsageError, match=words):
        GroupTest.of(requirement, made(2, persons=persons)[0])


def test_diversity_needs_a_sensitive_column_and_order_needs_an_order():
    only = CodedTable.of(pa.table({"q": ["a"]}), Schema.from_dict({"q": {"role": "quasi-identifier"}}))
    with pytest.raises(UsageError, match="needs a sensitive column"):
        GroupTest.of(SimpleDiversity(l=2), only)
    schema = Schema.from_dict({"q": {"role": "quasi-identifier"}, "s": {"role": "sensitive"}})
    with pytest.raises(UsageError, match="have no order"):
        GroupTest.of(TCloseness(t=0.2, ordered=True), CodedTable.of(pa.table({"q": ["a"], "s": ["x"]}), schema))
    with pytest.raises(UsageError, match="needs two sensitive columns"):
        GroupTest.of(OthersKnown(of=SimpleDiversity(l=2)), CodedTable.of(pa.table({"q": ["a"], "s": ["x"]}), schema))


@pytest.mark.parametrize(
    "requirement",
    [
        SimpleDiversity(l=3),
        AlphaK(alpha=0.4, k=2),
        AlphaK(alpha=0.123456789012345, k=2),  # too many digits for 64 bits: worked out for every size
        RecursiveDiversity(c=1.5, l=2),
        RecursiveDiversity(c=0.333333333333333, l=2),
        TCloseness(t=0.2),
        TCloseness(t=0.25, ordered=True),
    ],
    ids=str,
)
def test_rows_that_stand_for_many_are_judged_as_those_many(requirement):
    """Also exactly at a bound; and no table as long as the rows are many, but for numbers of many digits."""
    schema = Schema.from_dict({"q": {"role": "quasi-identifier"}, "s": {"role": "sensitive"}})
    draw = np.random.default_rng(2)
    for _ in range(40):
        group, value = (draw.integers(0, 3, 12).astype(np.int32) for _ in range(2))
        times = draw.integers(1, 7, 12)
        few = pa.table({"q": group, "s": value})
        weighed = GroupTest(requirement, CodedTable.of(few, schema, times=times))
        spread = np.repeat(np.arange(12), times)
        whole = GroupTest(requirement, CodedTable.of(few.take(spread), schema))
        assert weighed.passes(group, 3).tolist() == whole.passes(group[spread], 3).tolist()
        large = GroupTest(requirement, CodedTable.of(few, schema, times=times * 1000))
        assert large.passes(group, 3).tolist() == weighed.passes(group, 3).tolist()
        if "333" not in repr(requirement) and "345" not in repr(requirement):
            assert len(large.rules.most) < 10
