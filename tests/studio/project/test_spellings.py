"""A run in other words does what the run does: every example of every job, there and back."""

import ast
import json
import shlex

import pytest
from tests.commands import confide

from confide.core.jobs.catalogue import all_jobs
from confide.core.jobs.fields import fields_of
from confide.core.jobs.request_files import request_text
from confide.studio.forms.field_texts import asked_by, texts_of
from confide.studio.project.project_folder import Project
from confide.studio.project.spellings import command_line, line_of, notebook_text, python_text

EXAMPLES = [example for job in all_jobs() for example in job.examples if job.name != "studio"]


@pytest.fixture
def capture(tmp_path, monkeypatch):
    """What a command asks for: job, request and delivery, as they come before anything is done."""
    taken = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("confide.cli.derived.commands.deliver", lambda *asked, save: taken.append(asked))

    def ask(words):
        done = confide(*words[1:], cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return taken.pop()

    return ask


def text(asked):
    """A request as a file of the folder has it."""
    return request_text(*asked, "x.toml")


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_goes_through_command_line_and_form_and_comes_back_the_same(tmp_path, capture, example):
    project = Project(tmp_path)
    job, request, delivery = capture(shlex.split(example))
    words = command_line(project, job, request, delivery)
    if any(field.secret and field.required for field in fields_of(job.request)):
        assert "P0007" not in words, "a secret is in no file and in no command"
        return
    again = capture(shlex.split(line_of(words)))
    assert text(again) == text((job, request, delivery))
    form = asked_by(project, job, texts_of(project, request, delivery))
    settled = {"as_json = true", "[files]", ""}  # the studio asks for JSON by itself
    lines = [set(text(asked).splitlines()) - settled for asked in ((job, *form), (job, request, delivery))]
    assert lines[0] == lines[1]
    ast.parse(python_text(project, job, request, delivery))
    cells = json.loads(notebook_text(project, job, request, delivery))["cells"]
    assert [cell["cell_type"] for cell in cells] == ["markdown", "code"]


def test_words_that_a_shell_would_take_apart_are_quoted(tmp_path, capture):
    words = ["confide", "publish", "transactions", "my shop;x.csv", "-o", "a b.csv", "--k", "2", "--p", "inf"]
    asked = capture([*words, "--private-prefix", "s: $HOME", "--private-prefix", "'"])
    line = line_of(command_line(Project(tmp_path), *asked))
    assert text(capture(shlex.split(line))) == text(asked)


def test_a_file_that_is_called_like_an_option_stays_a_file(tmp_path, capture):
    words = ["confide", "publish", "transactions", "./--replace", "-o", "a.csv", "--k", "2", "--p", "1"]
    asked = capture(words)
    again = capture(shlex.split(line_of(command_line(Project(tmp_path), *asked))))
    assert again[1].records.name == "--replace"
    assert not again[2].replace
