"""The pages: whole in themselves, safe with any label, silent about the owner's part."""

import html
import re
import subprocess
import sys
import warnings
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tests.report.made import (
    CHARTS,
    EVIL,
    LOSS,
    MOLES,
    PAGES,
    REQUIREMENTS,
    Page,
    every_page,
    evil_release,
    index_entry,
    release,
)

from confide.core.checks import Check, Findings, Verification
from confide.core.errors import UsageError
from confide.core.figures import Chart, Column, Figure, Figures, Table
from confide.core.release import OwnerPart
from confide.core.requirements import (
    Amplification,
    KAnonymity,
)
from confide.report import (
    render,
    render_index,
    render_owner,
    render_study,
    write,
    write_index,
    write_owner,
    write_study,
)
from confide.report.blocks import grid
from confide.report.drawing import draw

# -- whole, and safe -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAGES)
def test_a_page_needs_nothing_beside_itself_and_runs_nothing(name):
    page = Page(every_page()[name])
    assert not {"script", "iframe", "object", "embed", "img", "base", "form"} & set(page.tags)
    for tag, attribute, value in page.attributes:
        assert not attribute.startswith("on")
        if attribute in ("src", "href", "action", "xlink:href"):
            assert value.startswith(("#", "data:")) or (tag == "a" and value == "publish-table.html")
    assert "@import" not in every_page()[name]
    assert not re.search(r"url\((?!#)", every_page()[name])


@pytest.mark.parametrize("name", PAGES)
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


def test_what_nobody_can_check_is_said_under_a_heading_of_its_own():
    text = Page(render(release(not_provable=("who filled in the form",)))).text
    said = text.partition("What nobody can check from these files")[2]  # in the contents, then as a heading
    assert "What nobody can check from these files who filled in the form" in said
    assert "What nobody can check" not in render(release(not_provable=()))


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


def test_a_page_opens_with_what_the_auditor_found_and_ends_with_what_nobody_can_check():
    made = release(headline="Half of the rows are kept.", key_figures=("rows_kept",))
    found = Findings(sentence="Seven rows were found.", figures=Figures(Figure("rows", 7, "count", "rows found")))
    seen = replace(made, verification=Verification.of([Check(name="groups", ok=True, findings=found)]))
    order = ["Seven rows were found.", made.passport.promise, "Verified", "Rows found 7", "Whom it stops"]
    order += ["Said by whoever made it Not checked", "Half of the rows are kept.", "What it cost"]
    order += ["of all rows are kept 50.0%", "Rows suppressed 12,345", "Algorithm Incognito"]
    text = (
        Page(render(seen))
        .text.partition("Report of a release")[2]
        .partition("Whom it stops, and whom it does not What")
    )
    places = [(text[0] + text[2]).index(part) for part in order]
    assert places == sorted(places)
    assert "<h1>Seven rows were found.</h1>" in render(seen)
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


def test_a_bound_among_the_parameters_is_rounded_to_the_safe_side():
    requirement = Amplification(gamma=19.0000123)
    text = Page(
        render(release(requirement, parameters={"gamma": 19.0000123, "epsilon": 2.9444395, "q": 0.1000049}))
    ).text
    assert "Gamma 19.0001 Epsilon 2.94444 q 0.1 " in text  # 19.0000123 up; 2.9444395 up, not to 2.944
    assert "amplification (gamma = 19.0000123)" in text


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


def test_an_index_does_not_call_unchecked_what_was_checked():
    found = Findings(sentence="40 rows; every row looks like at least 4 others.")
    verdict = Verification.of([Check(name="groups", ok=True, findings=found)])
    summary = "Less than 8% is lost; every row looks like at least 4 others. Half of the rows are kept."
    text = Page(render_index([index_entry(verdict=verdict, summary=summary)])).text
    assert "Not checked: Less than 8% is lost. Half of the rows are kept." in text
    assert text.count("at least 4 others") == 1
    assert "Not checked:" not in Page(render_index([index_entry(verdict=verdict, summary=found.sentence)])).text


def test_importing_the_report_loads_no_drawing_library():
    code = "import sys, confide.report; print({'matplotlib', 'jinja2', 'numba', 'pyarrow'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "set()"


def test_the_same_release_gives_the_same_bytes():
    made = release(charts=CHARTS)
    assert render(made) == render(made)


def test_a_released_tree_is_drawn_as_far_as_it_can_be_read():
    from confide import KAnonymity
    from confide.mining import DecisionTree
    from confide.share import anonymize_tree

    X = [[str(i % 3), str(i % 20)] for i in range(400)]
    y = [str((i % 3 + i % 20) % 2) for i in range(400)]
    import numpy as np

    wide = anonymize_tree(DecisionTree(confidence=None).fit(np.array(X, dtype=object), y), KAnonymity(k=2))
    page = render(wide)
    assert '<h2 id="tree">The tree</h2>' in page
    assert "the file has all of it" in page
    assert "http://" not in page
    small = anonymize_tree(DecisionTree().fit(np.array(X, dtype=object)[:, :1], y), KAnonymity(k=2))
    assert "the file has all of it" not in render(small)
    assert "<svg" in render(small)


def test_a_plan_that_hardly_protects_is_amber_and_says_so_in_words():
    page = render_study("A plan", lead="It meets its goals.", private=False, warning="Next to no protection.")
    assert '<p class="banner" role="note">' in page
    assert "<strong>Weak.</strong> Next to no protection." in page
    assert "banner" not in render_study("A plan", lead="It meets its goals.", private=False).partition("</style>")[2]


def test_a_study_for_the_owner_is_for_the_owner_only(tmp_path):
    for private, mode in ((True, 0o600), (False, 0o644)):
        page = tmp_path / f"{private}.html"
        write_study(page, "What was found", lead="Something was.", private=private)
        assert page.stat().st_mode & 0o777 == mode
