"""Stores: one row a submission, on disk when acknowledged, the same in DuckDB and PostgreSQL."""

import shutil
import subprocess
import sys
import uuid
from pathlib import Path

import duckdb
import numpy as np
import pytest

from confide.collect import CutAndPaste, GammaDiagonal
from confide.collect.service.store import Submission, SubmissionOutcome, open_store, opened, read_store
from confide.core.errors import InputError, UnreachableError, UsageError

FIELDS = GammaDiagonal(domains={"sex": ["F", "M"], "rooms": 4}, gamma=19)
ITEMS = CutAndPaste(K=2, rho=0.4, items=("pear", "apple", "10", "9"))


@pytest.fixture(params=["duckdb", pytest.param("postgres", marks=pytest.mark.postgres)])
def address(request, tmp_path):
    """The address of a store that does not exist yet, of either kind."""
    return str(tmp_path / "s.duckdb") if request.param == "duckdb" else request.getfixturevalue("postgres")


def one(*records, id=None):
    return Submission.of(id or uuid.uuid4(), records)


def test_a_submission_that_comes_again_is_stored_once(address):
    first, second = one([0, 1], [1, 3]), one([1, 1])
    with opened(address, FIELDS) as store:
        assert store.add([first]) == [SubmissionOutcome.STORED]
        assert store.add([second, first]) == [SubmissionOutcome.STORED, SubmissionOutcome.REPEATED]
        assert store.count() == (2, 3)
    with opened(address, FIELDS) as store:  # and after it was closed
        assert store.add([first]) == [SubmissionOutcome.REPEATED]
        assert store.count() == (2, 3)


def test_an_id_with_other_records_is_a_conflict_and_changes_nothing(address):
    first = one([0, 1])
    with opened(address, FIELDS) as store:
        store.add([first])
        assert store.add([one([0, 2], id=first.id), one([1, 2])]) == [
            SubmissionOutcome.CONFLICT,
            SubmissionOutcome.STORED,
        ]
        # the same numbers divided otherwise are other records too
        assert store.add([Submission(first.id, (1, 1), (0, 1))]) == [SubmissionOutcome.CONFLICT]
    assert sorted(map(tuple, read_store(address).records.tolist())) == [(0, 1), (1, 2)]


def test_records_of_fields_come_back_as_codes(address):
    ids = [uuid.UUID(int=n) for n in (3, 1, 2)]
    with opened(address, FIELDS) as store:
        store.add([one([0, 0], [1, 1], id=ids[0])])
        store.add([one([0, 2], id=ids[1]), one([1, 3], id=ids[2])])
    found = read_store(address)
    assert found.scheme == FIELDS
    assert found.records.dtype == np.int32
    assert sorted(found.records.tolist()) == [[0, 0], [0, 2], [1, 1], [1, 3]]


def rows_as_they_lie(address):
    """Ids in the order of the file or table, and how many transactions wrote them."""
    if address.endswith("duckdb"):
        with duckdb.connect(address, read_only=True) as link:
            return [row[0] for row in link.execute("SELECT submission FROM confide_submissions").fetchall()], 1
    from adbc_driver_postgresql import dbapi

    with dbapi.connect(address) as link, link.cursor() as cursor:
        cursor.execute("SELECT submission::text, xmin::text FROM confide_submissions ORDER BY ctid")
        found = cursor.fetchall()
    return [uuid.UUID(row[0]) for row in found], len({row[1] for row in found})


def test_a_store_does_not_tell_who_came_first(address):
    came = [one([i % 2, i % 4]) for i in range(40)]
    with opened(address, FIELDS) as store:
        for submission in came:
            store.add([submission])
        store.forget_order()
        assert store.count() == (40, 40)
        assert store.add([came[7]]) == [SubmissionOutcome.REPEATED]  # still a store
    lie, transactions = rows_as_they_lie(address)
    assert lie == sorted(one.id for one in came)
    assert transactions == 1
    if address.endswith("duckdb"):  # no free block, log or second file keeps the old order either
        folder = Path(address).parent
        assert [path.name for path in folder.iterdir()] == [Path(address).name]


def test_a_store_that_was_killed_forgets_at_the_next_start(address):
    came = [one([i % 2, i % 4]) for i in range(40)]
    store = open_store(address, FIELDS)
    for submission in came:
        store.add([submission])
    store.close()  # without a word, as far as order goes
    assert rows_as_they_lie(address)[0] == [one.id for one in came]
    open_store(address, FIELDS).close()
    assert rows_as_they_lie(address) == (sorted(one.id for one in came), 1)


def test_records_are_read_in_a_new_order_every_time(address):
    with opened(address, FIELDS) as store:
        store.add([one(*([i // 4 % 2, i % 4] for i in range(200)))])
    first, second = (read_store(address).records.tolist() for _ in range(2))
    assert first != second
    assert sorted(first) == sorted(second)


def test_records_of_items_come_back_as_transactions_with_empty_ones(address):
    with opened(address, ITEMS) as store:
        store.add([one([0, 2], [], [1, 2, 3], id=uuid.UUID(int=1))])
    found = read_store(address, scheme=ITEMS).records
    assert sorted(sorted(row) for row in found) == [[], ["10", "9", "apple"], ["10", "pear"]]


def test_an_empty_store_gives_no_records(address):
    with opened(address, FIELDS):
        pass
    assert read_store(address).records.shape == (0, 2)


def test_a_store_of_another_scheme_is_refused(address):
    with opened(address, FIELDS):
        pass
    with pytest.raises(InputError, match="another scheme"):
        open_store(address, ITEMS)
    with pytest.raises(InputError, match="another scheme"):
        read_store(address, scheme=ITEMS)


def test_a_large_group_is_one_transaction(address):
    group = [one(*[[i % 2, j % 4] for j in range(50)]) for i in range(200)]
    with opened(address, FIELDS) as store:
        assert store.add(group) == [SubmissionOutcome.STORED] * 200
        assert store.count() == (200, 10_000)


def test_a_file_that_is_not_a_store_is_refused_and_left_alone(tmp_path):
    for name, content in {"a.json": b'{"a": 1}', "a.csv": b"a,b\n1,2\n", "a.duckdb": b"not a database" * 1000}.items():
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(InputError, match=name):
            open_store(str(path), FIELDS)
        assert path.read_bytes() == content
    # a file that DuckDB would open in memory only must not pass for a store either
    with pytest.raises(InputError, match="not a DuckDB file"):
        open_store(":memory:", FIELDS)
    with pytest.raises(InputError, match="no such store"):
        read_store(str(tmp_path / "none.duckdb"))
    with pytest.raises(UsageError, match="does not exist"):
        open_store(str(tmp_path / "none" / "a.duckdb"), FIELDS)
    with pytest.raises(InputError, match="mysql://host/db: not a store we know"):
        open_store("mysql://me:secret@host/db", FIELDS)


def test_a_duckdb_file_of_other_tables_is_not_read_as_a_store(tmp_path):
    path = tmp_path / "other.duckdb"
    duckdb.connect(str(path)).execute("CREATE TABLE sales (a int)").close()
    with pytest.raises(InputError, match="not a store of collected records"):
        read_store(str(path))


def test_a_file_in_use_is_refused_in_one_line(tmp_path):
    path = tmp_path / "s.duckdb"
    with opened(str(path), FIELDS):
        code = f"from confide.collect.service.store import read_store; read_store({str(path)!r})"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "UsageError" in done.stderr
    assert "in use by another process" in done.stderr


@pytest.mark.postgres
def test_a_database_that_does_not_answer_is_named_without_its_password(postgres):
    with pytest.raises(UnreachableError, match=r"^postgresql://127\.0\.0\.1:1/x: .*refused") as caught:
        open_store("postgresql://me:secret@127.0.0.1:1/x", FIELDS)
    assert "secret" not in str(caught.value)
    with pytest.raises(UnreachableError, match="password authentication failed") as caught:
        open_store(postgres.replace("confide@", "secret@"), FIELDS)
    assert "secret" not in str(caught.value)
    with pytest.raises(InputError, match="holds no store"):
        read_store(postgres)


@pytest.mark.postgres
def test_two_collectors_may_share_a_postgresql(postgres):
    shared = one([0, 1])
    with opened(postgres, FIELDS) as a, opened(postgres, FIELDS) as b:
        assert a.add([shared]) == [SubmissionOutcome.STORED]
        assert b.add([shared, one([1, 1])]) == [SubmissionOutcome.REPEATED, SubmissionOutcome.STORED]
        assert a.count() == b.count() == (2, 2)


def test_a_log_torn_anywhere_opens_with_whole_transactions_only(tmp_path):
    """A power cut may leave any beginning of the log; each must give the first so many submissions, all of them."""
    path = tmp_path / "s.duckdb"
    code = (
        "import os, sys, uuid\n"
        "from tests.collect.service.test_store import FIELDS, one\n"
        "from confide.collect.service.store import open_store\n"
        f"store = open_store({str(path)!r}, FIELDS)\n"
        "for n in range(1, 11):\n"
        "    store.add([one([0, 1], [1, 2], id=uuid.UUID(int=n))])\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    log = path.with_name("s.duckdb.wal").read_bytes()
    found = set()
    for cut in np.linspace(0, len(log), 25).astype(int).tolist():
        torn = tmp_path / "torn.duckdb"
        shutil.copy(path, torn)
        torn.with_name("torn.duckdb.wal").write_bytes(log[:cut])
        with opened(str(torn), FIELDS) as store:
            submissions, records = store.count()
            held = store.add([one([0, 1], [1, 2], id=uuid.UUID(int=n)) for n in range(1, 11)])
        assert records == 2 * submissions
        assert held == [SubmissionOutcome.REPEATED] * submissions + [SubmissionOutcome.STORED] * (10 - submissions)
        found.add(submissions)
        torn.unlink()
    assert {0, 10} <= found
    assert len(found) > 5
