"""What a notebook shows: readable, complete in itself, and never markup out of people's data."""

from tests.report.made import EVIL, release

from confide.core.checks import Check, Verification
from confide.report.notebook import facts_html, release_html, table_html, verification_html


def test_a_release_shows_its_promise_loss_and_verdict():
    made = release()
    html = made._repr_html_()
    assert html == release_html(made)
    assert made.passport.promise.split("'")[0][:40] in html
    assert "check" in html


def test_labels_never_become_markup():
    html = table_html((EVIL,), [(EVIL,), (EVIL,)])
    assert "<script" not in html.lower()
    answer = Verification.of([Check(name=EVIL, ok=False, detail=EVIL)], not_provable=(EVIL,))
    assert "<script" not in answer._repr_html_().lower()


def test_a_failure_is_said_and_long_tables_are_cut():
    assert "FAILS" in verification_html(Verification.of([Check(name="size", ok=False)]))
    assert "Not verified" in verification_html(None)
    assert "and 5 more" in table_html(("n",), [(n,) for n in range(25)])


def test_a_gamma_that_bounds_nothing_is_amber_and_in_words_wherever_it_stands():
    for facts in (
        {"p": 0.99999999, "gamma_per_swapped_item": 3.3e8},
        {"kind": "transactions", "options": [{"scheme": "emask", "gamma": 7e212}]},
    ):
        html = facts_html("EmaskPlan", facts)
        assert "bounds next to nothing" in html
        assert "color: #8a5a00" in html
    assert "0.99999999" in facts_html("EmaskPlan", {"p": 0.99999999})
    assert "bounds next to nothing" not in facts_html("EmaskPlan", {"gamma": 1000.0, "options": [{"gamma": 19}]})
