"""The form in a real Chromium, as its owner words it and as several people use it."""

import pytest
from tests.collect.form_page import SURVEY, fill, send
from tests.collector import Collector
from tests.patience import wait_until

from confide.collect.service.client import Client

pytestmark = pytest.mark.browser


TEXTS = """
language = "de"
introduction = "Wir fragen für die <Stadt>."
contact = "Amt für Gesundheit"
consent = "Ich bin einverstanden."

[bounds.age]
min = 0
max = 120

[words]
send = "Senden"
thanks = "Danke!"
"from to" = "{low} bis {high}"
"""


def test_the_owners_words_bounds_and_consent_are_on_the_form(tmp_path, visit):
    (tmp_path / "form.toml").write_text(TEXTS)
    with Collector(tmp_path, SURVEY, str(tmp_path / "a.duckdb"), "--form", str(tmp_path / "form.toml")) as collector:
        page = visit(collector.url, viewport={"width": 390, "height": 844})
        fill(page)
        assert page.get_attribute("html", "lang") == "de"
        assert "Wir fragen für die <Stadt>." in page.inner_text("main")
        assert "Amt für Gesundheit" in page.inner_text("footer")
        assert page.inner_text("#send") == "Senden"
        assert "36 bis 55" in page.inner_text(".hint >> nth=0")
        assert "0 bis 35;" in page.inner_text(".hint >> nth=0"), "bounds close the first range and the last"
        assert " bis 120." in page.inner_text(".hint >> nth=0")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        for age in ("121", "-1", "40.5"):  # whole edges ask for whole numbers, else "36 to 55" would not be true
            page.fill("#field-0", age)
            page.click("#send")
            assert page.inner_text("#trouble") == "age: Bitte geben Sie eine Zahl an (von 0 bis 120)."
        page.fill("#field-0", "41")
        page.click("#send")
        assert "kreuzen Sie erst an, dass Sie einverstanden sind" in page.inner_text("#trouble")
        assert page.evaluate("localStorage.length") == 0
        page.check("#agreed")
        send(page)
        assert page.inner_text("#state") == "Danke!"


def test_several_people_at_one_device_each_draw_and_keep_their_own(tmp_path, visit):
    with Collector(tmp_path, SURVEY, str(tmp_path / "a.duckdb")) as collector:
        page = visit(collector.url)
        bodies = []
        for person in range(3):
            fill(page)
            bodies.append(send(page))
            if person < 2:
                page.click("#another")
                page.wait_for_selector("#kept", state="hidden")
                assert page.is_hidden("#done")
        assert len({body["submission"] for body in bodies}) == 3
        draws = (
            "Object.values(localStorage).filter((text) => text.startsWith('{')).map((t) => JSON.parse(t).draws.length)"
        )
        assert page.evaluate(draws) == [1, 1, 1]  # nobody's gammas multiply
        page.reload()
        page.wait_for_selector("#kept:not([hidden])")
        assert send(page) == bodies[-1]


def test_the_form_says_how_many_answered_but_not_of_a_few(visit, tmp_path):
    with Collector(tmp_path, SURVEY, str(tmp_path / "a.duckdb")) as collector:
        page = visit(collector.url)
        page.wait_for_selector("#count:not([hidden])")
        assert page.inner_text("#count") == "Fewer than 5 answers so far"
        Client(collector.url).submit([[0, 0, 0]] * 1234)

        def shown():
            page.reload()
            page.wait_for_selector("#count:not([hidden])")
            return page.inner_text("#count") == "1,234 answers so far"

        wait_until(shown)  # a count may be a second old
        assert collector.stop() == 0
        assert "1,234 records came in since the start" in collector.said
