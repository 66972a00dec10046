"""Tables on a real Spark of this machine: published, verified, perturbed and mined as in memory."""

import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.amounts import some
from tests.collect.test_stored import DOMAINS, found, people, schemes
from tests.publish.tables.stored.test_stored_release import case, contents, same

from confide import KAnonymity, StoredTable, verify
from confide.collect.perturbed_release import release_perturbed
from confide.core.datasets import shuffling
from confide.core.errors import ConfideError, InputError, UsageError
from confide.core.jobs.outcome import Host
from confide.core.randomness import Randomness
from confide.publish import Incognito, Mondrian, PublishTable, publish_table


def first_that_works(publishers, table, schema):
    """A publisher with its release in memory; the last one with its fault if none works."""
    for publisher in publishers:
        try:
            return publisher, publisher.publish(table, schema), None
        except ConfideError as error:
            fault = error
    return publishers[-1], None, fault


@pytest.mark.parametrize("first", some(range(0, 50, 10), every=5))
def test_releases_are_those_of_memory(first, engine, tmp_path):
    """Ten tables, each by one of the three algorithms in turn, or by the next that takes it."""
    done = 0
    for seed in range(first, first + 10):
        table, schema, publishers = case(seed)
        publisher, meant, fault = first_that_works(publishers[seed % 3 :] + publishers[: seed % 3], table, schema)
        home = tmp_path / f"in{seed}"
        home.mkdir()
        half = table.num_rows // 2
        for part, rows in enumerate((table.slice(0, half), table.slice(half))):
            pq.write_table(rows, home / f"{part}.parquet", row_group_size=16)
        stored, out = StoredTable.open(home, engine=engine, batch_rows=7), tmp_path / f"out{seed}"
        if meant is None:
            with pytest.raises(type(fault)) as told:
                publisher.publish(stored, schema, into=out)
            assert str(told.value) == re.sub(r", first in row \d+", "", str(fault))  # in files nobody knows the row
            continue
        release = publisher.publish(stored, schema, into=out)
        release.write(out)
        same(release, meant)
        done += 1
    assert done > 5
    assert verify(next(tmp_path.glob("*.passport.json"))).ok


@pytest.mark.parametrize("first", some(range(0, 50, 10), every=3))
def test_mining_perturbed_records_gives_what_memory_gives(first, engine, tmp_path):
    for seed in range(first, first + 10):
        scheme = schemes()[seed % 3]
        sent = scheme.perturb(people(40 + seed, seed), randomness=Randomness.seeded(seed))
        pq.write_table(sent, tmp_path / f"{seed}.parquet", row_group_size=30)
        stored = StoredTable.open(tmp_path / f"{seed}.parquet", engine=engine, batch_rows=7)
        assert found(scheme.mine(stored, min_support=0.05)) == found(scheme.mine(sent, min_support=0.05)) != []


def test_a_dataframe_is_published_and_perturbed(engine, tmp_path, monkeypatch):
    monkeypatch.setattr(shuffling, "PART_RECORDS", 200)
    table = people(600)
    frame = engine.session.createDataFrame([tuple(row.values()) for row in table.to_pylist()], list(DOMAINS))
    schema = {
        "age": {"role": "quasi-identifier", "range": [0, 99]},
        "sex": {"role": "quasi-identifier"},
        "smokes": {"role": "sensitive"},
    }
    wanted = Incognito(requirement=KAnonymity(k=5))
    release = wanted.publish(frame, schema, into=tmp_path / "out")
    release.write(tmp_path / "out")
    assert contents(release.data)[1] == contents(wanted.publish(table, schema).data)[1]
    assert verify(tmp_path / "out.passport.json").ok
    with pytest.raises(UsageError, match="mondrian recodes groups of rows"):
        Mondrian(requirement=KAnonymity(k=5)).publish(frame, schema, into=tmp_path / "no")
    scheme = schemes()[0]
    sent = release_perturbed(scheme, frame, into=tmp_path / "noise")
    sent.write(tmp_path / "noise")
    assert verify(tmp_path / "noise.passport.json").ok
    held = found(scheme.mine(sent.data.to_table(), min_support=0.1))
    assert found(scheme.mine(sent.data, min_support=0.1)) == held
    again = engine.session.read.parquet(*(str(path) for path in sorted((tmp_path / "noise").glob("*.parquet"))))
    assert found(scheme.mine(again, min_support=0.1)) == held


def test_no_two_tasks_draw_the_same(engine, tmp_path):
    """Equal shards, perturbed in different tasks, come out different; each as its law says."""
    scheme, n = schemes()[1], 4000
    table = pa.table({"age": [40] * n, "sex": ["M"] * n, "smokes": ["no"] * n})
    pq.write_table(pa.concat_tables([table] * 4), tmp_path / "in.parquet", row_group_size=n)
    stored = StoredTable.open(tmp_path / "in.parquet", engine=engine, batch_rows=n)
    release = release_perturbed(scheme, stored, into=tmp_path / "out", keep_order=True)
    codes = scheme.fields.encode(release.data.to_table(), perturbed=True)
    truth = scheme.fields.encode(table.slice(0, 1))[0]
    assert len({codes[start : start + n].tobytes() for start in range(0, 4 * n, n)}) == 4
    for field in range(3):
        stays = float((codes[:, field] == truth[field]).mean())
        # 0.8 each; five standard deviations are passed in one of 600,000 runs
        assert abs(stays - 0.8) < 5 * np.sqrt(0.8 * 0.2 / (4 * n))


def test_faults_come_back_as_one_line(engine, tmp_path):
    schema = {"q": {"role": "quasi-identifier"}}
    home = tmp_path / "in"
    home.mkdir()
    for part in range(2):
        pq.write_table(pa.table({"q": ["a", "b"] * 500}), home / f"{part}.parquet")
    asked = PublishTable(table=home, k=3, schema=schema, engine="spark")
    done = publish_table(asked, Host(output=tmp_path / "fine"))
    assert done.method == "incognito"
    stored = StoredTable.open(home, engine=engine)
    whole = (home / "1.parquet").read_bytes()
    (home / "1.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"1\.parquet") as told:
        Incognito(requirement=KAnonymity(k=3)).publish(stored, schema, into=tmp_path / "out")
    assert "\n" not in str(told.value)
    (home / "1.parquet").write_bytes(whole)
    scheme = schemes()[0]
    pq.write_table(people(90).set_column(1, "sex", pa.array(["F"] * 70 + ["robot"] * 20)), tmp_path / "p.parquet")
    with pytest.raises(InputError, match="record 71: a value of field 'sex' is not") as told:
        release_perturbed(scheme, StoredTable.open(tmp_path / "p.parquet", engine=engine), into=tmp_path / "out")
    assert "\n" not in str(told.value)
