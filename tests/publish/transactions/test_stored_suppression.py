"""Releases of records in files are those of records in memory, and a release in parts is checked as strictly."""

import json
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.patience import LONG, PROMPT, wait_until

from confide import StoredTransactions, Transactions, verify
from confide.audit.verifiers.transactions import coherence, stored_coherence
from confide.core.datasets import shuffling
from confide.core.errors import ConfideError, UsageError
from confide.core.requirements import Coherence
from confide.core.samples.quest import write_quest
from confide.publish import suppress


def random_case(seed: int):
    rng = random.Random(seed)
    n, density = rng.choice([5, 9, 14]), rng.choice([0.1, 0.3, 0.6])
    rows = [[f"i{i}" for i in range(n) if rng.random() < density] for _ in range(rng.randint(8, 60))]
    tx = Transactions.from_lists([[*row, f"s{rng.randrange(4)}"] if rng.random() < 0.8 else row for row in rows])
    private = [label for label in tx.labels if label.startswith("s")] if rng.random() < 0.7 else []
    requirement = Coherence(h=rng.choice([0.4, 0.7, 1.0]), k=rng.choice([2, 3, 6]), p=rng.choice([1, 2, 3, math.inf]))
    return tx, requirement, private


def records(tx) -> Counter:
    return Counter(map(tuple, tx.to_transactions() if isinstance(tx, StoredTransactions) else tx))


def test_releases_of_files_are_those_of_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(shuffling, "PART_RECORDS", 9)
    done = 0
    for seed in range(15):
        tx, requirement, private = random_case(seed)
        tx.write(tmp_path / "in.parquet", replace=True)
        stored = StoredTransactions.open(tmp_path / "in.parquet", batch_rows=(1, 7, 1000)[seed % 3])
        try:
            meant = suppress(tx, requirement, private=private, nugget_support=3)
        except ConfideError as error:
            with pytest.raises(type(error)):
                suppress(stored, requirement, private=private, into=tmp_path / "out")
            continue
        done += 1
        release = suppress(stored, requirement, private=private, nugget_support=3, into=tmp_path / "out")
        release.write(tmp_path / "out", replace=True)
        assert records(release.data) == records(meant.data)
        same = {name: value for name, value in meant.loss.items() if not name.startswith("worst")}
        assert same.items() <= dict(release.loss).items()
        answer = verify(tmp_path / "out.passport.json")
        assert answer.ok, answer.summary()
        assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
    assert done > 5


def test_order_is_kept_when_asked(tmp_path):
    tx = Transactions.from_lists([["a"], ["b"], ["a", "b"], []] * 5)
    tx.write(tmp_path / "in.parquet")
    stored = StoredTransactions.open(tmp_path / "in.parquet", batch_rows=3)
    release = suppress(stored, Coherence(h=1.0, k=2, p=2), keep_order=True, into=tmp_path / "out")
    assert release.data.to_transactions() == tx
    assert any("order" in text for text in release.passport.does_not_protect_against)


def test_the_auditor_needs_no_memory_for_all_records(monkeypatch, tmp_path):
    """The three ways of the auditor agree with its own way in memory, on releases and on what is none."""
    monkeypatch.setattr(stored_coherence, "MOST_ENTRIES", 12)
    ways = {"pairs": 1 << 13, "cohorts": 0}
    moles = 0
    for seed in range(24):
        tx, requirement, private = random_case(seed)
        tx.write(tmp_path / "in.parquet", replace=True)
        meant = coherence.find_mole(tx, requirement, private)
        for most in ways.values():
            monkeypatch.setattr(stored_coherence, "MOST_PAIRED", most)
            stored = StoredTransactions.open(tmp_path / "in.parquet", batch_rows=7)
            found = stored_coherence.find_stored_mole(stored, requirement, private)
            assert (found is None) == (meant is None)
            if found is not None:
                moles += 1
                held = [row for row in tx if set(found.items) <= set(row)]
                assert len(held) == found.support
    assert moles > 10


@pytest.fixture
def released(tmp_path, monkeypatch) -> Path:
    monkeypatch.setattr(shuffling, "PART_RECORDS", 10)
    tx = Transactions.from_lists([["a", "b"], ["b"], ["a"]] * 8)
    tx.write(tmp_path / "in.parquet")
    stored = StoredTransactions.open(tmp_path / "in.parquet")
    suppress(stored, Coherence(h=1.0, k=3, p=2), into=tmp_path / "out").write(tmp_path / "out")
    assert len(list((tmp_path / "out").iterdir())) > 2
    return tmp_path / "out"


def failures(out: Path) -> str:
    answer = verify(out.with_name("out.passport.json"))
    assert not answer.ok
    return "; ".join(f"{check.name}: {check.detail}" for check in answer.checks if not check.ok)


def test_a_changed_folder_fails(released):
    part = released / "part-00000.parquet"
    whole = part.read_bytes()
    part.write_bytes(whole[:-1] + b"x")
    assert "not a whole Parquet file" in failures(released) or "changed" in failures(released)
    changed = bytearray(whole)
    changed[10] ^= 1
    part.write_bytes(changed)
    assert "it was changed" in failures(released)
    part.write_bytes(whole)
    assert verify(released.with_name("out.passport.json")).ok
    (released / "more.parquet").write_bytes(whole)
    assert "holds 'more.parquet', which its manifest does not list" in failures(released)
    (released / "more.parquet").unlink()
    (released / ".hidden").write_bytes(b"x")
    assert "holds '.hidden'" in failures(released)
    (released / ".hidden").unlink()
    part.unlink()
    assert "lacks 'part-00000.parquet'" in failures(released)
    shutil.rmtree(released)
    assert "no such file" in failures(released)


def test_a_folder_that_fits_a_forged_manifest_must_still_be_as_we_write_it(released):
    import hashlib

    part = released / "part-00000.parquet"
    passport = released.with_name("out.passport.json")

    def forge(table: pa.Table, **options) -> str:
        pq.write_table(table, part, **options)
        manifest = json.loads((released / "manifest.json").read_text())
        data = part.read_bytes()
        entry = manifest["parts"][0]
        manifest["records"] += table.num_rows - entry["records"]
        entry.update(sha256=hashlib.sha256(data).hexdigest(), bytes=len(data), records=table.num_rows)
        text = json.dumps(manifest, indent=1) + "\n"
        (released / "manifest.json").write_text(text)
        claims = json.loads(passport.read_text())
        claims["artefact"] |= {"sha256": hashlib.sha256(text.encode()).hexdigest(), "bytes": len(text)}
        passport.write_text(json.dumps(claims))
        return failures(released)

    plain = {"compression": "zstd", "write_statistics": False, "store_schema": False}
    lists = pa.large_list(pa.string())
    rows = pa.table({"items": pa.array([["a", "b"]] * 9, lists)})
    assert "statistics" in forge(rows, store_schema=False)
    assert "out of order" in forge(pa.table({"items": pa.array([["b", "a"]] * 9, lists)}), **plain)
    assert "blanks" in forge(pa.table({"items": pa.array([["a "]] * 9, lists)}), **plain)
    assert "null" in forge(pa.table({"items": pa.array([None] * 9, lists)}), **plain)
    assert "fewer than k" in forge(pa.table({"items": pa.array([["zoo"]] + [["a"]] * 8, lists)}), **plain)


def test_what_needs_memory_says_so(tmp_path):
    Transactions.from_lists([["a", "b"]] * 9).write(tmp_path / "in.parquet")
    stored = StoredTransactions.open(tmp_path / "in.parquet")
    wanted = Coherence(h=1.0, k=2, p=2)
    with pytest.raises(UsageError, match="in memory"):
        suppress(stored, wanted, into=tmp_path / "out", method="k-anonymizer")
    assert {path.name for path in tmp_path.iterdir()} == {"in.parquet"}
    with pytest.raises(UsageError, match="into="):
        suppress(stored, wanted)


SLOW = """
import sys, time
from confide import Coherence, StoredTransactions
from confide.core.datasets import shuffling
from confide.publish import suppress
from confide.core.artefacts import released_parts
stop = sys.argv[1]
def pause(*_, **__):
    print("here", flush=True)
    time.sleep(60)
if stop == "parts":
    shuffling.written = pause
elif stop == "verifying":
    import confide.publish.transactions.stored_suppression as stage
    stage.read_released_parts = pause
release = suppress(StoredTransactions.open("in.parquet"), Coherence(h=1.0, k=3, p=2), into="out")
if stop == "passport":
    from confide.core.passport import Passport
    Passport.write = pause
release.write("out")
"""


@pytest.mark.parametrize("stop", ["parts", "verifying", "passport"])
def test_killed_half_way_nothing_counts_as_released(stop, tmp_path):
    Transactions.from_lists([["a", "b"], ["b"], ["a"]] * 8).write(tmp_path / "in.parquet")
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, stop], cwd=tmp_path, stdout=subprocess.PIPE, env=os.environ, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "here\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    time.sleep(0.01)
    left = {path.name for path in tmp_path.iterdir() if not path.name.startswith(".")}
    assert left == {"in.parquet"}
    with pytest.raises(ConfideError):
        StoredTransactions.open(tmp_path / "out")


def test_ctrl_c_while_parts_are_written_is_answered_soon_and_leaves_nothing(tmp_path):
    write_quest("T10I4D300K", tmp_path / "in")
    command = [sys.executable, "-m", "confide", "publish", "transactions", "in", "--engine", "stream", "-o", "out"]
    running = subprocess.Popen([*command, "--k", "20", "--p", "2"], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: list(tmp_path.glob(".confide-*.part/*")))  # more than a look whether one may write here
    assert running.poll() is None, "it must still run, or the test shows nothing"
    running.send_signal(signal.SIGINT)
    began = time.monotonic()
    _, told = running.communicate(timeout=LONG)
    assert time.monotonic() - began < PROMPT
    assert "interrupted" in told.splitlines()[-1]
    assert running.returncode == 130
    assert {path.name for path in tmp_path.iterdir()} == {"in"}


def test_a_release_that_fails_leaves_no_hidden_folder_while_its_error_is_looked_at(tmp_path, monkeypatch):
    Transactions.from_lists([["a", "b"]] * 9).write(tmp_path / "in.parquet")
    stored = StoredTransactions.open(tmp_path / "in.parquet")

    def broken(*args, **options):
        raise UsageError("the disk is full")

    monkeypatch.setattr("confide.publish.transactions.stored_suppression.write_parts", broken)
    with pytest.raises(UsageError) as failed:  # holds the frames of the failed call, and what they made
        suppress(stored, Coherence(h=1, k=2, p=1), into=tmp_path / "out")
    assert failed.value is not None
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


def test_a_release_of_files_says_why_it_explains_no_row(tmp_path):
    Transactions.from_lists([["a", "b"]] * 9).write(tmp_path / "in.parquet")
    release = suppress(
        StoredTransactions.open(tmp_path / "in.parquet"), Coherence(h=1, k=2, p=1), into=tmp_path / "out"
    )
    with pytest.raises(UsageError, match="only a table that was in memory"):
        release.explain(0)
