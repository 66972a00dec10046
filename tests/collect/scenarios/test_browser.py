"""The browser client in a real Chromium: what leaves the page is a perturbed record, drawn by the scheme's own law."""

import http.server
import itertools
import json
import math
import threading
import uuid

import numpy as np
import pytest
from scipy.stats import chi2
from tests.collect.form_page import SURVEY, fill, send
from tests.collector import Collector
from tests.oracles.answering import block_law
from tests.oracles.basket_rounds import basket_law
from tests.patience import wait_until

from confide.collect import (
    BasketQuestion,
    CutAndPaste,
    Emask,
    GammaDiagonal,
    LocalHashing,
    Mask,
    MatrixScheme,
    RandomizedResponse,
    SampledDesign,
    SubsetSelection,
    UnaryEncoding,
)
from confide.collect.fields.fields import Fields
from confide.collect.service.client import Client
from confide.collect.service.store import read_store

pytestmark = pytest.mark.browser

BASKET = Emask(p=0.5, q=0.9, items=tuple(f"item {i:02}" for i in range(30)), max_length=3)
DRAWS = 20_000


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    folder = tmp_path_factory.mktemp("survey")
    with Collector(folder, SURVEY, str(folder / "answers.duckdb"), "--title", "Survey") as collector:
        yield collector


def test_what_leaves_the_page_is_one_perturbed_record_and_nothing_else(survey, visit):
    page = visit(survey.url)
    fill(page)
    body = send(page)
    assert set(body) == {"scheme", "submission", "records"}
    assert body["scheme"] == SURVEY.fingerprint
    assert uuid.UUID(body["submission"]).version == 4
    [record] = body["records"]
    SURVEY.check_wire(record)
    assert page.inner_text("#wire") == "" or json.loads(page.text_content("#wire")) == body
    words = [item.inner_text() for item in page.query_selector_all("#sent li")]
    ages = {"<=35": "up to 35", "(35,55]": "36 to 55", ">55": "56 or more"}  # as people say them
    shown = zip(SURVEY.fields.names, SURVEY.fields.decode_one(record), strict=True)
    assert words == [f"{name}: {ages.get(value, value)}" for name, value in shown]
    thanks, kept_note = (page.locator(at).bounding_box()["y"] for at in ("#done", "#kept"))
    assert thanks < kept_note  # a kind word comes first
    assert page.inner_text("#state") == "Thank you! Your answer has arrived."
    assert page.input_value("#field-0") == ""  # the next person at the device does not see the answers
    kept = page.evaluate("Object.values(localStorage)")
    assert len(kept) == 1
    assert json.loads(kept[0])["record"] == record
    assert "41" not in kept[0].replace(body["submission"], "").replace(body["scheme"], "")


def test_submitting_again_sends_the_same_record_even_after_a_reload(survey, visit):
    page = visit(survey.url)
    fill(page)
    first = send(page)
    assert page.inner_text("#send") == "Send the same record again"
    assert send(page) == first
    assert "stored before" in page.inner_text("#state")
    page.reload()
    page.wait_for_selector("#kept:not([hidden])")
    assert send(page) == first  # with nothing filled in: what is typed is not looked at


def test_a_fresh_draw_states_its_price_and_must_be_accepted(survey, visit):
    page = visit(survey.url)
    fill(page)
    first = send(page)
    page.click("#anew summary")
    assert "draw number 2" in page.inner_text("#price")
    assert "to 361 instead of 19" in page.inner_text("#price")
    page.check("#fresh")
    fill(page)
    second = send(page)
    assert second["submission"] != first["submission"]
    assert page.evaluate("JSON.parse(Object.values(localStorage)[0]).draws.length") == 2


def test_each_person_draws_anew_and_every_record_is_stored(survey, visit):
    """40 people with the same answer, which each sends with probability 19/30: all or hardly any only once in 1e7."""
    page = visit(survey.url)
    page.wait_for_selector("#send:not([disabled])")
    before = Client(survey.url).count()
    records = page.evaluate(
        """async () => {
          const found = [];
          const client = new Confide.Client("./");
          await client.load();
          for (let i = 0; i < 40; i += 1) {
            localStorage.clear();
            found.push((await client.send({age: 41, sex: "F", fumé: "yes"})).record);
          }
          return found;
        }"""
    )
    assert 4 <= sum(record == [1, 0, 1] for record in records) <= 39
    wait_until(lambda: Client(survey.url).count() == before + 40)  # a count may be a second old


def test_a_changed_scheme_sends_nothing_by_itself(tmp_path, visit):
    other = GammaDiagonal(domains=SURVEY.fields, gamma=9)
    with Collector(tmp_path, SURVEY, str(tmp_path / "a.duckdb")) as collector:
        page = visit(collector.url)
        fill(page)
        send(page)
        collector.stop()
        with Collector(tmp_path, other, str(tmp_path / "b.duckdb"), "--port", collector.url.rsplit(":")[-1].strip("/")):
            page.reload()
            page.wait_for_selector("#kept.warn")
            assert "have changed" in page.inner_text("#kept")
            assert page.is_disabled("#send")
            said = page.evaluate(
                """async () => {
                  const client = new Confide.Client("./");
                  await client.load();
                  try { await client.send({age: 41, sex: "F", fumé: "no"}); return "sent"; }
                  catch (error) { return error.constructor.name + ": " + error.message; }
                }"""
            )
            assert said.startswith("SchemeChanged: the collector has changed its scheme")
            assert "gammas multiply" in said
            page.check("#fresh")
            fill(page)
            assert send(page)["scheme"] == other.fingerprint


def test_items_are_ticked_searched_and_limited(tmp_path, visit):
    with Collector(tmp_path, BASKET, str(tmp_path / "a.duckdb")) as collector:
        page = visit(collector.url, viewport={"width": 360, "height": 740}, has_touch=True)
        page.wait_for_selector("#send:not([disabled])")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360  # a phone need not scroll sideways
        page.fill("#search", "ITEM 07")
        assert [label.inner_text() for label in page.query_selector_all(".items label:not([hidden])")] == ["item 07"]
        page.check("text=item 07")
        page.fill("#search", "")
        page.check("text=item 02")
        page.check("text=item 29")
        assert page.inner_text(".hint") == "3 of at most 3 ticked"
        assert page.is_disabled("text=item 11")
        body = send(page)
        BASKET.check_wire(body["records"][0])


def test_a_question_about_a_basket_is_answered_kept_and_mined(tmp_path, visit):
    question, store = BasketQuestion(items=BASKET.items, gamma=19, pad=2), str(tmp_path / "a.duckdb")
    with Collector(tmp_path, question, store) as collector:
        page = visit(collector.url)
        page.wait_for_selector("#send:not([disabled])")
        page.check("text=item 07")
        question.check_wire(send(page)["records"][0])
    collected = read_store(store)
    assert collected.scheme == question
    question.mine(collected.records, min_support=1)


def test_ticking_nothing_is_an_answer_only_when_said_twice(tmp_path, visit):
    with Collector(tmp_path, BASKET, str(tmp_path / "a.duckdb")) as collector:
        page = visit(collector.url)
        page.wait_for_selector("#send:not([disabled])")
        page.click("#send")
        assert "Nothing is ticked" in page.inner_text("#trouble")
        assert page.inner_text("#send") == "None applies: draw and send"
        page.check("text=item 02")  # after all something
        page.uncheck("text=item 02")
        assert page.inner_text("#send") == "Draw and send"
        page.click("#send")
        assert page.evaluate("localStorage.length") == 0  # nothing was drawn yet
        BASKET.check_wire(send(page)["records"][0])


def test_a_weak_scheme_is_drawn_by_only_after_the_person_has_agreed(tmp_path, visit):
    weak = Emask(p=0.9, q=0.99, items=BASKET.items, max_length=3)
    with Collector(tmp_path, weak, str(tmp_path / "a.duckdb")) as collector:
        assert "warning: a gamma above 1,000 is weak protection" in collector.said
        page = visit(collector.url)
        page.wait_for_selector("#send:not([disabled])")
        assert "This is weak protection" in page.inner_text("#weak")
        page.check("text=item 02")
        page.click("#send")
        assert "tick it if you accept" in page.inner_text("#trouble")
        said = page.evaluate(
            """async () => {
              const client = new Confide.Client("./");
              await client.load();
              try { await client.send(["item 02"]); return "sent"; }
              catch (error) { return error.constructor.name + ": " + error.message; }
            }"""
        )
        assert said.startswith("WeakScheme: this collector's scheme protects too little: its gamma is above 1000")
        assert page.evaluate("localStorage.length") == 0
        page.check("#accept")
        weak.check_wire(send(page)["records"][0])


def test_the_client_in_the_page_works_gamma_out_as_python_does(survey, visit):
    page = visit(survey.url)
    schemes = [scheme for scheme, _, _ in LAWS.values()]
    schemes += [
        Emask(p=p, q=q, items=tuple("abcdef"), max_length=m) for p, q in ((0.2, 0.3), (0.9, 0.99)) for m in (2, 5)
    ]
    schemes += [CutAndPaste(K=k, rho=0.3, items=tuple("abc"), max_length=m) for k in (1, 4) for m in (1, 3)]
    schemes += [CutAndPaste(K=2, rho=0.3, fields=Fields.of(SMALL)), SURVEY]
    found = page.evaluate(
        "(texts) => texts.map((text) => new Confide.Scheme(text).epsilon)", [scheme.to_json() for scheme in schemes]
    )
    assert found == pytest.approx([scheme.amplification().epsilon for scheme in schemes])


def test_the_page_does_without_storage_by_sending_nothing(survey, visit):
    page = visit(survey.url)
    page.wait_for_selector("#send:not([disabled])")
    said = page.evaluate(
        """async () => {
          const storage = { getItem: () => null, setItem: () => { throw new Error("storage is full"); } };
          const client = new Confide.Client("./", { storage });
          await client.load();
          try { await client.send({age: 41, sex: "F", fumé: "no"}); return "sent"; }
          catch (error) { return error.message; }
        }"""
    )
    assert said == "storage is full"


EMBEDDED = """<!doctype html><title>Elsewhere</title>
<script src="URLconfide.js"></script>
<script>
  async function answer(record) {
    const client = new Confide.Client("URL");
    await client.load();
    return (await client.send(record)).state;
  }
</script>"""


def test_a_page_of_another_site_may_send_only_if_the_collector_allows_it(tmp_path, browser):
    class Elsewhere(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(self.server.page)

        def log_message(self, *words):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        origin = f"http://127.0.0.1:{site.server_port}"
        for options, expected in ((("--allow-origin", origin), "stored"), ((), "Failed to fetch")):
            store = str(tmp_path / f"{len(options)}.duckdb")
            with Collector(tmp_path, SURVEY, store, *options) as collector, browser.new_context() as context:
                site.page = EMBEDDED.replace("URL", collector.url).encode()
                page = context.new_page()
                page.goto(origin)
                ask = """answer({age: 41, sex: "F", fumé: "no"}).catch((error) => error.message)"""
                assert page.evaluate(ask) == expected
        site.shutdown()


# -- the law of the sampler in the page -------------------------------------------------------------------------------


def subsets(n):
    return [tuple(i for i in range(n) if mask >> i & 1) for mask in range(1 << n)]


def flipping(scheme, held, n):
    p, q = map(float, scheme.keeps())
    return {
        v: math.prod((p if i in v else 1 - p) if i in held else (1 - q if i in v else q) for i in range(n))
        for v in subsets(n)
    }


def pasting(scheme, held, n):
    found = dict.fromkeys(subsets(n), 0.0)
    for j in range(scheme.K + 1):
        chosen = list(itertools.combinations(held, min(j, len(held))))
        for cut in chosen:
            for v in found:
                if set(cut) <= set(v):
                    extra = len(v) - len(cut)
                    found[v] += scheme.rho**extra * (1 - scheme.rho) ** (n - len(v)) / (scheme.K + 1) / len(chosen)
    return found


def by_matrix(scheme, code):
    fields = scheme.fields
    cells = list(itertools.product(*map(range, fields.sizes)))
    column = scheme.matrix()[:, cells.index(code)]
    return dict(zip(cells, column, strict=True))


SMALL = {"a": ["x", "y"], "b": ["1", "2", "3"]}
THIRDS = [[0.5, 0.25, 0.3333333333], [0.3, 0.5, 0.3333333333], [0.2, 0.25, 0.3333333333]]
LAWS = {
    "mask": (Mask(p=0.7, items=tuple("abcd")), ["a", "c"], lambda s: flipping(s, {0, 2}, 4)),
    "mask of fields": (Mask(p=0.9, fields=Fields.of(SMALL)), {"a": "y", "b": "1"}, lambda s: flipping(s, {1, 2}, 5)),
    "emask": (Emask(p=0.55, q=0.875, items=tuple("abcd")), ["d"], lambda s: flipping(s, {3}, 4)),
    "cut-and-paste": (
        CutAndPaste(K=2, rho=0.3, items=tuple("abcd")), ["a", "b", "d"], lambda s: pasting(s, (0, 1, 3), 4)
    ),
    "cut of a short record": (CutAndPaste(K=3, rho=0.3, items=tuple("abcd")), ["b"], lambda s: pasting(s, (1,), 4)),
    "gamma-diagonal": (GammaDiagonal(domains=SMALL, gamma=2.5), {"a": "y", "b": "2"}, lambda s: by_matrix(s, (1, 1))),
    "ran-gd": (GammaDiagonal(domains=SMALL, gamma=4, alpha=0.8), {"a": "x", "b": "3"}, lambda s: by_matrix(s, (0, 2))),
    "matrices": (
        MatrixScheme(domains=SMALL, matrices=[[[0.8, 0.4], [0.2, 0.6]], THIRDS]), {"a": "y", "b": "3"},
        lambda s: by_matrix(s, (1, 2)),
    ),
    "joint matrix": (
        MatrixScheme(domains=SMALL, matrix=GammaDiagonal(domains=SMALL, gamma=5).matrix().round(12).tolist()),
        {"a": "x", "b": "2"}, lambda s: by_matrix(s, (0, 1)),
    ),
    "randomized response": (
        RandomizedResponse(domains=SMALL, gamma=9), {"a": "y", "b": "2"}, lambda s: by_matrix(s, (1, 1))
    ),
    "unary encoding": (
        UnaryEncoding(domains=[2, 2], gamma=2.5), {"a0": "1", "a1": "0"}, lambda s: block_law(s, (1, 0))
    ),
    "symmetric unary encoding": (
        UnaryEncoding(domains=[2, 2], gamma=19, symmetric=True), {"a0": "1", "a1": "1"}, lambda s: block_law(s, (1, 1))
    ),
    "local hashing": (
        LocalHashing(domains=[3], gamma=4, prime=5), {"a0": "2"}, lambda s: block_law(s, (2,))
    ),
    "subset selection": (
        SubsetSelection(domains=SMALL, gamma=3, chosen=2), {"a": "y", "b": "3"}, lambda s: block_law(s, (1, 2))
    ),
    "sampled design": (
        SampledDesign(
            domains=SMALL, gamma=3, subsets=[["a"], ["a", "b"], ["b"]], weights=[1, 2, 3],
            scheme=["k-ary", "subset-selection", "unary"],
        ),
        {"a": "y", "b": "1"}, lambda s: block_law(s, (1, 0)),
    ),
    "one item of a basket": (
        BasketQuestion(items=list("abcd"), gamma=3, pad=3, law="k-ary"), ["a", "c"],
        lambda s: basket_law(s, frozenset({0, 2})),
    ),
    "a set of a full basket": (
        BasketQuestion(items=list("abc"), sets=[["a"], ["a", "b"], ["c"]], gamma=3, pad=1, law="k-ary"),
        ["a", "b", "c"], lambda s: basket_law(s, frozenset({0, 1, 2})),
    ),
    "how many of a basket": (
        BasketQuestion(items=list("abcd"), gamma=3, pad=2, asks="count", law="k-ary"), ["a", "c", "d"],
        lambda s: basket_law(s, frozenset({0, 2, 3})),
    ),
    "a question left out": (
        SampledDesign(domains={"a": ["x", "y"]}, gamma=3, skipped="no answer"), {"a": ""},
        lambda s: block_law(s, (2,)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LAWS)
def test_the_sampler_in_the_page_draws_by_the_schemes_own_law(name, survey, visit):
    """20,000 draws in the page against the exact law, chi-square; false-alarm rate 1e-6 for each scheme."""
    scheme, record, law = LAWS[name]
    page = visit(survey.url)
    drawn = page.evaluate(
        """([text, record, n]) => {
          const scheme = new Confide.Scheme(text);
          const counts = {};
          for (let i = 0; i < n; i += 1) {
            const key = JSON.stringify(scheme.draw(record));
            counts[key] = (counts[key] || 0) + 1;
          }
          return counts;
        }""",
        [scheme.to_json(), record, DRAWS],
    )
    expected = law(scheme)
    expected = {wire: float(chance) for wire, chance in expected.items()}
    assert math.isclose(sum(expected.values()), 1, abs_tol=1e-6)
    counts = {tuple(json.loads(key)): n for key, n in drawn.items()}
    assert set(counts) <= set(expected)
    for wire in counts:
        scheme.check_wire(list(wire))
    assert sum(counts.values()) == DRAWS
    cells = sorted(expected, key=expected.get)
    observed = np.array([counts.get(cell, 0) for cell in cells], dtype=float)
    wanted = np.array([expected[cell] for cell in cells]) * DRAWS
    while wanted[0] < 5:  # rare outcomes are counted together
        observed, wanted = np.r_[observed[0] + observed[1], observed[2:]], np.r_[wanted[0] + wanted[1], wanted[2:]]
    statistic = float(((observed - wanted) ** 2 / wanted).sum())
    assert statistic < chi2.isf(1e-6, len(wanted) - 1)


def test_decimals_become_exact_fractions(survey, visit):
    page = visit(survey.url)
    found = page.evaluate(
        "[0.1, 19, 1e-7, 2.5e-8, 0.30000000000000004, 1e22].map((x) => Confide.fraction(x).map(String))"
    )
    assert found == [
        ["1", "10"], ["19", "1"], ["1", "10000000"], ["25", "1000000000"], ["30000000000000004", "100000000000000000"],
        ["10000000000000000000000", "1"],
    ]  # fmt: skip


def test_a_number_goes_into_the_bin_that_python_puts_it_in(survey, visit):
    page = visit(survey.url)
    ages = [-1, 0, 34.999, 35, 35.0001, 55, 55.5, 1e9, "35", " 41 ", "<=35", ">55"]
    found = page.evaluate(
        "([text, ages]) => ages.map((age) => new Confide.Scheme(text).encode({age, sex: 'F', fumé: 'no'})[0])",
        [SURVEY.to_json(), ages],
    )
    assert found == [SURVEY.encode({"age": age, "sex": "F", "fumé": "no"})[0] for age in ages]
