"""The index on this machine."""

import os
import sqlite3
import stat
from collections import Counter
from contextlib import closing

import pytest

from confide.core.errors import InputError, UsageError
from confide.core.samples import documents
from confide.search import Document, LocalIndex, Wrapper
from confide.search.words import Words


def test_an_index_is_written_for_its_owner_and_opened_again(tmp_path):
    file = tmp_path / "index.sqlite"
    texts = [Document(text=text, name=f"/notes/{i}.txt") for i, text in enumerate(documents(50))]
    built = LocalIndex.build(texts, file)
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    assert len(built) == len(LocalIndex.open(file)) == 50
    found = LocalIndex.open(file).search("swimming")
    assert found
    assert found[0].url.startswith("file:///notes/")
    assert "wimming" in LocalIndex.open(file).text(found[0].url)
    with pytest.raises(UsageError, match="say replace=True"):
        LocalIndex.build(texts, file)
    assert len(LocalIndex.build(texts[:3], file, replace=True)) == 3
    assert Wrapper(file).engine.name == "index index.sqlite"


@pytest.mark.parametrize(
    "query", ['"', "NEAR(a b)", "a AND", "body : x", "*", "^x", "-", "'; DROP TABLE pages", "💥", "a" * 900]
)
def test_a_query_is_words_and_never_a_language(query):
    index = LocalIndex.build([("a", "tea and drop table near body"), ("b", "x")])
    index.search(query)
    assert len(index) == 2


def test_stop_words_count_only_when_there_is_nothing_else():
    index = LocalIndex.build([("a", "to be or not to be"), ("b", "tea")])
    assert [found.title for found in index.search("the tea")] == ["b"]
    assert [found.title for found in index.search("to be")] == ["a"]


def test_what_is_no_index_gets_one_line(tmp_path):
    (tmp_path / "x").write_text("no")
    with pytest.raises(InputError, match="not an index"):
        LocalIndex.open(tmp_path / "x")
    with pytest.raises(InputError, match="no such file"):
        LocalIndex.open(tmp_path / "y")


def test_terms_are_counted_as_texts_are_cut(tmp_path):
    """SQLite's stems are others: "hockey" is "hockei" there, and "called" is one with the stop word "call"."""
    texts = [("a", "hockey was called off"), ("b", "a call for hockey"), ("c", "nothing")]
    counts, size = LocalIndex.build(texts, tmp_path / "i.sqlite").count_terms()
    assert size == 3
    words = Words()
    wanted = Counter(term for name, text in texts for term in set(words.terms(f"{name} {text}")))
    assert counts == wanted
    assert counts["hockey"] == 2


def test_an_index_of_an_older_version_still_counts(tmp_path):
    LocalIndex.build([("a", "orbits of moons"), ("b", "an orbit")], tmp_path / "i.sqlite")
    with closing(sqlite3.connect(tmp_path / "i.sqlite")) as connection:
        connection.execute("DROP TABLE held")
        connection.commit()
    counts, size = LocalIndex.open(tmp_path / "i.sqlite").count_terms()
    assert (counts["orbit"], size) == (2, 2)
