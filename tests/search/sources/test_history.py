"""Histories of browsers: read from a copy, the log beside it (-wal) included, while the browser holds its lock."""

import sqlite3

import pytest

from confide.core.errors import InputError
from confide.search.sources.history import read_history

FIREFOX = "CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url TEXT, title TEXT, visit_count INT, last_visit_date INT)"
CHROMIUM = "CREATE TABLE urls (id INTEGER PRIMARY KEY, url TEXT, title TEXT, visit_count INT, last_visit_time INT)"
PAGES = [
    (1, "https://bikes.example/gravel-tyres", "Gravel tyres", 3, 30),
    (2, "https://search.example/?q=sourdough+starter", None, 1, 20),
    (3, "file:///home/me/diary.html", "Diary", 5, 10),
    (4, "https://never.example/", "Never visited", 0, 0),
]


@pytest.mark.parametrize(
    ("create", "table", "name"), [(FIREFOX, "moz_places", "places.sqlite"), (CHROMIUM, "urls", "History")]
)
def test_a_locked_database_is_read_with_its_log(tmp_path, create, table, name):
    browser = sqlite3.connect(tmp_path / name, isolation_level=None)
    browser.execute("PRAGMA journal_mode = WAL")
    browser.execute("PRAGMA wal_autocheckpoint = 0")
    browser.execute(create)
    browser.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?)", PAGES)
    browser.execute("PRAGMA locking_mode = EXCLUSIVE")
    browser.execute("BEGIN EXCLUSIVE")  # as a browser that is open
    assert (tmp_path / f"{name}-wal").stat().st_size > 0
    before = sorted((p.name, p.stat().st_mtime_ns) for p in tmp_path.iterdir())
    found = list(read_history(tmp_path))
    assert sorted((p.name, p.stat().st_mtime_ns) for p in tmp_path.iterdir()) == before
    assert [document.name for document in found] == [PAGES[0][1], PAGES[1][1]]
    assert found[0].text == "Gravel tyres bikes gravel tyres"
    assert "sourdough starter" in found[1].text
    browser.close()


def test_what_is_no_history_gets_one_line(tmp_path):
    with pytest.raises(InputError, match="holds neither places"):
        list(read_history(tmp_path))
    with pytest.raises(InputError, match="no such file"):
        list(read_history(tmp_path / "none"))
    (tmp_path / "History").write_bytes(b"not a database at all" * 100)
    with pytest.raises(InputError, match="not a database that can be read"):
        list(read_history(tmp_path))
    other = sqlite3.connect(tmp_path / "other.sqlite")
    other.execute("CREATE TABLE x (y)")
    other.close()
    with pytest.raises(InputError, match="not the history of Firefox or Chromium"):
        list(read_history(tmp_path / "other.sqlite"))


def test_a_database_that_may_not_be_read_gets_one_line(tmp_path, monkeypatch):
    (tmp_path / "History").write_bytes(b"x")

    def refused(*args):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("shutil.copyfile", refused)  # a lock that even forbids reading, as Windows has
    with pytest.raises(InputError, match="cannot be copied: Permission denied; close the browser"):
        list(read_history(tmp_path))


def test_a_schema_that_is_not_utf8_gets_one_line(tmp_path):  # found by fuzzing: SQLite quotes it in its error
    file = tmp_path / "History"
    connection = sqlite3.connect(file)
    connection.execute(CHROMIUM)
    connection.commit()
    connection.close()
    file.write_bytes(file.read_bytes().replace(b"CREATE TABLE", b"CREATE TABL\xff"))
    with pytest.raises(InputError, match=r"is not a database that can be read$"):
        list(read_history(tmp_path))
