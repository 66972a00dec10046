"""Every screen in Chromium: axe-core finds nothing, the console no error, no other host is asked, nothing is too wide.

In the suite once, light, on a desk; with CONFIDE_ALL=1 also dark and on a phone.
"""

import os

import pytest
from axe_playwright_python.sync_playwright import Axe
from tests.commands import confide
from tests.patience import wait_until
from tests.studio.opened import ask, folder_of_people, open_studio, submit

pytestmark = pytest.mark.browser

SCREENS = (
    "",
    "guide",
    "guide?have=baskets&keeps=items&gets=everybody&secret=fact&knows=3&field=health",
    "guide?have=else",
    "columns",
    "columns?table=people.csv&rows=yes&row=7",
    "hierarchy?name=occupation.csv",
    "explore",
    "explore?job=publish+table&table=people.csv",
    "explore?n=3&pick=2&pins=0,1",
    "explore?n=3&pick=4",
    "publish",
    "utility",
    "utility?n=4",
    "risk",
    "risk?n=5",
    "risk?n=6",
    "verify",
    "jobs",
    "compare",
    "compare?job=publish+transactions",
    "compare?name=compare-people",
    "stages",
    "collect",
    "collect?scheme=ask.json",
    "join",
    "join?config=chain/join.toml",
    "stream",
    "stream?run=stream-released.jsonl",
    "search",
    "tools",
    "run?job=publish+table&table=people.csv",
    "run?job=publish+transactions",
    "run?job=collect+plan",
    "run?job=join+site",
    "run?name=publish.run.toml",
    "run?name=broken.run.toml",
    "job?n=1",
    "job?n=2",
    "file?name=people.csv",
    "file?name=people-released.csv.passport.json",
    "file?name=people-released.html",
    "file?name=../people.csv",
)
LOOKS = [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """A folder in which something was released, something refused, and one run is broken."""
    folder = folder_of_people(tmp_path_factory.mktemp("folder"), 200)
    (folder / "broken.run.toml").write_text("job = [")
    confide("sample", "baskets", "-o", "baskets.csv", "--records", "50", cwd=folder)
    confide("sample", "chain", "chain", "--rows", "30", cwd=folder)
    confide("sample", "baskets", "-o", "stream.jsonl", "--records", "200", cwd=folder)
    with open_studio(folder) as opened:
        for k, name, do in (("5", "publish", "start"), ("500", "refused", "start")):
            texts = {
                "table": "people.csv",
                "schema": "people.schema.toml",
                "k": k,
                "wanted": name,
                "method": "mondrian",
            }
            files = {"output": "people-released.csv", "report": "people-released.html", "replace": "yes"}
            assert submit(opened.url, "publish table", do, **texts, **files)[0] == 200
            wait_until(lambda: opened.studio.jobs.all()[0].over)
        tried = {"job": "publish transactions", "records": "baskets.csv", "k": "2,3,40", "p": "1,2", "h": "0.9"}
        assert ask(opened.url, "explore", tried | {"private_prefix": "s:"})[0] == 200
        wait_until(lambda: opened.studio.jobs.all()[0].over)
        files = {"table": "people.csv", "schema": "people.schema.toml"}
        for screen, given in (
            ("utility", released := files | {"release": "people-released.csv"}),
            ("risk", released),
            ("risk", files),
        ):
            assert ask(opened.url, screen, given)[0] == 200
            wait_until(lambda: opened.studio.jobs.all()[0].over)
        ask(opened.url, "compare", files | {"job": "publish table", "k": "2, 5", "method": "mondrian", "suppress": "0"})
        wait_until(lambda: not opened.studio.comparisons.of("compare-people").on)
        stream = {"records": "stream.jsonl", "min_support": "25", "window": "100", "seed": "1"}
        submit(opened.url, "stream release", "start", wanted="s", output="stream-released.jsonl", **stream)
        plan = {"values": "sex=female,male\ndiagnosis=asthma,none", "gamma": "19", "output": "ask.json"}
        submit(opened.url, "collect plan", "start", wanted="ask", **plan)
        wait_until(lambda: all(job.over for job in opened.studio.jobs.all()))
        ask(opened.url, "join", {"config": "chain/join.toml", "do": "simulate"})
        ask(opened.url, "join", {"config": "chain/join.toml", "do": "check"})
        wait_until(lambda: all(job.over for job in opened.studio.jobs.all()))
        assert {job.state for job in opened.studio.jobs.all()} == {"done", "refused"}
        passport = "people-released.csv.passport.json"
        wait_until(lambda: opened.studio.verdicts.of(passport).state == "good")
        wait_until(lambda: opened.studio.copies.look("people.csv") is not None)
        yield opened.url


@pytest.fixture(scope="module", params=LOOKS if os.environ.get("CONFIDE_ALL") else LOOKS[:1], ids=str)
def page(request, browser):
    width, scheme = request.param
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("path", SCREENS)
def test_a_screen_is_sound(url, page, path):
    errors, asked = [], []
    page.on("console", lambda said: errors.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    status = page.goto(url + path).status
    page.wait_for_load_state("networkidle")
    expected = {"run?name=broken.run.toml": 422, "file?name=../people.csv": 400}.get(path, 200)
    assert status == expected
    assert [line for line in errors if f"status of {expected}" not in line] == []
    assert all(address.startswith(url) for address in asked), "nothing is asked of anybody else"
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, "nothing is wider than the screen"
    found = Axe().run(page).response
    assert len(found["passes"]) > 5
    assert found["violations"] == []


def test_a_report_is_shown_in_a_sandbox_with_its_own_policy(url, page):
    answer = page.request.get(url + "report?name=people-released.html")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'; style-src 'unsafe-inline'")
    page.goto(url + "job?n=1")
    frame = page.frame_locator("iframe.report")
    assert "every row looks like" in frame.locator("h1").inner_text()
    assert frame.locator("body").evaluate("body => getComputedStyle(body).color") != "rgb(0, 0, 0)"
    assert page.locator("iframe.report").get_attribute("sandbox") == ""
