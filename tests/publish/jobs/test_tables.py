"""`confide publish table` as a user meets it: files, exit codes, refusals in one line."""

import json

import pytest
from tests.commands import confide

from confide import Passport, verify
from confide.core.samples.people import people, people_hierarchies, people_schema
from confide.core.tables.frames import read_table, write_table
from confide.core.tables.hierarchy import Hierarchy
from confide.core.tables.schema import Schema
from confide.publish import GlobalMapping
from confide.publish.tables.methods import METHODS


def run(*arguments, cwd):
    return confide("publish", "table", "people.csv", "--schema", "s.toml", *arguments, cwd=cwd)


@pytest.fixture
def desk(tmp_path):
    write_table(people(400), tmp_path / "people.csv")
    spec = {name: dict(column) for name, column in people_schema().items()}
    for name, levels in people_hierarchies().items():
        spec[name]["hierarchy"] = Hierarchy.from_rows(levels)
    Schema.from_dict(spec).write(tmp_path / "s.toml")
    return tmp_path


def test_a_release_is_written_with_its_passport_and_pages(desk):
    asked = (
        "--time-limit",
        "0",
        "--k",
        "4",
        "--diversity",
        "recursive",
        "--l",
        "2",
        "--c",
        "6",
        "--report",
        "r.html",
        "--owner-report",
        "o.html",
    )
    done = run("-o", "out.csv", *asked, cwd=desk)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["written"]
    assert told["method"] in METHODS
    assert "chose" in done.stderr
    assert verify(desk / "out.csv.passport.json").ok
    assert Passport.read(desk / "out.csv.passport.json").stage == "publish table"
    released = read_table(desk / "out.csv")
    assert released.column_names == [n for n in read_table(desk / "people.csv").column_names if n not in ("id", "name")]
    assert "Risk before and after" in (desk / "o.html").read_text()
    assert "prosecutor" not in (desk / "r.html").read_text()


def test_a_dry_run_writes_nothing_and_explore_compares(desk):
    done = run("--dry-run", "--k", "4", "--method", "mondrian", cwd=desk)
    assert done.returncode == 0
    assert not json.loads(done.stdout)["written"]
    done = run("--explore", "--k", "300", "--csv", cwd=desk)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("k,method,detail lost,rows left out,holds")
    assert sorted(path.name for path in desk.iterdir() if path.suffix == ".csv" and "out" in path.name) == []
    done = run("--explore", "--k", "4", "--table", cwd=desk)
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert any("mondrian-relaxed " in line for line in lines), "no word is broken"


def test_settings_are_explored_with_a_page_and_every_generalisation(desk):
    asked = ("--k", "3,6", "--diversity", "distinct", "--l", "2,3", "--method", "incognito", "--suppress", "10%")
    done = run("--explore", *asked, "--report", "e.html", "--lattice", "nodes.csv", cwd=desk)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["k"], row["l"]) for row in rows] == [(3, 2), (3, 3), (6, 2), (6, 3)]
    assert all(row["holds"] for row in rows)
    assert "Do not publish" in (desk / "e.html").read_text()
    nodes = read_table(desk / "nodes.csv").to_pylist()
    assert len(nodes) == 720
    best = min(float(node["loss"]) for node in nodes if node["safe"] == "true")
    assert best == pytest.approx(rows[0]["detail lost"], abs=1e-4)
    assert (desk / "nodes.csv").stat().st_mode & 0o077 == 0


def test_a_mapping_is_written_for_methods_that_have_one(desk):
    done = run(
        "-o", "out.csv", "--k", "4", "--method", "incognito", "--suppress", "5%", "--mapping", "m.json", cwd=desk
    )
    assert done.returncode == 0, done.stderr
    assert GlobalMapping.read(desk / "m.json").transform(read_table(desk / "people.csv")).num_rows == 400
    done = run("-o", "two.csv", "--k", "4", "--method", "mondrian", "--mapping", "n.json", cwd=desk)
    assert done.returncode == 2
    assert not (desk / "two.csv").exists()


def test_pseudonyms_are_made_with_the_key_of_a_file(desk):
    (desk / "key").write_bytes(bytes(range(32)))
    done = run("-o", "out.csv", "--k", "4", "--pseudonyms", "key", cwd=desk)
    assert done.returncode == 0, done.stderr
    assert "id" in read_table(desk / "out.csv").column_names
    assert verify(desk / "out.csv.passport.json").ok


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("-o", "out.csv"), 2, "say what must hold"),
        (("--k", "4"), 2, "with --output, or --dry-run"),
        (("--explore", "--k", "4", "-o", "out.csv"), 2, "releases nothing"),
        (("--explore", "--k", "4", "--owner-report", "o.html"), 2, "releases nothing"),
        (("-o", "out.csv", "--k", "4,5"), 2, "--k 4,5 is more than one value; several go with --explore"),
        (("-o", "out.csv", "--k", "4", "--lattice", "l.csv"), 2, "--lattice l.csv goes with --explore"),
        (("--explore", "--k", "4,x"), 2, "'4,x' is not a whole number"),
        (("-o", "out.csv", "--k", "401"), 1, "larger than the table"),
        (("-o", "out.csv", "--k", "4", "--suppress", "150%"), 2, "not a share"),
        (("-o", "out.csv", "--k", "4", "--mapping", "people.csv"), 2, "people.csv"),
    ],
)
def test_refusals_are_one_line_and_write_nothing(desk, arguments, code, words):
    done = run(*arguments, cwd=desk)
    assert done.returncode == code
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert not (desk / "out.csv").exists()


def test_further_rows_are_recoded_by_a_mapping(desk):
    done = run("-o", "same.csv", "--k", "4", "--method", "incognito", "--mapping", "again.json", cwd=desk)
    assert done.returncode == 0, done.stderr
    words = ("publish", "apply", "again.json", "people.csv")
    done = confide(*words, "-o", "further.csv", cwd=desk)
    assert done.returncode == 0, done.stderr
    assert "promise nothing" in done.stderr
    published, further = ((desk / name).read_text().splitlines() for name in ("same.csv", "further.csv"))
    assert sorted(published) == sorted(further)  # the same rows, in another order
    assert confide(*words, cwd=desk).stdout.splitlines() == further
    assert "people.csv: not valid JSON" in confide("publish", "apply", "people.csv", "people.csv", cwd=desk).stderr


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("--k-map", "10"), "give --population, a table of them or their number, or --sampling-weight"),
        (("--k", "3", "--population", "5000"), "--population 5000 goes with --k-map or --presence"),
        (("--presence", "0.3", "--population", "people.csv"), "is not two shares"),
        (("--presence", "0.5,0.3", "--population", "people.csv"), "are no shares in order"),
        (("--presence", "0,0.3", "--population", "5000"), "give a table of them"),
        (("--k-map", "10", "--population", "399"), "--population 399 is smaller than the table of 400 people"),
        (("--k-map", "10", "--population", "few.csv"), "has 20 people, fewer than the 400 of the table"),
        (("--k-map", "10", "--population", "0"), "is no number of people"),
        (("--k-map", "1", "--population", "5000"), "--k-map 1 protects nobody"),
        (("--k-map", "10", "--population", "people.csv", "--method", "mondrian"), "use Incognito"),
        (("--k-map", "10", "--sampling-weight", "nobody"), "'nobody' is not in the table"),
        (("--k-map", "5", "--sampling-weight", "x", "--population", "9"), "give one of them"),
        (("--k-map", "5,9", "--population", "5000"), "more than one value; several go with --explore"),
        (("--t", "nobody=0.2"), "--t names 'nobody', which is not a sensitive column"),
    ],
)
def test_what_is_asked_of_a_population_is_refused_in_one_line(desk, asked, words):
    write_table(read_table(desk / "people.csv").slice(0, 20), desk / "few.csv")
    done = run("-o", "out.csv", *asked, cwd=desk)
    assert done.returncode == 2, done.stderr
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("confide: ")]
    assert words in line
    assert not (desk / "out.csv").exists()


def test_a_population_is_counted_by_the_command_and_by_whoever_verifies(desk):
    done = run("-o", "out.csv", "--k-map", "3", "--k", "2", "--population", "people.csv", cwd=desk)
    assert done.returncode == 0, done.stderr
    assert "chose incognito" in done.stderr
    assert "counted 400 people of the population" in done.stderr
    alone = confide("verify", "out.csv.passport.json", cwd=desk)
    assert alone.returncode == 0
    assert "its promise is not checked" in alone.stderr
    counted = confide("verify", "out.csv.passport.json", "--population", "people.csv", "--schema", "s.toml", cwd=desk)
    assert counted.returncode == 0
    assert "not checked: that takes more" not in counted.stderr
    assert "people of the population: counted" in counted.stderr
    without = confide("verify", "out.csv.passport.json", "--population", "people.csv", cwd=desk)
    assert without.returncode == 2
    assert "give --schema, too" in without.stderr


def test_a_population_nobody_promised_anything_about_is_refused_by_verify(desk):
    assert run("-o", "out.csv", "--k", "4", "--method", "mondrian", cwd=desk).returncode == 0
    done = confide("verify", "out.csv.passport.json", "--population", "people.csv", "--schema", "s.toml", cwd=desk)
    assert done.returncode == 2
    assert "is not asked about" in done.stderr


def test_a_request_with_a_population_is_saved_and_run_again(desk):
    done = run("-o", "one.csv", "--k-map", "10", "--population", "5_000", "--save-request", "r.toml", cwd=desk)
    assert done.returncode == 0, done.stderr
    assert "At least 3 rows share" in done.stderr  # 8% of them
    again = confide("run", "r.toml", "--replace", cwd=desk)
    assert again.returncode == 0, again.stderr
    priced = run("--k-map", "3,6", "--population", "people.csv", "--explore", cwd=desk)
    assert [json.loads(line)["k_map"] for line in priced.stdout.splitlines()] == [3, 6]
