"""The extension in a real Chromium: it orders a page of a strict policy, and leaves alone what it cannot order."""

import base64
import hashlib
import json
import os
import shutil
from html import escape
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright
from tests.search.page_server import search_page

from confide.search import LocalIndex, LocalRanker, Profile
from confide.search.page.application import EXTENSION
from confide.search.page.session import Session

pytestmark = pytest.mark.browser

FOLDER = Path(__file__).parents[3] / "integrations" / "webextension"
NOTES = [f"the gearbox and engine of car number {n}, and how to repair it" for n in range(20)]
FOUND = [
    ("Jaguar", "a large cat"),
    ("Jaguar in the zoo", "it sleeps all day"),
    ("Jaguar", "its engine and the gearbox"),
]
STRICT = {"content-type": "text/html", "content-security-policy": "default-src 'none'"}


def listed(kind="article data-testid=result", found=FOUND):
    """A search page of our own making, in the layout that the table of selectors names."""
    tag = kind.split()[0]
    rows = "".join(
        f"<{kind}><h2>{escape(title)}</h2><p data-result=snippet>{escape(text)}</p></{tag}><hr>"
        for title, text in found
    )
    return f"<!doctype html><title>q</title><main><p>Results</p>{rows}</main>"


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    binary = shutil.which("chromium") or os.environ.get("CHROMIUM", "")
    with sync_playwright() as driver:
        context = driver.chromium.launch_persistent_context(
            str(tmp_path_factory.mktemp("chromium")),
            executable_path=binary or None,
            headless=True,
            channel=None if binary else "chromium",
            args=[f"--disable-extensions-except={FOLDER}", f"--load-extension={FOLDER}", "--no-sandbox"],
            ignore_default_args=["--disable-extensions"],
        )
        yield context
        context.close()


@pytest.fixture(scope="module")
def guard():
    profile = Profile.build(NOTES, minsup=3)
    with search_page(Session(profile, LocalRanker(profile, LocalIndex.build([("a", "tea")])))) as made:
        yield made


def keep_key(chromium, address, key):
    """As a person does, on the extension's own page of options."""
    page = chromium.new_page()
    page.goto(f"{EXTENSION}/options.html")
    page.fill("#address", address.rstrip("/"))
    page.fill("#key", key)
    page.click("button")
    page.wait_for_function("document.querySelector('#done').textContent === 'Kept.'")
    page.close()


def visit(chromium, body, url="https://duckduckgo.com/?q=jaguar"):
    page = chromium.new_page()
    page.route("**/*", lambda route: route.fulfill(status=200, headers=STRICT, body=body))
    page.goto(url)
    page.wait_for_selector("html[data-confide]")
    done = page.locator("html").get_attribute("data-confide")
    titles = page.locator("[data-result=snippet]").all_inner_texts()
    why = [node.get_attribute("title") for node in page.locator("[title]").all()]
    page.close()
    return done, titles, why


TEXTS = [text for _, text in FOUND]


def test_the_page_is_ordered_and_says_why(chromium, guard):
    keep_key(chromium, guard.url, guard.key)
    done, texts, why = visit(chromium, listed())
    assert done == "ordered"
    assert texts == [TEXTS[2], TEXTS[0], TEXTS[1]]
    assert why == ["up 2: gearbox, engine"]


@pytest.mark.parametrize(
    ("body", "url", "line"),
    [
        (listed("div class=other"), "https://duckduckgo.com/?q=jaguar", "the page may have changed"),
        (listed(), "https://duckduckgo.com/about", "not a search page"),
        (listed(found=FOUND[:1]), "https://duckduckgo.com/?q=jaguar", "no results found"),
    ],
)
def test_a_page_of_another_layout_keeps_its_order(chromium, guard, body, url, line):
    keep_key(chromium, guard.url, guard.key)
    done, texts, _ = visit(chromium, body, url)
    assert line in done
    assert texts == TEXTS[: len(texts)]


@pytest.mark.parametrize(("address", "key"), [("http://127.0.0.1:9", "k" * 32), (None, "wrong" * 8)])
def test_without_the_program_or_its_key_the_engine_s_order_stays(chromium, guard, address, key):
    keep_key(chromium, address or guard.url, key)
    done, texts, _ = visit(chromium, listed())
    assert "ordered" not in done
    assert texts == TEXTS


def test_the_manifest_holds_the_key_that_the_origin_is_made_from_and_asks_for_little():
    manifest = json.loads((FOLDER / "manifest.json").read_text())
    digest = hashlib.sha256(base64.b64decode(manifest["key"])).hexdigest()[:32]
    assert "".join(chr(ord("a") + int(digit, 16)) for digit in digest) == EXTENSION.rpartition("/")[2]
    assert manifest["permissions"] == ["storage"]
    assert manifest["host_permissions"] == ["http://127.0.0.1/*", "http://localhost/*"]
