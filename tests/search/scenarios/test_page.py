"""The page as a person uses it, in a real browser: sliders, both orders, hiding, judging, keyboard, phone."""

import json
import re

import pytest
from playwright.sync_api import expect
from tests.search.engines import EVIL, engine
from tests.search.page_server import search_page, serving

from confide.core.samples import documents
from confide.search import LocalIndex, LocalRanker, Profile, RemoteWrapper, Wrapper
from confide.search.page.judgment_file import Judgments
from confide.search.page.session import Session
from confide.search.wrapper.service import wrapper_application
from confide.web.serving import listen, url_of

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def profile():
    return Profile.build(documents(300, seed=3))


@pytest.fixture(scope="module")
def index():
    return LocalIndex.build([(f"https://site.example/{i}", text) for i, text in enumerate(documents(400, seed=5))])


@pytest.fixture
def visit(browser):
    """Opens the page by its key; an error in it, a warning of the policy, or a request to elsewhere fails the test."""
    faults, contexts = [], []

    def open_page(guard, path="", **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda line: line.type == "error" and faults.append(line.text))
        page.on("request", lambda request: request.url.startswith(guard.entrance) or faults.append(request.url))
        page.goto(guard.entrance + path)
        expect(page.locator("#ratio")).not_to_have_text("-")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not faults


def ask(page, words):
    page.fill("#query", words)
    page.press("#query", "Enter")
    expect(page.locator("#status")).to_have_text(re.compile("results|found"))


def slide(page, name, value):
    with page.expect_response("**/api/view"):
        page.locator(f"#{name}").fill(str(value))


def ratio(page):
    return float(page.locator("#ratio").get_attribute("data-value"))


def order(page, column="own"):
    links = page.locator(f"#{column}-order .result")
    return [links.nth(i).get_attribute("data-engine-rank") for i in range(links.count())]


def colours(page):
    found = page.locator("#tree > li > .row > .name")
    return [found.nth(i).get_attribute("class").split()[-1] for i in range(found.count())]


def test_moving_the_sliders_changes_tree_ratio_and_order_and_asks_nobody_again(visit, profile, index):
    asked = []

    class Counting:
        name = "index"

        def search(self, query, *, count=50):
            asked.append(query)
            return index.search(query, count=count)

    with search_page(Session(profile, Wrapper(Counting(), ranking="pprank"))) as guard:
        page = visit(guard)
        ask(page, "evening")
        plain, own, much, tree = order(page, "engine"), order(page), ratio(page), colours(page)
        assert plain == [str(i) for i in range(1, len(plain) + 1)]
        assert own != plain
        assert "sent" in tree
        assert "kept" in tree
        slide(page, "detail", 186)  # about 7%
        expect(page.locator("#ratio")).not_to_have_attribute("data-value", str(much))
        assert ratio(page) < much
        assert colours(page).count("sent") < tree.count("sent")
        assert order(page) != own
        slide(page, "detail", 300)
        expect(page.locator("#ratio")).to_have_text("0.00")
        assert order(page) == plain
        slide(page, "detail", 0)
        expect(page.locator("#ratio")).to_have_text("1.00")
        with page.expect_response("**/api/view"):
            page.uncheck("#auto")
        for value in (100, 0):
            slide(page, "weight", value)
            expect(page.locator("#status")).to_contain_text(f"alpha {value // 100}.")
        assert order(page) == plain
        assert asked == ["evening"]


def test_a_few_exposed_words_move_results_and_where_none_is_left_the_page_says_so(visit, profile, index):
    with search_page(Session(profile, Wrapper(index))) as guard:
        page = visit(guard)
        ask(page, "evening")
        expect(page.locator("#status")).to_have_text(re.compile(r"^50 results, \d\d moved; strength 0\.3\.$"))
        slide(page, "detail", 300)
        expect(page.locator("#status")).to_have_text(
            "50 results, 0 moved; strength 0.3. Nothing of a profile is exposed: the engine's order stays."
        )


def test_a_branch_is_hidden_by_a_click_and_kept_hidden_if_wanted(visit, profile, index):
    saved = []
    with search_page(Session(profile, LocalRanker(profile, index), save=saved.append)) as guard:
        page = visit(guard)
        slide(page, "detail", 0)
        first = page.locator("#tree > li").first
        label = first.locator(":scope > .row > .name").inner_text()
        with page.expect_response("**/api/view"):
            first.locator(":scope > .row > .hide").click()
        expect(first.locator(":scope > .row > .name")).to_have_class("name hidden")
        assert ratio(page) < 1
        assert not re.search(rf"\b{label}\b", page.locator("#pairs").text_content())
        with page.expect_response("**/api/keep"):
            page.click("#keep")
        expect(page.locator("#tree > li").first.locator(":scope > .row > .name")).to_have_class("name hidden")
        assert saved[0].root.children[0].hidden


def test_what_leaves_the_machine_is_shown_and_is_what_leaves(visit, profile):
    with engine() as server, search_page(Session(profile, LocalRanker(profile, server.address))) as guard:
        page = visit(guard)
        assert server.seen == []
        ask(page, "evening")
        assert page.locator("#leaves").inner_text() == f"Only evening leaves this machine, to {server.address[7:]}"
        assert page.locator("#sees").text_content() == "evening"
        sent = "".join(server.seen)
        assert "q=evening" in sent
        assert not any(word in sent for child in profile.root.children for word in child.words if word != "evening")
        assert guard.key not in sent


def test_a_wrapper_elsewhere_gets_the_query_and_the_exposed_pairs_and_nothing_else(visit, profile, index):
    """What is read here is the wire: a relay between the page's server and the service keeps every byte."""
    bodies = []
    inner = wrapper_application(Wrapper(index))

    async def relay(scope, receive, send):
        async def kept():
            message = await receive()
            bodies.append(message.get("body", b""))
            return message

        await inner(scope, kept if scope["type"] == "http" else receive, send)

    listening = listen("127.0.0.1", 0)
    url = url_of(listening, tls=False)
    with serving((relay, listening)), search_page(Session(profile, RemoteWrapper(url))) as guard:
        page = visit(guard)
        expect(page.locator("#leaves")).to_contain_text(re.compile(r"^your query and these \d+ words go to 127"))
        slide(page, "detail", 135)
        assert not any(bodies)
        ask(page, "evening")
        body = b"".join(bodies)
        assert json.loads(body) == json.loads(page.locator("#sees").text_content())
        sent = json.loads(body)
        assert set(sent) == {"query", "profile", "alpha"}
        shown = page.locator("#pairs li").all_inner_texts()
        assert [f"{'/'.join(pair['term'])} {pair['weight']:.3f}" for pair in sent["profile"]["pairs"]] == shown
        bodies.clear()
        slide(page, "detail", 210)  # a slider only previews; nothing is sent before the button
        assert not any(bodies)


def test_a_moved_result_says_how_far_and_why_and_one_click_takes_a_word_out(visit, profile, index):
    saved = []
    with search_page(Session(profile, LocalRanker(profile, index), save=saved.append)) as guard:
        page = visit(guard)
        expect(page.locator("#leaves")).to_contain_text("Nothing leaves this machine")
        ask(page, "evening")
        risen = page.locator("#own-order .moved.up", has=page.locator(".why")).first
        assert re.match(r"up \d+: ", risen.text_content())
        word = risen.locator(".why").first.evaluate("why => why.firstChild.textContent")
        with page.expect_response("**/api/drop"):
            risen.locator(".out").first.click()
        expect(page.locator("#status")).to_have_text(f"“{word}” is out for good.")
        expect(page.locator("#own-order .why", has_text=re.compile(rf"^{word}\W$"))).to_have_count(0)
        (changed,) = saved
        assert word not in {w for interest in changed.root.walk() for w in interest.words}
        assert not LocalRanker(changed, index).effect(changed.edits.dropped)


def test_any_interest_is_found_by_a_filter_by_share_or_by_effect(visit, profile, index):
    with search_page(Session(profile, LocalRanker(profile, index))) as guard:
        page = visit(guard)
        rare = min(profile.root.walk(), key=lambda interest: interest.units)
        page.fill("#filter", rare.words[0])
        expect(page.locator("#listed")).to_contain_text("interest")
        assert all(rare.words[0] in name for name in page.locator("#tree .name").all_inner_texts())
        with page.expect_response("**/api/list"):
            page.fill("#filter", "")
            page.select_option("#by", "effect")
        expect(page.locator("#listed")).to_have_text(f"{len(profile):,} interests, the first 100 are shown")
        shares = page.locator("#tree .share").all_inner_texts()
        assert shares[0] == "effect 100"
        numbers = [int(text.removeprefix("effect ")) for text in shares]
        assert numbers == sorted(numbers, reverse=True)


def test_judging_is_in_random_order_is_kept_and_prices_branches(visit, profile, index, tmp_path):
    file = tmp_path / "judgments.jsonl"
    session = Session(profile, LocalRanker(profile, index), judgments=Judgments.open(file))
    with search_page(session) as guard:
        page = visit(guard)
        page.click("#ask-worth")
        expect(page.locator("#worth")).to_contain_text("Judge some results first")
        ask(page, "evening")
        page.click("[data-mode=judge]")
        ranks = [int(c.get_attribute("data-engine-rank")) for c in page.locator(".result").all()]
        assert ranks != sorted(ranks)  # by chance once in 20! orders
        for number in (0, 1):
            with page.expect_response("**/api/judge"):
                page.locator(".result").nth(number).locator("button").nth(number).click()
        expect(page.locator("#status")).to_contain_text("2 of")
        expect(page.locator("#status")).to_contain_text("Average precision over 1 judged query")
        page.click("#ask-worth")
        expect(page.locator("#worth table")).to_contain_text("sport")
    again = Judgments.open(file).of("evening", index.search("evening")).relevant
    assert again[ranks[0] - 1] is True
    assert again[ranks[1] - 1] is False
    assert sum(mark is not None for mark in again) == 2


def test_everything_can_be_done_by_keyboard(visit, profile, index):
    with search_page(Session(profile, LocalRanker(profile, index))) as guard:
        page = visit(guard)
        page.locator("#detail").focus()
        page.keyboard.press("/")
        page.keyboard.type("evening")
        page.keyboard.press("Enter")
        expect(page.locator("#own-order .result").first).to_be_visible()
        before = ratio(page)
        page.locator("#detail").focus()
        with page.expect_response("**/api/view"):
            page.keyboard.press("PageUp")
        expect(page.locator("#ratio")).not_to_have_attribute("data-value", str(before))
        assert ratio(page) < before
        page.locator("#tree .open").first.focus()
        page.keyboard.press("Enter")
        expect(page.locator("#tree > li").first.locator("ul > li").first).to_be_visible()
        seen = set()
        for _ in range(60):
            page.keyboard.press("Tab")
            seen.add(page.evaluate("document.activeElement.className || document.activeElement.id"))
        assert "hide" in seen


def test_strangers_cannot_put_anything_into_the_page(visit, profile):
    with engine("odd") as server, search_page(Session(profile, LocalRanker(profile, server.address))) as guard:
        page = visit(guard)
        ask(page, "tea")
        assert page.title() == "Search in your own order"
        assert page.locator("#results script, #results img").count() == 0
        assert "Gravel" in page.locator("#own-order .result").first.inner_text()
        ask(page, EVIL)
        assert page.title() == "Search in your own order"


def test_an_engine_that_fails_is_one_line_and_the_page_goes_on(visit, profile):
    with engine("error") as server, search_page(Session(profile, LocalRanker(profile, server.address))) as guard:
        page = visit(guard)
        page.fill("#query", "tea")
        page.press("#query", "Enter")
        expect(page.locator("#status")).to_contain_text("answers with HTTP 500")
        server.behaviour = "well"
        ask(page, "tea")
        assert len(order(page)) == 20


def test_the_address_bar_can_search_and_the_query_does_not_stay_there(visit, profile, index):
    with search_page(Session(profile, LocalRanker(profile, index))) as guard:
        page = visit(guard, path="?q=evening%20tea")
        expect(page.locator("#own-order .result").first).to_be_visible()
        assert page.url == guard.entrance
        assert page.input_value("#query") == "evening tea"
        described = page.request.get(guard.entrance + "opensearch.xml").text()
        assert f'template="{guard.entrance}?q={{searchTerms}}"' in described


@pytest.mark.parametrize("width", [1280, 390, 320])
def test_nothing_is_wider_than_the_window(visit, profile, index, width):
    with search_page(Session(profile, LocalRanker(profile, index))) as guard:
        page = visit(guard, viewport={"width": width, "height": 800})
        ask(page, "evening")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
