"""`confide collect mine` as a user meets it: files and stores, estimates with intervals, refusals in one line."""

import json
import uuid

import numpy as np
import pytest
from tests.commands import confide

from confide.collect import Bins, CutAndPaste, Emask, Fields, GammaDiagonal
from confide.collect.service.store import Submission, open_store
from confide.core.itemsets.itemset_files import read_itemsets
from confide.core.randomness import Randomness
from confide.core.tables.frames import write_table
from confide.core.transactions.container import Transactions

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
    assert set(both) == {"items", "support", "estimate", "std_error", "low", "high", "selected_low", "selected_high"}


def test_transactions_give_itemsets_and_rules_in_files_that_can_be_read_back(desk):
    done = run("noisy.dat", "--scheme", "shop.json", "-s", "0.2", "-o", "found.jsonl", cwd=desk)
    assert done.returncode == 0, done.stderr
    found = read_itemsets(desk / "found.jsonl")
    assert {frozenset(labels) for labels, _ in found} == {
        frozenset(x) for x in (["beer"], ["nuts"], ["milk"], ["beer", "nuts"])
    }
    assert set(found.columns) == {"estimate", "std_error", "low", "high", "selected_low", "selected_high"}
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
    assert done.stdout.splitlines()[0] == (
        "items,support,estimate,std_error,low,high,unprojected,near,selected_low,selected_high"
    )


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
        (["noisy.csv", "-s", "5"], "give --scheme (the scheme or its file)"),
        (["noisy.csv", "--scheme", "none.json", "-s", "5"], "none.json"),
        (["noisy.csv", "--scheme", "noisy.csv", "-s", "5"], "not JSON"),
        (["noisy.dat", "--scheme", "cut.json", "-s", "5"], "give --record-length"),
        (
            ["noisy.dat", "--scheme", "cut.json", "-s", "5", "--record-length", "2", "--max-length", "3"],
            "longer than 2",
        ),
        (["noisy.csv", "--scheme", "shop.json", "-s", "5"], "not a file of baskets"),
        (["noisy.csv", "--scheme", "shop.json", "-s", "5", "--format", "basket"], "not in the scheme's universe"),
    ]:
        done = run(*arguments, cwd=desk)
        assert done.returncode == 2, (arguments, done.stderr)
        assert message in done.stderr
        assert len([line for line in done.stderr.splitlines() if line.startswith("confide: ")]) == 1


def test_true_records_are_not_mined_as_if_they_were_perturbed(desk):
    GammaDiagonal(domains={"age": Bins((30, 60)), "sex": ["f", "m"]}, gamma=19).write(desk / "ages.json")
    (desk / "true.csv").write_text("age,sex\n" + "25,f\n70,m\n" * 50)
    done = run("true.csv", "--scheme", "ages.json", "-s", "5%", cwd=desk)
    assert (done.returncode, done.stdout) == (2, "")
    assert "field 'age' is a plain number, which no perturbed record holds" in done.stderr


@pytest.fixture
def noise(desk):
    """Few records under a strong scheme: estimates that say little."""
    fields = Fields.of({"sex": ["f", "m"], "smokes": ["no", "yes"], "town": 5, "trade": 6})
    scheme = GammaDiagonal(domains=fields, gamma=5)
    scheme.write(desk / "strong.json")
    true = np.random.default_rng(1).integers(0, fields.sizes, (600, 4)).astype(np.int32)
    sent = scheme.perturb(true, randomness=Randomness.seeded(4))
    write_table(fields.to_table(sent), desk / "weak.csv")
    return desk


def test_rules_say_how_sure_they_are_and_when_they_cannot_be_true(noise):
    done = run("weak.csv", "--scheme", "strong.json", "-s", "10%", "--rules", "0.5", cwd=noise)
    assert done.returncode == 0, done.stderr
    rules = [json.loads(line, parse_constant=pytest.fail) for line in done.stdout.splitlines()]
    above = sum(rule["confidence"] > 1 for rule in rules)
    assert f"{above} of {len(rules)} rules have a confidence above 1" in done.stderr
    assert above > 0
    assert all(0 <= r["confidence_low"] <= r["confidence_high"] <= 1 and r["confidence_std_error"] > 0 for r in rules)
    assert any(rule["conviction"] is None for rule in rules)  # no Infinity
    top = run("weak.csv", "--scheme", "strong.json", "-s", "10%", "--rules", "0.5", "--top", "3", cwd=noise)
    shown = [json.loads(line) for line in top.stdout.splitlines()]
    lows = sorted((rule["confidence_selected_low"] for rule in rules), reverse=True)[:3]
    assert all(rule["confidence_selected_low"] <= low for rule, low in zip(shown, lows, strict=True))  # fewer are shown
    sound = run("weak.csv", "--scheme", "strong.json", "-s", "10%", "--rules", "0.5", "--consistent", cwd=noise)
    assert "above 1" not in sound.stderr
    assert "unprojected" not in sound.stderr


def test_the_top_is_what_is_surest_and_noise_is_called_so(noise):
    every = run("weak.csv", "--scheme", "strong.json", "-s", "5%", cwd=noise)
    sets = [json.loads(line) for line in every.stdout.splitlines()]
    doubtful = sum(found["selected_low"] == 0 for found in sets)
    assert f"{doubtful} of {len(sets)} sets have an interval that reaches down to 0" in every.stderr
    done = run("weak.csv", "--scheme", "strong.json", "-s", "5%", "--top", "3", cwd=noise)
    shown = [json.loads(line) for line in done.stdout.splitlines()]
    order = sorted(sets, key=lambda found: (-found["selected_low"], -found["estimate"]))
    assert [found["items"] for found in shown] == [found["items"] for found in order[:3]]
    assert all(a["selected_low"] <= b["selected_low"] for a, b in zip(shown, order, strict=False))  # fewer are shown


def test_a_table_for_reading_shows_each_number_once_and_in_full(desk):
    done = run("noisy.csv", "--scheme", "survey.json", "-s", "15%", "--table", cwd=desk)
    assert "estimate " not in done.stdout
    assert "e+0" not in done.stdout
    for heading in ("records", "% of all", "+/-", "from", "to"):
        assert f" {heading} " in done.stdout
    lows = [int(line.split("│")[5].replace(",", "")) for line in done.stdout.splitlines() if line.startswith("│")]
    assert lows == sorted(lows, reverse=True), "the surest come first"
    assert len(lows) > 3
