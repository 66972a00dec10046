"""Files of `search`: profiles, judgments, engines, requests, and what people keep on their own machines."""

import json
import mailbox
import sqlite3

from confide.core.errors import InputError
from confide.core.samples import documents, figure_30
from confide.search import Profile
from confide.search.evaluation.judgments import read_judgments
from confide.search.sources.bookmarks import read_bookmarks
from confide.search.sources.folder import read_folder
from confide.search.sources.history import read_history
from confide.search.sources.mail import read_mail
from confide.search.wrapper.json_engine import JsonEngine
from confide.search.wrapper.service import read_request
from tests.search.sources.test_folder import pdf
from tests.search.sources.test_history import CHROMIUM, PAGES
from tests.search.sources.test_mail import message

__all__ = ["SEARCH_READERS"]


def _profile(path):
    Profile.build(documents(60, seed=2)).hide("cooking").save(path)


def _request(path):
    exposed = Profile.build(figure_30(), minsup=2, delta=0.6).release(min_detail=0.3).data
    path.write_text(json.dumps({"query": "tea", "profile": exposed, "alpha": 0.5}))


def _judgments(path):
    lines = [{"query": "tea", "relevant": ["https://a.example/"], "seen": ["https://a.example/", "https://b.example/"]}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines * 2))


def _bookmarks(path):
    leaf = {"name": "Oolong tea", "url": "https://tea.example/oolong"}
    path.write_text(json.dumps({"roots": {"bar": {"name": "bar", "children": [{"name": "x", "children": [leaf]}]}}}))


def _history(path):
    browser = sqlite3.connect(path)
    browser.execute(CHROMIUM)
    browser.executemany("INSERT INTO urls VALUES (?, ?, ?, ?, ?)", PAGES)
    browser.commit()
    browser.close()


def _mail(path):
    attached = message("Pictures", "see the harbour")
    attached.add_attachment("secret,word\n", subtype="csv", filename="x.csv")
    found = [
        message("Tandem über alles", "a saddle\nFrom here on"),
        message("Tea", None, "<p>leaves <b>x</b>"),
        attached,
    ]
    if path.suffix == ".eml":
        path.write_bytes(attached.as_bytes())
        return
    box = mailbox.mbox(path)
    for one in found:
        box.add(one)
    box.close()


def _all(read):
    """A reader of a source, exhausted; what it passes over it says in one line each."""

    def whole(path):
        said = []
        list(read(path, skipped=said.append))
        if said:  # passed over counts as refused
            raise InputError("; ".join(said))

    return whole


def _beside(path):
    """A folder that holds the file alone."""
    folder = path.parent / f"of {path.name}"
    folder.mkdir(exist_ok=True)
    (folder / path.name).write_bytes(path.read_bytes())
    return folder


SEARCH_READERS = {
    "me.profile": (_profile, Profile.read),
    "request.json": (_request, lambda path: read_request(path.read_bytes())),
    "judgments.jsonl": (_judgments, read_judgments),
    "engine.toml": (
        lambda path: path.write_text('url = "https://a.example/?q={query}&n={count}"\n[headers]\nx = "y"\n'),
        JsonEngine.read,
    ),
    "Bookmarks": (_bookmarks, _all(read_bookmarks)),
    "bookmarks.html": (
        lambda path: path.write_text('<DL><p><DT><A HREF="https://tea.example/">Oolong <b>tea</b></A>'),
        _all(read_bookmarks),
    ),
    "History": (_history, _all(read_history)),
    "all.mbox": (_mail, _all(read_mail)),
    "one.eml": (_mail, _all(read_mail)),
    "page.html": (
        lambda path: path.write_text("<title>Oven</title><script>x()</script><p>sour<!-- c --><p>&amp;crust"),
        lambda path: _all(read_folder)(_beside(path)),
    ),
    "notes.pdf": (lambda path: path.write_bytes(pdf("marmalade")), lambda path: _all(read_folder)(_beside(path))),
}
"""File name: (what writes a good one, what reads it)."""
