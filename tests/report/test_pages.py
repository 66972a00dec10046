"""The pages: whole in themselves, safe with any label, silent about the owner's part, readable at every width."""

import html
import math
import re
import subprocess
import sys
import warnings
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pyarrow as pa
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from confide.core.checks import Check, Verification
from confide.core.errors import UsageError
from confide.core.figures import Column, Figure, Figures, Table
from confide.core.figures.charts import Chart
from confide.core.passport import Passport
from confide.core.release import OwnerPart, Release
from confide.core.requirements import (
    Amplification,
    Coherence,
    Exposure,
    KAnonymity,
    OutputPrivacy,
    RecursiveDiversity,
    SimpleDiversity,
)
from confide.report import (
    IndexEntry,
    render,
    render_index,
    render_owner,
    render_study,
    write,
    write_index,
    write_owner,
)
from confide.report.blocks import Grid, Listing, Text, block, grid
from confide.report.drawing import BARS_SHOWN, draw
from confide.report.formats import scalar

CHROMIUM = Path("/usr/bin/chromium")
EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&amp;</style></svg>"
REQUIREMENTS = (
    Coherence(h=0.6, k=10, p=math.inf),
    KAnonymity(k=3),
    SimpleDiversity(l=4),
    RecursiveDiversity(c=4, l=3),
    Amplification(gamma=19.0),
    OutputPrivacy(epsilon=0.04, delta=0.4, min_support=25, vulnerable=5),
    Exposure(min_detail=0.1),
)
CHARTS = (
    Chart(
        title="Upright", x=("a", "b"), series={"before": (3, 2000), "after": (1, 2)}, y_unit="count", x_label="item",
        note="A note.",
    ),
    Chart(
        title="Lying", x=tuple(f"an item with a long name {n}" for n in range(9)), series={"lost": tuple(range(9))},
        y_unit="count",
    ),
    Chart(title="Counted", x=tuple(range(60)), series={"groups": tuple(range(60))}, y_unit="count", x_label="rows"),
    Chart(title="Lines", x=(1, 2, 3), series={"kept": (1.0, 0.5, 0.25)}, y_unit="share", kind="line", x_label="size"),
    Chart(title="Named lines", x=("low", "high"), series={"u": (-1.5, 2.5), "v": (0, 1)}, y_unit="number", kind="line"),
)  # fmt: skip
MOLES = Figures(Figure("moles", 3, "count"))
LOSS = Figures(Figure("rows_suppressed", 12345, "count"), Figure("rows_kept", 0.5, "share", "of all rows are kept"))


def release(requirement=REQUIREMENTS[1], *, checks=(("groups", True, "all of 3 rows or more"),), **given):
    loss = given.pop("loss", LOSS)
    parts = {name: given.pop(name) for name in ("charts", "owner", "key_figures", "not_provable") if name in given}
    audited = given.pop("audited", ("that the input was what the owner says",))
    given = {"stage": "publish table", "algorithm": "Incognito", **given}
    verification = None
    if checks is not None:
        made = [Check(name=name, ok=ok, detail=detail) for name, ok, detail in checks]
        verification = Verification.of(made, not_provable=audited)
    return Release(
        data=pa.table({"secret": ["canary-of-the-data"]}),
        requirement=requirement,
        loss=loss,
        passport=Passport.issue(requirement, loss=loss, **given),
        verification=verification,
        **parts,
    )


def evil_release():
    """Labels of people's data wherever a label can stand, each trying to become markup."""
    chart = Chart(
        title=EVIL, x=(EVIL, "$x^2$", "\u0000\ud800", "茶"), series={EVIL: (1, 2, 3, 4), "_y": (4, 3, 2, 1)},
        y_unit="count", x_label=EVIL, y_label=EVIL, note=EVIL,
    )  # fmt: skip
    nested = {EVIL: EVIL, "list": [EVIL] * 30, "table": {EVIL: {EVIL: 1}}, "deep": {EVIL: {EVIL: [{EVIL: EVIL}]}}}
    figures = Figures(*(Figure(name, value, "text", EVIL) for name, value in nested.items()))
    columns = (Column(EVIL, "text"), Column("b", "number"))
    return release(
        checks=((EVIL, False, EVIL),),
        stage=EVIL,
        algorithm=EVIL,
        loss=figures,
        headline=EVIL,
        parameters=nested,
        context={**nested, "long": "w" * 700},
        caveats=(EVIL,),
        randomness={"source": EVIL, EVIL: EVIL},
        charts=(chart, replace(chart, kind="line")),
        not_provable=(EVIL,),
        owner=OwnerPart(facts=figures, tables={EVIL: Table(columns, ((EVIL, "w" * 700), (1, 0.5)))}, charts=(chart,)),
    )


class Page(HTMLParser):
    """The elements of a page, and whether they nest."""

    VOID = frozenset({"meta", "link", "br", "img"})

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.texts, self.stack = [], [], [], []
        self.feed(text)
        self.close()
        assert not self.stack

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        if "style" not in self.stack:
            self.texts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


def index_entry(**given):
    made = release()
    values = {
        "stage": "publish table",
        "title": "Invented patients",
        "promise": made.passport.promise,
        "verdict": made.verification,
        "summary": "half of the rows kept",
        "href": "publish-table.html",
    }
    return IndexEntry(**{**values, **given})


@cache
def every_page():
    made, evil = release(charts=CHARTS), evil_release()
    return {
        "release": render(made),
        "evil": render(evil),
        "owner": render_owner(evil),
        "index": render_index([index_entry(), index_entry(stage=EVIL, title=EVIL, promise=EVIL, summary=EVIL)]),
    }


# -- whole, and safe -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["release", "evil", "owner", "index"])
def test_a_page_needs_nothing_beside_itself_and_runs_nothing(name):
    page = Page(every_page()[name])
    assert not {"script", "iframe", "object", "embed", "img", "base", "form"} & set(page.tags)
    for tag, attribute, value in page.attributes:
        assert not attribute.startswith("on")
        if attribute in ("src", "href", "action", "xlink:href"):
            assert value.startswith(("#", "data:")) or (tag == "a" and value == "publish-table.html")
    assert "@import" not in every_page()[name]
    assert not re.search(r"url\((?!#)", every_page()[name])


@pytest.mark.parametrize("name", ["release", "evil", "owner", "index"])
def test_ids_are_unique_and_every_pointer_has_its_target(name):
    page = Page(every_page()[name])
    ids = [value for _, attribute, value in page.attributes if attribute == "id"]
    assert len(ids) == len(set(ids))
    pointers = [value for _, attribute, value in page.attributes if attribute == "aria-labelledby"]
    pointers += [value[1:] for _, attribute, value in page.attributes if attribute == "href" and value[0] == "#"]
    assert set(pointers) <= set(ids)


def test_a_label_with_markup_in_it_is_shown_as_text():
    text = render(evil_release())
    assert "<script" not in text
    assert "<img" not in text
    assert EVIL in Page(text).text
    assert EVIL in Page(render_owner(evil_release())).text


def test_labels_no_file_can_hold_are_replaced():
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a glyph our measuring font lacks is no reason to warn the user
        text = render(evil_release())
    text.encode()
    assert "\x00" not in text
    assert "\ufffd" in text
    assert "$x^2$" in draw(evil_release().charts[0]).svg  # not taken for mathematics
    assert "茶" in text


@pytest.mark.parametrize(
    "href", ["javascript:alert(1)", "https://elsewhere.example/", "//elsewhere.example/x", "/etc", ""]
)
def test_an_index_links_to_reports_beside_it_only(href):
    with pytest.raises(UsageError, match="relative path"):
        index_entry(href=href)


def test_every_part_of_the_page_has_a_heading_and_every_table_a_caption():
    for text in every_page().values():
        page = Page(text)
        assert page.tags.count("h1") == 1
        assert page.tags.count("table") == page.tags.count("caption")
        sections = [value for tag, name, value in page.attributes if (tag, name) == ("section", "aria-labelledby")]
        assert len(sections) == page.tags.count("section")


# -- what a release says ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=lambda requirement: requirement.kind)
def test_a_page_says_promise_attackers_and_other_terms(requirement):
    text = Page(render(release(requirement, caveats=("a caveat of the algorithm",)))).text
    assert requirement.promise() in text
    for sentence in (*requirement.stops, *requirement.does_not_stop, "a caveat of the algorithm"):
        assert sentence in text
    for term, value in requirement.in_other_terms().items():
        assert term in text
        assert all(part in text for part in value.split(": ", 1))


def test_the_verdict_is_said_in_words():
    good = Page(render(release(checks=(("groups", True, "fine"), ("hash", True, ""))))).text
    assert "Verified All 2 checks hold" in good
    bad = Page(render(release(checks=(("groups", True, ""), ("hash", False, "another file"))))).text
    assert "Promise not kept 1 of 2 checks failed" in bad
    assert "failed hash another file" in bad
    for unchecked in (release(checks=None), release(checks=())):
        assert "Not verified" in Page(render(unchecked)).text


def test_what_nobody_can_check_is_said_once_with_or_without_a_verification():
    stage, auditor = ("who filled in the form",), ("that the input was what the owner says",)
    for made in (release(not_provable=stage, audited=auditor), release(not_provable=stage + auditor, checks=None)):
        text = Page(render(made)).text
        said = text.partition("What nobody can check from these files")[2]  # in the contents, then as a heading
        assert "What nobody can check from these files" in said
        for sentence in stage + auditor:
            assert said.count(sentence) == 1
    assert "What nobody can check" not in render(release(audited=()))


@pytest.mark.parametrize(("source", "warned"), [("seeded", True), ("system", False), ("none", False)])
def test_a_seeded_release_carries_a_warning(source, warned):
    text = render(release(randomness={"source": source}))
    assert ("Seeded: for experiments, protects nobody." in text) == warned
    assert ('<p class="banner">' in text) == warned


def test_loss_is_set_in_numbers_a_reader_expects():
    sizes = Figure("by_size", {"1": {"kept": 10, "lost": 0.5}}, {"kept": "count", "lost": "share"})
    text = Page(render(release(loss=LOSS | Figures(sizes)))).text
    for shown in ("Rows suppressed 12,345", "of all rows are kept 50.0%", "By size kept lost 1 10 50.0%"):
        assert shown in text


@pytest.mark.parametrize(
    ("unit", "shown"),
    [("percent", "0.8%"), ("share", "80.0%"), ("number", "0.8"), ("points", "0.8 points"), ("seconds", "0.8 s")],
)
def test_a_unit_is_what_was_declared_whatever_the_name_says(unit, shown):
    name = "support error, share in percent"
    text = Page(render(release(loss=Figures(Figure(name, 0.8, unit))))).text
    assert f"Support error, share in percent {shown} " in text
    assert grid(Table((Column(name, unit),), ((0.8,),))).rows[0][0].text == shown
    chart = Chart(title=name, x=("a",), series={name: (0.8,)}, y_unit=unit)
    assert draw(chart).table.rows[0][1].text == shown
    assert f"{shown} to {shown}" in draw(chart).description


def test_a_page_opens_with_the_sentence_for_the_boss_then_the_figures_that_matter():
    made = release(headline="Half of the rows are kept.", key_figures=("rows_kept",))
    page = Page(render(made))
    order = ["Half of the rows are kept.", made.passport.promise, "Verified", "of all rows are kept 50.0%"]
    order += ["Whom it stops", "What it cost", "Rows suppressed 12,345"]
    text = page.text.partition("Report of a release")[2]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert text.count("of all rows are kept") == 1  # not again among the rest
    assert "<h1>Half of the rows are kept.</h1>" in render(made)
    assert f"<h1>{made.passport.promise}</h1>" in render(release())


def test_a_long_page_has_a_contents_list_that_names_its_headings():
    text = render(release())
    nav = re.search(r'<nav class="contents".*?</nav>', text, re.DOTALL)[0]
    headings = re.findall(r'<h2 id="([^"]+)">([^<]+)</h2>', text)
    assert re.findall(r'<a href="#([^"]+)">([^<]+)</a>', nav) == headings
    table = Table((Column("a", "count"),), ((1,),))
    assert "<nav" not in render_study("Short", lead="One table.", tables={"A": table})
    assert "<nav" in render_study("Long", lead="Four tables.", tables=dict.fromkeys("ABCD", table))


def test_the_first_words_of_a_limit_stand_out():
    text = render(release(caveats=("predictions: by asking, one learns", "a long sentence that goes on: and on")))
    assert "<b>predictions:</b> by asking, one learns" in text
    assert "<b>a long" not in text


def test_a_page_shows_the_passport_as_written(tmp_path):
    made = release()
    passport = made.write(tmp_path / "people.csv", key=Ed25519PrivateKey.generate())
    text = render(made, passport=passport)
    assert passport.artefact.sha256 in text
    assert "confide verify people.csv.passport.json" in text
    assert "fits this passport" in text
    assert html.escape(passport.to_json(), quote=False).replace('"', "&#34;") in text
    forged = passport.model_copy(update={"algorithm": "another"})
    assert "does not hold: the signature does not fit" in Page(render(made, passport=forged)).text


def test_a_passport_of_another_release_is_refused():
    with pytest.raises(UsageError, match="another release"):
        render(release(), passport=release(KAnonymity(k=4)).passport)


def test_long_lists_are_cut_and_a_long_passport_is_left_to_its_file(tmp_path):
    labels = [f"private item {n}" for n in range(16_000)]
    made = release(context={"private": labels})
    text = render(made, passport=made.write(tmp_path / "people.csv"))
    assert "private item 9<" in text
    assert "private item 10" not in text
    assert "and 15,990 more" in text
    assert "people.csv.passport.json" in text
    assert "<pre" not in text
    assert len(text) < 50_000


# -- what it does not say --------------------------------------------------------------------------------------------


def test_neither_the_owners_part_nor_the_data_is_on_the_public_page():
    chart = Chart(title="canary-1", x=("canary-2",), series={"canary-3": (424242,)}, y_unit="count", note="canary-4")
    owner = OwnerPart(
        facts=Figures(Figure("canary-5", "canary-6", "text")),
        tables={"canary-7": Table((Column("canary-8", "text"),), (("canary-9",),))},
        charts=(chart,),
    )
    made = release(charts=CHARTS, owner=owner)
    public, private = render(made), render_owner(made)
    for canary in (*(f"canary-{n}" for n in range(1, 10)), "424,242"):
        assert canary not in public
        assert canary in private.lower()
    assert "canary" not in public
    assert "canary-of-the-data" not in private
    assert public == render(replace(made, owner=None))


def test_the_owners_page_says_not_to_publish_it():
    text = render_owner(release(owner=OwnerPart(facts=MOLES)))
    assert "<title>Do not publish" in text
    assert 'class="banner danger"' in text
    assert "Do not publish." in Page(text).text
    assert 'content="noindex' in text
    assert "Do not publish" not in render(release(owner=OwnerPart(facts=MOLES)))


def test_without_an_owners_part_there_is_no_owners_page(tmp_path):
    with pytest.raises(UsageError, match="no owner's part"):
        write_owner(release(), tmp_path / "owner.html")
    assert not list(tmp_path.iterdir())


# -- charts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.title)
def test_a_chart_comes_with_words_and_with_all_its_numbers(chart):
    drawing = draw(chart)
    assert drawing.svg.startswith("<svg viewBox=")
    assert "<path" in drawing.svg
    assert "var(--series-1)" in drawing.svg
    assert not re.search(r"#[0-9a-f]{6}\b", drawing.svg)  # every colour is the page's
    assert chart.title in drawing.description
    assert len(drawing.table.rows) == len(chart.x)
    assert [key.name for key in drawing.legend] == (list(chart.series) if len(chart.series) > 1 else [])


def test_drawing_leaves_the_users_matplotlib_alone():
    import matplotlib

    before = dict(matplotlib.rcParams)
    with matplotlib.rc_context({"axes.linewidth": 9, "axes.grid": True, "axes.spines.right": True}):
        styled = draw(CHARTS[3])
    assert dict(matplotlib.rcParams) == before
    assert styled == draw(CHARTS[3])


def test_gaps_and_emptiness_are_drawn_without_fuss():
    gaps = Chart(title="Gaps", x=("a", "b", "c"), series={"y": (math.nan, 1.0, math.inf)}, y_unit="number")
    assert "no value" in draw(gaps).table.rows[0][1].text
    assert draw(replace(gaps, kind="line")).svg
    assert draw(Chart(title="Empty", x=(), series={}, y_unit="count")).svg == ""
    assert "No values to draw" in render(
        release(charts=(Chart(title="Empty", x=(), series={"y": ()}, y_unit="count"),))
    )


def test_of_very_many_bars_the_first_are_drawn_and_the_reader_is_told():
    drawing = draw(
        Chart(title="Many", x=tuple(f"i{n}" for n in range(1000)), series={"y": tuple(range(1000))}, y_unit="count")
    )
    assert f"The first {BARS_SHOWN} of 1,000 are drawn." in drawing.note
    assert drawing.table.more == 900


def test_no_two_series_look_alike_and_the_legend_shows_how_they_differ():
    many = {f"s{n}": (1.0, 2.0, float(n)) for n in range(30)}
    lines = draw(Chart(title="Many", x=(1, 2, 3), series=many, y_unit="number", kind="line"))
    assert len({(key.colour, key.dashes) for key in lines.legend}) == len(lines.legend) == 24
    assert len({(key.colour, key.mark) for key in lines.legend}) == len(lines.legend)
    assert "The first 24 of 30 series are drawn; the table has all." in lines.note
    assert len(lines.table.columns) == 31
    bars = draw(Chart(title="Many", x=("a", "b", "c"), series=many, y_unit="number"))
    assert len({key.colour for key in bars.legend}) == len(bars.legend) == 6
    page = render(release(charts=(Chart(title="Nine", x=(1, 2), series={k: v[:2] for k, v in list(many.items())[:9]},
                                        y_unit="number", kind="line"),)))  # fmt: skip
    assert page.count('class="sample ink-1"') == 2
    assert page.count('stroke-dasharray="7 3"') == 3


def test_a_series_that_does_not_fit_its_axis_is_named():
    with pytest.raises(UsageError, match=r"series 'y' has 1 values for 2"):
        draw(Chart(title="Odd", x=(1, 2), series={"y": (1,)}, y_unit="count"))


def test_a_chart_may_stand_on_a_page_twice():
    ids = re.findall(r' id="([^"]+)"', render(release(charts=(CHARTS[3], CHARTS[3]))))
    assert any(len(name) > 8 and name.startswith("m") for name in ids)  # the marks of a line
    assert len(ids) == len(set(ids))


def test_the_same_release_gives_the_same_bytes():
    made = release(charts=CHARTS)
    assert render(made) == render(made)


# -- values ----------------------------------------------------------------------------------------------------------


def test_values_take_the_form_that_fits_them():
    assert block(1234) == Text("1,234", number=True)
    assert block([]) == block({}) == Text("none")
    assert block(list(range(12))) == Listing(tuple("0123456789"), 2)
    assert isinstance(block({"age": "quasi-identifier"}), Grid)
    assert block({"a": {"n": 1}, "b": {"m": 2}}).columns == ("", "n", "m")
    assert block({"a": {"n": 1}, "b": {"m": 2}}).rows[0][2].text == "\u2013"  # nothing there
    assert block([{"n": 1}, {"n": 2}]).columns == ("n",)
    assert len(block({"a": {"b": {"c": ["d"] * 500}}}).rows[0][1].text) < 300
    assert grid(Table((Column("x", "count"),), tuple((n,) for n in range(30)))).more == 10


def test_numpy_numbers_read_like_our_own():
    import numpy as np

    assert [scalar(x) for x in (np.int64(1234), np.float64(0.5), np.bool_(True))] == ["1,234", "0.5", "yes"]


# -- files -----------------------------------------------------------------------------------------------------------


def test_nothing_is_overwritten_unless_asked(tmp_path):
    made = release(owner=OwnerPart(facts=MOLES))
    for number, put in enumerate(
        (write, write_owner, lambda _, path, **given: write_index([index_entry()], path, **given))
    ):
        path = tmp_path / f"{number}.html"
        put(made, path)
        first = path.read_text(encoding="utf-8")
        with pytest.raises(UsageError, match="replace"):
            put(made, path)
        put(made, path, replace=True)
        assert path.read_text(encoding="utf-8") == first


def test_an_index_counts_what_is_verified():
    failed, unchecked = Verification.of([Check(name="hash", ok=False)]), Verification.of([])
    text = Page(render_index([index_entry(verdict=v) for v in (index_entry().verdict, failed, unchecked, None)])).text
    assert "4 reports, 1 verified" in text
    for word in ("Verified", "Promise not kept", "Not verified", "No passport"):
        assert f" {word} " in text
    assert "No reports yet." in Page(render_index([])).text


def test_importing_the_report_loads_no_drawing_library():
    code = "import sys, confide.report; print({'matplotlib', 'jinja2', 'numba', 'pyarrow'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "set()"


def test_pairs_in_a_list_stay_pairs():
    assert block([["A", "B"], ["B", "C"]]) == Listing(("(A, B)", "(B, C)"), 0)
    assert block(["A", "B"]) == Listing(("A", "B"), 0)


# -- in a real browser -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser():
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not CHROMIUM.exists():
        pytest.skip(f"no Chromium at {CHROMIUM}")
    with api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=str(CHROMIUM), headless=True, args=["--no-sandbox"])
        yield opened
        opened.close()


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
@pytest.mark.parametrize("name", ["release", "evil", "owner", "index"])
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
    row = {"who": "registry", "from": "hospital", "learnt": sentence, "messages": 12, "entries": 12345, "bytes": 54321}
    units = {"who": "text", "from": "text", "learnt": "text", "messages": "count", "entries": "count", "bytes": "bytes"}
    loss = Figures(Figure("who_learnt_what", [row], units))
    (tmp_path / "page.html").write_text(render(release(loss=loss)), encoding="utf-8")
    view = browser.new_page(viewport={"width": 400, "height": 900})
    view.goto((tmp_path / "page.html").as_uri())
    cell = view.get_by_role("cell", name=sentence)
    assert cell.bounding_box()["width"] >= 200
    assert cell.bounding_box()["height"] <= 6 * 25
    assert cell.evaluate("e => e.getBoundingClientRect().right <= innerWidth"), "the sentence is read without scrolling"
    assert cell.evaluate("e => e.closest('.scroll').scrollWidth > e.closest('.scroll').clientWidth")
    assert view.evaluate("document.documentElement.scrollWidth <= innerWidth")
    view.close()
