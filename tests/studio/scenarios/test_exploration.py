"""Explore: several settings tried at once; one is picked, the release begins with it."""

import html
import re

import pytest
from tests.commands import confide
from tests.patience import wait_until
from tests.studio.opened import ask, open_studio


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    folder = tmp_path_factory.mktemp("folder")
    confide("sample", "baskets", "-o", "baskets.csv", "--records", "120", cwd=folder)
    with open_studio(folder) as studio:
        yield studio


def test_what_is_explored_is_what_the_command_prices_and_leads_to_the_release(opened):
    tried = {"job": "publish transactions", "records": "baskets.csv", "k": "2,5,200", "p": "1", "private_prefix": "s:"}
    _, _, where = ask(opened.url, "explore", tried)
    wait_until(lambda: opened.studio.jobs.job(1).over)
    status, page, _ = ask(opened.url, where.rpartition("/")[2])
    assert (status, page.count("<circle")) == (200, 2)
    assert "1 cannot be met" in page
    folder = opened.studio.project.root
    line = [
        "publish",
        "transactions",
        "baskets.csv",
        "--explore",
        "--k",
        "2,5,200",
        "--p",
        "1",
        "--private-prefix",
        "s:",
    ]
    done = confide(*line, cwd=folder)
    assert opened.studio.jobs.job(1).answer() == done.stdout
    _, page, _ = ask(opened.url, "explore?n=1&pick=2")
    link = html.unescape(re.search(r'href="(run\?[^"]*)">Nearest that works: k = 5', page)[1])
    _, form, _ = ask(opened.url, link)
    assert 'id="field-k" name="k" value="5"' in form
    assert "s:</textarea>" in form


def test_what_cannot_be_explored_is_said_with_what_was_entered(opened):
    status, page, _ = ask(opened.url, "explore", {"job": "publish transactions", "records": "baskets.csv", "k": "1"})
    assert status == 422
    assert 'value="1"' in page
    status, page, _ = ask(opened.url, "explore?job=verify")
    assert (status, "cannot be explored" in page) == (400, True)
