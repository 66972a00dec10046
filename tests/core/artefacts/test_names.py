"""A file name that somebody's file gives is a plain name, or it is refused in one line."""

import json
from pathlib import Path

import jsonschema
import pyarrow as pa
import pytest
from tests.commands import confide as run

import confide.core.passport
from confide.core.artefacts.names import check_file_name, is_file_name
from confide.core.datasets.manifest import Manifest, PartEntry
from confide.core.errors import InputError, UsageError
from confide.core.release import Release
from confide.core.requirements import KAnonymity
from confide.core.tables.schema import Schema

BAD = {
    "a NUL": "pe\0ople.csv",
    "this folder": ".",
    "the folder above": "..",
    "a folder": "a/people.csv",
    "a folder of Windows": "a\\people.csv",
    "a drive": "c:people.csv",
    "a stream": "people.csv:more",
    "a device": "NUL",
    "a device with a suffix": "com1.csv",
    "a device with a blank": "aux .csv",
    "a line end": "people\n.csv",
    "an escape": "people\x1b[2J.csv",
    "a C1 control": "people\x9b.csv",
    "a turn of direction": "people\u202evsc.exe",
    "a line separator": "people\u2028.csv",
    "a blank before": " people.csv",
    "a blank after": "people.csv ",
    "a hard blank after": "people.csv\u00a0",
    "a dot at the end": "people.csv.",
    "nothing": "",
    "too long": "a" * 256,
    "too long in bytes": "ü" * 128,
}
GOOD = ["people.csv", "Leute über 50.csv", "表.parquet", ".hidden", "a", "con-people.csv", "nullify.csv", "a..b"]
TABLE = pa.table({"age": ["20-29"] * 3, "illness": list("abc")})


def write_release(folder):
    roles = {"age": "quasi-identifier", "illness": "sensitive"}
    release = Release.issue(TABLE, KAnonymity(k=3), stage="by hand", algorithm="by hand", context={"roles": roles})
    release.write(folder / "people.csv")
    return folder / "people.csv.passport.json"


@pytest.mark.parametrize("name", GOOD)
def test_plain_names_are_names(name):
    assert check_file_name(name) == name


@pytest.mark.parametrize("why", BAD)
def test_other_names_are_refused_by_passports_and_by_their_schema(tmp_path, why):
    path = write_release(tmp_path)
    plain = json.loads(path.read_text())
    plain["artefact"]["name"] = BAD[why]
    path.write_text(json.dumps(plain))
    with pytest.raises(InputError, match=r"artefact\.name: is not a plain file name"):
        confide.core.passport.Passport.read(path)
    if why != "too long in bytes":  # a schema counts characters
        schema = json.loads(Path(confide.core.passport.__file__).with_name("passport.schema.json").read_text())
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(plain, schema)


@pytest.mark.parametrize("why", ["a NUL", "this folder", "the folder above", "a stream"])
@pytest.mark.parametrize("command", ["verify", "report", "passport show", "passport sign"])
def test_commands_say_so_in_one_line(tmp_path, command, why):
    from confide.core.artefacts.signing_keys import make_keys

    path = write_release(tmp_path)
    make_keys(tmp_path / "key")
    plain = json.loads(path.read_text())
    plain["artefact"]["name"] = BAD[why]
    path.write_text(json.dumps(plain))
    more = {"report": ["-o", "page.html"], "passport sign": ["--key", "key"]}.get(command, [])
    done = run(*command.split(), path.name, *more, cwd=tmp_path)
    assert done.returncode in (1, 2)
    assert "is not a plain file name" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("why", BAD)
def test_a_manifest_lists_plain_names_only(why):
    name = BAD[why] + ".parquet" if why in ("a NUL", "a folder", "a drive", "a line end") else BAD[why]
    text = Manifest("table", (PartEntry(name, "0" * 64, 1, 1),)).to_json()
    with pytest.raises(InputError, match="is not a manifest as Confide writes it"):
        Manifest.of(text.encode(), Path("manifest.json"))


@pytest.mark.parametrize("why", ["a stream", "a device", "a dot at the end"])
def test_a_release_under_such_a_name_is_refused_before_the_work(tmp_path, why):
    (tmp_path / "in.csv").write_text("age,illness\n" + "20,a\n" * 3)
    (tmp_path / "s.toml").write_text(
        '[columns.age]\nrole = "quasi-identifier"\n[columns.illness]\nrole = "sensitive"\n'
    )
    done = run("publish", "table", "in.csv", "--schema", "s.toml", "--k", "3", "-o", BAD[why], cwd=tmp_path)
    assert done.returncode == 2
    assert "is not a plain file name" in done.stderr
    with pytest.raises(UsageError, match="is not a plain file name"):
        Release.issue(
            TABLE,
            KAnonymity(k=3),
            stage="by hand",
            algorithm="by hand",
            context={"roles": {"age": "quasi-identifier", "illness": "sensitive"}},
        ).passport.for_bytes(b"", BAD[why], type="table")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv", "s.toml"]


def test_a_path_with_a_nul_in_a_schema_is_refused_in_one_line(tmp_path):
    (tmp_path / "in.csv").write_text("age,illness\n" + "20,a\n" * 3)
    (tmp_path / "s.toml").write_text(
        '[columns.age]\nrole = "quasi-identifier"\nhierarchy = "a\\u0000b.csv"\n[columns.illness]\nrole = "sensitive"\n'
    )
    done = run("publish", "table", "in.csv", "--schema", "s.toml", "--k", "3", "-o", "out.csv", cwd=tmp_path)
    assert done.returncode == 2
    assert "no file can have this name" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_hierarchy_is_not_written_outside_its_folder(tmp_path):
    from confide.core.tables.hierarchy import Hierarchy
    from confide.core.tables.schema import Column

    inside = tmp_path / "inside"
    inside.mkdir()
    schema = Schema({"../age": Column(role="quasi-identifier", hierarchy=Hierarchy.flat(["1", "2"]))})
    with pytest.raises(UsageError, match="is not a plain file name"):
        schema.write(inside / "s.toml")
    assert not list(tmp_path.glob("*.csv"))


def test_only_texts_are_names():
    assert not is_file_name(None)
    assert not is_file_name(7)
