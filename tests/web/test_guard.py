"""Who may use the page: nobody without the key, no other site, no other name for this machine."""

import re
import subprocess
import sys
import urllib.error
import urllib.request

import pytest
from tests.patience import LONG
from tests.search.page_server import search_page

from confide.core.errors import InputError
from confide.core.samples import figure_30
from confide.search import LocalIndex, Profile, Wrapper
from confide.search.page.session import Session
from confide.web.guard import HEADER, Guard, read_or_make_key


@pytest.fixture(scope="module")
def guard():
    session = Session(Profile.build(figure_30(), minsup=2), Wrapper(LocalIndex.build([("a", "tea")])))
    with search_page(session) as made:
        yield made


def asked(url, *, body=None, **headers):
    request = urllib.request.Request(url, data=body, headers=headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def plain(answer):
    """Status, headers and body of an answer, without its date."""
    status, headers, body = answer
    return status, sorted((name, value) for name, value in headers.items() if name != "date"), body


JSON = {"Content-Type": "application/json"}


def test_the_key_is_the_first_part_of_the_path_and_nothing_is_left_in_the_browser(guard):
    status, headers, page = asked(guard.entrance)
    assert status == 200
    assert b"Search in your own order" in page
    assert headers["set-cookie"] is None
    assert guard.key.encode() not in page
    assert headers["referrer-policy"] == "same-origin"
    assert asked(guard.entrance.rstrip("/") + "?q=tea")[0] == 200, "a slash that was lost is put back"
    status, _, text = asked(f"{guard.entrance}api/about", body=b"{}", **JSON, **{HEADER: guard.key})
    assert status == 200
    assert b"research" in text


@pytest.mark.parametrize("path", ["", "api/about", "search.js", "opensearch.xml", "nowhere", "%2e%2e/"])
@pytest.mark.parametrize(
    ("first", "headers"),
    [
        ("", {}),
        ("x" * 32 + "/", {}),
        ("KEYx/", {}),
        ("?key=KEY&", {}),
        ("KEY/", {"Host": "evil.example"}),
        ("KEY/", {"Host": "evil.example:80", "Origin": "http://evil.example:80"}),
        ("KEY/", {"Origin": "https://evil.example"}),
        ("KEY/", {"Origin": "null"}),
        ("KEY/", {"Origin": "http://127.0.0.1:1"}),
        ("", {HEADER: "KEY"}),
    ],
)
def test_whatever_is_wrong_the_answer_is_the_same(guard, first, headers, path):
    unknown = plain(asked(f"{guard.entrance}nowhere"))
    assert unknown[0] == 404
    given = {name: value.replace("KEY", guard.key) for name, value in headers.items()}
    url = guard.url + first.replace("KEY", guard.key) + path
    for body in (None, b"{}"):
        assert plain(asked(url, body=body, **(JSON if body else {}), **given)) == unknown


def test_what_scripts_send_needs_the_header_and_forms_do_not(guard):
    url = f"{guard.entrance}api/about"
    for wrong in ({}, {HEADER: "guess"}):
        assert asked(url, body=b"{}", **JSON, **wrong)[0] == 404
        assert asked(url, body=b"{}", **{"Content-Type": "text/plain"}, **wrong)[0] == 404
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert asked(url, body=b"a=1", Origin=guard.url.rstrip("/"), **form)[0] == 415, "admitted, then not JSON"
    assert asked(url, body=b"a=1", Origin="http://127.0.0.1:1", **form)[0] == 404


def test_answers_carry_a_strict_policy_and_are_not_kept(guard):
    for url in (guard.entrance, guard.url):
        _, headers, page = asked(url)
        policy = headers["content-security-policy"]
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
        assert "unsafe" not in policy
        assert headers["cache-control"] == "no-store"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers["server"] is None
        assert b"<script>" not in page
        assert b"style=" not in page


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("api/view", b"{}"),
        ("api/view", b"nonsense"),
        ("api/view", b'{"min_detail": 2, "weight": null, "hide": [], "query": "", "related": false, "ask": false}'),
        (
            "api/view",
            b'{"min_detail": 0, "weight": 0, "hide": ["9.9"], "query": "", "related": false, "ask": false}',
        ),
        ("api/judge", b'{"query": "x", "rank": 1, "relevant": true, "wish": {}}'),
        ("api/keep", b'{"min_detail": 0, "weight": null, "hide": [], "query": "", "related": false, "ask": false}'),
    ],
)
def test_wrong_requests_get_one_line(guard, path, body):
    url, key = guard.entrance + path, {HEADER: guard.key}
    status, _, text = asked(url, body=body, **JSON, **key)
    assert status == 400
    assert text.startswith(b'{"error":"')
    assert asked(url, body=body, **{"Content-Type": "text/plain"}, **key)[0] == 415


def test_other_names_are_ours_only_if_they_were_given():
    starlette = pytest.importorskip("starlette.datastructures")
    lan = Guard("http://0.0.0.0:8002/", also=["desk.lan"])

    def admitted(host):
        return lan._admits(lan.key, "GET", starlette.Headers({"host": host}))

    assert admitted("desk.lan:8002")
    assert not admitted("desk.lan:80")
    assert not admitted("evil.example:8002")
    assert not admitted("desk.lan")


@pytest.mark.parametrize("url", ["http://127.0.0.1:80/", "http://[::1]:80/", "https://127.0.0.1:443/"])
def test_the_usual_port_may_be_left_out_as_browsers_do(url):
    starlette = pytest.importorskip("starlette.datastructures")
    page, host = Guard(url), url.partition("//")[2].rpartition(":")[0]
    for name in (host, "localhost"):
        origin = f"{url.partition(':')[0]}://{name}"
        assert page._admits(page.key, "GET", starlette.Headers({"host": name, "origin": origin}))
    assert not page._admits(page.key, "GET", starlette.Headers({"host": f"{host}:8002"}))


def test_keys_are_new_each_time_and_a_key_file_is_its_owner_s_alone(tmp_path):
    assert Guard("http://127.0.0.1:1/").key != Guard("http://127.0.0.1:1/").key
    file = tmp_path / "page.key"
    key = read_or_make_key(file)
    assert file.stat().st_mode & 0o777 == 0o600
    assert read_or_make_key(file) == key
    file.chmod(0o644)
    with pytest.raises(InputError, match="chmod 600"):
        read_or_make_key(file)
    short = tmp_path / "short"
    short.write_text("abc\n")
    short.chmod(0o600)
    with pytest.raises(InputError, match="holds no key"):
        read_or_make_key(short)


def test_the_command_prints_the_address_once_and_no_log_repeats_the_key(tmp_path):
    Profile.build(figure_30(), minsup=2).save(tmp_path / "my.profile")
    LocalIndex.build([("a", "tea")], tmp_path / "notes.sqlite")
    command = [sys.executable, "-m", "confide", "search", "serve", "my.profile", "--engine", "notes.sqlite"]
    seen = []
    for _ in range(2):
        process = subprocess.Popen(
            [*command, "--port", "0", "--key-file", "page.key"], cwd=tmp_path, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        line = process.stderr.readline()
        entrance = re.search(r"at (http://\S+/)", line)[1]
        key = (tmp_path / "page.key").read_text().strip()
        assert entrance.endswith(f"/{key}/")
        for url in (entrance, f"{entrance}nowhere", entrance.replace(key, "guess")):
            asked(url)
        assert asked(f"{entrance}api/about", body=b"{", **JSON, **{HEADER: key})[0] == 400
        process.terminate()
        out, rest = process.communicate(timeout=LONG)
        assert key not in out + rest
        seen.append(key)
    assert seen[0] == seen[1]
