"""Means and spread of an experiment, and its page."""

from dataclasses import replace
from statistics import stdev

from benchmarks.share.experiment.runs import BASIS, Experiment, Outcome
from benchmarks.share.experiment.study import notes_of, short, study_of, summary

from confide import report
from confide.core.requirements import KAnonymity, RecursiveDiversity, SimpleDiversity


def outcome(fold, number, accuracy, **more):
    given = {"method": "ours", "requirement": None, "owners": 2, "class_match": 0.5, **more}
    return Outcome(fold=fold, number=number, accuracy=accuracy, **given)


BASE = [outcome(fold, 0, 0.8, method=BASIS, owners=0, class_match=1.0) for fold in (0, 1)]


def test_passes_are_averaged_before_folds():
    found = [outcome(0, 0, 0.1), outcome(0, 1, 0.3), outcome(0, 2, 0.2), outcome(1, 0, 0.6)]
    (row,) = summary(found)
    assert (row["accuracy"], row["folds"]) == (0.4, 2)
    assert row["spread"] == round(stdev([0.2, 0.6]), 4)


def test_refused_folds_are_counted_and_left_out_of_the_mean():
    found = [outcome(0, 0, 0.4), outcome(1, 0, None, stayed_out=2, class_match=None)]
    (row,) = summary(found)
    assert (row["accuracy"], row["spread"], row["refused"], row["stayed_out"]) == (0.4, None, 1, 1)
    (said,) = notes_of([row])
    assert said.startswith("warning: nobody could keep the promise in 1 of the trials")
    assert notes_of(summary(found[:1])) == ()


def test_requirements_have_short_names():
    asked = (None, KAnonymity(k=5), SimpleDiversity(l=3), RecursiveDiversity(c=2.5, l=4))
    assert [short(each) for each in asked] == ["none", "k=5", "l=3", "(2.5,4)"]


def test_the_page_draws_lines_over_owners_with_their_spread(tmp_path):
    found = [*BASE, *(outcome(fold, 0, 0.5 + fold / 10, owners=n) for fold in (0, 1) for n in (2, 5))]
    study = study_of(Experiment(owners=(2, 5)), found, name="people.csv", records=100)
    chart = study.charts[0]
    assert (chart.kind, chart.x, chart.series) == ("line", (2, 5), {BASIS: (0.8, 0.8), "ours": (0.55, 0.55)})
    assert chart.spread == {"ours": (0.0707, 0.0707)}
    page = tmp_path / "study.html"
    report.write_study(page, study.title, lead=study.lead, facts=study.facts, charts=study.charts, tables=study.tables)
    assert "80.0%" in page.read_text()


def test_the_page_draws_bars_over_requirements_where_there_are_more_of_them():
    asked = (SimpleDiversity(l=2), SimpleDiversity(l=3))
    found = [*BASE, *(replace(outcome(fold, 0, 0.5), requirement=each) for fold in (0, 1) for each in asked)]
    study = study_of(Experiment(owners=(2,), requirements=asked), found, name="people.csv", records=100)
    assert (study.charts[0].kind, study.charts[0].x) == ("bar", ("l=2", "l=3"))
