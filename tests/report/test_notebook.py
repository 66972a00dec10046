"""What a notebook shows: readable, complete in itself, and never markup out of people's data."""

from tests.report.made import EVIL, release

from confide.core.checks import Check, Verification
from confide.report.notebook import release_html, table_html, verification_html


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
