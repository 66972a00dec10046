"""`confide search evaluate`: numbers, a page, and wrong use in one line."""

import json

import pytest
from tests.commands import confide

from confide.search import Judged, LocalIndex, Profile, add_judgment

TEXTS = [f"jaguar {('engine motor', 'road wheels')[n % 2]} number{n}" for n in range(12)]
OTHERS = [f"jaguar {('jungle prey', 'claws teeth')[n % 2]} number{n}" for n in range(12)]


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    folder = tmp_path_factory.mktemp("desk")
    Profile.build(TEXTS, minsup=3).save(folder / "me.profile")
    Profile.build(OTHERS, minsup=3).save(folder / "other.profile")
    texts = [(f"car{n}", text) for n, text in enumerate(TEXTS)] + [(f"cat{n}", text) for n, text in enumerate(OTHERS)]
    index = LocalIndex.build(texts[::-1], folder / "index.sqlite")
    assert len(index) == 24
    for query in ("jaguar", "jaguar number3"):
        add_judgment(folder / "judged.jsonl", Judged(query, frozenset(f"car{n}" for n in range(12))))
    (folder / "empty.jsonl").write_text("")
    (folder / "broken.jsonl").write_text('{"query": 1}\n')
    return folder


def test_the_own_profile_gains_and_another_s_does_not(desk):
    both = ["--engine", "index.sqlite", "--profile", "me.profile", "--profile", "other.profile"]
    done = confide("search", "evaluate", "judged.jsonl", *both, "--alpha", "0,1", "--report", "page.html", cwd=desk)
    assert done.returncode == 0, done.stderr
    gains = {(row["profile"], row["weight"]): row["gain"] for row in map(json.loads, done.stdout.splitlines())}
    assert gains["me.profile", 1] > 0 > gains["other.profile", 1]
    assert gains["me.profile", 0] == 0
    page = (desk / "page.html").read_text()
    assert "A profile helped most" in page
    assert (desk / "page.html").stat().st_mode & 0o777 == 0o600


def test_queries_can_be_cut_where_an_engine_is_given(desk):
    words = ["--profile", "me.profile", "--engine", "index.sqlite", "--terms", "1,whole", "--table"]
    done = confide("search", "evaluate", "judged.jsonl", *words, cwd=desk)
    assert done.returncode == 0, done.stderr
    assert [line.split("│")[2].strip() for line in done.stdout.splitlines() if "me.profile" in line] == ["1", "whole"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["judged.jsonl", "--engine", "index.sqlite"], "Missing option '--profile'"),
        (["judged.jsonl", "--profile", "me.profile"], "Missing option '--engine'"),
        (
            ["judged.jsonl", "--profile", "me.profile", "--engine", "index.sqlite", "--terms", "few"],
            "'few' is not a number of terms",
        ),
        (["judged.jsonl", "--profile", "me.profile", "--engine", "index.sqlite", "--alpha", "0,2"], "alpha"),
        (["empty.jsonl", "--engine", "index.sqlite", "--profile", "me.profile"], "holds no judged query"),
        (["broken.jsonl", "--engine", "index.sqlite", "--profile", "me.profile"], "line 1"),
        (["judged.jsonl", "--engine", "index.sqlite", "--profile", "judged.jsonl"], "judged.jsonl"),
    ],
)
def test_wrong_use_is_one_line(desk, words, told):
    done = confide("search", "evaluate", *words, cwd=desk)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
