"""Requirements of one sensitive column: the maker's test, the auditor's, and one row at a time agree."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests.amounts import some
from tests.oracles.group_tests import group_passes
from tests.publish.tables.group_tests.test_group_test import OF_ROWS, OF_THE_RELEASE

from confide import DistinctDiversity, KAnonymity, OthersKnown, Schema, SimpleDiversity, TCloseness
from confide.audit.examination import examine
from confide.core.errors import CannotMeetError, RequirementError, UsageError
from confide.core.requirements.tables import all_of
from confide.publish import Mondrian
from confide.publish.tables.coding import CodedTable
from confide.publish.tables.group_tests import GroupTest

NAMES = ["s0", "s1", "s2"]
PARTS = [part for part in (*OF_ROWS, *OF_THE_RELEASE) if not getattr(part, "ordered", False)]
SCHEMA = {"q": {"role": "quasi-identifier"}} | {name: {"role": "sensitive"} for name in NAMES}


def draw_requirement(draw):
    """One to four parts, most of them about one column."""
    chosen = []
    for _ in range(int(draw.integers(1, 5))):
        part = PARTS[int(draw.integers(len(PARTS)))]
        if part.of_sensitive and draw.random() < 0.8:
            part = replace(part, column=NAMES[int(draw.integers(len(NAMES)))])
        if part.of_sensitive and draw.random() < 0.2:
            part = OthersKnown(of=part)
        chosen.append(part)
    return all_of(*chosen)


def draw_table(draw):
    n = int(draw.integers(4, 40))
    data = {"q": [str(i) for i in draw.integers(0, 4, n)]}
    for name in NAMES:
        width = int(draw.integers(1, 5))
        data[name] = ["abcde"[i] for i in np.minimum(draw.geometric(0.4, n) - 1, width - 1)]
    return data


@pytest.mark.parametrize("seed", some(range(500), every=10))
def test_each_rule_is_asked_of_its_column_alone(seed):
    draw = np.random.default_rng(seed)
    data, requirement = draw_table(draw), draw_requirement(draw)
    rows = [(None, *values) for values in zip(*(data[name] for name in NAMES), strict=True)]
    groups = sorted(set(data["q"]))
    expected = [
        group_passes(
            requirement,
            [row for row, q in zip(rows, data["q"], strict=True) if q == group],
            rows,
            orders=[list("abcde")] * 3,
            names=NAMES,
        )
        for group in groups
    ]
    frame = pa.table(data)
    test = GroupTest(requirement, CodedTable.of(frame, Schema.from_dict(SCHEMA)))
    codes = np.array([groups.index(q) for q in data["q"]], dtype=np.int32)
    assert test.passes(codes, len(groups)).tolist() == expected
    relaxed = test.relaxation()  # passes all that the test passes
    assert (relaxed.passes(codes, len(groups)) | ~np.array(expected)).all()
    assert examine(frame, SCHEMA, requirement=requirement).verification.ok == all(expected)


def test_a_column_that_is_not_sensitive_is_refused():
    frame = pa.table({"q": ["1"] * 4, "s0": list("abab"), "s1": list("abab"), "s2": list("abab")})
    with pytest.raises(UsageError, match="'q', which is not a sensitive column; sensitive columns are: s0, s1, s2"):
        Mondrian(requirement=SimpleDiversity(l=2, column="q")).publish(frame, SCHEMA)
    found = examine(frame, SCHEMA, requirement=SimpleDiversity(l=2, column="q"))
    assert not found.verification.ok
    with pytest.raises(RequirementError, match="column=''"):
        SimpleDiversity(l=2, column="")


def test_what_the_schema_requires_must_be_asked_by_name():
    frame = pa.table({"q": ["1"] * 4, "s0": list("abab"), "s1": list("abab"), "s2": list("abab")})
    schema = SCHEMA | {"s1": {"role": "sensitive", "require": {"t": 0.4}}}
    for asked in (KAnonymity(k=2), TCloseness(t=0.4), TCloseness(t=0.4, column="s0")):
        with pytest.raises(UsageError, match="the schema requires t of 's1'"):
            Mondrian(requirement=asked).publish(frame, schema)
    Mondrian(requirement=KAnonymity(k=2) & TCloseness(t=0.5, column="s1")).publish(frame, schema)


def test_a_refusal_names_the_column_and_cures_it():
    frame = pa.table({"q": list("1122"), "s0": list("abcd"), "s1": list("aaab"), "s2": list("abcd")})
    asked = DistinctDiversity(l=4, column="s0") & DistinctDiversity(l=3, column="s1")
    with pytest.raises(CannotMeetError, match="'s1' has 2 values") as refused:
        Mondrian(requirement=asked).publish(frame, SCHEMA)
    assert {"l": {"s1": 2}} in [dict(cure) for cure in refused.value.cures]
