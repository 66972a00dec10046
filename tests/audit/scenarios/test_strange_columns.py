"""Columns of every type, as quasi-identifier and as sensitive: an answer, or one line that says what is wrong."""

import datetime
import decimal
from itertools import product

import pyarrow as pa
import pytest

from confide import (
    BetaLikeness,
    DeltaDisclosure,
    EntropyDiversity,
    KAnonymity,
    OthersKnown,
    Schema,
    SimpleDiversity,
    TCloseness,
)
from confide.audit import attack_table, examine
from confide.core.errors import ConfideError
from confide.publish import propose_schema

COLUMNS = [
    pa.array([1, 2, 2, None]),
    pa.array([10**18, -(10**18), 5, 5]),
    pa.array([2**63] * 4, pa.uint64()),
    pa.array([1.5, float("nan"), -0.0, 0.0]),
    pa.array([float("inf"), 1.0, 2.0, 2.0]),
    pa.array([decimal.Decimal("1.5"), decimal.Decimal("2.5")] * 2),
    pa.array([True, False, None, True]),
    pa.array(["a", None, "", "a"]),
    pa.array(["1", "1e999", "2", "x"]),
    pa.array(["1", "2", "1e300", "3"]),
    pa.array(["a", "b"] * 2).dictionary_encode(),
    pa.array([b"x", b"\xff", None, b"x"]),
    pa.array([datetime.date(2020, 1, 1)] * 4),
    pa.array([datetime.datetime(2020, 1, 1), None] * 2),
    pa.array([datetime.time(1), datetime.time(2)] * 2),
    pa.array([datetime.timedelta(1)] * 4),
    pa.array([[1], [2], None, [1]]),
    pa.array([{"a": 1}] * 4),
    pa.nulls(4),
]
SCHEMA = Schema.from_dict({"q": {"role": "quasi-identifier"}, "s": {"role": "sensitive"}})
REQUIREMENT = (
    KAnonymity(k=2)
    & EntropyDiversity(l=2)
    & TCloseness(t=0.5)
    & TCloseness(t=0.5, ordered=True)
    & BetaLikeness(beta=1, enhanced=True)
    & DeltaDisclosure(delta=1)
    & OthersKnown(of=SimpleDiversity(l=2))
)


@pytest.mark.parametrize(
    "ask",
    [
        lambda table: examine(table, SCHEMA, requirement=REQUIREMENT),
        lambda table: attack_table(table, schema=SCHEMA),
        lambda table: attack_table(table, schema=SCHEMA, release=table),
        lambda table: propose_schema(table).to_toml(),
    ],
    ids=["examine", "attack", "attack a release", "propose"],
)
def test_no_column_breaks_an_answer(ask):
    answered = 0
    for q, s in product(COLUMNS, COLUMNS):
        try:
            ask(pa.table({"q": q, "s": s}))
            answered += 1
        except ConfideError as error:
            assert "\n" not in str(error)
    assert answered > 200
