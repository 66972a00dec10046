"""Bookmarks of each browser, and exported ones."""

import json
import sqlite3

import pytest

from confide.core.errors import InputError
from confide.search import Sources
from confide.search.sources.bookmarks import read_bookmarks


def test_chromiums_exported_and_firefoxs_bookmarks_are_read(tmp_path):
    url = "https://tea.example/oolong"
    tree = {"name": "bar", "children": [{"name": "inner", "children": [{"name": "Oolong tea", "url": url}]}]}
    (tmp_path / "Bookmarks").write_text(json.dumps({"roots": {"bookmark_bar": tree, "sync": 3}}))
    (tmp_path / "out.html").write_text(
        f'<DL><p><DT><A HREF="{url}">Oolong <b>tea</b></A><DT><A HREF="javascript:x()">no</A>'
    )
    browser = sqlite3.connect(tmp_path / "places.db")
    browser.execute("CREATE TABLE moz_places (id INTEGER, url TEXT, title TEXT)")
    browser.execute("CREATE TABLE moz_bookmarks (fk INTEGER, title TEXT)")
    browser.execute("INSERT INTO moz_places VALUES (1, ?, 'Oolong tea')", (url,))
    browser.execute("INSERT INTO moz_bookmarks VALUES (1, NULL), (NULL, 'a folder')")
    browser.commit()
    browser.close()
    for name in ("Bookmarks", "out.html", "places.db"):
        found = list(read_bookmarks(tmp_path / name))
        assert [(document.name, document.text) for document in found] == [(url, "Oolong tea tea oolong")], name


def test_what_holds_no_bookmarks_gets_one_line(tmp_path):
    (tmp_path / "x").write_text("[]")
    with pytest.raises(InputError, match="not a file of bookmarks"):
        list(read_bookmarks(tmp_path / "x"))
    with pytest.raises(InputError, match="holds neither"):
        list(read_bookmarks(tmp_path))


def test_each_source_is_switched_on_by_naming_it(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("tea")
    (tmp_path / "m.eml").write_bytes(b"Subject: tea\n\nleaves\n")
    assert list(Sources().read()) == []
    one = Sources(documents=[tmp_path / "notes"])
    both = Sources(documents=[tmp_path / "notes"], mail=[tmp_path / "m.eml"])
    assert [document.source for document in one.read()] == ["documents"]
    assert [document.source for document in both.read()] == ["documents", "mail"]
