"""A collector may publish any scheme. Python and the page take the same ones, none that protects less than asked."""

import json

import pytest
from tests.forged_schemes import MAX_GAMMA, VECTORS, forgeries, vectors

from confide.collect import MatrixScheme, Scheme
from confide.collect.service.kept_draws import check_gamma
from confide.collect.service.server import browser_client
from confide.core.errors import ConfideError

FORGED = 10_000
IN_PAGE = """([texts, most]) => texts.map((text) => {
  try { new Confide.Scheme(text).check(most); return true; } catch (error) { return false; }
})"""


def taken(text: str) -> bool:
    """Whether a Python client would draw by this scheme; anything but an error of ours fails the test."""
    try:
        check_gamma(Scheme.from_json(text), MAX_GAMMA)
    except ConfideError:
        return False
    return True


@pytest.fixture(scope="module")
def page(browser):
    opened = browser.new_page()
    opened.add_script_tag(content=browser_client().decode())
    return opened


def test_the_file_of_vectors_is_what_its_generator_makes():
    assert json.loads(VECTORS.read_text()) == json.loads(json.dumps(vectors()))


def test_python_takes_the_good_schemes_and_no_other():
    read = json.loads(VECTORS.read_text())
    assert [(one["name"], taken(one["text"])) for one in read] == [(one["name"], one["good"]) for one in read]


def test_python_takes_none_of_ten_thousand_forgeries():
    assert [text for text in forgeries(FORGED, seed=7) if taken(text)] == []


@pytest.mark.browser
def test_the_page_takes_the_good_schemes_and_no_other(page):
    read = json.loads(VECTORS.read_text())
    found = page.evaluate(IN_PAGE, [[one["text"] for one in read], MAX_GAMMA])
    named = [(one["name"], ok) for one, ok in zip(read, found, strict=True)]
    assert named == [(one["name"], one["good"]) for one in read]


@pytest.mark.browser
def test_the_page_takes_none_of_ten_thousand_forgeries(page):
    texts = list(forgeries(FORGED, seed=7))
    found = page.evaluate(IN_PAGE, [texts, MAX_GAMMA])
    assert [text for text, ok in zip(texts, found, strict=True) if ok] == []


@pytest.mark.browser
def test_the_page_works_out_the_same_gamma_of_every_good_scheme(page):
    texts = [one["text"] for one in vectors() if one["good"]]
    found = page.evaluate("(texts) => texts.map((text) => new Confide.Scheme(text).epsilon)", texts)
    assert found == pytest.approx([Scheme.from_json(text).amplification().epsilon for text in texts], rel=1e-12)


@pytest.mark.browser
def test_both_call_the_same_matrices_singular(page):
    """Around the smallest pivot that counts: the same sums in the same order decide alike."""
    texts, python = [], []
    for step in range(200):
        off = (0.4 + step / 1000) * 1e-12
        matrix = [[0.5 + off, 0.5], [0.5 - off, 0.5]]
        entries = {"fields": [{"name": "a", "values": ["x", "y"]}], "matrices": [matrix], "joint": False}
        texts.append(json.dumps({"confide": "scheme", "version": 1, "scheme": "matrix", **entries}))
        python.append(taken(texts[-1]))
    assert page.evaluate(IN_PAGE, [texts, MAX_GAMMA]) == python
    assert len(set(python)) == 2


def test_a_large_matrix_is_checked_in_seconds():
    size = 300
    keep = 0.5
    rows = [[(1 - keep) / size + keep * (i == j) for j in range(size)] for i in range(size)]
    scheme = MatrixScheme(domains=[size], matrix=rows)
    assert scheme.amplification().gamma == pytest.approx(1 + keep * size / (1 - keep))
