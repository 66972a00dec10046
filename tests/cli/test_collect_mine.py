"""`confide collect mine` as a user meets it: files and stores, estimates with intervals, refusals in one line."""

import json
import uuid

import pytest
from tests.cli.test_publish import confide

from confide.collect import CutAndPaste, Emask, Fields, GammaDiagonal
from confide.collect.store import Submission, open_store
from confide.core.itemset_files import read_itemsets
from confide.core.randomness import Randomness
from confide.core.tables import write_table
from confide.core.transactions import Transactions

FIELDS = Fields.of({"sex": ["f", "m"], "smokes": ["no", "yes"]})
PEOPLE = [("f", "no")] * 500 + [("m", "no")] * 200 + [("m", "yes")] * 300


def run(*arguments, cwd):
    return confide("collect", "mine", *arguments, cwd=cwd)


@pytest.fixture
def desk(tmp_path):
    survey = GammaDiagonal(domains=FIELDS, gamma=50)
    survey.write(tmp_path / "survey.json")
    codes = survey.perturb(FIELDS.encode(PEOPLE), randomness=Randomness.seeded(1))
    write_table(FIELDS.to_table(codes), tmp_path / "noisy.csv")
    shop = Emask(p=0.9, q=0.98, items=("beer", "nuts", "milk"), max_length=3)
    shop.write(tmp_path / "shop.json")
    baskets = Transactions.from_lists([["beer", "nuts"]] * 600 + [["milk"]] * 400)
    shop.perturb(baskets, randomness=Randomness.seeded(1)).write(tmp_path / "noisy.dat")
    return tmp_path


def test_a_table_gives_estimates_with_their_intervals(desk):
    done = run("noisy.csv", "--scheme", "survey.json", "-s", "15%", cwd=desk)
    assert done.returncode == 0, done.stderr
    rows = {tuple(row["items"]): row for row in map(json.loads, done.stdout.splitlines())}
    assert {"sex=f", "sex=m", "smokes=no", "smokes=yes"} == {label for (label,) in (k for k in rows if len(k) == 1)}
    both = rows["sex=m", "smokes=yes"]
    assert both["low"] <= 300 <= both["high"]
    assert set(both) == {"items", "support", "estimate", "std_error", "low", "high"}


def test_transactions_give_itemsets_and_rules_in_files_that_can_be_read_back(desk):
    done = run("noisy.dat", "--scheme", "shop.json", "-s", "0.2", "-o", "found.jsonl", cwd=desk)
    assert done.returncode == 0, done.stderr
    found = read_itemsets(desk / "found.jsonl")
    assert {frozenset(labels) for labels, _ in found} == {
        frozenset(x) for x in (["beer"], ["nuts"], ["milk"], ["beer", "nuts"])
    }
    assert set(found.columns) == {"estimate", "std_error", "low", "high"}
    done = run("noisy.dat", "--scheme", "shop.json", "-s", "0.2", "--rules", "0.8", "--consistent", cwd=desk)
    rules = [json.loads(line) for line in done.stdout.splitlines()]
    assert {(*r["antecedent"], *r["consequent"]) for r in rules} == {("beer", "nuts"), ("nuts", "beer")}
    assert all(r["confidence"] <= 1 for r in rules)


def test_options_that_change_what_is_reported_are_named(desk):
    done = run(
        "noisy.csv", "--scheme", "survey.json", "-s", "35%", "--keep-near", "3", "--consistent", "--csv", cwd=desk
    )
    assert done.returncode == 0, done.stderr
    assert "standard errors below the threshold" in done.stderr
    assert "projected to consistent ones" in done.stderr
    assert done.stdout.splitlines()[0] == "items,support,estimate,std_error,low,high,unprojected,near"


def test_a_store_brings_its_own_scheme(desk):
    scheme = GammaDiagonal(domains=FIELDS, gamma=50)
    codes = scheme.perturb(FIELDS.encode(PEOPLE), randomness=Randomness.seeded(1))
    store = open_store(str(desk / "answers.duckdb"), scheme)
    store.add([Submission.of(uuid.uuid4(), codes.tolist())])
    store.close()
    done = run("answers.duckdb", "-s", "15%", cwd=desk)
    assert done.returncode == 0, done.stderr
    from_file = run("noisy.csv", "--scheme", "survey.json", "-s", "15%", cwd=desk)
    assert done.stdout == from_file.stdout


def test_wrong_use_ends_in_one_clear_line(desk):
    CutAndPaste(K=2, rho=0.1, items=("beer", "nuts", "milk")).write(desk / "cut.json")
    for arguments, message in [
        (["noisy.csv", "-s", "5"], "give --scheme"),
        (["noisy.csv", "--scheme", "none.json", "-s", "5"], "none.json"),
        (["noisy.csv", "--scheme", "noisy.csv", "-s", "5"], "no JSON"),
        (["noisy.dat", "--scheme", "cut.json", "-s", "5"], "give record_length"),
        (
            ["noisy.dat", "--scheme", "cut.json", "-s", "5", "--record-length", "2", "--max-length", "3"],
            "longer than 2",
        ),
        (["noisy.csv", "--scheme", "shop.json", "-s", "5"], "not in the scheme's universe"),
    ]:
        done = run(*arguments, cwd=desk)
        assert done.returncode == 2, (arguments, done.stderr)
        assert message in done.stderr
        assert len([line for line in done.stderr.splitlines() if line.startswith("confide: ")]) == 1
