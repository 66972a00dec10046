"""Judgments: kept, read back, refused when they are not ours; and what branches are worth by them."""

import os
import stat

import pytest

from confide.core.errors import InputError
from confide.core.samples import documents
from confide.search import LocalIndex, Profile, Result, Wrapper
from confide.search.evaluation.judgments import read_judgments
from confide.search.page.exposure_worth import branch_worth, order_exposed, precision_of
from confide.search.page.judgment_file import Judgments

LINKS = [Result(rank=i, title=f"t{i}", url=f"https://a.example/{i}", snippet="") for i in (1, 2, 3)]


def test_marks_are_written_at_once_for_their_owner_and_read_back(tmp_path):
    file = tmp_path / "judged.jsonl"
    mine = Judgments.open(file)
    mine.mark("tea", LINKS, 2, True)
    mine.mark("tea", LINKS, 3, False)
    mine.mark("coffee", LINKS, 1, False)
    mine.mark("coffee", LINKS, 1, None)
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    (one,) = read_judgments(file)  # as `confide search evaluate` reads them
    assert one.relevant == {LINKS[1].url}
    assert one.seen == {LINKS[1].url, LINKS[2].url}
    again = Judgments.open(file)
    assert again.of("tea", LINKS).relevant == (None, True, False)
    assert again.of("tea", LINKS[::-1]).relevant == (False, True, None)  # by address, wherever it is found now
    mine.mark("tea", LINKS, 2, None)
    mine.mark("tea", LINKS, 3, None)
    assert Judgments.open(file).marks == {}
    with pytest.raises(InputError, match="no result has the rank 9; there are 3"):
        mine.mark("tea", LINKS, 9, True)


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        '{"query": "x"}',
        '{"query": "x", "relevant": [1], "seen": []}',
        '{"query": 1, "relevant": [], "seen": []}',
    ],
)
def test_a_file_that_holds_something_else_is_refused_with_its_line(tmp_path, line):
    file = tmp_path / "judged.jsonl"
    file.write_text('{"query": "x", "relevant": [], "seen": ["https://a.example/"]}\n' + line + "\n")
    with pytest.raises(InputError, match=r"judged.jsonl, line 2: "):
        Judgments.open(file)


def test_a_branch_that_brings_relevant_results_up_gains_and_costs():
    profile = Profile.build(documents(300, seed=3))
    texts = documents(400, seed=5)
    wrapper = Wrapper(LocalIndex.build([(str(i), text) for i, text in enumerate(texts)]), alpha=1)
    mine = Judgments()
    found = wrapper.engine.search("evening")
    for link in found:  # only sport is relevant to this person
        mine.mark("evening", found, link.rank, "sport" in texts[int(link.url)].lower().split())
    told = mine.decided_queries({"evening": found, "never judged": found})
    worth = {one.branch: one for one in branch_worth(profile, wrapper, told, min_detail=0.02)}
    assert worth["sport"].gain == max(one.gain for one in worth.values()) > 0
    assert all(one.price > 0 for one in worth.values())
    (one,) = told
    full, base = (
        precision_of(order_exposed(wrapper, one.query, one.results, shown.profile, None), one)
        for shown in (profile.expose(min_detail=0.02), profile.expose(min_detail=0.02, hide=["sport"]))
    )
    assert full - base == pytest.approx(worth["sport"].gain)


def test_breaks_that_other_programs_take_for_line_ends_do_not_tear_the_file(tmp_path):
    file = tmp_path / "judged.jsonl"
    odd = "tea\u2028or\x85coffee\x0c"
    links = [Result(rank=1, title="t", url="https://a.example/\u2029x", snippet="")]
    Judgments.open(file).mark(odd, links, 1, True)
    assert Judgments.open(file).of(odd, links).relevant == (True,)
