import json

from click.testing import CliRunner

from confide import Schema
from confide.cli.root import confide


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
