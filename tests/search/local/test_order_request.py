"""Results that other programs found, ordered here: one form, by the command and by POST /api/order."""

import io
import json
import sys
import types
import urllib.error
import urllib.request

import pytest
from tests.commands import confide
from tests.search.page_server import search_page

from confide.core.errors import ConfideError
from confide.search import LocalIndex, LocalRanker, Profile
from confide.search.local.order_request import MOST_RESULTS, OrderRequest
from confide.search.page.application import EXTENSION
from confide.search.page.session import Session
from confide.web.guard import HEADER

NOTES = [f"the gearbox and engine of car number {n}, and how to repair it" for n in range(20)]
NOTES += [f"sourdough bread number {n}" for n in range(10)]
FOUND = {
    "query": "jaguar",
    "results": [
        {"title": "Jaguar", "snippet": "a large cat of the forest"},
        {"title": "Jaguar in the zoo", "snippet": "it sleeps all day"},
        {"title": "Jaguar", "snippet": "its <b>engine</b> and the gearbox"},
    ],
}


@pytest.fixture(scope="module")
def profile():
    return Profile.build(NOTES, minsup=3)


@pytest.fixture(scope="module")
def guard(profile):
    with search_page(Session(profile, LocalRanker(profile, LocalIndex.build([("a", "tea")])))) as made:
        yield made


def post(guard, body, path="api/order", **headers):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    given = {"Content-Type": "application/json", HEADER: guard.key, **headers}
    try:
        with urllib.request.urlopen(urllib.request.Request(guard.url + path, data, given)) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_the_answer_is_an_order_and_its_reasons(guard):
    status, answer = post(guard, FOUND)
    assert status == 200
    assert answer == {
        "query": "jaguar", "strength": 0.3, "order": [2, 0, 1], "reasons": [["gearbox", "engine"], [], []], "notes": []
    }  # fmt: skip
    assert post(guard, {**FOUND, "strength": 0})[1]["order"] == [0, 1, 2]
    longer = post(guard, {**FOUND, "query": "jaguar engine gearbox"})[1]
    assert (longer["order"], longer["reasons"]) == ([0, 1, 2], [[], [], []])
    nobody = post(guard, {"query": "jaguar", "results": FOUND["results"][:2]})[1]
    assert nobody["notes"] == ["nothing of the profile bears on what this query finds: the engine's order stays"]
    assert post(guard, {"query": "jaguar", "results": []})[1]["order"] == []
    empty = [{"title": "", "snippet": ""}, {}, {"title": "engine"}]
    assert post(guard, {"query": "jaguar", "results": empty})[1]["order"] == [2, 0, 1]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": EXTENSION}, 200),
        ({"Origin": "chrome-extension://" + "a" * 32}, 404),
        ({"Origin": "https://evil.example"}, 404),
        ({"Origin": "null"}, 404),
        ({"Host": "evil.example"}, 404),
        ({HEADER: "x" * 32}, 404),
        ({HEADER: ""}, 404),
        ({"Content-Type": "text/plain"}, 415),
    ],
)
def test_only_whoever_has_the_key_and_of_other_origins_the_extension_may_ask(guard, headers, status):
    assert post(guard, FOUND, **headers)[0] == status


def test_the_header_opens_no_other_path(guard):
    for path in ("api/about", "api/view", "api/order/", "api/drop"):
        assert post(guard, {}, path)[0] == 404


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"results": [{}] * (MOST_RESULTS + 1)}, "a list of at most 200"),
        ({"results": [{"title": 3}]}, "title and snippet of result 1 must be texts"),
        ({"results": [{"url": "x"}]}, "result 1 must hold a title and a snippet"),
        ({"me": 1}, "and nothing else"),
        ({"query": " "}, "the query is empty"),
        ({"strength": 2}, "strength=2 is not from 0"),
    ],
)
def test_what_is_no_request_is_one_line(guard, change, line):
    status, answer = post(guard, {**FOUND, **change})
    assert status == 400
    assert line in answer
    with pytest.raises(ConfideError, match=line):
        OrderRequest.read({**FOUND, **change})


def test_a_body_beyond_the_limit_is_refused(guard):
    assert post(guard, b'{"query": "' + b"x" * (1 << 18) + b'"}')[0] == 413


def test_the_command_gives_the_same_answer_from_a_file_and_from_standard_input(guard, profile, tmp_path, monkeypatch):
    profile.save(tmp_path / "me.profile")
    (tmp_path / "found.json").write_text(json.dumps(FOUND))
    wanted = post(guard, FOUND)[1]
    done = confide("search", "order", "found.json", "--profile", "me.profile", cwd=tmp_path)
    assert json.loads(done.stdout) == wanted
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(json.dumps(FOUND).encode())))
    done = confide("search", "order", "-", "--profile", "me.profile", "--strength", "0", cwd=tmp_path)
    assert json.loads(done.stdout)["order"] == [0, 1, 2]
    words = ["search", "order", "found.json", "--profile", "me.profile", "--ranking", "pprank"]
    assert "--min-detail 0.02" in confide(*words, cwd=tmp_path).stderr
    done = confide(*words, "--min-detail", "0", "--alpha", "1", cwd=tmp_path)
    assert json.loads(done.stdout)["order"] == [2, 0, 1]
    (tmp_path / "found.json").write_text("[]")
    done = confide("search", "order", "found.json", "--profile", "me.profile", cwd=tmp_path)
    assert done.returncode == 2
    assert "a request holds query and results" in done.stderr
