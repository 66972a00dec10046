"""`confide search ...` as a person uses it: from notes to results, encrypted or not; wrong use in one line."""

import json

import pytest
from tests.commands import confide
from tests.search.engines import engine


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    for words in (
        ["sample", "documents", "notes", "--texts", 120],
        ["search", "profile", "build", "--documents", "notes", "-o", "my.profile"],
        ["search", "index", "--documents", "notes", "-o", "notes.sqlite"],
    ):
        done = confide(*words, cwd=folder)
        assert done.returncode == 0, done.stderr
    (folder / "empty").mkdir()
    (folder / "pass").write_text("correct horse\nnot this line")
    (folder / "wrong").write_text("battery\n")
    return folder


ME = ["--profile", "my.profile", "--min-detail", "2%"]


def test_results_come_as_json_lines_in_a_persons_order(home):
    done = confide("search", "query", "evening", "--engine", "notes.sqlite", *ME, "--alpha", "1", cwd=home)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
    assert [row["up_score"] for row in rows] == sorted((row["up_score"] for row in rows), reverse=True)
    assert "they go nowhere: results are ordered here" in done.stderr
    plain = confide("search", "query", "evening", "--engine", "notes.sqlite", "--csv", cwd=home)
    assert plain.stdout.startswith("rank,engine_rank,up_rank,up_score,title,url,snippet,reasons\n1,1,")


def test_an_engine_that_fails_ends_with_3_and_one_line(home):
    with engine("error") as server:
        done = confide("search", "query", "tea", "--engine", server.address, *ME, cwd=home)
    assert done.returncode == 3
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1].endswith("answers with HTTP 500")
    done = confide("search", "query", "tea", "--engine", server.address, *ME, cwd=home)  # now nobody is there
    assert done.returncode == 3


def test_pages_are_not_fetched_where_nobody_can_be_asked(home):
    with engine() as server:
        done = confide("search", "query", "tea", "--engine", server.address, *ME, "--alpha", "1", "--pages", cwd=home)
    assert done.returncode == 0, done.stderr
    assert "pages would be fetched from 20 hosts" in done.stderr
    assert "no pages were fetched" in done.stderr


def test_an_encrypted_profile_is_opened_by_its_passphrase_and_stays_encrypted(home, tmp_path):
    sealed, other = tmp_path / "sealed", tmp_path / "other"
    secret, wrong = ["--passphrase-file", home / "pass"], ["--passphrase-file", home / "wrong"]
    build = ["search", "profile", "build", "--documents", "notes", "-o", sealed, "--encrypt", *secret]
    assert confide(*build, cwd=home).returncode == 0
    assert "sport" not in sealed.read_text()
    done = confide("search", "profile", "show", sealed, cwd=home)
    assert done.returncode == 2
    assert "nobody can be asked here; give --passphrase-file" in done.stderr
    assert "another passphrase" in confide("search", "profile", "show", sealed, *wrong, cwd=home).stderr
    assert "sport" in confide("search", "profile", "show", sealed, *secret, cwd=home).stdout
    edit = ["search", "profile", "edit", sealed, "--hide", "sport", "-o", other, *secret]
    assert confide(*edit, cwd=home).returncode == 0
    assert "confide encrypted profile" in other.read_text()


def test_forgetting_and_exporting(home, tmp_path):
    names = confide("search", "profile", "show", "my.profile", "--documents", cwd=home).stdout
    assert "notes/note-00003.txt" in names
    forget = ["search", "profile", "edit", "my.profile", "--forget", "notes/note-00003.txt", "-o", tmp_path / "less"]
    assert confide(*forget, cwd=home).returncode == 0
    assert "note-00003" not in (tmp_path / "less").read_text()
    tree = json.loads(confide("search", "profile", "show", tmp_path / "less", "--export", cwd=home).stdout)
    assert tree["documents"] == 119


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["profile", "build", "-o", "x"], 2, "name what to read: --documents, --mail"),
        (["profile", "build", "--documents", "empty", "-o", "x"], 2, "empty: holds no file to read"),
        (["profile", "build", "--documents", "none", "-o", "x"], 2, "none: no such folder"),
        (["profile", "build", "--documents", "notes", "-o", "my.profile"], 2, "exists"),
        (
            ["profile", "build", "--documents", "notes", "--minsup", "500", "-o", "x"],
            2,
            "--minsup 500 is more than",
        ),
        (["profile", "build", "--documents", "notes", "--language", "elvish", "-o", "x"], 2, "'elvish' is not known"),
        (["profile", "build", "--history", "pass", "-o", "x"], 2, "pass: is not a database that can be read"),
        (["profile", "show", "pass"], 2, "pass: not a profile"),
        (["profile", "expose", "my.profile", "--min-detail", "2"], 2, "--min-detail 2.0 is not a share"),
        (["profile", "expose", "my.profile", "--min-detail", "1%", "--hide", "sprot"], 2, "did you mean sport"),
        (["profile", "edit", "my.profile"], 2, "say what to change"),
        (["profile", "edit", "my.profile", "--hide", "sport"], 2, "exists"),
        (["profile", "verify", "my.profile", "none"], 2, "none: no such file"),
        (["query", "tea"], 2, "give --engine, or --wrapper"),
        (["query", "tea", "--engine", "pass"], 2, "pass: is not an index"),
        (["query", "tea", "--engine", "notes.sqlite", "--min-detail", "2%"], 2, "go with --profile"),
        (["query", "tea", "--wrapper", "http://127.0.0.1:9", "--profile", "my.profile"], 2, "--min-detail 0.02"),
        (
            ["query", "tea", "--engine", "notes.sqlite", "--profile", "my.profile", "--ranking", "pprank"],
            2,
            "--min-detail 0.02",
        ),
        (["query", "tea", "--engine", "notes.sqlite", *ME, "--alpha", "3"], 2, "--alpha 3.0 is not from 0"),
    ],
)
def test_wrong_use_ends_in_one_clear_line(home, arguments, status, message):
    done = confide("search", *arguments, cwd=home)
    assert done.returncode == status, done.stderr
    assert message in done.stderr, done.stderr
    assert "Traceback" not in done.stderr
    assert not (home / "x").exists()


def test_a_passport_of_another_profile_fails(home, tmp_path):
    expose = ["search", "profile", "expose", "my.profile", "--min-detail", "2%", "-o", tmp_path / "e.json"]
    assert confide(*expose, cwd=home).returncode == 0
    passport = tmp_path / "e.json.passport.json"
    assert confide("search", "profile", "verify", "my.profile", passport, cwd=home).returncode == 0
    assert confide("search", "profile", "verify", "my.profile", passport, "--hide", "sport", cwd=home).returncode == 1
    assert confide("verify", passport, cwd=home).returncode == 0
