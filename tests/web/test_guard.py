"""Who may use the page: nobody without the key, no other site, no other name for this machine."""

import urllib.error
import urllib.request

import pytest
from tests.search.page_server import search_page

from confide.core.samples import figure_30
from confide.search import LocalIndex, Profile, Wrapper
from confide.search.page.session import Session
from confide.web.guard import Guard


@pytest.fixture(scope="module")
def guard():
    session = Session(Profile.build(figure_30(), minsup=2), Wrapper(LocalIndex.build([("a", "tea")])))
    with search_page(session) as made:
        yield made


def asked(guard, path, *, body=None, **headers):
    request = urllib.request.Request(guard.url + path, data=body, headers=headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def cookie(guard):
    return f"confide-{guard.url.rpartition(':')[2].strip('/')}={guard.key}"


JSON = {"content_type": "application/json"}


def test_the_key_opens_the_page_and_is_kept_as_a_cookie_no_script_can_read(guard):
    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *args):
            return None

    with pytest.raises(urllib.error.HTTPError) as sent_on:
        urllib.request.build_opener(Stay).open(guard.entrance)
    assert sent_on.value.code == 303
    kept = sent_on.value.headers["set-cookie"].lower()
    assert "httponly" in kept
    assert "samesite=strict" in kept
    assert asked(guard, "", Cookie=cookie(guard))[0] == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Cookie": "confide-1=x"},
        {"Cookie": "right", "Origin": "https://evil.example"},
        {"Cookie": "right", "Origin": "null"},
        {"Cookie": "right", "Host": "evil.example"},
    ],
)
def test_without_key_or_from_elsewhere_nothing_is_said(guard, headers):
    given = {name: cookie(guard) if value == "right" else value for name, value in headers.items()}
    status, _, text = asked(guard, "api/about", body=b"{}", **{"Content-Type": "application/json"}, **given)
    assert status == 403
    assert b"research" not in text
    if "Origin" not in given:
        status, _, text = asked(guard, "", **given)
        assert status == 403
        assert b"holds the key" in text


def test_answers_carry_a_strict_policy_and_are_not_kept(guard):
    _, headers, page = asked(guard, "", Cookie=cookie(guard))
    policy = headers["content-security-policy"]
    assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
    assert "unsafe" not in policy
    assert headers["cache-control"] == "no-store"
    assert headers["server"] is None
    assert b"<script>" not in page
    assert b"style=" not in page


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("api/view", b"{}"),
        ("api/view", b"nonsense"),
        ("api/view", b'{"min_detail": 2, "alpha": null, "hide": [], "query": "", "related": false, "ask": false}'),
        ("api/view", b'{"min_detail": 0, "alpha": null, "hide": ["9.9"], "query": "", "related": false, "ask": false}'),
        ("api/judge", b'{"query": "x", "rank": 1, "relevant": true, "wish": {}}'),
        ("api/keep", b'{"min_detail": 0, "alpha": null, "hide": [], "query": "", "related": false, "ask": false}'),
    ],
)
def test_wrong_requests_get_one_line(guard, path, body):
    status, _, text = asked(guard, path, body=body, **{"Content-Type": "application/json"}, Cookie=cookie(guard))
    assert status == 400
    assert text.startswith(b'{"error":"')
    assert asked(guard, path, body=body, **{"Content-Type": "text/plain"}, Cookie=cookie(guard))[0] == 415


def test_other_names_are_ours_only_if_they_were_given():
    class Asked:
        def __init__(self, host):
            self.headers = {"host": host}

    lan = Guard("http://0.0.0.0:8002/", also=["desk.lan"])
    assert lan.host_is_ours(Asked("desk.lan:8002"))
    assert not lan.host_is_ours(Asked("desk.lan:80"))
    assert not lan.host_is_ours(Asked("evil.example:8002"))
