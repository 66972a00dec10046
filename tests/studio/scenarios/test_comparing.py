"""Utility and risk: what the pages show is what the commands answer, and begins from what the folder knows."""

import html
import json
import re

import pytest
from tests.commands import confide
from tests.patience import wait_until
from tests.studio.opened import ask, folder_of_people, open_studio, submit

from confide.studio.screens.comparing.origins import Origin, origins_of
from confide.studio.screens.comparing.utility import distributions_of

FILES = {"table": "people.csv", "schema": "people.schema.toml", "release": "out.csv"}
WORDS = ["people.csv", "--schema", "people.schema.toml", "--release", "out.csv"]


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    with open_studio(folder_of_people(tmp_path_factory.mktemp("folder"), 200)) as studio:
        texts = {"table": "people.csv", "schema": "people.schema.toml", "k": "4", "output": "out.csv"}
        submit(studio.url, "publish table", "start", wanted="p", method="incognito", **texts)
        wait_until(lambda: studio.studio.jobs.all()[0].over)
        yield studio


def shown(opened, screen, form):
    """The page of a comparison once its job is done, as plain text, and the job's answer."""
    status, page, where = ask(opened.url, screen, form)
    assert status == 200, page
    wait_until(lambda: opened.studio.jobs.all()[0].over)
    job = opened.studio.jobs.all()[0]
    assert job.state == "done", job.error
    status, page, _ = ask(opened.url, where.rpartition("/")[2])
    assert (status, "For the owner only" in page) == (200, True)
    return html.unescape(re.sub(r"<[^>]+>", " ", page)), job.answer()


def test_a_release_is_offered_with_what_it_was_made_from(opened):
    found = origins_of(opened.studio)
    assert found[0] == Origin(**FILES)
    assert found[1] == Origin(table="people.csv", schema="people.schema.toml")
    for screen in ("utility", "risk"):
        assert 'value="out.csv"' in ask(opened.url, screen)[1]


def test_utility_shows_what_the_command_says(opened):
    page, answer = shown(opened, "utility", FILES)
    done = confide("publish", "utility", *WORDS, cwd=opened.studio.project.root)
    assert answer == done.stdout
    rows = [json.loads(line) for line in answer.splitlines()]
    columns = distributions_of(rows)
    assert [name for name, *_ in columns] == [
        "age", "sex", "postcode", "occupation", "education", "income", "diagnosis",
    ]  # fmt: skip
    for name, moved, bars in columns:
        assert f"{name}" in page
        assert sum(before for _, before, _ in bars) == pytest.approx(1, abs=0.01)
        assert moved <= sum(abs(after - before) for _, before, after in bars) / 2 + 1
    accuracy = next(row for row in rows if row["measure"] == "accuracy")
    assert f"{100 * accuracy['released']:.1f}%".replace(".0%", "%") in page


def test_risk_shows_the_three_attackers_before_and_after(opened):
    page, answer = shown(opened, "risk", FILES)
    done = confide("attack", "table", *WORDS, cwd=opened.studio.project.root)
    assert answer == done.stdout
    found = json.loads(answer)
    before, after = (found["attackers"][side] for side in ("before", "released"))
    assert before["highest_prosecutor"] == 1
    assert after["highest_prosecutor"] <= 1 / 4
    plain = " ".join(page.split())
    for field in ("highest_prosecutor", "prosecutor", "highest_journalist", "marketer"):
        shares = [f"{100 * side[field]:.1f}%".replace(".0%", "%") for side in (before, after)]
        assert f"{shares[0]} → {shares[1]}" in plain
    assert "age and postcode" in plain


def test_before_anything_is_released_risk_is_that_of_the_table(opened):
    page, answer = shown(opened, "risk", {name: FILES[name] for name in ("table", "schema")})
    assert "released" not in json.loads(answer)["attackers"]
    assert "nothing of it has been released yet" in " ".join(page.split())


@pytest.mark.parametrize("screen", ["utility", "risk"])
def test_a_choice_that_cannot_be_is_one_line(opened, screen):
    for form in ({"table": "../people.csv"}, {"table": "people.csv"}, {}):
        status, page, _ = ask(opened.url, screen, form)
        assert (status, 'role="alert"' in page) == (400, True)
    assert ask(opened.url, f"{screen}?n=1")[0] in (200, 400)
