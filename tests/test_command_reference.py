"""The page of every command is what the requests say now."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

from command_reference import PAGE, page_text

from confide.core.jobs.catalogue import all_jobs
from confide.core.jobs.fields import fields_of


def test_the_page_is_fresh():
    assert PAGE.read_text(encoding="utf-8") == page_text(), "write it again: python tools/command_reference.py"


def test_every_job_and_every_setting_is_on_it():
    text = page_text()
    for job in all_jobs():
        assert f"## confide {job.name}\n" in text
        for field in fields_of(job.request):
            assert f"| `{field.name}` |" in text
