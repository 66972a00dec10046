import pytest
from tests.publish.tables.random_tables import random_table

from confide.core.requirements.tables import DeltaDisclosure, DistinctDiversity, KAnonymity
from confide.core.samples.people import people, people_hierarchies, people_schema
from confide.core.tables.hierarchy import Hierarchy
from confide.publish import Incognito, PublishTable, explore_table, publish_table
from confide.publish.tables.methods import METHODS
from confide.report import render_owner, render_study

PEOPLE = people(200)
SCHEMA = {name: dict(spec) for name, spec in people_schema().items()}
for column, levels in people_hierarchies().items():
    SCHEMA[column]["hierarchy"] = Hierarchy.from_rows(levels)
GRID = [KAnonymity(k=k) & DistinctDiversity(l=l) for k in (3, 6) for l in (2, 3)]  # noqa: E741


def request(**given):
    return PublishTable(**{"table": PEOPLE, "requirement": KAnonymity(k=3), "schema": SCHEMA, **given})


def test_methods_are_compared_without_releasing_anything():
    rows = explore_table(request(requirement=DeltaDisclosure(delta=2))).rows()
    assert [row["method"] for row in rows] == list(METHODS)
    by_name = {row["method"]: row for row in rows}
    assert "relaxed" in by_name["mondrian-relaxed"]["refused"]  # which cannot take it, and says so
    assert by_name["mondrian-relaxed"]["detail lost"] is None
    assert not by_name["mondrian-relaxed"]["holds"]
    assert 0 <= by_name["mondrian"]["detail lost"] <= 1
    assert by_name["mondrian"]["holds"]


def test_every_setting_costs_what_a_release_under_it_would():
    found = explore_table(request(method="mondrian", suppress=0.05, requirement=GRID))
    assert [(row["k"], row["l"]) for row in found.rows()] == [(3, 2), (3, 3), (6, 2), (6, 3)]
    for setting, requirement in zip(found.settings, GRID, strict=True):
        done = publish_table(request(requirement=requirement, method="mondrian", suppress=0.05))
        assert setting.detail_lost == pytest.approx(done.release.loss["detail_lost"], abs=1e-4)
        assert setting.groups == done.release.loss["groups"]
        assert done.release.verification.ok
    charts = found.charts()
    assert [chart.title for chart in charts] == ["Detail lost, l = 2", "Detail lost, l = 3"]
    assert charts[1].x == (3, 6)
    assert charts[1].series == {"mondrian": tuple(found.settings[n].detail_lost for n in (1, 3))}
    assert found.lattice is None
    page = render_study(found.title, lead=found.lead, charts=found.charts(), tables=found.tables())
    assert "Detail lost, l = 3" in page


def test_what_cannot_be_met_is_a_row_with_a_reason_and_no_line():
    found = explore_table(request(method="incognito", requirement=None, k=(3, len(PEOPLE) + 1)))
    assert [row["holds"] for row in found.rows()] == [True, False]
    assert "larger than the table" in found.rows()[1]["refused"]
    assert found.charts()[0].series == {}
    none = explore_table(request(method="incognito", requirement=KAnonymity(k=201)))
    assert none.charts() == ()
    assert none.lead.startswith("It cannot be met.")


def test_a_small_lattice_is_drawn_in_the_study_and_in_the_owners_page():
    frame, schema = random_table(3, rows=60, columns=2)
    asked = request(table=frame, schema=schema, requirement=KAnonymity(k=3), suppress=0.1)
    found = explore_table(asked)
    explored = Incognito(requirement=KAnonymity(k=3), suppress=0.1).explore(frame, schema)
    assert (found.lattice.safe == explored.safe).all()
    page = render_study(found.title, lead=found.lead, diagrams=found.diagrams())
    assert page.count('rx="5"') == len(explored)
    release = Incognito(requirement=KAnonymity(k=3), suppress=0.1).publish(frame, schema)
    assert release.owner.diagrams["All generalisations"] == found.diagrams()[0]
    owner = render_owner(release)
    assert owner.count('rx="5"') == len(explored)
    assert "meets it at the least loss" in owner


def test_a_lattice_too_large_to_draw_is_searched_and_not_drawn():
    assert explore_table(request(method="incognito")).lattice is None
    assert not Incognito(requirement=KAnonymity(k=3)).publish(PEOPLE, SCHEMA).owner.diagrams
    frame, schema = random_table(5, rows=20, columns=30)
    release = Incognito(requirement=KAnonymity(k=2), time_limit=1).publish(frame, schema)
    assert not release.owner.diagrams
