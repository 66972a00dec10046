"""The live pages in a real browser, of a real process that is fed as it runs."""

import json
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect
from tests.patience import LONG

from confide import verify
from confide.core.samples import baskets
from confide.core.streams.run import StreamRun


class Running:
    """`confide stream release -` with both pages, until it is told to end."""

    def __init__(self, folder):
        options = [
            "--noise-key",
            "noise.key",
            "--min-support",
            "25",
            "--window",
            "400",
            "--every",
            "50",
            "-o",
            "out.jsonl",
        ]
        command = [sys.executable, "-u", "-m", "confide", "stream", "release", "-", *options, "--serve", "0"]
        self.process = subprocess.Popen(
            [*command, "--owner-serve", "0", "--owner-key-file", "owner.key"], cwd=folder, text=True,
            stdin=subprocess.PIPE, stderr=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        self.rows = iter([json.dumps(row) + "\n" for row in baskets(2000, seed=7)])
        self.urls = []
        while len(self.urls) < 2:
            line = self.process.stderr.readline()
            assert line, "it did not start"
            self.urls += re.findall(r"at (http://\S+)", line)

    def feed(self, count):
        for _ in range(count):
            self.process.stdin.write(next(self.rows))
        self.process.stdin.flush()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.stdin.close()
        return self.process.wait(LONG)


@pytest.fixture
def running(tmp_path):
    started = Running(tmp_path)
    yield started
    if started.process.poll() is None:
        started.process.kill()
        started.process.wait()


def test_the_pages_show_releases_as_they_come(running, browser, tmp_path):
    public, owner = running.urls
    page, errors = browser.new_page(), []
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(public)
    expect(page.locator("#status")).to_have_text("Waiting for the first release.")
    running.feed(450)
    expect(page.locator("#release")).to_have_text("2")
    first = page.inner_text("#rows tr:first-child")
    running.feed(100)
    expect(page.locator("#release")).to_have_text("4")
    assert page.inner_text("#records") == "400"
    shown = [row.split("\t")[:3] for row in page.locator("#rows tr").all_inner_texts()]
    assert len(page.query_selector_all("#rows svg path.line")) == len(shown)
    page.fill("#filter", "MILK")
    expect(page.locator("#rows tr", has_not_text="milk")).to_have_count(0)
    assert page.locator("#rows tr").count() > 3
    assert "found in 5 records or fewer" in page.inner_text("#promise")
    assert page.locator("#limits li").count() == 5

    private = browser.new_page()
    private.goto(owner)
    expect(private.locator("#rows tr")).to_have_count(4)
    assert "do not publish" in private.inner_text("main")
    assert re.fullmatch(r"\d+", private.inner_text("#raw"))
    assert private.inner_text("#needed") == "10"

    assert running.end() == 0
    expect(page.locator("#status")).to_have_text("The run has ended.")
    assert errors == []
    assert all(url.startswith(public) for url in asked), "nothing is asked of anybody else"
    run = StreamRun.read(tmp_path / "out.jsonl")
    assert len(run.releases) == 4
    wanted = sorted(run.releases[-1].data.as_dict().values(), reverse=True)[:100]
    assert [int(row[1].replace(",", "")) for row in shown] == wanted
    for items, value, bounds in shown:
        low, high = (int(x) for x in bounds.split(" to "))
        assert run.releases[-1].data.support_of(items.split(", ")) == int(value)
        assert low <= int(value) + 5
        assert high >= int(value) - 5
    assert first
    assert verify(tmp_path / "out.jsonl.passport.json").ok


def test_the_owner_s_page_needs_its_key_and_this_machine_s_name(running, tmp_path):
    entrance = running.urls[1]
    plain, key = re.fullmatch(r"(http://127\.0\.0\.1:\d+/)([\w-]{24,})/", entrance).groups()
    port = plain.rstrip("/").rpartition(":")[2]
    assert (tmp_path / "owner.key").read_text() == f"{key}\n"
    assert (tmp_path / "owner.key").stat().st_mode & 0o777 == 0o600
    with urllib.request.urlopen(entrance, timeout=LONG) as answer:
        assert answer.headers["set-cookie"] is None
        assert answer.headers["referrer-policy"] == "same-origin"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
    for url, headers in (
        (plain, {}),
        (f"{plain}releases", {}),
        (f"{plain}releases", {"X-Confide-Key": key}),
        (f"{plain}?key={key}", {}),
        (f"{plain}{key[:-1]}/", {}),
        (entrance, {"Host": f"evil.example:{port}"}),
        (entrance, {"Origin": "https://evil.example"}),
        (entrance, {"Origin": f"http://127.0.0.1:{int(port) - 1}"}),
    ):
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=LONG)
        assert refused.value.code == 404


def test_events_go_on_from_where_a_listener_was(running):
    running.feed(500)
    request = urllib.request.Request(f"{running.urls[0]}releases", headers={"Last-Event-ID": "2"})
    with urllib.request.urlopen(request, timeout=LONG) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.readline() == b"id: 3\n"
        release = json.loads(answer.readline().removeprefix(b"data: "))
    assert release["release"] == 3
    assert set(release) == {"at", "release", "offset", "until", "records", "itemsets"}
