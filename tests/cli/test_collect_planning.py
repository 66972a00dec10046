"""`confide collect plan`, `collect privacy` and `attack collect` as a user meets them."""

import json
import sys
from dataclasses import dataclass

import pytest

from confide.cli import main
from confide.collect import Emask, GammaDiagonal, read_scheme


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command in this process, which is quicker; test_commands.py runs the examples as a user would."""

    def command(*arguments, cwd):
        monkeypatch.chdir(cwd)
        monkeypatch.setattr(sys, "argv", ["confide", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return Done(int(ended.value.code or 0), out, err)

    return command


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    folder = tmp_path_factory.mktemp("desk")
    (folder / "people.csv").write_text("sex,ill\n" + "f,no\nm,yes\nf,yes\nm,no\n" * 25)
    (folder / "baskets.csv").write_text("tea\ntea,milk\nmilk,beer,nuts\n" * 30)
    GammaDiagonal(domains={"sex": ["f", "m"], "ill": ["no", "yes"]}, gamma=19, alpha=0.1).write(folder / "ran.json")
    Emask(p=0.5, q=0.9).write(folder / "emask.json")
    return folder


def test_a_planned_scheme_is_written_and_keeps_its_promise(run, desk, tmp_path):
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
    assert (again.returncode, "exists" in again.stderr) == (2, True)


def test_schemes_for_items_are_bound_to_the_sample(run, desk, tmp_path):
    for name in ("mask", "cut-and-paste", "emask"):
        options = ["--scheme", name, "--sample", desk / "baskets.csv", "-o", f"{name}.json", "--visible", "0.9"]
        done = run("collect", "plan", *options, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert set(read_scheme(tmp_path / f"{name}.json").items) == {"tea", "milk", "beer", "nuts"}


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["--rho1", "0.05"], 2, "go together"),
        (["--gamma", "19", "--rho1", "0.05", "--rho2", "0.5"], 2, "not both"),
        (["--scheme", "mask"], 2, "--fields"),
        (["--scheme", "emask"], 2, "avg_support and records"),
        (["--scheme", "emask", "--sample", "people.csv"], 2, "for records of items"),
        (["--sample", "baskets.csv"], 2, "for tables of fields"),
        (["--rho1", "0.05", "--rho2", "0.5", "-o", "x.json"], 2, "--sample"),
        (["--describe", "people.csv", "-o", "x.json"], 2, "afterwards"),
        (["--sample", "people.csv", "--columns", "sex,zip"], 2, "no column 'zip'"),
        (["--sample", "people.csv", "--bins", "sex"], 2, "NAME=EDGE"),
        (["--describe", "none.csv"], 2, "no such file"),
        (["--scheme", "cut-and-paste", "--fields", "6", "-K", "3", "--gamma", "3"], 1, "nearest that works: K=1"),
        (
            ["--scheme", "emask", "--avg-support", "0.01", "--records", "1000", "--hard", "error"],
            1,
            "nearest that works: error=",
        ),
    ],
)
def test_what_cannot_be_planned_ends_in_one_clear_line(run, desk, options, status, message):
    done = run("collect", "plan", *options, cwd=desk)
    assert done.returncode == status, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_privacy_says_that_alpha_adds_nothing(run, desk):
    done = run("collect", "privacy", "ran.json", "--prior", "0.05", "--data", "people.csv", cwd=desk)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["gamma"] == 19
    assert told["posteriors"][0]["rho2"] == pytest.approx(0.5)
    assert told["posterior_range"][0]["low"] < 0.5 < told["posterior_range"][0]["high"]
    assert 0 < told["basic_privacy"] < 1
    assert "adds no privacy" in done.stderr
    assert "averages over people, not guarantees" in done.stderr


def test_reinterrogation_needs_the_true_records(run, desk):
    refused = run("collect", "privacy", "emask.json", "--min-support", "10%", cwd=desk)
    assert (refused.returncode, "--data" in refused.stderr) == (2, True)
    done = run("collect", "privacy", "emask.json", "--data", "baskets.csv", "--min-support", "10%", cwd=desk)
    told = json.loads(done.stdout)["reinterrogation"]
    assert 0 <= told["privacy"] <= told["basic"] <= 1


def test_a_false_claim_is_refuted_with_exit_status_1(run, desk):
    honest = run("attack", "collect", "ran.json", "--samples", "100000", "--seed", "1", cwd=desk)
    assert honest.returncode == 0, honest.stderr
    false = run("attack", "collect", "ran.json", "--samples", "100000", "--claimed", "12", cwd=desk)
    assert false.returncode == 1
    assert json.loads(false.stdout)["refuted"] is True
    assert "refuted: the real gamma is at least" in false.stderr


@pytest.mark.parametrize("gamma", ["0.5", "1", "nan", "inf"])
def test_a_gamma_that_is_none_is_refused_before_anything_is_promised(run, desk, gamma):
    for options in (
        [],
        ["--sample", "people.csv"],
        ["--describe", "people.csv"],
        ["--scheme", "mask", "--fields", "3"],
    ):
        done = run("collect", "plan", "--gamma", gamma, *options, cwd=desk)
        assert (done.returncode, done.stdout) == (2, ""), (options, done.stderr)
        assert "use a number above 1" in done.stderr
        assert "times likelier" not in done.stderr


@pytest.mark.parametrize("name", ["mask", "cut-and-paste"])
def test_a_huge_gamma_is_planned_for_all_the_same(run, desk, name):
    done = run("collect", "plan", "--gamma", "1e300", "--scheme", name, "--fields", "40", cwd=desk)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["attained_gamma"] <= 1e300
    assert run("collect", "plan", "--gamma", "1e300", "--scheme", name, "--fields", "3", cwd=desk).returncode == 0
