import json

import pyarrow as pa
from click.testing import CliRunner

from confide import Schema
from confide.cli.root import confide
from confide.core.errors import UsageError
from confide.publish import propose_schema


def test_a_schema_is_proposed_and_written(tmp_path):
    (tmp_path / "t.csv").write_text("name,age,illness\nAnn,31,flu\nBob,44,gout\nCy,59,flu\n")
    call = ["publish", "schema", str(tmp_path / "t.csv"), "-o", str(tmp_path / "out")]
    found = CliRunner().invoke(confide, call)
    assert found.exit_code == 0
    rows = [json.loads(line) for line in found.stdout.splitlines()]
    assert [row["role"] for row in rows] == ["identifier", "quasi-identifier", "sensitive"]
    assert Schema.read(tmp_path / "out" / "schema.toml").columns["age"].range == (0, 120)
    assert CliRunner().invoke(confide, call).exit_code != 0
    assert CliRunner().invoke(confide, [*call, "--replace"]).exit_code == 0


def test_a_proposal_can_be_looked_at_and_is_never_a_folder_named_like_a_file(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("name,age,illness\nAnn,31,flu\nBob,44,gout\nCy,59,flu\n")
    looked = CliRunner().invoke(confide, ["publish", "schema", str(table)])
    assert looked.exit_code == 0
    assert "nothing was written; --output keeps the proposal" in looked.stderr
    assert list(tmp_path.iterdir()) == [table]
    refused = CliRunner().invoke(confide, ["publish", "schema", str(table), "-o", str(tmp_path / "x.toml")])
    assert isinstance(refused.exception, UsageError)
    assert f"need a folder; use --output {tmp_path / 'x'}" in str(refused.exception)
    assert list(tmp_path.iterdir()) == [table]


def test_a_proposal_of_long_names_breaks_no_word_at_80_columns(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    table = tmp_path / "t.csv"
    names = ["HeartDiseaseorAttack", "discharge_disposition_id", "PhysActivity"]
    table.write_text("\n".join([",".join(names), *(f"{i % 2},{i % 3},{i % 4}" for i in range(60))]) + "\n")
    shown = CliRunner().invoke(confide, ["publish", "schema", str(table), "--table"]).stdout
    assert max(map(len, shown.splitlines())) <= 80
    for word in [*names, "quasi-identifier"]:
        assert word in shown
    assert "missing" not in shown  # nothing is


def test_a_notebook_shows_a_proposal():
    html = propose_schema(pa.table({"age": [34, 71], "illness": ["flu", "gout"]}))._repr_html_()
    assert "<td>quasi-identifier</td>" in html
    assert "gout" not in html


def test_question_marks_are_warned_of_even_when_quiet(tmp_path):
    (tmp_path / "t.csv").write_text("age,work\n31,?\n44,Private\n59,?\n20,State\n")
    for options in ([], ["--quiet"]):
        found = CliRunner().invoke(confide, [*options, "publish", "schema", str(tmp_path / "t.csv")])
        assert found.exit_code == 0
        assert "warning: column 'work' holds \"?\" in 2 rows, which is taken as a value of its own" in found.stderr
