"""`confide publish transactions` as a user meets it: files, exit codes, refusals in one line, nothing half-done."""

import json

import pytest
from tests.commands import confide

from confide import Passport, Transactions

SETTING = ("--k", "5", "--h", "0.5", "--p", "2", "--private-prefix", "s:")


def run(*arguments, cwd):
    return confide("publish", "transactions", *arguments, cwd=cwd)


@pytest.fixture
def desk(tmp_path):
    from confide.core.samples import baskets

    baskets(1500, seed=5).write(tmp_path / "baskets.csv")
    return tmp_path


def test_a_release_is_written_with_passport_and_pages_and_verifies(desk):
    done = run(
        "baskets.csv", "-o", "out.csv", *SETTING, "--report", "r.html", "--owner-report", "o.html",
        "--nugget-support", "2%", cwd=desk,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["requirement"] == {"kind": "coherence", "h": 0.5, "k": 5, "p": 2}
    assert 0 < told["loss"]["share_of_occurrences_lost"] < 1
    assert told["loss"]["worst_k"] >= 5
    assert told["loss"]["nugget_support"] == 30
    before, after = (Transactions.read(desk / name) for name in ("baskets.csv", "out.csv"))
    assert len(before) == len(after)
    assert len(before.indices) - len(after.indices) == told["loss"]["occurrences_lost"]
    assert confide("verify", "out.csv.passport.json", cwd=desk).returncode == 0
    public, owners = ((desk / name).read_text() for name in ("r.html", "o.html"))
    gone = sorted(set(before.labels) - set(after.labels))
    assert gone
    assert not [label for label in gone if f">{label}<" in public]  # what was suppressed is the owner's to know
    assert [label for label in gone if f">{label}<" in owners]


def test_a_dry_run_tells_everything_and_writes_nothing(desk):
    done = run("baskets.csv", *SETTING, "--dry-run", "--owner-report", "o.html", cwd=desk)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["written"] is False
    assert sorted(path.name for path in desk.iterdir()) == ["baskets.csv", "o.html"]


def test_a_signed_release_says_who_signed(desk):
    assert confide("passport", "keys", "key.pem", cwd=desk).returncode == 0
    assert run("baskets.csv", "-o", "out.csv", *SETTING, "--sign", "key.pem", cwd=desk).returncode == 0
    Passport.read(desk / "out.csv.passport.json").check_signature()


def test_explore_prices_every_combination(desk):
    done = run(
        "baskets.csv", "--explore", "--k", "2,5", "--h", "0.5,1", "--p", "1,inf", "--private-prefix", "s:",
        "--report", "study.html", cwd=desk,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(r["k"], r["h"], r["p"]) for r in rows] == [(k, h, p) for k in (2, 5) for h in (0.5, 1) for p in (1, "inf")]
    assert rows[-1]["records_covered"] == 1.0
    assert "public items, half of them" in done.stderr
    assert "<svg" in (desk / "study.html").read_text()


def test_prices_fit_80_columns_under_headings_in_words(desk, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    done = run(
        "baskets.csv", "--explore", "--k", "2,5", "--h", "50%", "--p", "1,2", "--private-prefix", "s:", "--table",
        cwd=desk,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    for heading in ("entries lost, %", "items hidden", "p covers, %"):
        assert heading in done.stdout
    assert "None" not in done.stdout
    assert "itemsets lost" not in done.stdout


def test_wishes_come_from_files(desk):
    (desk / "never.txt").write_text("bread\n\n  milk \n")
    done = run("baskets.csv", "-o", "out.csv", *SETTING, "--never", "never.txt", cwd=desk)
    assert done.returncode == 0, done.stderr
    assert not {"bread", "milk"} & set(Transactions.read(desk / "out.csv").labels)
    (desk / "keep.txt").write_text("bananas\nwine\ncharcoal\nyeast\nplasters\ncat-litter")
    done = run("baskets.csv", "-o", "kept.csv", *SETTING, "--keep", "keep.txt", cwd=desk)
    assert done.returncode == 1
    assert "together are a mole" in done.stderr
    assert not (desk / "kept.csv").exists()


def test_records_of_one_person_are_merged_by_id(desk):
    people = [("ann", "tea"), ("bob", "tea"), ("ann", "nuts"), ("bob", "nuts"), ("cid", "tea"), ("cid", "gum")]
    (desk / "long.csv").write_text("who,what\n" + "".join(f"{who},{what}\n" for who, what in people))
    done = run(
        "long.csv",
        "-o",
        "out.jsonl",
        "--k",
        "2",
        "--p",
        "2",
        "--format",
        "long",
        "--id",
        "who",
        "--item",
        "what",
        cwd=desk,
    )
    assert done.returncode == 0, done.stderr
    assert sorted(Transactions.read(desk / "out.jsonl")) == [["nuts", "tea"], ["nuts", "tea"], ["tea"]]


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (
            ("-o", "out.csv", "--k", "5", "--h", "0.01", "--p", "2", "--private-prefix", "s:"),
            1,
            "nearest that works: --h ",
        ),
        (
            ("-o", "out.csv", "--k", "5000", "--p", "2"),
            1,
            "larger than the database of 1,500 records, so nobody can hide among k; nearest that works: --k ",
        ),
        (("-o", "out.csv", "--k", "5", "--h", "2", "--p", "2"), 2, "--h 2.0 is not a share"),
        (("-o", "out.csv", "--k", "5", "--h", "0", "--p", "2"), 2, "--h 0.0 is not a share"),
        (("-o", "out.csv", "--k", "5", "--p", "1.5"), 2, "'--p': '1.5' is not a whole number"),
        (("-o", "out.csv", "--k", "1", "--p", "2"), 2, "--k 1 protects nobody"),
        (("-o", "out.csv", "--k", "2,3", "--p", "2"), 2, "--k 2,3 is more than one value; several go with --explore"),
        (("--k", "2", "--p", "2"), 2, "with --output, or --dry-run"),
        (("-o", "out.csv", "--explore", "--k", "2", "--p", "2"), 2, "releases nothing"),
        (("-o", "old.csv", "--k", "2", "--p", "2"), 2, "exists; say --replace"),
        (("-o", "baskets.csv", "--replace", "--k", "2", "--p", "2"), 2, "is the input"),
        (("-o", "z.csv", "--report", "z.csv.passport.json", "--k", "2", "--p", "2"), 2, "same file"),
        (("-o", "z.csv", "--k", "2", "--p", "2", "--h", "0.5"), 2, "none is declared"),
        (("-o", "z.csv", "--k", "2", "--p", "2", "--id", "patient"), 2, "no column 'patient'"),
        (("-o", "a.html", "--report", "a.html", "--k", "2", "--p", "2"), 2, "same file"),
        (
            ("-o", "out.csv", "--k", "2", "--p", "2", "--private", "p.txt"),
            2,
            "p.txt, line 2: private item 'cheese-cake' never occurs in the data; check the spelling, or set --allow-",
        ),
        (("-o", "out.csv", "--k", "2", "--p", "2", "--private-prefix", ""), 2, "all items are private"),
        (("-o", "out.csv", "--k", "2", "--p", "2", "--private-prefix", "zz"), 2, "no item starts with 'zz'"),
        (("-o", "out.csv", "--k", "2", "--p", "2", "--utility", "itemsets"), 2, "needs --nugget-support"),
        (("-o", "out.csv", "--k", "two", "--p", "2"), 2, "'two' is not a whole number"),
    ],
)
def test_refusals_are_one_line_and_leave_no_file(desk, arguments, status, message):
    (desk / "p.txt").write_text("s:insulin\ncheese-cake\n")
    (desk / "old.csv").write_text("old\n")
    before = sorted(desk.iterdir())
    done = run("baskets.csv", *arguments, cwd=desk)
    assert done.returncode == status, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert sorted(desk.iterdir()) == before


def test_exploring_prices_what_is_then_published(desk):
    (desk / "never.txt").write_text("bananas\n")
    saved = ("--utility", "itemsets", "--nugget-support", "3%", "--never", "never.txt")
    priced = run("baskets.csv", "--explore", *SETTING, *saved, cwd=desk)
    done = run("baskets.csv", "-o", "out.csv", *SETTING, *saved, cwd=desk)
    row, loss = json.loads(priced.stdout), json.loads(done.stdout)["loss"]
    for name in ("share_of_occurrences_lost", "share_of_nuggets_lost"):
        assert row[name] == loss[name]
    refused = run("baskets.csv", "--explore", *SETTING, "--owner-report", "o.html", cwd=desk)
    assert (refused.returncode, "--owner-report" in refused.stderr) == (2, True)


def test_the_icdm_deletion_that_refusals_recommend_can_be_asked_for(desk):
    saved = ("--utility", "itemsets", "--nugget-support", "10%", "--icdm-deletion")
    done = run("baskets.csv", "-o", "out.csv", "--k", "5", "--p", "inf", *saved, cwd=desk)
    assert done.returncode == 0, done.stderr
    assert Passport.read(desk / "out.csv.passport.json").parameters["icdm_deletion"] is True
    ignored = run("baskets.csv", "-o", "b.csv", *SETTING, "--icdm-deletion", cwd=desk)
    assert (ignored.returncode, (desk / "b.csv").exists()) == (2, False)


def test_the_order_of_the_thesis_can_be_asked_for(desk):
    """The moles are ab, ac, bd, ce: the greedy rule takes a, which b and c then make needless."""
    (desk / "pairs.csv").write_text("a,b\na,c\nb,d\nc,e\nd\ne\n")
    options = ("--k", "2", "--p", "2", "--utility", "itemsets", "--nugget-support", "2")
    for name, extra, left in (("ours", (), set("ade")), ("thesis", ("--no-put-back",), set("de"))):
        done = run("pairs.csv", "-o", f"{name}.csv", *options, *extra, cwd=desk)
        assert done.returncode == 0, done.stderr
        assert {v for row in Transactions.read(desk / f"{name}.csv") for v in row} == left
        assert Passport.read(desk / f"{name}.csv.passport.json").parameters["put_back"] is (not extra)


def test_a_house_list_of_private_items_needs_allow_absent(desk):
    (desk / "private.txt").write_text("s:insulin\ns:never-sold\n")
    setting = ("--k", "5", "--h", "0.9", "--p", "1", "--private", "private.txt")
    refused = run("baskets.csv", "-o", "out.csv", *setting, cwd=desk)
    assert (refused.returncode, "s:never-sold" in refused.stderr) == (2, True)
    done = run("baskets.csv", "-o", "out.csv", *setting, "--allow-absent", cwd=desk)
    assert done.returncode == 0, done.stderr
    assert Passport.read(desk / "out.csv.passport.json").context["private"] == ["s:insulin"]


def test_files_are_explored_and_released_as_memory_is(desk):
    Transactions.read(desk / "baskets.csv").write(desk / "baskets.parquet")
    asked = ("--explore", "--k", "2,5", "--h", "0.5", "--p", "1,2", "--private-prefix", "s:")
    streamed = run("baskets.parquet", *asked, "--engine", "stream", cwd=desk)
    assert (streamed.returncode, streamed.stdout) == (0, run("baskets.csv", *asked, cwd=desk).stdout), streamed.stderr
    saved = ("--utility", "itemsets", "--nugget-support", "3%")
    done = run("baskets.parquet", "-o", "out", *SETTING, *saved, "--engine", "stream", cwd=desk)
    memory = run("baskets.csv", "--dry-run", *SETTING, *saved, cwd=desk)
    assert done.returncode == 0, done.stderr
    loss, meant = (json.loads(answer.stdout)["loss"] for answer in (done, memory))
    assert {name: loss[name] for name in meant if not name.startswith("worst")}.items() <= meant.items()
    assert confide("verify", "out.passport.json", cwd=desk).returncode == 0
    refused = run("baskets.parquet", "-o", "no", *SETTING, "--p", "3", *saved, "--engine", "stream", cwd=desk)
    assert (refused.returncode, "engine memory, or --p 2" in refused.stderr) == (2, True)
    assert not (desk / "no").exists()


@pytest.mark.parametrize("name", ["r.toml", "r.json"])
def test_a_saved_request_repeats_the_release_byte_for_byte(desk, name):
    (desk / "private.txt").write_text("s:insulin\n")
    (desk / "never.txt").write_text("bread\n")
    asked = (
        "--k",
        "5",
        "--h",
        "50%",
        "--p",
        "inf",
        "--private",
        "private.txt",
        "--private-prefix",
        "s:",
        "--keep-order",
    )
    saved = ("--never", "never.txt", "--no-put-back", "--nugget-support", "2%")
    done = run("baskets.csv", "-o", "out.csv", *asked, *saved, "--save-request", name, cwd=desk)
    assert done.returncode == 0, done.stderr
    again = confide("run", name, "-o", "again.csv", cwd=desk)
    assert again.returncode == 0, again.stderr
    assert (desk / "again.csv").read_bytes() == (desk / "out.csv").read_bytes()
    assert json.loads(again.stdout) == json.loads(done.stdout)


def test_a_saved_exploration_prices_the_same_settings(desk):
    asked = ("--explore", "--k", "2,5,10", "--h", "0.5,1", "--p", "1,inf", "--private-prefix", "s:")
    done = run("baskets.csv", *asked, "--save-request", "r.toml", cwd=desk)
    assert done.returncode == 0, done.stderr
    assert 'k = [2, 5, 10]\nh = [0.5, 1.0]\np = [1, "inf"]\n' in (desk / "r.toml").read_text()
    assert confide("run", "r.toml", cwd=desk).stdout == done.stdout


def test_what_is_private_may_be_listed_in_the_request_itself(desk):
    text = 'job = "publish transactions"\nrecords = "baskets.csv"\nk = 5\np = 1\nh = 0.9\nprivate = ["s:insulin"]\n'
    (desk / "r.toml").write_text(f'{text}[files]\noutput = "out.csv"\n')
    assert confide("run", "r.toml", cwd=desk).returncode == 0
    assert Passport.read(desk / "out.csv.passport.json").context["private"] == ["s:insulin"]


def test_a_trial_is_not_signed(desk):
    assert confide("passport", "keys", "key.pem", cwd=desk).returncode == 0
    done = run("baskets.csv", "-o", "out.csv", *SETTING, "--dry-run", "--sign", "key.pem", cwd=desk)
    assert (done.returncode, "nothing to --sign" in done.stderr) == (2, True)
