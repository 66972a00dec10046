"""Commands derived from jobs: help, errors in the words of the command line, saved requests, completion."""

import csv
import os
import subprocess
import sys

import pytest
from tests.commands import confide
from tests.patience import LONG

from confide.cli.options import table_text
from confide.core.samples import baskets


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    folder = tmp_path_factory.mktemp("desk")
    baskets(300).write(folder / "baskets.csv", format="basket")
    return folder


def test_help_has_headings_defaults_ranges_and_an_example(desk):
    shown = confide("mine", "itemsets", "--help", cwd=desk).stdout
    assert "Reading:" in shown
    assert "Files and output:" in shown
    assert "[default: all]" in shown
    assert "(1 or more)" in shown
    assert "confide mine itemsets baskets.csv --min-support 1%" in shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-s", "0"], "--min-support 0 is neither a count of 1 or more nor a share"),
        (["-s", "2", "--max-length", "0"], "--max-length 0 is too small; use --max-length 1 or more"),
        (["-s", "2", "--engine", "stream"], "--engine stream works on Parquet only"),
        (["-s", "2", "--delimiter", "bar"], "--delimiter bar is none of: comma, semicolon, tab"),
        (["-s", "many"], "'many' is neither a count (5), a share (0.01) nor a percentage (1%)"),
        (["-s", "2", "-o", "baskets.csv", "--replace"], "baskets.csv is the input"),
    ],
)
def test_errors_speak_of_options(desk, options, message):
    done = confide("mine", "itemsets", "baskets.csv", *options, cwd=desk)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("name", ["r.toml", "r.json"])
def test_a_saved_request_gives_the_same_file(desk, tmp_path, name):
    first, saved = tmp_path / "first.parquet", tmp_path / name
    options = ("-s", "5%", "--kind", "closed", "-o", str(first), "--save-request", str(saved))
    assert confide("mine", "itemsets", "baskets.csv", *options, cwd=desk).returncode == 0
    again = confide("run", str(saved), cwd=tmp_path)
    assert again.returncode == 2  # the file is there already
    assert "--replace" in again.stderr
    before = first.read_bytes()
    assert confide("run", str(saved), "--replace", cwd="/").returncode == 0
    assert first.read_bytes() == before
    assert confide("run", str(saved), "-o", str(tmp_path / "other.parquet"), cwd="/").returncode == 0
    assert (tmp_path / "other.parquet").read_bytes() == before


def test_the_fields_of_a_job_are_printed(desk):
    assert '"option": "--min-support"' in confide("run", "--form", "mine itemsets", cwd=desk).stdout
    assert "no job is called 'mine gold'" in confide("run", "--form", "mine gold", cwd=desk).stderr


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("confide mi", "mine"),
        ("confide mine ru", "rules"),
        ("confide mine itemsets --ki", "--kind"),
        ("confide mine itemsets --kind cl", "closed"),
    ],
)
def test_a_shell_completes_commands_options_and_choices(words, offered):
    asked = {"_CONFIDE_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    done = subprocess.run(
        [sys.executable, "-m", "confide"], env=os.environ | asked, capture_output=True, text=True, timeout=LONG
    )
    assert offered in done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_script(shell):
    done = subprocess.run(
        [sys.executable, "-m", "confide"],
        env=os.environ | {"_CONFIDE_COMPLETE": f"{shell}_source"},
        capture_output=True,
        text=True,
        timeout=LONG,
    )
    assert "_CONFIDE_COMPLETE" in done.stdout


def test_quiet_may_stand_anywhere(tmp_path):
    (tmp_path / "b.csv").write_text("milk,bread\nmilk\n")
    words = ["mine", "itemsets", "b.csv", "--min-support", "1"]
    loud = confide(*words, cwd=tmp_path)
    assert "read b.csv" in loud.stderr
    for place in range(len(words) + 1):
        if place == 4:  # between an option and its value
            continue
        quiet = confide(*words[:place], "-q", *words[place:], cwd=tmp_path)
        assert (quiet.returncode, quiet.stderr, quiet.stdout) == (0, "", loud.stdout)


def test_quiet_holds_in_threads_of_a_job(tmp_path):
    (tmp_path / "b.csv").write_text("milk,bread\n" * 9)
    words = ["publish", "transactions", "b.csv", "--explore", "--k", "2", "--h", "1", "--p", "1", "--table"]
    assert "read b.csv" in confide(*words, cwd=tmp_path).stderr
    assert "read b.csv" not in confide(*words, "-q", cwd=tmp_path).stderr


def test_items_of_a_printed_csv_are_read_back_as_they_were(tmp_path):
    (tmp_path / "b.jsonl").write_text('["bread, white", "whole milk"]\n')
    words = ["mine", "itemsets", "b.jsonl", "--min-support", "1"]
    printed = confide(*words, "--csv", cwd=tmp_path).stdout
    assert confide(*words, "-o", "o.csv", cwd=tmp_path).returncode == 0
    rows = [list(csv.DictReader(text.splitlines())) for text in (printed, (tmp_path / "o.csv").read_text())]
    assert [row["items"] for row in rows[0]] == [row["items"] for row in rows[1]]
    assert ["bread, white", "whole milk"] in [next(csv.reader([row["items"]])) for row in rows[0]]


def test_a_table_too_wide_for_the_screen_stands_row_by_row():
    rows = [{f"column_{i}": f"value{i}" for i in range(20)}, {f"column_{i}": "x" * 100 for i in range(20)}]
    text = table_text(rows)
    assert all(f"column {i}" in text and f"value{i}" in text for i in range(20))
    assert text.count("x") == 2000
    assert max(map(len, text.splitlines())) <= 80
