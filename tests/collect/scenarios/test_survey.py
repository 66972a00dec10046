"""A survey in a real Chromium: people of two languages at two widths, one who leaves, one who comes twice, one kill.

20 people in the suite; 200 with CONFIDE_ALL=1.
"""

import json
import os
import random

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from tests.collect.health_survey import SURVEY, TEXT, scheme_for
from tests.collector import Collector
from tests.patience import wait_until

from confide.collect.service.client import Client
from confide.collect.service.store import read_store
from confide.collect.survey.question_results import question_results

pytestmark = pytest.mark.browser

PEOPLE = 200 if "CONFIDE_ALL" in os.environ else 20
SCHEME = scheme_for(1000)
NAMES = list(SURVEY.questions)
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


def people(number):
    """What each would answer, None for what is left out; a third smoke."""
    drawn = random.Random(30)
    found = []
    for _ in range(number):
        person = {name: drawn.choice(list(question.answers)) for name, question in SURVEY.questions.items()}
        person["smokes"] = "yes" if drawn.random() < 1 / 3 else "no"
        person["drinks"] = None if drawn.random() < 0.2 else person["drinks"]
        person["packs"] = person["packs"] if person["smokes"] == "yes" else None
        found.append(person)
    return found


def truth_of(person):
    """The record that the person's device perturbs."""
    left = {"drinks": "no answer", "packs": "not asked"}
    return {name: left[name] if value is None else value for name, value in person.items()}


def serve(folder, *options):
    (folder / "survey.toml").write_text(TEXT)
    given = ("--form", str(folder / "survey.toml"), "--team-key", str(folder / "team.key"))
    return Collector(folder, SCHEME, str(folder / "a.duckdb"), *given, *options)


def team_page(collector, folder):
    return f"{collector.url}{(folder / 'team.key').read_text().strip()}/"


def tick(page, person, names=NAMES):
    for name in names:
        if person[name] is not None:
            page.check(f"#field-{NAMES.index(name)} input[value={person[name]}]")


def ready(page):
    page.wait_for_selector("#send:not([disabled])")


def fill_in(page, person):
    ready(page)
    tick(page, person)
    page.check("#agreed")


def arrive(page):
    page.click("#send")
    page.wait_for_selector("#done:not([hidden])")


@pytest.mark.slow
def test_nothing_is_lost_or_doubled_and_estimates_cover_the_truth(tmp_path, browser):
    """Of 22 intervals of 95%, some of which go together, 15 or fewer hold the truth in about 1 of 10^5 runs."""
    links_file, crowd = tmp_path / "links.txt", people(PEOPLE)
    with serve(tmp_path, "--links", str(links_file), "--people", str(PEOPLE)) as collector:
        codes = [line.partition("#")[2] for line in links_file.read_text().splitlines()]
        bodies, contexts = [], {}

        def visit(number, device="own"):
            size = WIDE if number % 2 else PHONE
            if (number, device) not in contexts:
                contexts[number, device] = browser.new_context(viewport=size)
            page = contexts[number, device].new_page()
            page.on("request", lambda request: bodies.append(request.post_data) if request.method == "POST" else None)
            page.goto(f"{collector.url}form?lang={'en' if number % 4 < 2 else 'de'}#{codes[number]}")
            return page

        for number, person in enumerate(crowd):
            page = visit(number)
            if number == 3:  # leaves half-way, and comes back
                ready(page)
                tick(page, person, NAMES[:4])
                contexts.pop((number, "own")).close()
                page = visit(number)
                assert page.locator("input:checked").count() == 0, "true answers are kept nowhere"
            fill_in(page, person)
            if number == PEOPLE // 2:  # sends while the collector is dead
                collector.kill()
                page.click("#send")
                page.wait_for_selector("#trouble:not([hidden])")
                said = page.inner_text("#trouble")
                assert "There is no connection" in said or "Es gibt keine Verbindung" in said
                collector.start()
            arrive(page)
            if number == 5:  # once more here, and once more elsewhere
                arrive(page)
                elsewhere = visit(number, "another device")
                fill_in(elsewhere, crowd[number + 1])
                elsewhere.click("#send")
                elsewhere.wait_for_selector("#trouble:not([hidden])")
                assert "used already" in elsewhere.inner_text("#trouble") or "schon benutzt" in elsewhere.inner_text(
                    "#trouble"
                )
                contexts.pop((number, "another device")).close()
            contexts.pop((number, "own")).close()
        assert links_file.read_text() == "", "every link was used, and struck off"
        wait_until(lambda: Client(collector.url).count() == PEOPLE)  # it may say what it said a second ago
        assert collector.stop() == 0
    assert {len(body) for body in bodies} == {512}, "every message is as long as any other"
    stored = json.dumps(bodies)
    collected = read_store(str(tmp_path / "a.duckdb"), scheme=SCHEME)
    assert len(collected.records) == PEOPLE
    assert not any(code in (tmp_path / "a.duckdb").read_bytes().decode("latin-1") for code in codes)
    assert all(code in stored for code in codes)
    truths = [truth_of(person) for person in crowd]
    held = total = 0
    for result in question_results(SCHEME, collected.records, survey=SURVEY):
        for answer in result.answers:
            share = np.mean([truth[result.name] == answer.value for truth in truths])
            held += answer.low <= share <= answer.high
            total += 1
    assert total == 22
    assert held >= 16


def test_the_form_can_be_answered_by_keyboard_alone_and_without_a_network(tmp_path, browser):
    with serve(tmp_path) as collector:
        context = browser.new_context(viewport=PHONE)
        page = context.new_page()
        page.goto(collector.url + "form?lang=de")
        ready(page)
        page.wait_for_selector("#count:not([hidden])")
        context.set_offline(True)
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.focus("a[data-carry] >> nth=-1")
        packs = NAMES.index("packs")
        for name in NAMES:
            if name == "packs":
                assert page.is_visible(f"#field-{packs}"), "asked, since the person smokes"
            page.keyboard.press("Tab")
            page.keyboard.press("ArrowDown" if name == "smokes" else "Space")
            if name == "smokes" and page.is_hidden(f"#field-{packs}"):
                page.keyboard.press("ArrowDown")
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        assert page.is_checked("#agreed")
        assert asked == []
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector("#trouble:not([hidden])")
        assert "Es gibt keine Verbindung" in page.inner_text("#trouble")
        context.set_offline(False)
        arrive(page)
        assert page.evaluate("document.activeElement.id") == "done"
        context.close()
        assert Client(collector.url).count() == 1


def test_a_question_that_is_hidden_again_is_not_asked(tmp_path, browser):
    with serve(tmp_path) as collector:
        page = browser.new_page()
        page.goto(collector.url + "form?lang=en")
        ready(page)
        smokes, packs = (NAMES.index(name) for name in ("smokes", "packs"))
        assert page.is_hidden(f"#field-{packs}")
        page.check(f"#field-{smokes} input[value=yes]")
        page.check(f"#field-{packs} input[value=many]")
        page.check(f"#field-{smokes} input[value=no]")
        assert page.is_hidden(f"#field-{packs}")
        page.check(f"#field-{smokes} input[value=yes]")
        assert page.locator(f"#field-{packs} input:checked").count() == 0
        page.click("#send")
        assert page.inner_text("#trouble") == "Please answer: How old are you?"
        assert page.evaluate("document.activeElement.name") == "field-0"
        assert page.locator("#field-0 + #trouble").is_visible(), "said where it is to be done"
        page.check("#field-0 input[value=old]")
        assert page.is_hidden("#trouble")
        page.close()


@pytest.mark.parametrize("look", [(WIDE, "light"), (PHONE, "dark")], ids=["wide", "phone"])
def test_axe_finds_nothing_on_any_page_of_a_survey(tmp_path, browser, look):
    size, scheme = look
    links = tmp_path / "links.txt"
    with serve(tmp_path, "--links", str(links), "--people", "2", "--within", "2,3") as collector:
        team = team_page(collector, tmp_path)
        context = browser.new_context(viewport=size, color_scheme=scheme)
        page = context.new_page()

        def check(where):
            found = Axe().run(page).response["violations"]
            assert [(one["id"], one["nodes"][0]["html"]) for one in found] == [], where
            assert page.evaluate("document.documentElement.scrollWidth") <= size["width"], where

        page.goto(f"{collector.url}form?lang=en")
        page.wait_for_selector("#trouble:not([hidden])")
        assert page.is_hidden("#form"), "without a link nothing is asked that could not be sent"
        check("a link is missing")
        for language, link in zip(("en", "de"), links.read_text().splitlines(), strict=True):
            page.goto(f"{collector.url}?lang={language}#{link.partition('#')[2]}")
            check("what leaves the device")
            page.click("a.button")
            ready(page)
            assert page.url.endswith(f"form?lang={language}#{link.partition('#')[2]}"), "the link is carried on"
            assert page.get_attribute("html", "lang") == language
            check("the form")
            page.click("#send")
            check("an answer is missing")
            fill_in(page, people(1)[0])
            arrive(page)
            check("thanks")
        page.goto(team)
        check("the team's page")
        page.goto(team + "results")
        check("no results yet")
        for state, heading in (("paused", "This survey is paused"), ("closed", "This survey has ended")):
            page.goto(team)
            page.click(f"button[value={state}]")
            check(f"the team's page, {state}")
            page.goto(collector.url + "form?lang=en")
            assert page.inner_text("h1") == heading
            check(state)
        context.close()


def test_axe_finds_nothing_on_the_results(tmp_path, browser):
    with serve(tmp_path) as collector:
        drawn = SCHEME.perturb([truth_of(person) for person in people(500)])
        Client(collector.url).submit([SCHEME.encode(one) for one in drawn])
        for size in (WIDE, PHONE):
            page = browser.new_page(viewport=size)
            page.goto(team_page(collector, tmp_path) + "results")
            assert page.locator("svg.bar").count() == 22
            assert Axe().run(page).response["violations"] == []
            assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
            page.close()
