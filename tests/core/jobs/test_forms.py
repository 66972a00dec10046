"""The plain description of a job: every field with what a page needs to draw it."""

import json

from confide.core.jobs.catalogue import jobs_of
from confide.core.jobs.fields import fields_of
from confide.core.jobs.forms import form_of
from confide.core.stages import STAGES


def test_every_field_of_every_job_is_described():
    for stage in STAGES.values():
        for job in (job for module in stage.jobs for job in jobs_of(module)):
            form = json.loads(json.dumps(form_of(job)))
            assert [entry["name"] for entry in form["fields"]] == [
                field.name for field in fields_of(job.request) if not field.in_python
            ]
            assert form["title"].endswith(".")
            assert form["examples"]
            for entry in form["fields"]:
                assert entry["help"].endswith((".", "].", "]")), entry
                assert entry["required"] or "at_least" not in entry or entry.get("default", 10**9) >= entry["at_least"]


def test_a_choice_lists_its_choices_and_a_number_its_range():
    (form,) = (form_of(job) for job in jobs_of("confide.mining.jobs") if job.name == "mine itemsets")
    fields = {entry["name"]: entry for entry in form["fields"]}
    assert fields["kind"]["choices"] == ["all", "closed", "maximal"]
    assert fields["kind"]["default"] == "all"
    assert fields["max_length"]["at_least"] == 1
    assert fields["spark_master"]["when"] == {"engine": "spark"}
    assert fields["records"]["option"] == "IN"
