"""A table in files is released as the same table in memory is, and a release in parts is checked as strictly."""

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.amounts import some
from tests.publish.tables.random_tables import random_table

from confide import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    OthersKnown,
    RecursiveDiversity,
    SimpleDiversity,
    StoredTable,
    TCloseness,
    verify,
)
from confide.core.datasets import shuffling
from confide.core.errors import ConfideError, InputError, UsageError
from confide.core.jobs.outcome import Host
from confide.core.runtime import progress
from confide.publish import Incognito, KOptimize, Mondrian, PublishTable, TopDownSpecialization, publish_table

BATCHES = (1, 7, 1000)

REQUIREMENTS = [
    KAnonymity(k=3),
    KAnonymity(k=2) & DistinctDiversity(l=2),
    SimpleDiversity(l=2),
    RecursiveDiversity(c=3, l=2),
    EntropyDiversity(l=1.5),
    AlphaK(alpha=0.8, k=2),
    KAnonymity(k=2) & TCloseness(t=0.4),
    KAnonymity(k=2) & BetaLikeness(beta=1.5),
    KAnonymity(k=2) & DeltaDisclosure(delta=1.2),
    OthersKnown(of=DistinctDiversity(l=2)),
]

ALGORITHMS = [
    (Incognito, ("ncp", "discernibility", "classification", "average-class-size", "entropy")),
    (KOptimize, ("classification", "discernibility")),
    (TopDownSpecialization, ("classification", "ncp")),
]

IN_MEMORY = (  # tables of the owner's page that need every row of the input
    "Rows of the input that up to 3 values single out",
    "Columns among up to 3 values that single a row out",
    "The original beside the release",
)


def case(seed):
    """A random table with its schema, and every algorithm with a requirement, loss and budget of its own."""
    table, schema = random_table(
        seed, rows=20 + seed, sensitive=1 + seed % 2, classes=2 * (seed % 3 > 0), columns=1 + seed % 4
    )
    table = table.append_column("note", pa.array([f"n{i}" for i in range(table.num_rows)]))
    described = schema.columns | {"note": replace(schema.columns["s0"], role="insensitive")}
    if seed % 4 == 1:  # missing quasi-identifiers
        gaps = [None if i % 7 == 3 else value for i, value in enumerate(table["q0"].to_pylist())]
        table = table.set_column(0, "q0", pa.array(gaps, pa.string()))
    schema = replace(schema, columns=described)
    publishers = [
        kind(
            requirement=REQUIREMENTS[(seed + 3 * number) % len(REQUIREMENTS)],
            loss=losses[seed % len(losses)],
            suppress=(0.0, 0.1, 0.3)[(seed + number) % 3],
            missing=("drop", "category", "refuse")[(seed // 4) % 3],
            keep_order=seed % 5 == 0,
        )
        for number, (kind, losses) in enumerate(ALGORITHMS)
    ]
    return table, schema, publishers


def contents(table):
    """Types, and rows however often and in whichever order they stand."""
    whole = table.to_table() if isinstance(table, StoredTable) else table
    return whole.schema, Counter(tuple(map(repr, row.values())) for row in whole.to_pylist())


def same(release, meant):
    """Whether a release in parts is the one in memory: rows, choice, loss, promise."""
    assert contents(release.data) == contents(meant.data)
    assert dict(release.loss) == dict(meant.loss)
    told = ("parameters", "headline", "promise", "context", "does_not_protect_against", "randomness")
    for name in told:
        assert getattr(release.passport, name) == getattr(meant.passport, name)
    if meant.owner is not None:
        assert dict(release.owner.facts) == dict(meant.owner.facts)
        assert release.owner.charts == meant.owner.charts
        here, there = dict(release.owner.tables), dict(meant.owner.tables)
        there = {title: table for title, table in there.items() if title not in IN_MEMORY}
        assert "nobody looked" in here.pop("Look at this before you publish").rows[0][0]
        there.pop("Look at this before you publish")
        assert here == there


@pytest.mark.parametrize("seed", range(50))
def test_releases_of_files_are_those_of_memory(seed, tmp_path, monkeypatch):
    monkeypatch.setattr(shuffling, "PART_RECORDS", 11)
    table, schema, publishers = case(seed)
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=9 + seed % 5)
    for number, publisher in enumerate(publishers):
        meant = fault = None
        try:
            meant = publisher.publish(table, schema)
        except ConfideError as error:
            fault = error
        for rows in some(BATCHES, every=3, first=seed + number):
            stored, out = StoredTable.open(tmp_path / "in.parquet", batch_rows=rows), tmp_path / f"out{number}-{rows}"
            if meant is None:
                with pytest.raises(type(fault)) as told:
                    publisher.publish(stored, schema, into=out)
                assert str(told.value) == re.sub(r", first in row \d+", "", str(fault))  # in files nobody knows the row
                continue
            release = publisher.publish(stored, schema, into=out)
            release.write(out)
            same(release, meant)
            if publisher.keep_order:
                assert release.data.to_table().to_pylist() == meant.data.to_pylist()
            answer = verify(tmp_path / f"{out.name}.passport.json")
            assert answer.ok, answer.summary()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_most_random_cases_are_released():
    """Else the test above would compare refusals only."""
    done = 0
    for seed in range(0, 50, 5):
        table, schema, publishers = case(seed)
        for publisher in publishers:
            try:
                publisher.publish(table, schema, explain=False)
                done += 1
            except ConfideError:
                pass
    assert done > 12


def test_of_several_spellings_the_same_is_released_whatever_row_comes_first(tmp_path):
    table = pa.table({"size": [0.0, -0.0] * 20, "floor": ["07", "7", "007", "11"] * 10, "kind": list("ab") * 20})
    quasi = {"role": "quasi-identifier"}
    schema = {"size": quasi, "floor": quasi | {"range": [0, 20]}, "kind": {"role": "sensitive"}}
    publisher = Incognito(requirement=KAnonymity(k=2))
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=9)
    rng = np.random.default_rng(1)
    for turn in range(8):
        released = publisher.publish(table.take(pa.array(rng.permutation(len(table)))), schema)
        assert {repr(value) for value in released.data.column("size").to_pylist()} == {"0.0"}
        assert set(released.data.column("floor").to_pylist()) == {"7", "11"}
        stored = StoredTable.open(tmp_path / "in.parquet", batch_rows=1 + turn)
        same(publisher.publish(stored, schema, into=tmp_path / f"o{turn}"), released)


def test_numbers_dates_and_doubles_keep_their_type(tmp_path):
    n = 400
    draw = np.random.default_rng(3)
    age = draw.integers(20, 22, n)
    table = pa.table(
        {
            "age": pa.array(age, pa.int16()),
            "size": pa.array(np.where(draw.random(n) < 0.1, -0.0, draw.integers(0, 2, n).astype(float))),
            "since": pa.array(draw.integers(0, 2, n).astype("int32"), pa.int32()).cast(pa.date32()),
            "kind": pa.array([None if i % 9 == 0 else f"k{i % 3}" for i in range(n)]).dictionary_encode(),
            "income": pa.array(draw.random(n)),
        }
    )
    quasi = {"role": "quasi-identifier"}
    schema = {
        "age": quasi | {"range": [0, 99]},
        "size": quasi | {"hierarchy": {"build": "intervals", "widths": [2]}},
        "since": quasi | {"hierarchy": {"build": "dates", "levels": ["year"]}},
        "kind": quasi,
        "income": {"role": "insensitive"},
    }
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=90)
    for k, own in ((2, True), (60, False)):
        publisher = Incognito(requirement=KAnonymity(k=k), missing="category")
        meant = publisher.publish(table, schema)
        stored = StoredTable.open(tmp_path / "in.parquet", batch_rows=37)
        release = publisher.publish(stored, schema, into=tmp_path / f"o{k}")
        release.write(tmp_path / f"o{k}")
        same(release, meant)
        assert any(pa.types.is_integer(kind) for kind in release.data.schema.types) == own
        assert verify(tmp_path / f"o{k}.passport.json").ok


def test_only_columns_that_matter_are_counted(tmp_path):
    """A sensitive column with a value for every row is no burden where nothing is asked of it."""
    from confide.core.tables.schema import Schema
    from confide.publish.tables.stored.stored_release import code_stored

    n = 3000
    table = pa.table({"age": [i % 7 for i in range(n)], "salary": [float(i) for i in range(n)]})
    schema = Schema.from_dict({"age": {"role": "quasi-identifier", "range": [0, 9]}, "salary": {"role": "sensitive"}})
    pq.write_table(table, tmp_path / "in.parquet")
    stored = StoredTable.open(tmp_path / "in.parquet", batch_rows=100)
    few = code_stored(Incognito(requirement=KAnonymity(k=5)), stored, schema)
    assert (len(few), few.total) == (7, n)
    asked = code_stored(Incognito(requirement=DistinctDiversity(l=2)), stored, schema)
    assert (len(asked), asked.total) == (n, n)
    release = Incognito(requirement=KAnonymity(k=5)).publish(stored, schema, into=tmp_path / "o")
    assert sorted(release.data.to_table()["salary"].to_pylist()) == table["salary"].to_pylist()


def test_every_generalisation_can_be_looked_at(tmp_path):
    table, schema = random_table(8, rows=80, columns=3)
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=30)
    publisher = Incognito(requirement=KAnonymity(k=3) & DistinctDiversity(l=2), suppress=0.1)
    meant = publisher.explore(table, schema)
    found = publisher.explore(StoredTable.open(tmp_path / "in.parquet", batch_rows=7), schema)
    assert found.to_arrow().equals(meant.to_arrow())
    assert 0 < meant.safe.sum() < len(meant)


def test_counts_that_no_machine_word_holds_are_refused():
    """Distances of t-closeness are sums of rows times rows; a billion rows with ten values are too many."""
    from confide.core.tables.schema import Schema
    from confide.publish.tables.coding import CodedTable
    from confide.publish.tables.group_tests import GroupTest

    table = pa.table({"q": ["a"] * 10, "s": [f"s{i}" for i in range(10)]})
    schema = Schema.from_dict({"q": {"role": "quasi-identifier"}, "s": {"role": "sensitive"}})
    wanted = KAnonymity(k=2) & TCloseness(t=0.5)
    for times, fits in ((10**6, True), (10**8, False)):
        coded = CodedTable.of(table, schema, times=np.full(10, times))
        assert coded.total == 10 * times
        if fits:
            assert GroupTest.of(wanted, coded).passes(np.zeros(10, dtype=np.int32), 1).all()
        else:
            with pytest.raises(UsageError, match="more than 64 bits can count"):
                GroupTest.of(wanted, coded)


def people(rows=120):
    draw = np.random.default_rng(1)
    table = pa.table(
        {
            "name": [f"p{i}" for i in range(rows)],
            "age": draw.integers(20, 60, rows),
            "ill": [f"d{v}" for v in draw.integers(0, 4, rows)],
        }
    )
    schema = {
        "name": {"role": "identifier"},
        "age": {"role": "quasi-identifier", "range": [0, 99]},
        "ill": {"role": "sensitive"},
    }
    return table, schema


@pytest.fixture
def folder(tmp_path):
    table, _ = people()
    home = tmp_path / "in"
    home.mkdir()
    for number in range(3):
        pq.write_table(table.slice(40 * number, 40), home / f"{number}.parquet")
    return home


def test_a_folder_goes_in_by_its_path(folder, tmp_path, monkeypatch):
    from confide.core.datasets.choice import using_engine

    _, schema = people()
    said, heard = [], []
    with using_engine("stream", say=said.append), progress.reporting(lambda *step: heard.append(step)):
        release = Incognito(requirement=KAnonymity(k=4)).publish(folder, schema, into=tmp_path / "out")
    assert said == ["engine stream: as asked (120 rows in 3 Parquet files)"]
    assert isinstance(release.data, StoredTable)
    passes = list(dict.fromkeys(label for label, _, _ in heard if label.startswith("pass")))
    assert [label.split(": ")[1] for label in passes] == [
        "counting rows",
        "shuffling",
        "writing parts",
        "checking parts",
        "counting rows, for the auditor",
        "comparing rows, for the auditor",
        "comparing rows, for the auditor",
    ]
    held = Incognito(requirement=KAnonymity(k=4)).publish(folder, schema)
    assert isinstance(held.data, pa.Table)
    assert contents(held.data) == contents(release.data)
    asked = PublishTable(table=folder, k=4, schema=schema, engine="stream")
    chosen = publish_table(asked, Host(output=tmp_path / "auto"))
    assert chosen.method == "incognito"
    assert "the rows are not in memory" in chosen.notes[0]
    assert contents(chosen.release.data) == contents(release.data)


def test_what_needs_memory_is_refused_in_one_line(folder, tmp_path):
    _, schema = people()
    wanted = KAnonymity(k=4)
    stored = StoredTable.open(folder)

    def refused(publisher, described=schema, into=tmp_path / "out", kind=UsageError):
        with pytest.raises(kind) as told:
            publisher.publish(stored, described, into=into)
        assert "\n" not in str(told.value)
        assert not [path for path in tmp_path.iterdir() if path.name != "in"]
        return str(told.value)

    assert "mondrian recodes groups of rows" in refused(Mondrian(requirement=wanted))
    assert "incognito recodes groups" in refused(Incognito(requirement=wanted, local=True))
    assert "pseudonyms" in refused(Incognito(requirement=wanted, pseudonyms=b"x" * 16))
    assert "into=" in refused(Incognito(requirement=wanted), into=None)
    assert "without .csv" in refused(Incognito(requirement=wanted), into=tmp_path / "out.csv")
    persons = schema | {"name": {"role": "person"}}
    assert "'name'" in refused(Incognito(requirement=wanted), persons)
    fewer = {name: spec for name, spec in schema.items() if name != "ill"}
    assert "'ill'" in refused(Incognito(requirement=wanted), fewer, kind=InputError)
    more = schema | {"zip": {"role": "quasi-identifier"}}
    assert "'zip'" in refused(Incognito(requirement=wanted), more, kind=InputError)
    with pytest.raises(UsageError, match="explanations"):
        Incognito(requirement=wanted).publish(stored, schema, into=tmp_path / "out").explain(3)


def test_bad_folders_are_one_line_each(folder, tmp_path):
    _, schema = people()
    publisher = Incognito(requirement=KAnonymity(k=4))

    def fault():
        with pytest.raises(InputError) as told:
            publisher.publish(StoredTable.open(folder), schema, into=tmp_path / "out")
        assert "\n" not in str(told.value)
        assert not [path for path in tmp_path.iterdir() if path.name != "in"]
        return str(told.value)

    part = folder / "1.parquet"
    whole = part.read_bytes()
    pq.write_table(pa.table({"name": ["a"], "age": ["x"], "ill": ["d"]}), part)
    assert "1.parquet: has other columns than 0.parquet" in fault()
    part.write_bytes(whole[: len(whole) // 2])
    assert "1.parquet: is not a whole Parquet file" in fault()
    damaged = bytearray(whole)
    damaged[-700:-400] = b"\xff" * 300  # values of the last columns
    part.write_bytes(damaged)
    assert "1.parquet" in fault()
    part.write_bytes(whole)
    stored = StoredTable.open(folder)
    part.write_bytes(whole[: len(whole) // 2])  # after it was opened
    with pytest.raises(InputError, match=r"1\.parquet"):
        publisher.publish(stored, schema, into=tmp_path / "out")


def test_files_that_change_between_passes_are_noticed(folder, tmp_path, monkeypatch):
    from confide.publish.tables.stored import stored_release

    _, schema = people()
    before = stored_release.Rewriting.of

    def later(*given):
        table = pa.table({"name": ["a"] * 40, "age": [99] * 40, "ill": ["d0"] * 40})
        pq.write_table(table, folder / "1.parquet")
        return before(*given)

    monkeypatch.setattr(stored_release.Rewriting, "of", later)
    with pytest.raises(InputError, match="changed while they were read"):
        Incognito(requirement=KAnonymity(k=4)).publish(StoredTable.open(folder), schema, into=tmp_path / "out")


SLOW = """
import sys, time
from confide import KAnonymity, StoredTable
from confide.core.datasets import shuffling
from confide.publish import Incognito
stop = sys.argv[1]
def pause(*_, **__):
    print("here", flush=True)
    time.sleep(60)
if stop == "parts":
    shuffling.written = pause
elif stop == "verifying":
    import confide.publish.tables.stored.stored_release as stage
    stage.read_released_parts = pause
schema = {"name": {"role": "identifier"}, "age": {"role": "quasi-identifier", "range": [0, 99]},
          "ill": {"role": "sensitive"}}
release = Incognito(requirement=KAnonymity(k=4)).publish(StoredTable.open("in"), schema, into="out")
if stop == "passport":
    from confide.core.passport import Passport
    Passport.write = pause
release.write("out")
"""


@pytest.mark.parametrize("stop", ["parts", "verifying", "passport"])
def test_killed_half_way_nothing_counts_as_released(stop, folder, tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, stop], cwd=tmp_path, stdout=subprocess.PIPE, env=os.environ, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "here\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    time.sleep(0.01)
    assert {path.name for path in tmp_path.iterdir() if not path.name.startswith(".")} == {"in"}
    assert not Path(tmp_path, "out.passport.json").exists()
