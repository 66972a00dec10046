"""A table without a passport: what it keeps, and the answer of the very verifier that releases are checked by."""

import pyarrow as pa
import pytest

from confide import Hierarchy, KAnonymity, Schema, SimpleDiversity, TCloseness
from confide.audit import examine
from confide.core.tables.schema import Column

TABLE = pa.table(
    {"age": ["20-29"] * 4 + ["30-39"] * 4, "pay": ["low", "mid", "high", "low", "high", "mid", "low", "low"]}
)
SCHEMA = Schema.from_dict({"age": {"role": "quasi-identifier"}, "pay": {"role": "sensitive"}})


@pytest.mark.parametrize(
    ("requirement", "ok"),
    [
        (KAnonymity(k=4), True),
        (KAnonymity(k=5), False),
        (KAnonymity(k=4) & SimpleDiversity(l=2), True),
        (KAnonymity(k=4) & SimpleDiversity(l=3), False),
    ],
)
def test_what_is_asked_is_answered(requirement, ok):
    found = examine(TABLE, SCHEMA, requirement=requirement)
    assert found.verification.ok == ok
    assert found.strength.k == 4


def test_nothing_asked_nothing_answered():
    assert examine(TABLE, SCHEMA).verification is None


def test_the_rows_of_a_hierarchy_are_the_order_of_sensitive_values():
    ordered = TCloseness(t=0.3, ordered=True)
    assert not examine(TABLE, SCHEMA, requirement=ordered).verification.ok
    scale = Hierarchy.flat(["low", "mid", "high"])
    schema = Schema({"age": Column(role="quasi-identifier"), "pay": Column(role="sensitive", hierarchy=scale)})
    found = examine(TABLE, schema, requirement=ordered)
    assert found.verification.ok
    assert found.strength.sensitive["pay"].t_ordered == 0


def test_an_identifier_fails_whatever_the_numbers_say_and_these_are_told_all_the_same():
    named = TABLE.append_column("name", pa.array([f"P{n}" for n in range(8)]))
    schema = Schema({**SCHEMA.columns, "name": Column(role="identifier")})
    checks = {c.name: c.ok for c in examine(named, schema, requirement=KAnonymity(k=4)).verification.checks}
    assert checks["no identifier is present"] is False
    assert checks["k-anonymity"] is True


def test_words_say_what_holds_and_whether_it_is_enough():
    told = examine(TABLE, SCHEMA, requirement=KAnonymity(k=5)).lines("pay.csv")
    assert told[0] == "8 rows in 2 groups; k = 4 rows in the smallest"
    assert told[1].startswith("pay: l = 2 simple, 3 distinct")
    assert any(text.startswith("pay.csv does NOT meet what is asked: ") for text in told)
    assert any(text.startswith("  FAIL k-anonymity") for text in told)
    assert examine(TABLE, SCHEMA).lines() == told[:5]


def test_an_identifier_is_warned_of_in_words():
    named = TABLE.append_column("name", pa.array([f"P{n}" for n in range(8)]))
    found = examine(named, Schema({**SCHEMA.columns, "name": Column(role="identifier")}))
    assert found.ok  # nothing was asked
    assert found.lines()[1].startswith("warning: 'name' is an identifier")


def test_plain_values_hold_all_of_it():
    plain = examine(TABLE, SCHEMA, requirement=KAnonymity(k=5)).to_dict()
    assert (plain["keeps"]["k"], plain["asked"]["k"], plain["ok"]) == (4, 5, False)
    assert "ok" not in examine(TABLE, SCHEMA).to_dict()
