"""`confide collect plan`, `collect privacy` and `attack collect` as a user meets them."""

import json
import re

import pytest
from tests.commands import confide as run

from confide.collect import Emask, GammaDiagonal, read_scheme


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    folder = tmp_path_factory.mktemp("desk")
    (folder / "people.csv").write_text("sex,ill\n" + "f,no\nm,yes\nf,yes\nm,no\n" * 25)
    (folder / "baskets.csv").write_text("tea\ntea,milk\nmilk,beer,nuts\n" * 30)
    GammaDiagonal(domains={"sex": ["f", "m"], "ill": ["no", "yes"]}, gamma=19, alpha=0.1).write(folder / "ran.json")
    Emask(p=0.5, q=0.9).write(folder / "emask.json")
    return folder


def test_a_planned_scheme_is_written_and_keeps_its_promise(desk, tmp_path):
    done = run(
        "collect",
        "plan",
        "--sample",
        desk / "people.csv",
        "--rho1",
        "0.1",
        "--rho2",
        "0.4",
        "-o",
        "s.json",
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["gamma"] == 6
    scheme = read_scheme(tmp_path / "s.json")
    assert (scheme.gamma, scheme.cells) == (6, 4)
    again = run("collect", "plan", "--sample", desk / "people.csv", "-o", "s.json", cwd=tmp_path)
    assert again.returncode == 2
    assert "s.json exists; say --replace to overwrite it" in again.stderr


def test_schemes_for_items_are_bound_to_the_sample(desk, tmp_path):
    for name, more in (("mask", []), ("cut-and-paste", []), ("emask", ["--visible", "0.9"])):
        options = ["--scheme", name, "--sample", desk / "baskets.csv", "-o", f"{name}.json", *more]
        done = run("collect", "plan", *options, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        scheme = read_scheme(tmp_path / f"{name}.json")
        assert set(scheme.items) == {"tea", "milk", "beer", "nuts"}
        assert scheme.max_length == 3  # so that perturbing binds nothing more, and the fingerprint stays


def test_perturbing_by_a_planned_scheme_keeps_its_fingerprint(desk, tmp_path):
    plan = ["--scheme", "emask", "--sample", desk / "baskets.csv", "-o", "e.json", "--visible", "0.9"]
    assert run("collect", "plan", *plan, cwd=tmp_path).returncode == 0
    done = run("collect", "perturb", desk / "baskets.csv", "--scheme", "e.json", "-o", "o.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    passport = json.loads((tmp_path / "o.csv.passport.json").read_text())
    assert read_scheme(passport["context"]["scheme"]).fingerprint == read_scheme(tmp_path / "e.json").fingerprint
    unbound = ["--scheme", desk / "emask.json", "-o", "p.csv", "--labels-from-data"]
    done = run("collect", "perturb", desk / "baskets.csv", *unbound, cwd=tmp_path)
    assert "another sha256 than its file" in done.stderr


def test_a_scheme_that_could_not_be_mined_is_warned_of_before_anybody_answers(desk, tmp_path):
    plan = ["--scheme", "cut-and-paste", "--sample", desk / "baskets.csv", "-o", "c.json"]
    planned = run("collect", "plan", *plan, cwd=tmp_path)
    perturbed = run("collect", "perturb", desk / "baskets.csv", "--scheme", "c.json", "-o", "o.csv", cwd=tmp_path)
    for done in (planned, perturbed):
        assert done.returncode == 0, done.stderr
        assert "warning: the records hold 1 to 3 items" in done.stderr
    alone = run("collect", "plan", "--scheme", "cut-and-paste", "--max-length", "5", cwd=tmp_path)
    assert "only if all true records hold equally many" in alone.stderr
    table = run("collect", "plan", "--scheme", "cut-and-paste", "--fields", "4", cwd=tmp_path)
    assert "equally many" not in table.stderr


def test_goals_that_are_missed_are_named_and_hard_ones_refused(desk):
    goals = ["--scheme", "emask", "--avg-support", "0.01", "--records", "1000000"]
    done = run("collect", "plan", *goals, cwd=desk)
    assert done.returncode == 0
    assert set(json.loads(done.stdout)["missed"]) == {"breach", "error"}
    assert "the goals exclude each other" in done.stderr
    assert "misses breach and error" in done.stderr
    refused = run("collect", "plan", *goals, "--hard", "breach", "--hard", "error", cwd=desk)
    assert refused.returncode == 1
    assert "nearest that works" in refused.stderr
    assert run("collect", "plan", *goals, "--error", "0.5", cwd=desk).stderr == ""


def test_fields_are_declared_without_any_record(desk, tmp_path):
    declared = ["--values", "sex=female,male", "--values", 'work="none, or unknown",some', "--bins", "age=35,55"]
    done = run("collect", "plan", *declared, "-o", "s.json", "--records", "1000", "--report", "s.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    fields = read_scheme(tmp_path / "s.json").fields
    assert [field.values for field in fields] == [
        ("female", "male"),
        ("none, or unknown", "some"),
        ("<=35", "(35,55]", ">55"),
    ]
    assert "warning" not in done.stderr
    assert "Do not publish" not in (tmp_path / "s.html").read_text()


def test_rare_values_of_a_sample_are_warned_of_and_can_be_declared_instead(tmp_path):
    (tmp_path / "ill.csv").write_text("sex,ill\n" + "f,no\nm,flu\n" * 25 + "f,plague\n")
    done = run("collect", "plan", "--sample", "ill.csv", "-o", "s.json", cwd=tmp_path)
    assert "fewer than 5 records hold become public with the scheme (1 of ill)" in done.stderr
    assert "plague" not in done.stderr
    own = ["--values", "ill=no,flu,plague,other"]
    done = run("collect", "plan", "--sample", "ill.csv", "-o", "t.json", *own, cwd=tmp_path)
    assert "become public" not in done.stderr
    assert read_scheme(tmp_path / "t.json").fields["ill"].values == ("no", "flu", "plague", "other")


def test_a_page_says_where_its_numbers_come_from(desk, tmp_path):
    assert run("collect", "plan", "--gamma", "5", "--report", "n.html", cwd=tmp_path).returncode == 0
    page = (tmp_path / "n.html").read_text()
    assert "nothing protects" not in page
    assert "How far a suspicion can rise" in page
    assert run("collect", "plan", "--sample", desk / "people.csv", "--report", "s.html", cwd=tmp_path).returncode == 0
    assert "nothing protects" in (tmp_path / "s.html").read_text()


def test_a_table_with_a_ragged_line_is_not_taken_for_baskets(tmp_path):
    (tmp_path / "ragged.csv").write_text("sex,smoker\nfemale,yes\nmale,no,HIV positive Bob\nmale,no\n")
    done = run("collect", "plan", "--describe", "ragged.csv", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "ragged.csv, line 3: has 3 cells where the first line has 2" in done.stderr
    assert "Bob" not in done.stderr
    forced = run("collect", "plan", "--describe", "ragged.csv", "--kind", "transactions", cwd=tmp_path)
    assert forced.returncode == 0, forced.stderr


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["--rho1", "0.05"], 2, "go together"),
        (["--gamma", "19", "--rho1", "0.05", "--rho2", "0.5"], 2, "not both"),
        (["--scheme", "mask"], 2, "number of fields"),
        (["--scheme", "emask"], 2, "--avg-support"),
        (["--scheme", "emask", "--sample", "people.csv"], 2, "for records of items"),
        (["--sample", "baskets.csv"], 2, "for tables of fields"),
        (["--rho1", "0.05", "--rho2", "0.5", "-o", "x.json"], 2, "name a file as sample"),
        (["--describe", "people.csv", "-o", "x.json"], 2, "afterwards"),
        (["--sample", "people.csv", "--columns", "sex,zip"], 2, "no column 'zip'"),
        (["--sample", "people.csv", "--bins", "sex"], 2, "NAME=NUMBER,..."),
        (["--describe", "none.csv"], 2, "no such file"),
        (["--sample", "people.csv", "--bins", "sex=3"], 2, "'sex' is not a number"),
        (["--describe", "people.csv", "--bins", "sex=3"], 2, "'sex' is not a number"),
        (["--describe", "baskets.csv", "--bins", "sex=3"], 2, "are for tables"),
        (["--values", "sex"], 2, "NAME=TEXT,..."),
        (["--values", "sex=f"], 2, "--values sex=f is no choice: give two values or more"),
        (["--values", "sex=f,m", "--values", "sex=m,f"], 2, "--values gives 'sex' twice"),
        (["--values", "sex=f,m", "--bins", "sex=3"], 2, "both bins and values"),
        (["--scheme", "emask", "--avg-support", "0.01", "--records", "9", "--gamma", "5"], 2, "does not use --gamma"),
        (["--scheme", "mask", "--fields", "3", "--visible", "0.1"], 2, "does not use --visible"),
        (["--gamma", "5", "--fields", "3"], 2, "does not use --fields"),
        (["--gamma", "5", "--support", "0.1"], 2, "does not use --support"),
        (["--gamma", "5", "--records", "100"], 2, "once the fields are known"),
        (["--gamma", "5", "--columns", "sex"], 2, "how to read a file"),
        (["people.csv"], 2, "people.csv: say what the file is for: --sample people.csv to plan"),
        (["--describe", "people.csv", "--scheme", "mask"], 2, "does not use --scheme"),
        (["--scheme", "mask", "--sample", "people.csv", "--fields", "2"], 2, "leave out fields"),
        (["--scheme", "cut-and-paste", "--fields", "6", "-K", "3", "--gamma", "3"], 1, "nearest that works: --cut 1"),
        (
            ["--scheme", "emask", "--avg-support", "0.01", "--records", "1000", "--hard", "error"],
            1,
            "nearest that works: --error ",
        ),
    ],
)
def test_what_cannot_be_planned_ends_in_one_clear_line(desk, options, status, message):
    done = run("collect", "plan", *options, cwd=desk)
    assert done.returncode == status, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_privacy_says_that_alpha_adds_nothing(desk):
    done = run("collect", "privacy", "ran.json", "--prior", "0.05", "--data", "people.csv", cwd=desk)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["gamma"] == 19
    assert told["posteriors"][0]["rho2"] == pytest.approx(0.5)
    assert told["posterior_range"][0]["low"] < 0.5 < told["posterior_range"][0]["high"]
    assert 0 < told["basic_privacy"] < 1
    assert "adds no privacy" in done.stderr
    assert "averages over people, not guarantees" in done.stderr


def test_reinterrogation_needs_the_true_records(desk):
    refused = run("collect", "privacy", "emask.json", "--min-support", "10%", cwd=desk)
    assert (refused.returncode, "goes with data" in refused.stderr) == (2, True)
    done = run("collect", "privacy", "emask.json", "--data", "baskets.csv", "--min-support", "10%", cwd=desk)
    told = json.loads(done.stdout)["reinterrogation"]
    assert 0 <= told["privacy"] <= told["basic"] <= 1


def test_a_false_claim_is_refuted_with_exit_status_1(desk):
    honest = run("attack", "collect", "ran.json", "--samples", "100000", "--seed", "1", cwd=desk)
    assert honest.returncode == 0, honest.stderr
    false = run("attack", "collect", "ran.json", "--samples", "100000", "--claimed", "12", cwd=desk)
    assert false.returncode == 1
    told = json.loads(false.stdout)
    assert told["refuted"] is True
    assert set(told["worst_records"]) == {"likelier_truth", "less_likely_truth", "answer"}
    assert set(told["worst_records"]["answer"]) == {"sex", "ill"}
    assert set(told["worst_records"]["answer"].values()) <= {"f", "m", "no", "yes"}
    assert told["worst_records"]["likelier_truth"] != told["worst_records"]["less_likely_truth"]
    assert "refuted: the real gamma is at least" in false.stderr


@pytest.mark.parametrize("gamma", ["0.5", "1", "nan", "inf"])
def test_a_gamma_that_is_none_is_refused_before_anything_is_promised(desk, gamma):
    for options in (
        [],
        ["--sample", "people.csv"],
        ["--describe", "people.csv"],
        ["--scheme", "mask", "--fields", "3"],
    ):
        done = run("collect", "plan", "--gamma", gamma, *options, cwd=desk)
        assert (done.returncode, done.stdout) == (2, ""), (options, done.stderr)
        assert re.search("use a number above 1|not a number", done.stderr)
        assert "shifts" not in done.stderr


@pytest.mark.parametrize("name", ["mask", "cut-and-paste"])
def test_a_huge_gamma_is_planned_for_all_the_same(desk, name):
    done = run("collect", "plan", "--gamma", "1e300", "--scheme", name, "--fields", "40", cwd=desk)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["attained_gamma"] <= 1e300
    assert run("collect", "plan", "--gamma", "1e300", "--scheme", name, "--fields", "3", cwd=desk).returncode == 0


def test_the_worst_answer_of_an_item_scheme_is_described_in_items(desk):
    done = run("attack", "collect", "emask.json", "--samples", "200000", "--seed", "1", cwd=desk)
    worst = json.loads(done.stdout)["worst_records"]
    assert all(set(held) <= {"1", "2", "3", "4"} for held in worst.values())
    # What raises the ratio most is to send exactly the likelier truth, which shares no item with the other.
    assert worst["answer"] == worst["likelier_truth"]
    assert set(worst["likelier_truth"]).isdisjoint(worst["less_likely_truth"])


def test_shares_may_be_written_in_percent(tmp_path):
    percent = run("collect", "plan", "--rho1", "5%", "--rho2", "50%", cwd=tmp_path)
    assert json.loads(percent.stdout)["gamma"] == 19
    told = run("collect", "plan", "--epsilon", "2.5", cwd=tmp_path)
    assert json.loads(told.stdout)["epsilon"] == pytest.approx(2.5)
    wrong = run("collect", "plan", "--rho1", "five", "--rho2", "50%", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "neither a share (0.5) nor a percentage (50%)" in wrong.stderr


def test_a_breach_beyond_all_numbers_is_one_line(tmp_path):
    done = run("collect", "plan", "--rho1", "1e-320", "--rho2", "50%", cwd=tmp_path)
    assert done.returncode == 2
    assert "bound nothing" in done.stderr
    assert "Traceback" not in done.stderr
