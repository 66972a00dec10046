"""`confide share train` and `learn` as an owner meets them: pages of their own, and mistakes found before the work."""

import pytest
from tests.commands import confide


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    folder = tmp_path_factory.mktemp("desk")
    for words in (
        ("sample", "people", "-o", "north.csv", "--rows", "400", "--seed", "1"),
        ("share", "domains", "north.csv", "--class", "diagnosis", "--leave-out", "postcode", "-o", "domains.toml"),
        ("share", "train", "north.csv", "--domains", "domains.toml", "--l", "2", "-o", "north.json",
         "--owner-report", "owner.html"),
    ):  # fmt: skip
        done = confide(*words, cwd=folder)
        assert done.returncode == 0, done.stderr
    return folder


def test_a_tree_learned_under_a_promise_has_a_page_for_its_owner(desk):
    page = (desk / "owner.html").read_text()
    assert "Do not publish" in page
    assert "records in the smallest leaf" in page.lower()
    assert "confidence of pruning" in page.lower()


def test_a_wrong_class_column_is_found_before_a_model_is_learned(desk):
    done = confide("share", "learn", "north.json", "--test", "north.csv", "--class", "diagnose", cwd=desk)
    assert done.returncode == 2
    assert "no column 'diagnose'; columns are: " in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_two_promises_at_once_are_named_as_the_mistake(desk):
    words = ("share", "train", "north.csv", "--domains", "domains.toml", "--l", "2", "--k", "5", "-o", "x.json")
    done = confide(*words, cwd=desk)
    assert done.returncode == 2
    assert "--k and --l are two promises" in done.stderr


def test_too_few_rows_are_refused_in_the_words_of_the_command(desk):
    done = confide("share", "generate", "north.json", "-o", "x.csv", "--rows", "0", cwd=desk)
    assert done.returncode == 2
    assert "--rows 0 must be above 0" in done.stderr
    assert "5x" in done.stderr
