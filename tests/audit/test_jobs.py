"""`confide verify TABLE --schema`: measured, answered, and the exit status says yes or no."""

import json

import pytest
from click.testing import CliRunner

from confide.audit.jobs import Verify, verify
from confide.cli.root import confide
from confide.core.errors import UsageError

SCHEMA = '[columns.age]\nrole = "quasi-identifier"\n\n[columns.illness]\nrole = "sensitive"\n'
ROWS = "age,illness\n" + "".join(
    f"{age},{illness}\n" for age in ("20-29", "30-39") for illness in ("flu", "gout", "flu")
)


@pytest.fixture
def table(tmp_path):
    (tmp_path / "t.csv").write_text(ROWS)
    (tmp_path / "s.toml").write_text(SCHEMA)
    return tmp_path / "t.csv", tmp_path / "s.toml"


def run(table, *options):
    return CliRunner().invoke(confide, ["verify", str(table[0]), "--schema", str(table[1]), *options])


def test_a_table_is_measured_when_nothing_is_asked(table):
    found = run(table)
    assert found.exit_code == 0
    assert "6 rows in 2 groups; k = 3 rows in the smallest" in found.stderr
    assert "illness: l = 1 simple, 2 distinct, 1.889881 by entropy" in found.stderr
    assert "(2.000001, 2) recursive" in found.stderr.replace("(c, l) = ", "")
    assert "alpha = 0.666667; t = 0" in found.stderr


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (["--k", "3"], 0),
        (["--k", "4"], 1),
        (["--k", "3", "--l", "2", "--diversity", "distinct"], 0),
        (["--k", "3", "--l", "2"], 1),
        (["--l", "2", "--diversity", "recursive", "--c", "2.1"], 0),
        (["--l", "2", "--diversity", "recursive", "--c", "2"], 1),
        (["--t", "0%"], 0),
        (["--k", "3", "--alpha", "67%"], 0),
        (["--beta", "0.1", "--enhanced"], 0),
        (["--delta", "0.1"], 0),
        (["--l", "2", "--others-known"], 1),
        (["--c", "2"], 2),
        (["--diversity", "entropy"], 2),
    ],
)
def test_yes_no_and_wrong_use(table, options, status):
    found = run(table, *options)
    if status == 2:
        assert isinstance(found.exception, Exception)
        assert not isinstance(found.exception, SystemExit)  # one of ours, which the command turns into exit status 2
    else:
        assert found.exit_code == status
        assert ("does NOT meet" in found.stderr) == bool(status)


def test_json_holds_all_of_it(table):
    found = json.loads(run(table, "--k", "4", "--json").stdout)
    assert found["ok"] is False
    assert found["asked"] == {"kind": "k-anonymity", "k": 4}
    assert found["keeps"]["sensitive"]["illness"]["recursive_c"] == {"2": 2.000001, "3": None, "4": None, "5": None}


def test_passports_are_not_asked_and_tables_have_no_key(table):
    from confide.core.errors import UsageError

    for arguments in (
        [str(table[0]), "--k", "3"],
        [str(table[0]), str(table[0]), "--schema", str(table[1])],
        [str(table[0]), "--schema", str(table[1]), "--artefact", str(table[0])],
    ):
        found = CliRunner().invoke(confide, ["verify", *arguments])
        assert isinstance(found.exception, UsageError)


def test_what_was_found_in_a_release_is_not_called_an_option(table):
    from confide import KAnonymity, Schema
    from confide.core.tables.frames import read_table
    from confide.publish import Mondrian

    schema = Schema.read(table[1])
    Mondrian(requirement=KAnonymity(k=3)).publish(read_table(table[0]), schema).write(table[0].with_name("out.csv"))
    found = CliRunner().invoke(confide, ["verify", str(table[0].with_name("out.csv.passport.json"))])
    assert found.exit_code == 0
    assert "k-anonymity: k=3: 2 groups" in found.stderr


def test_a_table_in_another_encoding_and_dialect_is_examined(tmp_path):
    (tmp_path / "t.csv").write_bytes("st\u00e4dte;ill\nK\u00f6ln;a\nK\u00f6ln;b\n".encode("latin-1"))
    (tmp_path / "s.toml").write_text(
        '[columns."st\u00e4dte"]\nrole = "quasi-identifier"\n[columns.ill]\nrole = "sensitive"\n', encoding="utf-8"
    )
    asked = Verify(passports=(tmp_path / "t.csv",), schema=tmp_path / "s.toml", encoding="latin-1", k=2)
    assert verify(asked).ok
    with pytest.raises(UsageError, match="without a passport"):
        Verify(passports=(tmp_path / "t.csv",), encoding="latin-1")
