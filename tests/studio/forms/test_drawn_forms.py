from dataclasses import dataclass, replace
from typing import Literal

import pytest
from tests.studio.opened import ask, open_studio

from confide.core.jobs.catalogue import all_jobs, job_named
from confide.core.jobs.fields import fields_of, setting
from confide.mining.jobs import MineItemsets
from confide.studio.forms.drawn_forms import draw_form
from confide.studio.forms.field_texts import Faults, asked_by, given_fields
from confide.studio.project.project_folder import Project
from confide.studio.screens import run_form as run_screen


@pytest.mark.parametrize("job", all_jobs(), ids=lambda job: job.name)
def test_the_form_of_every_job_has_each_of_its_fields_once(job):
    names = [control.name for control in draw_form(job, {}).controls]
    assert len(set(names)) == len(names)
    left_out = {field.name for field in given_fields(job)} - set(names)
    assert left_out <= {"form", "as_json"}
    both = [field.name for kind in (job.request, job.delivery) for field in fields_of(kind)]
    assert len(set(both)) == len(both), "a form could not tell these two apart"


@pytest.mark.parametrize("job", all_jobs(), ids=lambda job: job.name)
def test_no_form_speaks_of_options(job):
    form = draw_form(job, {})
    for text in (form.title, form.help, *(control.help for control in form.controls)):
        assert "--" not in text.replace(" -- ", " ")


@dataclass(frozen=True, kw_only=True)
class MineWithMood(MineItemsets):
    """Find itemsets in a mood."""

    mood: Literal["calm", "brisk"] = setting("calm", group="Mood", help="How to go about it.")
    pace: float = setting(0.5, ge=0, le=1, help="How fast.")


def test_a_new_field_of_a_job_is_in_its_form_and_in_what_is_asked_without_a_line_of_page_code(tmp_path, monkeypatch):
    job = replace(job_named("mine itemsets"), request=MineWithMood)
    monkeypatch.setattr(run_screen, "job_named", lambda name: job)
    with open_studio(tmp_path) as opened:
        _, page, _ = ask(opened.url, "run?job=mine+itemsets")
    assert '<select id="field-mood" name="mood"' in page
    assert "<option>brisk</option>" in page
    assert 'name="pace" value="0.5"' in page
    assert 'data-least="0" data-most="1"' in page
    texts = {"records": ["b.csv"], "min_support": ["5%"], "mood": ["brisk"], "pace": ["0.25"]}
    request, _ = asked_by(Project(tmp_path), job, texts)
    assert (request.mood, request.pace, request.min_support) == ("brisk", 0.25, 0.05)
    with pytest.raises(Faults) as faults:
        asked_by(Project(tmp_path), job, texts | {"pace": ["2"]})
    assert [(fault.field, fault.cures) for fault in faults.value.found] == [("pace", ({"pace": 1},))]
