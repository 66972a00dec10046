"""`confide share` as an owner meets it: pages of their own, mistakes found before the work, requests that repeat it."""

import json

import pytest
from tests.commands import confide

from confide import KAnonymity, SimpleDiversity
from confide.core.errors import RequestError, UsageError
from confide.core.trees.published import PublishedTree
from confide.share.jobs.requests import ShareGenerate, ShareLearn, ShareTrain, TreePromise


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    folder = tmp_path_factory.mktemp("desk")
    for words in (
        ("sample", "people", "-o", "north.csv", "--rows", "400", "--seed", "1"),
        ("share", "domains", "north.csv", "--class", "diagnosis", "--leave-out", "postcode", "-o", "domains.toml"),
        ("share", "train", "north.csv", "--domains", "domains.toml", "--l", "2", "-o", "north.json",
         "--owner-report", "owner.html"),
        ("share", "train", "north.csv", "--domains", "domains.toml", "--k", "30", "-o", "west.json"),
    ):  # fmt: skip
        done = confide(*words, cwd=folder)
        assert done.returncode == 0, done.stderr
    return folder


def test_a_tree_learned_under_a_promise_has_a_page_for_its_owner(desk):
    page = (desk / "owner.html").read_text()
    assert "Do not publish" in page
    assert "records in the smallest leaf" in page.lower()
    assert "confidence of pruning" in page.lower()


def test_a_trial_says_how_many_records_hold_what_the_trees_do_not_know(desk):
    lines = (desk / "north.csv").read_text().replace(",female,", ",f,", 3)
    (desk / "other.csv").write_text(lines)
    done = confide("share", "learn", "north.json", "--test", "other.csv", "--class", "diagnosis", cwd=desk)
    assert "3 of 400 records hold a value of 'sex' that the trees do not know" in done.stderr


def test_a_wrong_class_column_is_found_before_a_model_is_learned(desk):
    done = confide("share", "learn", "north.json", "--test", "north.csv", "--class", "diagnose", cwd=desk)
    assert done.returncode == 2
    assert "no column 'diagnose'; columns are: " in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_k_and_diversity_are_kept_by_one_tree(desk):
    words = ("share", "train", "north.csv", "--domains", "domains.toml", "--l", "2", "--k", "20", "-o", "both.json")
    done = confide(*words, cwd=desk)
    assert done.returncode == 0, done.stderr
    assert confide("verify", "both.json.passport.json", cwd=desk).returncode == 0
    tree = PublishedTree.from_json((desk / "both.json").read_text())
    leaves = [tree.nodes[i] for i in tree.leaves()]
    assert min(leaf.total for leaf in leaves) >= 20
    assert all(2 * leaf.hit <= leaf.total for leaf in leaves)


def test_too_few_rows_are_refused_in_the_words_of_the_command(desk):
    done = confide("share", "generate", "north.json", "-o", "x.csv", "--rows", "0", cwd=desk)
    assert done.returncode == 2
    assert "--rows 0 must be above 0" in done.stderr
    assert "5x" in done.stderr


LEARN = ("learn", "north.json", "west.json", "--seed", "1", "--test", "north.csv", "--class", "diagnosis")


@pytest.mark.parametrize(
    ("words", "files"),
    [
        (["domains", "north.csv", "--class", "diagnosis", "--leave-out", "postcode", "-o", "OUT.toml"], ["OUT.toml"]),
        (
            ["train", "north.csv", "--domains", "domains.toml", "--l", "2", "--no-marginals", "-o", "OUT.json"],
            ["OUT.json"],
        ),
        (["anonymize", "north.json", "--k", "50", "-o", "OUT.json"], ["OUT.json"]),
        (["generate", "north.json", "--rows", "0.5x", "--seed", "3", "-o", "OUT.csv"], ["OUT.csv"]),
        (
            [*LEARN, "--predict", "north.csv", "-o", "OUT.csv", "--tree", "OUT.tree.json"],
            ["OUT.csv", "OUT.tree.json"],
        ),
    ],
    ids=lambda words: words[0],
)
def test_a_saved_request_repeats_its_files_byte_for_byte(desk, words, files):
    names = [file.replace("OUT", words[0]) for file in files]
    words = [word.replace("OUT", words[0]) for word in words]
    first = confide("share", *words, "--save-request", f"{words[0]}.request.toml", "--replace", cwd=desk)
    assert first.returncode == 0, first.stderr
    written = {name: (desk / name).read_bytes() for name in names}
    for name in names:
        (desk / name).unlink()
    again = confide("run", f"{words[0]}.request.toml", "--replace", cwd=desk)
    assert again.returncode == 0, again.stderr
    assert again.stdout == first.stdout
    for name, content in written.items():
        repeated = (desk / name).read_bytes()
        assert repeated == content, name


def test_a_trial_writes_nothing_and_a_release_needs_a_place(desk):
    words = ("share", "train", "north.csv", "--domains", "domains.toml", "--k", "20")
    done = confide(*words, "--dry-run", "-o", "trial.json", cwd=desk)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["written"] is False
    assert not (desk / "trial.json").exists()
    assert confide(*words, "--dry-run", "--csv", cwd=desk).stdout.startswith("loss,value\n")
    done = confide(*words, cwd=desk)
    assert done.returncode == 2
    assert "say where the tree goes with --output" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["north.json"], "say what the model is for: --test, --predict or --tree"),
        (["north.json", "--test", "north.csv"], "--test and --class go together"),
        (["north.json", "--predict", "north.csv"], "--predict and --output go together"),
        (["north.json", "--tree", "x.json", "--model", "naive-bayes"], "only --model tree can"),
    ],
)
def test_a_model_needs_a_purpose_and_a_place(desk, words, said):
    done = confide("share", "learn", *words, cwd=desk)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_tree_keeps_one_promise():
    assert TreePromise(k=5).requirement_asked() == KAnonymity(k=5)
    assert TreePromise(requirement=SimpleDiversity(l=3)).requirement_asked() == SimpleDiversity(l=3)
    for wrong in ({}, {"c": 2}, {"k": 5, "c": 2}):
        with pytest.raises(UsageError, match="say what the tree promises"):
            TreePromise(**wrong)
    with pytest.raises(RequestError, match="k=5 is part of the requirement"):
        TreePromise(k=5, requirement=KAnonymity(k=5))
    with pytest.raises(RequestError, match="method='best' is none of: merging, ldm, atp"):
        ShareTrain(table="in.csv", domains="d.toml", k=5, method="best")


def test_rows_are_a_number_or_a_multiple():
    assert ShareGenerate(tree="t.json", rows="10x").rows == 10.0
    assert ShareGenerate(tree="t.json", rows=2.5).as_plain()["rows"] == "2.5x"
    assert ShareLearn(trees=["t.json"], rows=7).as_plain()["rows"] == 7
    with pytest.raises(RequestError, match="rows='many' is neither a number of rows"):
        ShareGenerate(tree="t.json", rows="many")
