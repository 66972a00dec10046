"""What a notebook shows: readable, complete in itself, and never markup out of people's data."""

import importlib
import inspect
import typing
from dataclasses import dataclass
from typing import NamedTuple

import pytest
from tests.report.made import EVIL, release
from tests.test_surface import PACKAGES

from confide.audit import Mole
from confide.core.checks import Check, Verification
from confide.core.figures import Column, ShownFields, Table
from confide.core.jobs.outcome import Outcome
from confide.join import Coordinator
from confide.report.notebook import facts_html, release_html, table_html, verification_html
from confide.search.wrapper.engine import Engine


def test_a_release_shows_its_promise_loss_and_verdict():
    made = release()
    html = made._repr_html_()
    assert html == release_html(made)
    assert made.passport.promise.split("'")[0][:40] in html
    assert "check" in html


def results() -> set[type]:
    """Every class of ours that a public function gives back; what serves or grows is no result."""
    found = set()
    for package in PACKAGES:
        module = importlib.import_module(package)
        for function in filter(inspect.isfunction, (getattr(module, name) for name in module.__all__)):
            given = inspect.signature(function).return_annotation
            found |= {typing.get_origin(kind) or kind for kind in typing.get_args(given) or (given,)}
    ours = {kind for kind in found if isinstance(kind, type) and kind.__module__.startswith("confide.")}
    return ours - {Check, Coordinator, Engine, Mole}


@pytest.mark.parametrize("kind", sorted(results(), key=lambda kind: kind.__name__))
def test_every_result_has_a_look(kind):
    assert hasattr(kind, "_repr_html_")


def test_fields_become_rows_lists_of_named_parts_tables_and_long_values_are_cut():
    class Part(NamedTuple):
        name: str
        n: int

    @dataclass(frozen=True)
    class Found(ShownFields):
        parts: tuple[Part, ...]
        many: tuple[int, ...]
        text: str

        def summary(self) -> str:
            return f"{len(self.parts)} parts"

    html = Found((Part(EVIL, 2),), tuple(range(25)), "x" * 500)._repr_html_()
    assert "<p>1 parts</p>" in html
    assert "<th>Name</th>" in html
    assert "and 15 more" in html
    assert "x" * 201 not in html
    assert "<script" not in html.lower()


def test_an_explained_row_and_an_outcome_look_as_their_parts_do():
    table = Table((Column("step", "text"), Column("rows", "count")), (("age", 3),))
    assert table._repr_html_() == table_html(("step", "rows"), table.rows)
    html = Outcome(answer=table, notes=(EVIL,))._repr_html_()
    assert html.startswith(table._repr_html_())
    assert "<script" not in html.lower()
    assert "3 trees" in Outcome(answer=3, summary="3 trees")._repr_html_()


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
