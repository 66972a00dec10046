"""A new option is one line: a field of the request. Everything else is derived from it."""

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import click
import pytest
from click.shell_completion import ShellComplete

from confide.cli.derived.commands import command_of, option_wording
from confide.core.errors import RequestError
from confide.core.jobs import request_files
from confide.core.jobs.catalogue import job_named
from confide.core.jobs.delivery import AnswerFiles
from confide.core.jobs.fields import setting
from confide.core.jobs.forms import form_of
from confide.mining.jobs import MineItemsets

sys.path.insert(0, str(Path(__file__).parents[3] / "tools"))

from command_reference import _section


@dataclass(frozen=True, kw_only=True)
class MineMore(MineItemsets):
    """Find itemsets of a taste."""

    taste: Literal["sweet", "salty"] = setting("sweet", help="Which snacks count.")


JOB = replace(job_named("mine itemsets"), request=MineMore)


@pytest.fixture(scope="module")
def command():
    return command_of(JOB)


def test_the_command_line_has_it_with_choices_default_and_help(command):
    context = click.Context(command)
    shown = " ".join(command.get_help(context).split())
    assert "--taste" in shown
    assert "Which snacks count." in shown
    assert "[default: sweet]" in shown


def test_the_shell_completes_it(command):
    offered = ShellComplete(command, {}, "confide", "_").get_completions
    assert "--taste" in {item.value for item in offered([], "--ta")}
    assert {item.value for item in offered(["--taste"], "s")} == {"sweet", "salty"}


def test_the_form_and_the_reference_have_it():
    (field,) = (entry for entry in form_of(JOB)["fields"] if entry["name"] == "taste")
    assert (field["choices"], field["default"], field["help"]) == (["sweet", "salty"], "sweet", "Which snacks count.")
    assert any("`--taste`" in line and "Which snacks count." in line for line in _section(JOB))


@pytest.mark.parametrize("suffix", [".toml", ".json"])
def test_a_request_file_keeps_it(tmp_path, monkeypatch, suffix):
    path = tmp_path / f"r{suffix}"
    asked = MineMore(records=tmp_path / "b.csv", min_support=2, taste="salty")
    path.write_text(request_files.request_text(JOB, asked, AnswerFiles(), path))
    monkeypatch.setattr(request_files, "job_named", lambda name: JOB)
    assert request_files.read_request(path)[1] == asked


def test_an_error_names_it_for_each_side():
    with pytest.raises(RequestError) as refusal:
        MineMore(records=Path("b.csv"), min_support=2, taste="sour")
    assert "taste='sour'" in str(refusal.value)
    assert "--taste sour" in option_wording(refusal.value, JOB)
