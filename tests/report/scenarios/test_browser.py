"""The pages in a real browser: whole at every width, in light and dark, and legible."""

import pytest
from tests.report.made import PAGES, every_page, release

from confide.core.figures import Figure, Figures
from confide.report import render


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for name, text in every_page().items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return folder


CONTRAST = """() => {
  const light = c => { const [r, g, b] = c.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
      .map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
  const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
      if (!/, 0\\)$/.test(c)) return c; } };
  const poor = [];
  for (const e of document.querySelectorAll("body *")) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || e.closest(".unseen")) continue;
    const style = getComputedStyle(e), ink = e.namespaceURI.endsWith("svg") ? style.fill : style.color;
    const [a, b] = [light(ink), light(ground(e))].sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < 4.5) poor.push(e.tagName + "." + e.className + ": " + e.textContent.slice(0, 30));
  }
  return poor;
}"""


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(1280, 900), (390, 844), (360, 740)])
@pytest.mark.parametrize("name", PAGES)
def test_a_browser_shows_it_whole(browser, pages, name, width, height, scheme):
    view = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    said, asked = [], []
    view.on("console", lambda message: said.append(message.text))
    view.on("pageerror", lambda error: said.append(str(error)))
    view.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    view.on("request", lambda request: asked.append(request.url))
    address = (pages / f"{name}.html").as_uri()
    view.goto(address)
    for summary in view.locator("summary").all():
        summary.click()
    assert view.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert said == []
    assert [url for url in asked if not url.startswith("data:")] == [address]
    assert view.evaluate(CONTRAST) == []  # 4.5 to 1 for all text, as WCAG asks (level AA)
    view.close()


@pytest.mark.browser
def test_letters_in_a_chart_stay_legible_on_a_phone(browser, pages):
    view = browser.new_page(viewport={"width": 360, "height": 740})
    view.goto((pages / "release.html").as_uri())
    heights = view.evaluate(
        "[...document.querySelectorAll('.drawing text')].map(t => t.getBoundingClientRect().height)"
    )
    assert len(heights) > 20
    assert min(heights) >= 10
    view.close()


@pytest.mark.browser
def test_a_sentence_in_a_table_stays_legible_on_a_phone(browser, tmp_path):
    sentence = "how many join values it has, and which of them both have; class counts of each shared join value"
    row = {"who": "registry", "from": "hospital", "learned": sentence, "messages": 12, "entries": 12345, "bytes": 54321}
    units = {
        "who": "text",
        "from": "text",
        "learned": "text",
        "messages": "count",
        "entries": "count",
        "bytes": "bytes",
    }
    loss = Figures(Figure("who_learned_what", [row], units))
    (tmp_path / "page.html").write_text(render(release(loss=loss)), encoding="utf-8")
    view = browser.new_page(viewport={"width": 400, "height": 900})
    view.goto((tmp_path / "page.html").as_uri())
    cell = view.get_by_role("cell", name=sentence)
    assert cell.bounding_box()["width"] >= 200
    assert cell.bounding_box()["height"] <= 6 * 25
    assert cell.evaluate("e => e.getBoundingClientRect().right <= innerWidth"), "the sentence is read without scrolling"
    assert cell.evaluate("e => e.closest('.scroll').scrollWidth <= e.closest('.scroll').clientWidth"), "nor is the rest"
    assert view.evaluate("document.documentElement.scrollWidth <= innerWidth")
    view.close()
