"""A table that does not fit into the auditor's memory gets the answer that it gets in memory."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.amounts import some
from tests.publish.tables.random_tables import random_table
from tests.publish.tables.stored.test_stored_release import REQUIREMENTS

from confide import Schema, verify
from confide.audit.verifiers.tables.combination import judge
from confide.audit.verifiers.tables.look import look_at
from confide.audit.verifiers.tables.parted import PartedLook
from confide.core.artefacts.passes import ReleasedTable
from confide.core.datasets.stored_table import StoredTable
from confide.core.passport import Passport
from confide.core.requirements import DistinctDiversity, KAnonymity
from confide.core.runtime.memory import MemoryBudget
from confide.publish import Mondrian


def answers(artefact, requirement, roles, **context):
    passport = Passport.issue(
        requirement, stage="by hand", algorithm="none", context={"roles": roles, **context}, loss={}
    )
    checks, look = look_at(artefact, passport, sensitive=requirement.of_sensitive)
    found = [*checks, *(look.judged(judge, requirement) if look is not None else ())]
    return [(check.name, check.ok, check.detail) for check in found], look


@pytest.mark.parametrize("seed", some(range(20), every=4))
def test_parts_add_up_to_the_whole(seed, tmp_path, monkeypatch):
    table, schema = random_table(seed, rows=600, columns=3, sensitive=1 + seed % 2)
    path = tmp_path / "in.parquet"
    pq.write_table(table, path, row_group_size=130)
    parted = 0
    for number, requirement in enumerate(REQUIREMENTS):
        meant, _ = answers(table, requirement, schema.roles)
        monkeypatch.setenv("CONFIDE_VERIFY_MEMORY", "24K")
        if number % 2:
            file = StoredTable.open(path, batch_rows=50)
        else:
            file = ReleasedTable(
                column_names=table.column_names,
                rows=table.num_rows,
                budget=MemoryBudget(24 << 10),
                read=lambda names: pq.ParquetFile(path).iter_batches(50, columns=names),
            )
        found, look = answers(file, requirement, schema.roles)
        monkeypatch.delenv("CONFIDE_VERIFY_MEMORY")
        assert found == meant
        parted += isinstance(look, PartedLook)
    assert parted > len(REQUIREMENTS) // 2  # else nothing was compared


def test_persons_and_pseudonyms_are_judged_in_parts(tmp_path, monkeypatch):
    draw = np.random.default_rng(3)
    ages = np.repeat(draw.integers(0, 60, 200), 2)
    order = np.argsort(ages, kind="stable")
    ages = ages[order]
    starts = np.searchsorted(ages, ages)
    columns = {
        "age": [str(age) for age in ages],
        "who": 1 + (np.arange(400) - starts) // 2,
        "ill": draw.integers(0, 50, 400),
        "id": [draw.bytes(16).hex() for _ in ages],
    }
    roles = {"age": "quasi-identifier", "who": "person", "ill": "sensitive", "id": "identifier"}
    for name, value in (("", ""), ("who", 1), ("id", columns["id"][0])):
        changed = {key: list(values) for key, values in columns.items()}
        if name:
            changed[name][-1] = value
        if name == "who":
            changed[name][0] = 2
        table = pa.table(changed)
        pq.write_table(table, tmp_path / "in.parquet", row_group_size=90)
        for requirement in (KAnonymity(k=2), DistinctDiversity(l=2)):
            meant, _ = answers(table, requirement, roles, pseudonyms=["id"])
            monkeypatch.setenv("CONFIDE_VERIFY_MEMORY", "40K")
            found, look = answers(StoredTable.open(tmp_path / "in.parquet"), requirement, roles, pseudonyms=["id"])
            monkeypatch.delenv("CONFIDE_VERIFY_MEMORY")
            assert found == meant
            assert isinstance(look, PartedLook) or name == "who"


def test_a_table_that_no_number_of_parts_fits_is_refused(tmp_path, monkeypatch):
    table, schema = random_table(1, rows=600, columns=3, sensitive=1)
    pq.write_table(table, tmp_path / "in.parquet")
    monkeypatch.setenv("CONFIDE_VERIFY_MEMORY", "2K")
    found, _ = answers(StoredTable.open(tmp_path / "in.parquet"), KAnonymity(k=2), schema.roles)
    assert "counting its different rows may take more than" in found[-1][2]


def test_a_release_is_verified_in_parts_as_a_whole(tmp_path, monkeypatch):
    draw = np.random.default_rng(1)
    rows = 3000
    table = pa.table({"age": draw.integers(0, 90, rows), "zip": draw.integers(0, 100, rows), "pay": draw.random(rows)})
    roles = {"age": {"role": "quasi-identifier"}, "zip": {"role": "quasi-identifier"}, "pay": {"role": "sensitive"}}
    release = Mondrian(requirement=KAnonymity(k=5) & DistinctDiversity(l=3)).publish(table, Schema.from_dict(roles))
    release.write(tmp_path / "out.parquet")
    passport = tmp_path / "out.parquet.passport.json"
    whole = verify(passport)
    assert whole.ok
    monkeypatch.setenv("CONFIDE_VERIFY_MEMORY", "900K")
    again = verify(passport)
    assert again.ok, again.summary()
    assert [check.detail for check in again.checks] == [check.detail for check in whole.checks]
