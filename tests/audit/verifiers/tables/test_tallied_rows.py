"""The auditor says of a table in parts what it says of the same table in memory, whatever stands in it."""

import struct

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.amounts import some
from tests.publish.tables.random_tables import random_table
from tests.publish.tables.stored.test_stored_release import REQUIREMENTS

from confide.audit.verifiers.tables.combination import judge
from confide.audit.verifiers.tables.look import look_at
from confide.core.datasets.stored_table import StoredTable
from confide.core.passport import Passport

QUASI, SENSITIVE = "quasi-identifier", "sensitive"


def answers(artefact, requirement, roles, **context):
    passport = Passport.issue(
        requirement, stage="by hand", algorithm="none", context={"roles": roles, **context}, loss={}
    )
    checks, look = look_at(artefact, passport, sensitive=requirement.of_sensitive)
    return [*checks, *(judge(look, requirement) if look is not None else ())]


def stored(table, path, **options):
    pq.write_table(table, path, row_group_size=13)
    return StoredTable.open(path, **options)


@pytest.mark.parametrize("seed", some(range(50), every=2))
def test_parts_are_judged_as_memory_is(seed, tmp_path):
    table, schema = random_table(seed, rows=30 + seed, sensitive=1 + seed % 2)
    for number, requirement in enumerate(REQUIREMENTS):
        rows = (1, 7, 1000)[(seed + number) % 3]
        parts = stored(table, tmp_path / "in.parquet", batch_rows=rows)
        assert answers(parts, requirement, schema.roles) == answers(table, requirement, schema.roles)


def test_both_answers_occur():
    """Else the test above would compare refusals, or passes, only."""
    found = [
        all(check.ok for check in answers(table, requirement, schema.roles))
        for table, schema in (random_table(seed, rows=40, columns=1, sensitive=2) for seed in range(20))
        for requirement in REQUIREMENTS
    ]
    assert 20 < sum(found) < len(found) - 20


def test_values_that_a_reader_can_tell_apart_are_told_apart(tmp_path):
    odd = [struct.unpack("<d", struct.pack("<Q", 0x7FF8000000000000 + i))[0] for i in range(3)]
    columns = {
        "nan": pa.array(np.array([*odd, np.nan] * 3)),
        "zero": pa.array([0.0, -0.0, 0.0, 0.0] * 3),
        "gap": pa.array([None, "", "x", "x"] * 3),
    }
    for name, column in columns.items():
        for role in (QUASI, SENSITIVE):
            table = pa.table({"v": column, "q": ["a"] * 12, "s": ["b", "c"] * 6})
            roles = {"v": role, "q": QUASI, "s": SENSITIVE}
            for requirement in REQUIREMENTS[:9]:
                parts = stored(table, tmp_path / f"{name}.parquet", batch_rows=5)
                assert answers(parts, requirement, roles) == answers(table, requirement, roles), (name, role)


def test_faults_of_form_are_the_same(tmp_path):
    table = pa.table(
        {"q": ["a"] * 6, "s": ["b", "c"] * 3, "p": [1, 2, 3, 1, 2, 3], "id": [f"{i:032x}" for i in range(6)]}
    )
    wanted = REQUIREMENTS[1]
    parts = stored(table, tmp_path / "in.parquet", batch_rows=4)
    full = {"q": QUASI, "s": SENSITIVE, "p": "insensitive", "id": "insensitive"}
    for roles in (
        full,
        {},
        full | {"q": "insensitive"},
        full | {"x": "sensitive"},
        full | {"id": "identifier"},
        full | {"p": "person"},  # persons are counted in memory
    ):
        for context in ({}, {"pseudonyms": ["id"]}, {"orders": 3}):
            assert answers(parts, wanted, roles, **context) == answers(table, wanted, roles, **context)
    assert all(check.ok for check in answers(parts, wanted, full))
